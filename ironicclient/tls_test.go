package ironicclient

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// issued holds a certificate and its key. The field pem contains both.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func issue(t *testing.T, subject string, by *issued, change func(c *x509.Certificate)) *issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: subject},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if change != nil {
		change(template)
	}
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})...)
	return &issued{cert: cert, key: key, pem: both}
}

func authority(t *testing.T) *issued {
	t.Helper()
	return issue(t, "test CA", nil, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage = true, true, x509.KeyUsageCertSign
	})
}

func (i *issued) file(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file.pem")
	if err := os.WriteFile(name, i.pem, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func (i *issued) fingerprint() string {
	sum := sha256.Sum256(i.cert.Raw)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

// newTLSIronic starts a fake Ironic that uses TLS with the given certificate. change, if not nil, may modify the TLS
// configuration.
func newTLSIronic(t *testing.T, cert *issued, change func(c *tls.Config)) *fakeIronic {
	t.Helper()
	f := &fakeIronic{low: 1, high: models.NewestMinor}
	f.Server = httptest.NewUnstartedServer(f.serve(nodes("a")))
	f.Config.ErrorLog = log.New(io.Discard, "", 0)
	f.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{cert.cert.Raw}, PrivateKey: cert.key}}}
	if change != nil {
		change(f.TLS)
	}
	f.StartTLS()
	t.Cleanup(f.Close)
	return f
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ca := authority(t)
	good := issue(t, "ironic", ca, nil)
	expired := issue(t, "ironic", ca, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	early := issue(t, "ironic", ca, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(30 * time.Minute) })
	other := issue(t, "ironic", ca, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"elsewhere"} })
	caFile := ca.file(t)
	tests := map[string]struct {
		cert *issued
		tls  models.TLS
		says []string // nil means success
	}{
		"with its CA":         {good, models.TLS{CACert: caFile}, nil},
		"without a check":     {expired, models.TLS{Insecure: true}, nil},
		"an unknown CA":       {good, models.TLS{}, []string{"its issuer is not trusted here", "subject CN=ironic, issuer CN=test CA", "cacert: FILE"}},
		"another CA":          {good, models.TLS{CACert: authority(t).file(t)}, []string{"its issuer is not trusted here"}},
		"expired":             {expired, models.TLS{CACert: caFile}, []string{"it has expired or is not valid yet", "clocks"}},
		"not valid yet":       {early, models.TLS{CACert: caFile}, []string{"it has expired or is not valid yet"}},
		"for another host":    {other, models.TLS{CACert: caFile}, []string{`not valid for "127.0.0.1"`, "use a name from the certificate"}},
		"expired, unknown CA": {expired, models.TLS{}, []string{"the certificate of 127.0.0.1"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTLSIronic(t, tt.cert, nil)
			c := connect(t, models.Connection{Endpoint: f.URL, TLS: tt.tls}, Options{})
			err := list(t.Context(), c)
			if tt.says == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			fault := mustFault(t, err, models.FaultTLS)
			mustSay(t, fault, append(tt.says, "SHA-256 "+tt.cert.fingerprint())...)
			if fault.Fingerprint != tt.cert.fingerprint() {
				t.Errorf("fingerprint %s, want %s", fault.Fingerprint, tt.cert.fingerprint())
			}
			_, err = c.Send(t.Context(), request.Power("n", models.TargetOn))
			if mustFault(t, err, models.FaultTLS).Sent {
				t.Error("nothing was sent")
			}
		})
	}
}

func TestClientCertificates(t *testing.T) {
	t.Parallel()
	ca := authority(t)
	caFile := ca.file(t)
	me := issue(t, "me", ca, nil).file(t)
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	f := newTLSIronic(t, issue(t, "ironic", ca, nil), func(c *tls.Config) {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, pool
		// With TLS 1.3 the refusal comes after the handshake, and may be lost when the server closes the connection
		// with unread data.
		c.MaxVersion = tls.VersionTLS12
	})
	for name, with := range map[string]models.TLS{
		"key in the same file": {CACert: caFile, Cert: me},
		"key on its own":       {CACert: caFile, Cert: me, Key: me},
	} {
		if err := list(t.Context(), connect(t, models.Connection{Endpoint: f.URL, TLS: with}, Options{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := list(t.Context(), connect(t, models.Connection{Endpoint: f.URL, TLS: models.TLS{CACert: caFile}}, Options{}))
	mustSay(t, mustFault(t, err, models.FaultTLS), "refused the TLS handshake", "the server may require a client certificate")
}

func TestWrongProtocol(t *testing.T) {
	t.Parallel()
	f := newTLSIronic(t, authority(t), nil)
	plain := newIronic(t, nodes("a"))
	err := list(t.Context(), client(t, "http://"+f.Listener.Addr().String(), Options{}))
	mustSay(t, mustFault(t, err, models.FaultTLS), "speaks TLS only on this port", "use https://")
	err = list(t.Context(), client(t, "https://"+plain.Listener.Addr().String(), Options{}))
	mustSay(t, mustFault(t, err, models.FaultTLS), "does not speak TLS", "use http://")
}

func TestBadCertificateFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.pem")
	if err := os.WriteFile(empty, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, with := range map[string]models.TLS{
		"no such CA": {CACert: filepath.Join(dir, "no")}, "CA is no PEM": {CACert: empty},
		"no such certificate": {Cert: filepath.Join(dir, "no")}, "certificate is no PEM": {Cert: empty},
	} {
		_, err := New(models.Connection{Endpoint: "https://h", TLS: with}, Options{})
		f := mustFault(t, err, models.FaultConfig)
		if !strings.Contains(f.Error(), dir) || !strings.Contains(f.Error(), "use a readable PEM file") {
			t.Errorf("%s: %v", name, f)
		}
	}
}
