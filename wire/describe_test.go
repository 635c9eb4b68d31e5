package wire

import (
	"bytes"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// TestClientCertificate checks that the client shows its certificate to a server that requires one, whether the key is
// in the same file or not, and that a refusal without a certificate suggests one.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(nil, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	known := x509.NewCertPool()
	known.AppendCertsFromPEM(certificate)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: known, MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12} // TLS 1.3 refuses later
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	file := func(name string, content ...[]byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, bytes.Join(content, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := file("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	both, alone, ofKey := file("both.pem", certificate, key), file("cert.pem", certificate), file("key.pem", key)
	for name, tt := range map[string]struct {
		tls   models.TLS
		stage models.ReachStage
		fault string
		hint  string
	}{
		"one file":  {models.TLS{CACert: ca, Cert: both}, models.ReachAnswered, "", ""},
		"two files": {models.TLS{CACert: ca, Cert: alone, Key: ofKey}, models.ReachAnswered, "", ""},
		"none":      {models.TLS{CACert: ca}, models.ReachTLS, " refused the TLS handshake: remote error: tls: ", "the server may require a client certificate (cert, key)"},
		"no key":    {models.TLS{CACert: ca, Cert: alone}, models.ReachName, "client certificate " + alone + ": ", "use a readable PEM file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Reach(t.Context(), Options{TLS: tt.tls, Timeout: 5 * time.Second, Largest: 1000}, server.URL, "the API")
			if r.Stage != tt.stage || (r.Fault == nil) != (tt.fault == "") {
				t.Fatalf("stage %s, fault %v; want %s, %q", r.Stage, r.Fault, tt.stage, tt.fault)
			}
			if r.Fault != nil && (!strings.Contains(r.Fault.Message, tt.fault) || r.Fault.Hint != tt.hint) {
				t.Errorf("fault %q, hint %q; want %q, %q", r.Fault.Message, r.Fault.Hint, tt.fault, tt.hint)
			}
			if r.Fault == nil && (r.Certificate == nil || r.Certificate.Root != "O=Acme Co" || r.Certificate.Fingerprint != Fingerprint(server.Certificate())) {
				t.Errorf("certificate %+v", r.Certificate)
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
