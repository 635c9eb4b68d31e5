package replay

import (
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// sketch makes pictures of nodes of which none were kept, of what happened to them: what
// was kept before pictures were has nothing else.
func (r *Recording) sketch() {
	drawn := map[string]bool{}
	for i := range r.Pictures {
		drawn[r.Pictures[i].Node.UUID] = true
	}
	nodes := map[string]*models.Node{}
	var sketches []models.Picture
	for i := range r.Events {
		e := &r.Events[i]
		if drawn[e.Node.UUID] {
			continue
		}
		n := nodes[e.Node.UUID]
		if n == nil {
			n = &models.Node{UUID: e.Node.UUID, ProvisionState: r.firstState(e.Node.UUID)}
			nodes[e.Node.UUID] = n
			sketches = append(sketches, models.Picture{At: e.Time.Add(-time.Second), Node: *n})
		}
		n.Name = e.Node.Name
		happened(n, e)
		sketches = append(sketches, models.Picture{At: e.Time, Node: *n})
	}
	r.Pictures = append(r.Pictures, sketches...)
	slices.SortStableFunc(r.Pictures, func(a, b models.Picture) int { return a.At.Compare(b.At) })
}

// firstState is the state that a node was in before all that is known to have happened.
func (r *Recording) firstState(uuid string) models.ProvisionState {
	for i := range r.Events {
		if e := &r.Events[i]; e.Node.UUID == uuid && e.Kind == models.EventProvisionState {
			return models.ProvisionState(e.From)
		}
	}
	return ""
}

// happened changes a node as an event says.
func happened(n *models.Node, e *models.Event) {
	switch e.Kind {
	case models.EventProvisionState, models.EventAdded:
		n.ProvisionState = models.ProvisionState(e.To)
		n.LastError = ""
		if n.ProvisionState.Failed() {
			n.LastError = e.Reason
		}
		if !n.ProvisionState.Busy() {
			n.DeployStep, n.CleanStep, n.ServiceStep, n.Internal = nil, nil, nil, nil
		}
	case models.EventStep:
		n.DeployStep, n.CleanStep, n.ServiceStep = nil, nil, nil
		face, name, _ := strings.Cut(e.To, ".")
		if name == "" {
			return
		}
		step := &models.Step{Interface: face, Step: name}
		switch n.ProvisionState.Phase() {
		case models.StateCleaning:
			n.CleanStep = step
		case models.StateServicing:
			n.ServiceStep = step
		default:
			n.DeployStep = step
		}
	case models.EventPower:
		n.PowerState = models.PowerState(e.To)
	case models.EventMaintenance:
		n.Maintenance, n.MaintenanceReason = e.To == "on", e.Reason
	case models.EventError:
		n.LastError = e.Reason
	case models.EventAgent:
		n.Internal = &models.Internal{AgentURL: e.To}
	case models.EventRamdisk: // a picture has nothing of it
	case models.EventInstance:
		n.InstanceUUID = e.To
	case models.EventFault:
		n.Fault = e.To
	case models.EventRemoved:
	}
}
