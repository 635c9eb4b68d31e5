package replay

import (
	"reflect"
	"testing"
	"time"

	"ironworks/models"
)

// TestReconstructEachEvent checks the node after one event of each kind. Before the event, the node is cleaning, with
// a step, an error and an agent.
func TestReconstructEachEvent(t *testing.T) {
	t.Parallel()
	step := func(name string) *models.Step { return &models.Step{Interface: "deploy", Step: name} }
	before := func() models.Node {
		return models.Node{
			UUID: node.UUID, ProvisionState: models.StateCleaning, CleanStep: step("erase_devices"), LastError: "before",
			Internal: &models.Internal{AgentURL: "https://192.0.2.9:9999"},
		}
	}
	for name, tt := range map[string]struct {
		state models.ProvisionState // the state of the node before the event; cleaning if empty
		event models.Event
		want  func(n *models.Node)
	}{
		"added": {event: models.Event{Kind: models.EventAdded, To: "enroll"}, want: func(n *models.Node) {
			n.ProvisionState, n.LastError, n.CleanStep, n.Internal = models.StateEnroll, "", nil, nil
		}},
		"a busy state keeps step and agent": {event: models.Event{Kind: models.EventProvisionState, To: "clean wait", Reason: "x"}, want: func(n *models.Node) {
			n.ProvisionState, n.LastError = models.StateCleanWait, ""
		}},
		"a failed state has its reason": {event: models.Event{Kind: models.EventProvisionState, To: "clean failed", Reason: "disk is gone"}, want: func(n *models.Node) {
			n.ProvisionState, n.LastError, n.CleanStep, n.Internal = models.StateCleanFailed, "disk is gone", nil, nil
		}},
		"a clean step": {event: models.Event{Kind: models.EventStep, To: "deploy.erase_devices_metadata"}, want: func(n *models.Node) {
			n.CleanStep = step("erase_devices_metadata")
		}},
		"a clean step while waiting": {state: models.StateCleanWait, event: models.Event{Kind: models.EventStep, To: "deploy.burnin_cpu"}, want: func(n *models.Node) {
			n.ProvisionState, n.CleanStep = models.StateCleanWait, step("burnin_cpu")
		}},
		"a service step": {state: models.StateServicing, event: models.Event{Kind: models.EventStep, To: "deploy.burnin_cpu"}, want: func(n *models.Node) {
			n.ProvisionState, n.CleanStep, n.ServiceStep = models.StateServicing, nil, step("burnin_cpu")
		}},
		"a deploy step": {state: models.StateDeployWait, event: models.Event{Kind: models.EventStep, To: "deploy.write_image"}, want: func(n *models.Node) {
			n.ProvisionState, n.CleanStep, n.DeployStep = models.StateDeployWait, nil, step("write_image")
		}},
		"no step": {event: models.Event{Kind: models.EventStep}, want: func(n *models.Node) { n.CleanStep = nil }},
		"a step without interface": {event: models.Event{Kind: models.EventStep, To: "broken"}, want: func(n *models.Node) {
			n.CleanStep = nil
		}},
		"power": {event: models.Event{Kind: models.EventPower, To: "power on"}, want: func(n *models.Node) { n.PowerState = models.PowerOn }},
		"maintenance on": {event: models.Event{Kind: models.EventMaintenance, To: "on", Reason: "new disk"}, want: func(n *models.Node) {
			n.Maintenance, n.MaintenanceReason = true, "new disk"
		}},
		"maintenance off": {event: models.Event{Kind: models.EventMaintenance, To: "off"}, want: func(*models.Node) {}},
		"an error":        {event: models.Event{Kind: models.EventError, To: "no power", Reason: "no power"}, want: func(n *models.Node) { n.LastError = "no power" }},
		"an agent": {event: models.Event{Kind: models.EventAgent, To: "https://192.0.2.10:9999"}, want: func(n *models.Node) {
			n.Internal = &models.Internal{AgentURL: "https://192.0.2.10:9999"}
		}},
		"a ramdisk":    {event: models.Event{Kind: models.EventRamdisk, To: "x"}, want: func(*models.Node) {}},
		"an instance":  {event: models.Event{Kind: models.EventInstance, To: "i-1"}, want: func(n *models.Node) { n.InstanceUUID = "i-1" }},
		"a fault":      {event: models.Event{Kind: models.EventFault, To: "power failure"}, want: func(n *models.Node) { n.Fault = "power failure" }},
		"removed":      {event: models.Event{Kind: models.EventRemoved}, want: func(*models.Node) {}},
		"unknown kind": {event: models.Event{Kind: "made up", To: "x"}, want: func(*models.Node) {}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, want := before(), before()
			if tt.state != "" {
				got.ProvisionState = tt.state
			}
			applyEvent(&got, &tt.event)
			if tt.want(&want); !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

// TestReconstructWithoutAState checks the snapshots of a node if only its power state is known.
func TestReconstructWithoutAState(t *testing.T) {
	t.Parallel()
	rec := &Recording{Events: []models.Event{{Time: after(time.Minute), Node: node, Kind: models.EventPower, To: "power on"}}}
	player, err := New(rec, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []models.Picture{
		{At: after(59 * time.Second), Node: models.Node{UUID: node.UUID}},
		{At: after(time.Minute), Node: models.Node{UUID: node.UUID, Name: node.Name, PowerState: models.PowerOn}},
	}
	if !reflect.DeepEqual(rec.Pictures, want) {
		t.Errorf("got %+v, want %+v", rec.Pictures, want)
	}
	if v, known := player.Answers().Version(); !known || v.Minor != models.NewestMinor {
		t.Errorf("without a version of the API in the recording: %v, %t", v, known)
	}
}

// TestSpan covers the start and end of recordings.
func TestSpan(t *testing.T) {
	t.Parallel()
	undated := models.LogLine{Node: node, Text: "undated"}
	received := models.LogLine{Node: node, Received: after(5 * time.Second)}
	for name, tt := range map[string]struct {
		rec      Recording
		from, to time.Duration
		nothing  bool
	}{
		"empty":            {nothing: true},
		"an undated line":  {rec: Recording{Lines: []models.LogLine{undated}}, nothing: true},
		"lines alone":      {rec: Recording{Lines: []models.LogLine{line(time.Minute, "b"), line(time.Second, "a"), undated}}, from: time.Second, to: time.Minute},
		"a received line":  {rec: Recording{Lines: []models.LogLine{received}}, from: 5 * time.Second, to: 5 * time.Second},
		"an undated event": {rec: Recording{Events: []models.Event{{Node: node}}}, nothing: true},
		"lines near states": {
			rec: Recording{
				Pictures: []models.Picture{picture(0, models.StateActive)},
				Lines:    []models.LogLine{line(-logMargin, "first"), line(logMargin, "last"), line(-logMargin-1, "too early"), line(logMargin+1, "too late")},
			},
			from: -logMargin, to: logMargin,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := tt.rec.Span()
			if tt.nothing {
				if !from.IsZero() || !to.IsZero() {
					t.Errorf("from %v to %v, want nothing to play", from, to)
				}
				return
			}
			if !from.Equal(after(tt.from)) || !to.Equal(after(tt.to)) {
				t.Errorf("from %v to %v, want +%v to +%v", from, to, tt.from, tt.to)
			}
		})
	}
}
