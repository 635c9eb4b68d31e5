package replay

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/models"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var began = time.Date(2026, 3, 14, 14, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return began.Add(d) }

var node = models.NodeRef{UUID: "11111111-1111-4111-8111-111111111111", Name: "r7-n01"}

func picture(d time.Duration, state models.ProvisionState) models.Picture {
	return models.Picture{At: after(d), Node: models.Node{UUID: node.UUID, Name: node.Name, ProvisionState: state, ResourceClass: "gp-2x"}}
}

func changed(d time.Duration, from, to models.ProvisionState, reason string) models.Event {
	return models.Event{Time: after(d), Node: node, Kind: models.EventProvisionState, From: string(from), To: string(to), Reason: reason}
}

func line(d time.Duration, text string) models.LogLine {
	return models.LogLine{Time: after(d), Received: after(d), Node: node, Source: models.LogSSH, Unit: "ironic-agent", Level: models.LogInfo, Text: text}
}

// aDeployment returns a recording of a deployment that fails after three minutes.
func aDeployment() *Recording {
	return &Recording{
		Header: Header{Program: "ironworks test", Context: "rack7", API: "1.115", Nodes: []models.NodeRef{node}},
		Pictures: []models.Picture{
			picture(0, models.StateAvailable), picture(time.Minute, models.StateDeploying), picture(2*time.Minute, models.StateDeployWait),
			picture(3*time.Minute, models.StateDeployFailed),
		},
		Events: []models.Event{
			changed(time.Minute, models.StateAvailable, models.StateDeploying, ""),
			changed(2*time.Minute, models.StateDeploying, models.StateDeployWait, ""),
			changed(3*time.Minute, models.StateDeployWait, models.StateDeployFailed, "No suitable device was found"),
		},
		Works: []models.Work{
			{Node: node, Kind: models.StateInspecting, Begin: after(-time.Hour), End: after(-50 * time.Minute), Outcome: models.OutcomeDone},
			{Node: node, Kind: models.StateDeploying, Begin: after(time.Minute), End: after(3 * time.Minute), Outcome: models.OutcomeFailed},
		},
		Lines: []models.LogLine{line(90*time.Second, "one"), line(150*time.Second, "two"), line(170*time.Second, "three")},
	}
}

func written(t *testing.T, r *Recording) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, r.Header)
	if err != nil {
		t.Fatal(err)
	}
	do := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range r.Lines {
		do(w.Line(&r.Lines[i]))
	}
	for i := range r.Works {
		do(w.Work(&r.Works[i]))
	}
	for i := range r.Events {
		do(w.Event(&r.Events[i]))
	}
	for i := range r.Pictures {
		do(w.Picture(&r.Pictures[i]))
	}
	do(w.Close())
	return b.Bytes()
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
