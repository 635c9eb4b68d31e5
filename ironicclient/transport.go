package ironicclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"ironworks/models"
)

const (
	// DefaultTimeout bounds a silence: the time without a byte from the server, the
	// connection included. A page that keeps coming may take longer.
	DefaultTimeout = 12 * time.Second
	// slowTimeout is for calls that reach into a BMC behind the conductor, whose own
	// limit is 60 s (rpc_response_timeout).
	slowTimeout = 75 * time.Second
	slowNotice  = 10 * time.Second
	dialTimeout = 5 * time.Second
	// maxBody bounds an answer: a page of 1 000 nodes in detail has 3 MB.
	maxBody = 128 << 20
)

// errStalled is the cause of a request that was given up for want of progress.
var errStalled = errors.New("no answer in time")

// errTooLarge is the cause of an answer beyond maxBody.
var errTooLarge = errors.New("the answer is too large to be one of Ironic's")

func newHTTPClient(conn models.Connection) (*http.Client, error) {
	tlsConfig, err := tlsConfig(conn.TLS)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: min(dialTimeout, conn.Timeout), KeepAlive: 15 * time.Second}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSClientConfig:     tlsConfig,
		TLSHandshakeTimeout: min(dialTimeout, conn.Timeout),
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     60 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	return &http.Client{
		Transport: &watchdog{next: transport, limit: conn.Timeout, largest: maxBody},
		// Credentials must not follow a redirect, and Ironic sends none: it is shown as
		// "not Ironic" with the place that it points to.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

func tlsConfig(t models.TLS) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.Insecure} //nolint:gosec // asked for by verify: false
	bad := func(what, path string, err error) error {
		return &models.Fault{
			Kind: models.FaultConfig, Op: "read the " + what, Err: err,
			Message: fmt.Sprintf("%s %s: %v", what, path, err), Hint: "want a readable PEM file",
		}
	}
	if t.CACert != "" {
		pem, err := os.ReadFile(t.CACert)
		if err != nil {
			return nil, bad("CA certificate", t.CACert, err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, bad("CA certificate", t.CACert, errors.New("no certificate in it"))
		}
	}
	if t.Cert != "" {
		key := t.Key
		if key == "" {
			key = t.Cert
		}
		pair, err := tls.LoadX509KeyPair(t.Cert, key)
		if err != nil {
			return nil, bad("client certificate", t.Cert, err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// rootURL is the endpoint without a trailing /v1, which it may or may not have.
func rootURL(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return "", &models.Fault{
			Kind: models.FaultConfig, Op: "connect", Err: err,
			Message: fmt.Sprintf("%q is not a URL of an Ironic API", redacted(endpoint)),
			Hint:    "want http://HOST:6385 or https://HOST:6385",
		}
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
	return strings.TrimRight(u.String(), "/") + "/", nil
}

// redacted is a URL without its password, for messages. What has no host may have its
// password anywhere before the @.
func redacted(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return raw[strings.LastIndex(raw, "@")+1:]
	}
	return u.Redacted()
}

// watchdog gives up a request when nothing has come from the server for a while. It
// counts silence, not length: a long page over a slow line is no fault.
type watchdog struct {
	next  *http.Transport
	limit time.Duration
	// largest bounds an answer, in bytes.
	largest int64
}

// CloseIdleConnections is what http.Client looks for in its transport.
func (w *watchdog) CloseIdleConnections() { w.next.CloseIdleConnections() }

type limitKey struct{}

// withLimit gives one request another limit of silence.
func withLimit(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, limitKey{}, limit)
}

// RoundTrip sends the request under the watchdog.
func (w *watchdog) RoundTrip(req *http.Request) (*http.Response, error) {
	limit := w.limit
	if l, ok := req.Context().Value(limitKey{}).(time.Duration); ok {
		limit = max(limit, l)
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(limit, func() { cancel(errStalled) })
	resp, err := w.next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		timer.Stop()
		if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
			err = fmt.Errorf("%w (%s)", errStalled, limit)
		}
		cancel(nil)
		return nil, err
	}
	resp.Body = &watchedBody{body: resp.Body, ctx: ctx, timer: timer, limit: limit, left: w.largest, cancel: cancel}
	return resp, nil
}

// watchedBody restarts the watchdog with every byte and bounds the answer's size.
type watchedBody struct {
	body   io.ReadCloser
	ctx    context.Context //nolint:containedctx // the request's own, for its cause
	timer  *time.Timer
	limit  time.Duration
	left   int64
	cancel context.CancelCauseFunc
}

// Read reads on and feeds the watchdog.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	b.left -= int64(n)
	switch {
	case b.left < 0:
		return n, errTooLarge
	case err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(b.ctx), errStalled):
		return n, fmt.Errorf("%w (%s)", errStalled, b.limit)
	case n > 0:
		b.timer.Reset(b.limit)
	}
	return n, err
}

// Close ends the request and the watchdog.
func (b *watchedBody) Close() error {
	b.timer.Stop()
	err := b.body.Close()
	b.cancel(nil)
	return err
}
