// Package wire sends HTTP requests to slow, broken or untrusted servers. Requests without progress are aborted,
// certificates are verified or pinned, and errors are classified exactly.
package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"ironworks/models"
)

// dialTimeout is the maximum time to set up a connection.
const dialTimeout = 5 * time.Second

// Options configure a client.
type Options struct {
	TLS models.TLS
	// Fingerprint, if not empty, is the SHA-256 fingerprint of the only certificate that is accepted.
	Fingerprint string
	// Timeout limits the time in which no byte arrives, including the time to set up the connection.
	Timeout time.Duration
	// Largest is the maximum size of a response body, in bytes.
	Largest int64
	// Connections bounds the idle connections to a host; 0 means 16.
	Connections int
	// Dial opens connections. If it is nil, a net.Dialer is used.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// proxyConnect is the operation of a [net.OpError] about the connection to a proxy, as in net/http.
const proxyConnect = "proxyconnect"

// proxyStatusError is the status with which a proxy refused to connect to a server, such as "403 Forbidden".
type proxyStatusError string

// Error returns the status.
func (e proxyStatusError) Error() string { return string(e) }

// NewClient returns a client. The error is a *models.Fault about the options.
func NewClient(o Options) (*http.Client, error) {
	config, err := tlsConfig(o.TLS, o.Fingerprint)
	if err != nil {
		return nil, err
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: min(dialTimeout, o.Timeout), KeepAlive: 15 * time.Second}).DialContext
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         o.Dial,
		TLSClientConfig:     config,
		TLSHandshakeTimeout: min(dialTimeout, o.Timeout),
		MaxIdleConnsPerHost: cmp.Or(o.Connections, 16),
		IdleConnTimeout:     60 * time.Second,
		ForceAttemptHTTP2:   true,
		// Without this, the error would be only the status text, such as "Forbidden", as if the server had refused.
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, response *http.Response) error {
			if response.StatusCode != http.StatusOK {
				return &net.OpError{Op: proxyConnect, Net: "tcp", Err: proxyStatusError(response.Status)}
			}
			return nil
		},
	}
	return &http.Client{
		Transport: &watchdog{next: transport, limit: o.Timeout, largest: o.Largest},
		// Credentials must not follow a redirect.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

func tlsConfig(t models.TLS, pinned string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.Insecure} //nolint:gosec // requested by verify: false
	bad := func(what, path string, err error) error {
		return &models.Fault{
			Kind: models.FaultConfig, Op: "read the " + what, Err: err,
			Message: fmt.Sprintf("%s %s: %v", what, path, err), Hint: "use a readable PEM file",
		}
	}
	if t.CACert != "" {
		pem, err := os.ReadFile(t.CACert)
		if err != nil {
			return nil, bad("CA certificate", t.CACert, err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, bad("CA certificate", t.CACert, errors.New("no certificate in the file"))
		}
	}
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, cmp.Or(t.Key, t.Cert))
		if err != nil {
			return nil, bad("client certificate", t.Cert, err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if pinned != "" {
		pin(cfg, pinned)
	}
	return cfg, nil
}

// pin makes cfg accept only the certificate with the given fingerprint, whatever its issuer and content.
func pin(cfg *tls.Config, fingerprint string) {
	want := strings.ToUpper(strings.ReplaceAll(fingerprint, ":", ""))
	cfg.InsecureSkipVerify = true
	cfg.VerifyConnection = func(s tls.ConnectionState) error {
		if len(s.PeerCertificates) == 0 {
			return errors.New("no certificate sent")
		}
		cert := s.PeerCertificates[0]
		if got := Fingerprint(cert); strings.ReplaceAll(got, ":", "") != want {
			return &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{cert}, Err: errOther}
		}
		return nil
	}
}

// errOther reports a certificate other than the pinned one.
var errOther = errors.New("fingerprint mismatch")
