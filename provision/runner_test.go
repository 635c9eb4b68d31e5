package provision_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

func many(n int, s models.ProvisionState) (nodes []models.Node, names []string) {
	for i := range n {
		nodes = append(nodes, node(fmt.Sprintf("n%02d", i), s))
		names = append(names, fmt.Sprintf("n%02d", i))
	}
	return nodes, names
}

func TestRunActsOnEightNodesAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, names := many(50, models.StateEnroll)
		nodes[3].ProvisionState = models.StateActive
		api := newAPI(nodes...)
		api.took = time.Second
		api.onCall = func(_, id string) error {
			if id == "uuid-n07" {
				return &models.Fault{Kind: models.FaultConflict, Status: 409, Message: "no"}
			}
			return nil
		}
		began := time.Now()
		results, _ := act(t, api, verb(models.VerbManage), provision.RunOptions{}, names...)
		if took := time.Since(began); took != 7*time.Second || api.atOnce != provision.Concurrency {
			t.Errorf("took %v with %d at once", took, api.atOnce)
		}
		for i, res := range results {
			want := provision.OutcomeAccepted
			switch i {
			case 3:
				want = provision.OutcomeRefused
			case 7:
				want = provision.OutcomeFailed
			}
			if res.Node.Name != names[i] || res.Outcome != want {
				t.Errorf("result %d: %+v, want %s", i, res, want)
			}
		}
		if len(api.calls) != 49 || slices.Contains(api.calls, "n03 provision manage") {
			t.Errorf("sent %q", api.calls)
		}
		r := &provision.Runner{API: api}
		p := r.Plan(verb(models.VerbManage), nodes)
		if failed := p.Failed(results); len(failed) != 1 || failed[0].Node.Name != "n07" {
			t.Errorf("failed %+v", failed)
		}
		if p.Index("uuid-n07") != 7 || p.Index("nobody") != -1 {
			t.Errorf("index %d, %d", p.Index("uuid-n07"), p.Index("nobody"))
		}
	})
}

func TestReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(node("n1", models.StateEnroll))
		audit := &memAudit{}
		r := &provision.Runner{API: api, Audit: audit, ReadOnly: true}
		p := r.Plan(verb(models.VerbManage), []models.Node{api.nodes["uuid-n1"]})
		if p.Items[0].Refusal == nil || p.Items[0].Refusal.Kind != models.RefusedReadOnly {
			t.Errorf("refusal %v", p.Items[0].Refusal)
		}
		p.Items[0].Refusal = nil // as if it was planned before the context became read-only
		res := r.Run(t.Context(), p, provision.RunOptions{})
		if res[0].Outcome != provision.OutcomeRefused || len(api.calls)+len(audit.records) != 0 {
			t.Errorf("result %+v, sent %q", res[0], api.calls)
		}
	})
}

func TestAuditLines(t *testing.T) {
	fault := func(f models.Fault) func(string, string) error { return func(string, string) error { return &f } }
	echo := models.Fault{
		Kind: models.FaultBadRequest, Status: 400, RequestID: "req-9", Message: "Couldn't apply patch '[{'value': 'hunter2'}]'",
	}
	for name, c := range map[string]struct {
		action  provision.Action
		onCall  func(string, string) error
		want    []string
		outcome provision.Outcome
	}{
		"accepted": {verb(models.VerbManage), nil, []string{"n1 manage sending", "n1 manage accepted req-n1"}, provision.OutcomeAccepted},
		"refused": {
			verb(models.VerbManage), fault(models.Fault{Kind: models.FaultConflict, Status: 409, RequestID: "req-9", Message: "no"}),
			[]string{"n1 manage sending", "n1 manage refused req-9 no (HTTP 409)"},
			provision.OutcomeFailed,
		},
		"unknown": {
			verb(models.VerbManage), fault(models.Fault{Kind: models.FaultTimeout, Sent: true, Message: "no answer"}),
			[]string{"n1 manage sending", "n1 manage unknown  no answer"},
			provision.OutcomeUnknown,
		},
		"not a fault": {
			verb(models.VerbManage), func(string, string) error {
				return &models.NeedsVersionError{Feature: models.FeatureUnhold, Has: models.APIVersion{Minor: 80}}
			},
			[]string{"n1 manage sending", "n1 manage refused  unhold needs API 1.85; this Ironic has 1.80"},
			provision.OutcomeFailed,
		},
		"set": {
			settings(t, "driver_info.redfish_password=hunter2"), fault(echo),
			[]string{"n1 set /driver_info/redfish_password sending", "n1 set /driver_info/redfish_password refused req-9 bad request (HTTP 400)"},
			provision.OutcomeFailed,
		},
		"set and locked": {
			settings(t, "driver_info.redfish_password=hunter2"),
			fault(models.Fault{Kind: models.FaultLocked, Status: 409, Message: "locked by c1"}),
			[]string{"n1 set /driver_info/redfish_password sending", "n1 set /driver_info/redfish_password refused  locked by c1 (HTTP 409)"},
			provision.OutcomeFailed,
		},
		"rescue": {
			provision.Provision(models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: "hunter2"}), fault(echo),
			[]string{"n1 rescue sending", "n1 rescue refused req-9 bad request (HTTP 400)"},
			provision.OutcomeFailed,
		},
		"no answer to rescue": {
			provision.Provision(models.ProvisionRequest{Verb: models.VerbRescue, RescuePassword: "hunter2"}),
			fault(models.Fault{Kind: models.FaultReset, Sent: true, Message: "hunter2"}),
			[]string{"n1 rescue sending", "n1 rescue unknown  reset"},
			provision.OutcomeUnknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := models.StateEnroll
				if strings.Contains(name, "rescue") {
					s = models.StateActive
				}
				api := newAPI(node("n1", s))
				api.took, api.onCall = time.Second, c.onCall
				results, audit := act(t, api, c.action, provision.RunOptions{}, "n1")
				if got := audit.lines(); !slices.Equal(got, c.want) {
					t.Fatalf("audit\n%q\nwant\n%q", got, c.want)
				}
				before, after := audit.records[0], audit.records[1]
				if before.ID == "" || before.ID != after.ID || before.Context != "lab" || before.Node.UUID != "uuid-n1" {
					t.Errorf("records %+v", audit.records)
				}
				if after.Time.Sub(before.Time) != time.Second || before.Time.Location() != time.UTC {
					t.Errorf("times %v, %v", before.Time, after.Time)
				}
				if res := results[0]; res.Outcome != c.outcome || res.RequestID != after.RequestID {
					t.Errorf("result %+v", res)
				}
			})
		})
	}
}

func TestUnwritableAudit(t *testing.T) {
	run := func(t *testing.T, fail int) (*fakeAPI, provision.Batch, []provision.Result) {
		t.Helper()
		api := newAPI(node("n1", models.StateManageable))
		r := &provision.Runner{API: api, Audit: &memAudit{fail: fail}}
		p := r.Plan(settings(t, "owner=me", "traits+=CUSTOM_A"), []models.Node{api.nodes["uuid-n1"]})
		return api, p, r.Run(t.Context(), p, provision.RunOptions{})
	}
	synctest.Test(t, func(t *testing.T) {
		api, _, results := run(t, 1)
		if len(api.calls) != 0 || !errors.Is(results[0].Err, errDiskFull) || !strings.Contains(results[0].Err.Error(), "nothing was sent") {
			t.Errorf("sent %q, %+v", api.calls, results[0])
		}
	})
	synctest.Test(t, func(t *testing.T) {
		api, p, results := run(t, 2)
		if len(api.calls) != 1 || !errors.Is(results[0].Err, errDiskFull) || results[0].Outcome != provision.OutcomeUnknown {
			t.Errorf("sent %q, %+v", api.calls, results[0])
		}
		if len(p.Failed(results)) != 0 {
			t.Error("offered for another try although it was sent")
		}
	})
}

func TestInterruptedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes, _ := many(20, models.StateEnroll)
		api := newAPI(nodes...)
		api.took = 10 * time.Second
		r := &provision.Runner{API: api, Audit: &memAudit{}}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		results := r.Run(ctx, r.Plan(verb(models.VerbManage), nodes), provision.RunOptions{Wait: true})
		counts := map[provision.Outcome]int{}
		for _, res := range results {
			counts[res.Outcome]++
		}
		if counts[provision.OutcomeUnknown] != 8 || counts[provision.OutcomeRefused] != 12 || len(api.calls) != 8 {
			t.Errorf("outcomes %v, %d sent", counts, len(api.calls))
		}
	})
}

func TestFindNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(node("a", models.StateActive), node("b", models.StateActive), node("c", models.StateActive))
		nodes, err := provision.FindNodes(t.Context(), api, []string{"b", "uuid-a", "uuid-b", "b", "a"})
		if err != nil || len(nodes) != 2 || nodes[0].Name != "b" || nodes[1].Name != "a" {
			t.Errorf("found %+v, %v", nodes, err)
		}
		if _, err := provision.FindNodes(t.Context(), api, []string{"a", "z"}); !models.IsFault(err, models.FaultNotFound) {
			t.Errorf("a missing node: %v", err)
		}
		if nodes, err := provision.FindNodes(t.Context(), api, nil); err != nil || len(nodes) != 0 {
			t.Errorf("no names: %v, %v", nodes, err)
		}
	})
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestPanicIsRaisedInTheCaller(t *testing.T) {
	check := func(t *testing.T, v any) {
		t.Helper()
		err, _ := v.(error)
		var p *provision.PanicError
		if !errors.As(err, &p) || p.Value != any(errDiskFull) || !errors.Is(err, errDiskFull) {
			t.Fatalf("raised %v", v)
		}
		if !strings.Contains(fmt.Sprint(v), "TestPanicIsRaisedInTheCaller") || !strings.Contains(fmt.Sprint(v), errDiskFull.Error()) {
			t.Errorf("the original stack is not in %v", v)
		}
	}
	t.Run("run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			nodes, names := many(20, models.StateEnroll)
			api := newAPI(nodes...)
			api.onCall = func(_, id string) error {
				if id == "uuid-n03" {
					panic(errDiskFull)
				}
				return nil
			}
			began := time.Now()
			check(t, recovered(func() {
				act(t, api, verb(models.VerbManage), provision.RunOptions{Wait: true, StopOnFailure: true}, names...)
			}))
			synctest.Wait()
			if len(api.calls) > 8 || time.Since(began) > time.Second {
				t.Errorf("%d sent, ended after %v: the others were not stopped", len(api.calls), time.Since(began))
			}
		})
	})
	t.Run("progress", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newAPI(node("n1", models.StateEnroll))
			opts := provision.RunOptions{Wait: true, Progress: func(provision.Progress) { panic(errDiskFull) }}
			check(t, recovered(func() { act(t, api, verb(models.VerbManage), opts, "n1") }))
		})
	})
	t.Run("find", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			api := newAPI()
			api.onLook = func(string) error { panic(errDiskFull) }
			check(t, recovered(func() { _, _ = provision.FindNodes(t.Context(), api, []string{"a", "b"}) }))
		})
	})
}
