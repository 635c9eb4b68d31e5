package explain

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

// saysOff is a fake BMC that reports that its machine is off, or returns an error.
type saysOff struct {
	screen.BMCs
	asked int
	err   error
}

func (b *saysOff) Facts(context.Context, string) (*explain.BMCFacts, error) {
	b.asked++
	return &explain.BMCFacts{Power: models.PowerOff}, b.err
}

// TestBMCIsQueriedOnRequest checks that the BMC is queried only when the operator requests it, and that its facts are
// used in explanations as long as they are recent.
func TestBMCIsQueriedOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := explained(t, failed())
		b := &saysOff{}
		r.Env.Session.BMCs = b
		var given []*explain.BMCFacts
		explainer := r.Env.Session.Explain
		r.Env.Session.Explain = func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error) {
			given = append(given, bmc)
			return explainer(ctx, uuid, bmc)
		}
		s := r.open(t)
		screentest.Shows(t, s, 80, 40, "Q queries it")
		for range 5 {
			r.Pass(time.Minute)
			r.Deliver(s, screen.Reload{})
		}
		if b.asked != 0 || given[len(given)-1] != nil {
			t.Fatalf("asked %d times by itself", b.asked)
		}
		r.Do(s, s.Do(action.ExplainBMC))
		if last := given[len(given)-1]; b.asked != 1 || last == nil || last.Power != models.PowerOff {
			t.Fatalf("asked %d times, explained with %+v", b.asked, last)
		}
		screentest.Shows(t, s, 80, 40, "the result is valid for 2 minutes")
		r.Pass(bmcFor + time.Second)
		r.Deliver(s, screen.Reload{})
		if given[len(given)-1] != nil || b.asked != 1 {
			t.Error("what was said long ago still counts, or it was asked by itself")
		}
		for _, test := range []struct {
			err  error
			want string
		}{
			{&provision.BMCCredentialsError{Address: "https://10.0.7.1", Username: "root"}, "press u in the node's BMC tab to log in"},
			{&models.NoRedfishError{Node: "r7-n02"}, "no Redfish address"},
			{errors.New("boom\x1b[2J"), "query failed: boom"},
		} {
			b.err = test.err
			r.Do(s, s.Do(action.ExplainBMC))
			screentest.Shows(t, s, 120, 40, test.want)
			screentest.CheckSizes(t, s)
		}
		r.Env.Session.BMCs = nil
		if s.DisabledReason(action.ExplainBMC) == "" || s.Do(action.ExplainBMC) != nil {
			t.Error("nobody can be asked")
		}
	})
}
