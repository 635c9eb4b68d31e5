package provision_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// TestCancelOneNode checks that no further request is sent to a canceled node, that its result is available
// immediately, and that the other nodes continue.
func TestCancelOneNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, names := many(4, models.StateEnroll)
		api := newAPI(nodes...)
		began := time.Now()
		api.onCall = func(_, id string) error {
			name := strings.TrimPrefix(id, "uuid-")
			api.later(time.Millisecond, name, to(models.StateVerifying))
			api.later(5*time.Minute, name, to(models.StateManageable))
			return nil
		}
		var cancels provision.Cancels
		before, during, after := "uuid-"+names[0], "uuid-"+names[1], "uuid-"+names[2]
		cancels.Cancel(before)
		time.AfterFunc(time.Minute, func() { cancels.Cancel(during) })
		time.AfterFunc(10*time.Minute, func() { cancels.Cancel(after) })
		var mu sync.Mutex
		known := map[string]time.Duration{}
		results, _ := act(t, api, verb(models.VerbManage), provision.RunOptions{Wait: true, Cancels: &cancels, Done: func(r provision.Result) {
			mu.Lock()
			defer mu.Unlock()
			known[r.Node.UUID] = time.Since(began)
		}}, names...)
		for i, want := range []error{provision.ErrCanceled, provision.ErrCanceledLater, nil, nil} {
			outcome := provision.OutcomeDone
			if want != nil {
				outcome = provision.OutcomeCanceled
			}
			if r := results[i]; !errors.Is(r.Err, want) || r.Outcome != outcome {
				t.Errorf("%s: %s, %v", r.Node.Label(), r.Outcome, r.Err)
			}
		}
		if slices.ContainsFunc(api.calls, func(c string) bool { return strings.Contains(c, names[0]) }) {
			t.Errorf("sent to a canceled node: %q", api.calls)
		}
		if len(known) != 4 || known[before] != 0 || known[during] != time.Minute || known[after] < 5*time.Minute {
			t.Errorf("results were known after %v", known)
		}
	})
}
