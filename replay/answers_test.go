package replay

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// TestAnswers checks that a replay returns recorded data, answers all other reads with a fault, and refuses every
// change.
func TestAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := play(t, 1)
		p.player.Pause(true)
		p.player.Seek(after(160 * time.Second))
		synctest.Wait()
		a, ctx := p.player.Answers(), t.Context()

		n, at, err := a.NodeAt(ctx, node.Name)
		var raw models.Node
		if err != nil || n.ProvisionState != models.StateDeployWait || !at.Equal(after(160*time.Second)) || json.Unmarshal(n.Raw, &raw) != nil || raw.UUID != node.UUID {
			t.Errorf("node %+v at %v, error %v", n, at, err)
		}
		if works, err := a.Latest(ctx, 10); err != nil || len(works) != 1 || works[0].Kind != models.StateInspecting {
			t.Errorf("work %+v, error %v", works, err)
		}
		if works, err := a.Latest(ctx, -1); err != nil || len(works) != 0 {
			t.Errorf("work %+v, error %v", works, err)
		}
		var texts []string
		for l, err := range a.Lines(ctx, node.UUID, after(100*time.Second), time.Time{}) {
			if err != nil {
				t.Error(err)
			}
			texts = append(texts, l.Text)
		}
		if len(texts) != 1 || texts[0] != "two" {
			t.Errorf("lines %q, want the one between 100 s and 160 s", texts)
		}
		for _, err := range a.Lines(ctx, node.UUID, time.Time{}, after(time.Hour)) {
			if err != nil {
				t.Error(err)
			}
			break // the caller may stop early
		}
		if version, known := a.Version(); !known || version.Minor != 115 || a.Endpoint() != "" || len(a.Refused()) != 0 {
			t.Errorf("version %v %t, endpoint %q", version, known, a.Endpoint())
		}
		if got := a.MissingFields([]string{"raid_config", "bios"}); !slices.Equal(got, []string{"raid_config", "bios"}) {
			t.Errorf("missing fields %q, want all", got)
		}
		for what, err := range notRecordedAnswers(t, a) {
			var fault *models.Fault
			if !errors.As(err, &fault) || fault.Kind != models.FaultNotKept {
				t.Errorf("%s: error %v, want %v", what, err, models.FaultNotKept)
			}
		}
		for what, err := range changes(t, a) {
			var fault *models.Fault
			if !errors.As(err, &fault) || fault.Kind != models.FaultReadOnly || fault.Op != what {
				t.Errorf("%s: error %v, want %v", what, err, models.FaultReadOnly)
			}
		}
	})
}

// notRecordedAnswers returns the errors of all requests for data that no recording contains.
func notRecordedAnswers(t *testing.T, a *Answers) map[string]error {
	t.Helper()
	ctx, all := t.Context(), map[string]error{}
	_, all["an unknown node"] = a.Node(ctx, "nobody")
	_, all["ports"] = a.Ports(ctx, node.UUID)
	_, all["portgroups"] = a.Portgroups(ctx, node.UUID)
	_, all["history"] = a.History(ctx, node.UUID)
	_, all["inventory"] = a.Inventory(ctx, node.UUID)
	_, all["conductors"] = a.Conductors(ctx)
	_, all["drivers"] = a.Drivers(ctx)
	_, all["validate"] = a.Validate(ctx, node.UUID)
	return all
}

// changes returns the errors of all refused requests, by operation.
func changes(t *testing.T, a *Answers) map[string]error {
	t.Helper()
	ctx, all := t.Context(), map[string]error{}
	_, all["manage node "+node.UUID] = a.Send(ctx, request.Provision(node.UUID, models.ProvisionRequest{Verb: models.VerbManage}))
	_, all["change node "+node.UUID] = a.Send(ctx, request.Patch(node.UUID, nil))
	_, all["read an allocation"] = a.Allocation(ctx, node.UUID)
	return all
}
