package wire

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/models"
)

func TestProxyRefuses(t *testing.T) {
	t.Parallel()
	f := &models.Fault{}
	err := &net.OpError{Op: "proxyconnect", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}
	Describe(f, err, "https://ironic", "the API")
	if f.Kind != models.FaultRefused {
		t.Errorf("%s", f.Kind)
	}
	if !strings.Contains(f.Message, "refused by the proxy (HTTP_PROXY, HTTPS_PROXY) in front of ironic") {
		t.Error(f.Message)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{syscall.EHOSTUNREACH, syscall.ENETUNREACH} {
		f := &models.Fault{}
		Describe(f, &net.OpError{Op: "dial", Err: cause}, "http://ironic:6385/v1/nodes", "the API")
		if f.Kind != models.FaultUnreachable {
			t.Errorf("%v: %s", cause, f.Kind)
		}
		if !strings.Contains(f.Message, "ironic:6385 cannot be reached: no route") {
			t.Error(f.Message)
		}
	}
}

// TestPinnedCertificate checks that only the pinned certificate is accepted, whatever its issuer.
func TestPinnedCertificate(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	right := Fingerprint(server.Certificate())
	for name, tt := range map[string]struct {
		fingerprint string
		taken       bool
	}{
		"the right one":               {right, true},
		"as people paste it":          {strings.ToLower(strings.ReplaceAll(right, ":", "")), true},
		"another":                     {strings.Replace(right, right[:2], "00", 1) + "", right[:2] == "00"},
		"none, and it is not trusted": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := NewClient(Options{Fingerprint: tt.fingerprint, Timeout: 5 * time.Second, Largest: 1000})
			if err != nil {
				t.Fatal(err)
			}
			defer c.CloseIdleConnections()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := c.Do(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if taken := err == nil; taken != tt.taken {
				t.Fatalf("taken %t, error %v", taken, err)
			}
			if tt.taken {
				return
			}
			f := &models.Fault{}
			if Describe(f, err, server.URL, "the BMC"); f.Kind != models.FaultTLS || f.Fingerprint != right {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestLocation(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		"https://login.example/a":          "https://login.example/a",
		"/login?next=hunter2":              "http://ironic:6385/login?" + models.Mask,
		"https://u:hunter2@h/?x=hunter2#y": "https://u@h/?" + models.Mask,
		"//other/\u202e":                   "http://other/%E2%80%AE",
		"http://[::1":                      models.Mask,
	} {
		if got := Location("http://ironic:6385/v1/nodes", header); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
}
