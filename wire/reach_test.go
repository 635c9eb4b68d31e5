package wire

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

func TestReach(t *testing.T) {
	t.Parallel()
	plain := func(answer http.HandlerFunc) func(t *testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			s := httptest.NewServer(answer)
			t.Cleanup(s.Close)
			return s.URL
		}
	}
	encrypted := func(t *testing.T) string {
		t.Helper()
		s := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		t.Cleanup(s.Close)
		return s.URL
	}
	nobody := func(t *testing.T) string {
		t.Helper()
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		return "http://" + l.Addr().String()
	}
	ok := func(http.ResponseWriter, *http.Request) {}
	misled := func(t *testing.T) string {
		t.Helper()
		return strings.Replace(plain(ok)(t), "http", "https", 1)
	}
	named := func(t *testing.T) string {
		t.Helper()
		return strings.Replace(plain(ok)(t), "127.0.0.1", "localhost", 1)
	}
	for name, tt := range map[string]struct {
		at     func(t *testing.T) string
		tls    models.TLS
		stage  models.ReachStage
		fault  models.FaultKind
		holds  func(r *models.Reach) bool
		within time.Duration
	}{
		"no such name":     {func(*testing.T) string { return "http://nosuch.invalid:6385" }, models.TLS{}, models.ReachName, models.FaultDNS, nil, 0},
		"refused":          {nobody, models.TLS{}, models.ReachConnect, models.FaultRefused, nil, 0},
		"not trusted":      {encrypted, models.TLS{}, models.ReachTLS, models.FaultTLS, nil, 0},
		"TLS on a plain":   {misled, models.TLS{}, models.ReachTLS, models.FaultTLS, nil, 0},
		"trusted blindly":  {encrypted, models.TLS{Insecure: true}, models.ReachAnswered, "", func(r *models.Reach) bool { return r.Certificate != nil && r.Certificate.Root == "" }, 0},
		"no URL":           {func(*testing.T) string { return "http://h:1/\x7f?hunter2" }, models.TLS{}, models.ReachName, models.FaultBadAnswer, nil, 0},
		"a CA there isn't": {plain(ok), models.TLS{CACert: "/nosuch.pem"}, models.ReachName, models.FaultConfig, nil, 0},
		"an answer": {plain(ok), models.TLS{}, models.ReachAnswered, "", func(r *models.Reach) bool {
			return r.Status == 200 && r.Remote != "" && !r.Date.IsZero() && len(r.Addresses) == 0
		}, 0},
		"a name that resolves": {named, models.TLS{}, models.ReachAnswered, "", func(r *models.Reach) bool {
			return slices.Contains(r.Addresses, "127.0.0.1") && strings.HasPrefix(r.Remote, "127.0.0.1:") && r.Proxy == ""
		}, 0},
		"a redirect is not followed": {plain(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "https://u:hunter2@login/?sig=hunter2")
			w.WriteHeader(http.StatusFound)
		}), models.TLS{}, models.ReachAnswered, "", func(r *models.Reach) bool {
			return r.Status == 302 && strings.HasPrefix(r.Location, "https://u@login/")
		}, 0},
		"a flood": {plain(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("x"), 4<<20))
		}), models.TLS{}, models.ReachAnswered, "", func(r *models.Reach) bool { return r.Cut && len(r.Body) == maxReach }, 0},
		"escape sequences": {
			plain(func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Server", "\u202ered") }),
			models.TLS{},
			models.ReachAnswered, "", func(r *models.Reach) bool { return r.Server != "" && !strings.Contains(r.Server, "\u202e") }, 0,
		},
		"silence": {plain(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), models.TLS{}, models.ReachHTTP, models.FaultTimeout, nil, 200 * time.Millisecond},
		"a drip without end": {plain(func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("."))
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-time.After(10 * time.Millisecond):
				}
			}
		}), models.TLS{}, models.ReachHTTP, models.FaultTimeout, nil, 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			if tt.within > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.within)
				defer cancel()
			}
			r := Reach(ctx, Options{TLS: tt.tls, Timeout: 5 * time.Second, Largest: 1 << 20}, tt.at(t), "the API")
			if r.Stage != tt.stage || (r.Fault == nil) != (tt.fault == "") || r.Fault != nil && r.Fault.Kind != tt.fault {
				t.Fatalf("stage %s, fault %+v", r.Stage, r.Fault)
			}
			if tt.holds != nil && !tt.holds(&r) {
				t.Errorf("%+v", r)
			}
			if r.Fault != nil && strings.Contains(r.Fault.Error(), "hunter2") {
				t.Errorf("a secret is in %v", r.Fault)
			}
			if strings.Contains(r.Location+r.URL, "hunter2") {
				t.Errorf("a secret is in %+v", r)
			}
		})
	}
}
