package wire

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

// proxy is the proxy of all hosts of the domain example. The password in its URL is hunter2.
var proxy *httptest.Server

// TestMain sets the proxy for the whole process, because net/http reads its environment only once.
func TestMain(m *testing.M) { os.Exit(behindProxy(m.Run)) }

func behindProxy(tests func() int) (code int) {
	proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch user, password, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " "); {
		case user != "Basic" || password != "bWU6aHVudGVyMg==":
			w.WriteHeader(http.StatusProxyAuthRequired)
		case r.Method == http.MethodConnect:
			w.WriteHeader(http.StatusForbidden)
		default:
			w.Header().Set("Server", "proxied "+r.URL.String())
		}
	}))
	defer proxy.Close()
	address := strings.Replace(proxy.URL, "://", "://me:hunter2@", 1)
	for name, value := range map[string]string{"HTTP_PROXY": address, "HTTPS_PROXY": address, "NO_PROXY": ".invalid,h"} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return tests()
}

// TestReachThroughProxy checks that the proxy of the environment is used, shown without its password, and named when it
// refuses.
func TestReachThroughProxy(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		target string
		stage  models.ReachStage
		server string
		fault  string
	}{
		"HTTP":    {"http://ironic.example:6385/v1", models.ReachAnswered, "proxied http://ironic.example:6385/v1", ""},
		"refused": {"https://ironic.example:6385/v1", models.ReachTLS, "", "the proxy (HTTP_PROXY, HTTPS_PROXY) in front of ironic.example:6385 refused the connection: 403 Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Reach(t.Context(), Options{Timeout: 5 * time.Second, Largest: 1000}, tt.target, "the API")
			if want := strings.Replace(proxy.URL, "://", "://me@", 1); r.Proxy != want {
				t.Errorf("proxy %q, want %q", r.Proxy, want)
			}
			fault := ""
			if r.Fault != nil {
				fault = r.Fault.Message
			}
			if r.Stage != tt.stage || r.Server != tt.server || fault != tt.fault {
				t.Errorf("stage %s, server %q, fault %q; want %+v", r.Stage, r.Server, fault, tt)
			}
			if r.Remote != proxy.Listener.Addr().String() || len(r.Addresses) > 0 {
				t.Errorf("connected to %s of %q", r.Remote, r.Addresses)
			}
		})
	}
}
