package ironicclient

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

const lockedText = "Node n is locked by host c1, please retry after the current operation is completed."

func TestRetries(t *testing.T) {
	t.Parallel()
	lock, busy := ironicError(http.StatusConflict, lockedText), ironicError(http.StatusServiceUnavailable, "no free conductor workers")
	ok := reply(http.StatusAccepted, "")
	tests := map[string]struct {
		answers []handler
		tries   int
		kind    models.FaultKind // "" means success
		sent    int
	}{
		"locked, then free":         {[]handler{lock, lock, ok}, 0, "", 3},
		"busy, then free":           {[]handler{busy, ok}, 0, "", 2},
		"one, then the other":       {[]handler{lock, busy, ok}, 0, "", 3},
		"locked for ever":           {[]handler{lock}, 0, models.FaultLocked, 6},
		"busy for ever":             {[]handler{busy}, 3, models.FaultUnavailable, 3},
		"no retry wanted":           {[]handler{lock}, 1, models.FaultLocked, 1},
		"a real conflict":           {[]handler{ironicError(409, "Node is associated")}, 0, models.FaultConflict, 1},
		"a conflict after a lock":   {[]handler{lock, ironicError(409, "Node is associated")}, 0, models.FaultConflict, 2},
		"a conflict without a text": {[]handler{reply(409, "")}, 0, models.FaultConflict, 1},
		"server error":              {[]handler{ironicError(500, "boom")}, 0, models.FaultServer, 1},
		"bad gateway":               {[]handler{reply(502, "")}, 0, models.FaultServer, 1},
		"not found":                 {[]handler{ironicError(404, "no")}, 0, models.FaultNotFound, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { testRetries(t, replies(tt.answers...), tt.tries, tt.kind, tt.sent) })
		})
	}
}

func testRetries(t *testing.T, answer handler, tries int, kind models.FaultKind, sent int) {
	t.Helper()
	f, c := inMemory(t, answer, Options{Retry: RetryPolicy{Tries: tries}})
	var notices []Retry
	ctx := OnRetry(t.Context(), func(r Retry) { notices = append(notices, r) })
	began, waited := time.Now(), time.Duration(0)
	_, err := c.Send(ctx, request.Power("n", models.TargetOn))
	if kind == "" && err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		wantFault(t, err, kind)
	}
	if got := len(f.all()); got != sent || len(notices) != sent-1 {
		t.Fatalf("sent %d, told %d; want %d", got, len(notices), sent)
	}
	for i, n := range notices {
		waited += n.Delay
		if n.Attempt != i+1 || n.Fault == nil || n.Tries != c.opts.Retry.Tries {
			t.Errorf("notice %d: %+v", i, n)
		}
		if n.Delay < 1500*time.Millisecond || n.Delay > 2500*time.Millisecond {
			t.Errorf("wait of %v", n.Delay)
		}
	}
	if took := time.Since(began); took != waited {
		t.Errorf("waited %v, told %v", took, waited)
	}
	for _, r := range f.all() {
		if r.body != `{"target":"power on"}` {
			t.Errorf("a repeated request has body %q", r.body)
		}
	}
}

func TestJitter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var arrived []time.Time
		_, c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			arrived = append(arrived, time.Now())
			ironicError(http.StatusServiceUnavailable, "")(w, r)
		}, Options{Retry: RetryPolicy{Tries: 40, Delay: time.Minute, Budget: time.Hour}})
		wantFault(t, list(t.Context(), c), models.FaultUnavailable)
		different := map[time.Duration]bool{}
		for i := range len(arrived) - 1 {
			w := arrived[i+1].Sub(arrived[i])
			if w < 45*time.Second || w > 75*time.Second {
				t.Errorf("wait of %v", w)
			}
			different[w] = true
		}
		if len(different) < 30 {
			t.Errorf("%d different waits of %d", len(different), len(arrived)-1)
		}
	})
}

// TestRetryAfterIsWaitedFor checks that the client waits for as long as Retry-After demands, if the budget allows it.
func TestRetryAfterIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after string
		tries int
		sent  int
		waits time.Duration
	}{
		"one wait":               {"5", 2, 2, 5 * time.Second},
		"longer than the budget": {"3600", 2, 1, 0},
		"the budget is used up":  {"5", 0, 3, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, client := inMemory(t, func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Retry-After", c.after)
					w.WriteHeader(http.StatusServiceUnavailable)
				}, Options{Retry: RetryPolicy{Tries: c.tries}})
				began := time.Now()
				wantFault(t, list(t.Context(), client), models.FaultUnavailable)
				if waited := time.Since(began); waited != c.waits || len(f.all()) != c.sent {
					t.Errorf("waited %v and sent %d, want %v and %d", waited, len(f.all()), c.waits, c.sent)
				}
			})
		})
	}
}

func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, c := inMemory(t, ironicError(http.StatusConflict, lockedText), Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.Send(ctx, request.Power("n", models.TargetOn))
		// The fault must explain why the client was waiting. It need not mention the interruption, which the caller
		// knows about.
		if fault := mustFault(t, err, models.FaultLocked); fault.LockedBy != "c1" || len(f.all()) != 1 || time.Since(began) != time.Second {
			t.Errorf("%v after %d requests and %v", fault, len(f.all()), time.Since(began))
		}
	})
}

func TestAlreadyInterrupted(t *testing.T) {
	t.Parallel()
	f := newIronic(t, reply(http.StatusAccepted, ""))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := client(t, f.URL, Options{}).Send(ctx, request.Power("n", models.TargetOn))
	if fault := mustFault(t, err, models.FaultCanceled); fault.Sent || len(f.all()) != 0 {
		t.Errorf("%v: nothing was sent", fault)
	}
}

// TestLatency checks that the latency is the time from the request to the end of the response.
func TestLatency(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			<-time.After(80 * time.Millisecond)
			nodes("a")(w, r)
		}, Options{})
		if page, err := c.NodePage(t.Context(), NodeQuery{}); err != nil || page.Latency != 80*time.Millisecond {
			t.Errorf("%+v %v", page, err)
		}
	})
}
