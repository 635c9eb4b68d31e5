package ironicclient

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

// TestKeystoneCut checks that a request does not count as sent to Ironic if Keystone fails.
func TestKeystoneCut(t *testing.T) {
	t.Parallel()
	k := newKeystone(t)
	k.before = func(w http.ResponseWriter, r *http.Request, number int) bool {
		if number == 1 {
			hijacked(func(net.Conn) {})(w, r)
		}
		return number == 1
	}
	f := newIronic(t, reply(http.StatusAccepted, ""))
	conn := password(k)
	conn.Endpoint = f.URL
	c := connect(t, conn, Options{})
	_, err := c.Send(t.Context(), request.Power("n", models.TargetOn))
	if fault := mustFault(t, err, models.FaultReset); fault.Sent || !strings.HasPrefix(fault.Error(), "authenticate with Keystone: ") {
		t.Errorf("%v", fault)
	}
	if _, err := c.Send(t.Context(), request.Power("n", models.TargetOn)); err != nil {
		t.Errorf("the next call connects anew: %v", err)
	}
}

// expiring returns a handler that rejects all tokens except the one that valid returns.
func expiring(valid func() string, ok handler) handler {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Auth-Token") != valid() {
			w.Header().Set("WWW-Authenticate", `Keystone uri="http://k"`)
			ironicError(http.StatusUnauthorized, "expired")(w, r)
			return
		}
		ok(w, r)
	}
}

func TestTokenExpires(t *testing.T) {
	t.Parallel()
	f := newIronic(t, expiring(func() string { return "token-2" }, reply(http.StatusAccepted, "")))
	k := newKeystone(t, endpointOf("public", "R1", f.URL))
	c := connect(t, password(k), Options{})
	if _, err := c.Send(t.Context(), request.Power("n", models.TargetOn)); err != nil {
		t.Fatal(err)
	}
	got := f.all()
	if len(k.all()) != 2 || len(got) != 2 || got[1].body != `{"target":"power on"}` || k.all()[0].body != k.all()[1].body {
		t.Errorf("Keystone %q, Ironic %q with %s", k.all(), got, got[len(got)-1].body)
	}
	if _, err := c.Send(t.Context(), request.Power("n", models.TargetOn)); err != nil || len(k.all()) != 2 {
		t.Errorf("%v after %d tokens", err, len(k.all()))
	}
}

func TestManyTokensExpireAtOnce(t *testing.T) {
	t.Parallel()
	f := newIronic(t, expiring(func() string { return "token-2" }, nodes("a")))
	k := newKeystone(t, endpointOf("public", "R1", f.URL))
	c := connect(t, password(k), Options{})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if err := list(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := len(k.all()); n != 2 {
		t.Errorf("%d tokens", n)
	}
}

func TestReauthenticationFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		second handler
		kind   models.FaultKind
		says   string
	}{
		"refused": {reply(401, `{"error":{"code":401,"message":"locked out"}}`), models.FaultUnauthorized, "locked out (HTTP 401) (the token expired and Keystone issued no new one: check the credentials)"},
		"broken":  {hijacked(func(net.Conn) {}), models.FaultReset, "the token expired and Keystone issued no new one"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newIronic(t, expiring(func() string { return "none" }, nodes("a")))
			k := newKeystone(t, endpointOf("public", "R1", f.URL))
			k.before = func(w http.ResponseWriter, r *http.Request, number int) bool {
				if number == 2 {
					tt.second(w, r)
				}
				return number == 2
			}
			_, err := connect(t, password(k), Options{}).Send(t.Context(), request.Power("n", models.TargetOn))
			fault := mustFault(t, err, tt.kind)
			mustSay(t, fault, "set power of node n to power on: ", tt.says)
			if fault.Sent || len(f.all()) != 1 || len(k.all()) != 2 {
				t.Errorf("%+v: %d and %d requests", fault, len(f.all()), len(k.all()))
			}
		})
	}
}

func TestNewTokenIsRefusedToo(t *testing.T) {
	t.Parallel()
	f := newIronic(t, expiring(func() string { return "none" }, nodes("a")))
	k := newKeystone(t, endpointOf("public", "R1", f.URL))
	err := list(t.Context(), connect(t, password(k), Options{}))
	mustSay(t, mustFault(t, err, models.FaultUnauthorized), "the v3password credentials were refused")
	if len(f.all()) != 2 || len(k.all()) != 2 {
		t.Errorf("%d and %d requests", len(f.all()), len(k.all()))
	}
}

// TestInterruptedReauthentication checks two calls that need a new token. If the call that requests the token is
// interrupted, the other call must not count as interrupted.
func TestInterruptedReauthentication(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	valid := "token-1"
	f := newIronic(t, expiring(func() string { mu.Lock(); defer mu.Unlock(); return valid }, nodes("a")))
	k := newKeystone(t, endpointOf("public", "R1", f.URL))
	first, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	asked := make(chan struct{})
	k.before = func(_ http.ResponseWriter, r *http.Request, number int) bool {
		if number == 2 {
			close(asked)
			<-r.Context().Done()
		}
		return number == 2
	}
	c := connect(t, password(k), Options{})
	if err := list(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	valid = "token-3"
	mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { wantFault(t, list(first, c), models.FaultCanceled) })
	<-asked
	began := make(chan struct{})
	wg.Go(func() {
		close(began)
		if err := list(t.Context(), c); err != nil {
			t.Errorf("somebody else's call was interrupted, not ours: %v", err)
		}
	})
	<-began
	interrupt()
	wg.Wait()
}

// roundTrip implements http.RoundTripper with a function.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestInterruptionOfSomebodyElse(t *testing.T) {
	t.Parallel()
	for interrupted, kind := range map[int]models.FaultKind{1: "", 2: "", 100: models.FaultCanceled} {
		f := newIronic(t, nodes("a"))
		c := client(t, f.URL, Options{})
		next, sent := c.http.Transport, 0
		c.http.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if sent++; sent <= interrupted {
				return nil, context.Canceled // because gophercloud passes on the error of the call that requested the token
			}
			return next.RoundTrip(r)
		})
		err := list(t.Context(), c)
		c.http.Transport = next
		if kind != "" {
			wantFault(t, err, kind)
		} else if err != nil {
			t.Errorf("%d: %v", interrupted, err)
		}
		if sent > 3 {
			t.Errorf("%d requests", sent)
		}
	}
}
