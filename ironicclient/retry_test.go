package ironicclient

import (
	"context"
	"net/http"
	"slices"
	"testing"
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
		kind    models.FaultKind // "" is success
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
			f := newIronic(t, replies(tt.answers...))
			clock := &testClock{}
			c := client(t, f.URL, Options{Clock: clock, Retry: RetryPolicy{Tries: tt.tries}})
			var notices []Retry
			ctx := OnRetry(t.Context(), func(r Retry) { notices = append(notices, r) })
			_, err := c.Send(ctx, request.Power("n", models.TargetOn))
			if tt.kind == "" && err != nil {
				t.Fatal(err)
			}
			if tt.kind != "" {
				wantFault(t, err, tt.kind)
			}
			if got := len(f.all()); got != tt.sent || len(clock.waits) != tt.sent-1 || len(notices) != tt.sent-1 {
				t.Fatalf("sent %d, waited %v, told %d; want %d", got, clock.waits, len(notices), tt.sent)
			}
			for i, n := range notices {
				if n.Attempt != i+1 || n.Delay != clock.waits[i] || n.Fault == nil || n.Tries != c.opts.Retry.Tries {
					t.Errorf("notice %d: %+v", i, n)
				}
				if n.Delay < 1500*time.Millisecond || n.Delay > 2500*time.Millisecond {
					t.Errorf("wait of %v", n.Delay)
				}
			}
			for _, r := range f.all() {
				if r.body != `{"target":"power on"}` {
					t.Errorf("a repeated request has body %q", r.body)
				}
			}
		})
	}
}

func TestJitter(t *testing.T) {
	t.Parallel()
	f := newIronic(t, ironicError(http.StatusServiceUnavailable, ""))
	clock := &testClock{}
	c := client(t, f.URL, Options{Clock: clock, Retry: RetryPolicy{Tries: 40, Delay: time.Minute, Budget: time.Hour}})
	wantFault(t, list(t.Context(), c), models.FaultUnavailable)
	different := map[time.Duration]bool{}
	for _, w := range clock.waits {
		if w < 45*time.Second || w > 75*time.Second {
			t.Errorf("wait of %v", w)
		}
		different[w] = true
	}
	if len(different) < 30 {
		t.Errorf("%d different waits of %d", len(different), len(clock.waits))
	}
}

func TestServersWish(t *testing.T) {
	t.Parallel()
	for header, want := range map[string][]time.Duration{"5": {5 * time.Second}, "3600": nil} { // nobody waits an hour
		f := newIronic(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		clock := &testClock{}
		c := client(t, f.URL, Options{Clock: clock, Retry: RetryPolicy{Tries: 2}})
		wantFault(t, list(t.Context(), c), models.FaultUnavailable)
		if !slices.Equal(clock.waits, want) {
			t.Errorf("Retry-After %s: waited %v", header, clock.waits)
		}
	}
}

func TestWaitsHaveABudget(t *testing.T) {
	t.Parallel()
	f := newIronic(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	clock := &testClock{}
	wantFault(t, list(t.Context(), client(t, f.URL, Options{Clock: clock})), models.FaultUnavailable)
	if want := []time.Duration{5 * time.Second, 5 * time.Second}; !slices.Equal(clock.waits, want) {
		t.Errorf("waited %v", clock.waits)
	}
}

func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	f := newIronic(t, ironicError(http.StatusConflict, lockedText))
	ctx, cancel := context.WithCancel(t.Context())
	clock := &testClock{onWait: func() bool { cancel(); return false }}
	_, err := client(t, f.URL, Options{Clock: clock}).Send(ctx, request.Power("n", models.TargetOn))
	// Why it waited says more than that it was interrupted, which the caller knows.
	if fault := mustFault(t, err, models.FaultLocked); fault.LockedBy != "c1" || len(f.all()) != 1 {
		t.Errorf("%v after %d requests", fault, len(f.all()))
	}
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

// The system's clock, with a wait too short to matter.
func TestSystemClock(t *testing.T) {
	t.Parallel()
	f := newIronic(t, replies(ironicError(http.StatusServiceUnavailable, ""), nodes("a")))
	c, err := New(models.Connection{Endpoint: f.URL}, Options{Retry: RetryPolicy{Delay: time.Nanosecond}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	page, err := c.NodePage(t.Context(), NodeQuery{})
	if err != nil || page.Latency <= 0 {
		t.Errorf("%+v %v", page, err)
	}
}
