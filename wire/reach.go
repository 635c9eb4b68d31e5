package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// maxReach is the maximum number of bytes that are read from a response. A version document has 500 bytes.
const maxReach = 64 << 10

// Reach requests a page without credentials and returns the stage that the request reached. The argument what names
// the server in messages, for example "the API".
func Reach(ctx context.Context, o Options, target, what string) models.Reach {
	r := models.Reach{URL: printable.Line(models.MaskURL(target)), Host: Host(target), Stage: models.ReachName}
	fail := func(err error) models.Reach {
		var f *models.Fault
		if !errors.As(err, &f) {
			f = &models.Fault{Method: http.MethodGet, URL: r.URL, Err: err}
			Describe(f, err, target, what)
		}
		r.Fault = f
		return r
	}
	client, err := NewClient(o)
	if err != nil {
		return fail(err)
	}
	defer client.CloseIdleConnections()
	way := &trace{}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, way.trace()), http.MethodGet, target, http.NoBody)
	if err != nil {
		return fail(err)
	}
	if proxy, err := http.ProxyFromEnvironment(request); err == nil && proxy != nil {
		r.Proxy = printable.Line(models.MaskURL(proxy.String()))
	}
	r.Sent = time.Now()
	response, err := client.Do(request)
	r.Got = time.Now()
	way.addTo(&r, request.URL)
	if err != nil {
		return fail(err)
	}
	defer func() { _ = response.Body.Close() }()
	r.Stage, r.Status = models.ReachAnswered, response.StatusCode
	if response.TLS != nil {
		r.Certificate = certificateOf(response.TLS)
	}
	header := func(name string) string { return printable.Line(response.Header.Get(name)) }
	r.Type, r.Server = header("Content-Type"), header("Server")
	if to := response.Header.Get("Location"); to != "" {
		r.Location = Location(target, to)
	}
	r.Date, _ = http.ParseTime(response.Header.Get("Date"))
	r.Body, err = io.ReadAll(io.LimitReader(response.Body, maxReach+1))
	if r.Cut = len(r.Body) > maxReach; r.Cut {
		r.Body = r.Body[:maxReach]
	}
	if err != nil {
		r.Stage = models.ReachHTTP
		return fail(err)
	}
	return r
}

// trace records the stages of a connection. Its callbacks may run concurrently, and even after the request has
// failed.
type trace struct {
	mu            sync.Mutex
	resolved      bool
	addresses     []string
	remote        string
	handshakeDone bool
}

func (w *trace) trace() *httptrace.ClientTrace {
	locked := func(record func()) {
		w.mu.Lock()
		defer w.mu.Unlock()
		record()
	}
	return &httptrace.ClientTrace{
		DNSDone: func(info httptrace.DNSDoneInfo) {
			locked(func() {
				for _, a := range info.Addrs {
					w.addresses = append(w.addresses, a.String())
				}
				w.resolved = info.Err == nil
			})
		},
		ConnectDone: func(_, address string, err error) {
			locked(func() {
				if err == nil && w.remote == "" {
					w.remote = address
				}
			})
		},
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) {
			locked(func() { w.handshakeDone = err == nil })
		},
	}
}

// addTo sets the addresses in r, and the stage that the connection has reached.
func (w *trace) addTo(r *models.Reach, target *url.URL) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r.Addresses, r.Remote = w.addresses, w.remote
	switch {
	case w.remote == "" && !w.resolved && r.Proxy == "" && net.ParseIP(target.Hostname()) == nil:
		r.Stage = models.ReachName
	case w.remote == "":
		r.Stage = models.ReachConnect
	case strings.EqualFold(target.Scheme, "https") && !w.handshakeDone:
		r.Stage = models.ReachTLS
	default:
		r.Stage = models.ReachHTTP
	}
}

func certificateOf(state *tls.ConnectionState) *models.Certificate {
	if len(state.PeerCertificates) == 0 {
		return nil
	}
	leaf := state.PeerCertificates[0]
	c := &models.Certificate{
		Subject: printable.Line(leaf.Subject.String()), Issuer: printable.Line(leaf.Issuer.String()),
		NotBefore: leaf.NotBefore, NotAfter: leaf.NotAfter, Protocol: tls.VersionName(state.Version), Fingerprint: Fingerprint(leaf),
	}
	if len(state.VerifiedChains) > 0 {
		chain := state.VerifiedChains[0]
		c.Root = printable.Line(chain[len(chain)-1].Subject.String())
	}
	return c
}
