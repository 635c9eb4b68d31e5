package weather

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"ironworks/lab/real"
)

// quiet drops messages, because aborted responses are expected.
var quiet = log.New(io.Discard, "", 0)

// Proxy forwards requests to a server and applies rules to them.
type Proxy struct {
	// URL is the proxy's URL; Host is its host and port.
	URL, Host string
	port      int

	forward *httputil.ReverseProxy

	rulesMu sync.Mutex
	rules   []*Rule

	mu       sync.Mutex
	requests []Request
	news     chan struct{} // closed and replaced with every request
	server   *http.Server  // nil while the proxy is down
	served   chan struct{}
	// closing is canceled when the listener closes, which ends stalled requests.
	closing       context.Context //nolint:containedctx // the listener's life
	cancelStalled context.CancelFunc
}

// Request is a request that the proxy received.
type Request struct {
	Method, Path string
	Query        url.Values
	Header       http.Header
	Body         string
	// Ruled reports whether a rule matched the request.
	Ruled bool
}

// Start starts a proxy in front of the server at the URL upstream. The proxy is stopped when the test ends.
func Start(tb testing.TB, upstream string) *Proxy {
	tb.Helper()
	u, err := url.Parse(upstream)
	if err != nil {
		tb.Fatalf("weather in front of %q: %v", upstream, err)
	}
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 8}
	p := &Proxy{
		news: make(chan struct{}),
		forward: &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(u)
				r.Out.URL.RawQuery = r.In.URL.RawQuery // also if it is malformed
			},
			Transport: transport, ErrorLog: quiet, ErrorHandler: failed,
		},
	}
	// The reservation keeps the port while the proxy is down.
	reserved, err := real.Reserve(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	p.port = reserved.Port
	p.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))
	p.URL = "http://" + p.Host
	tb.Cleanup(func() {
		p.Down()
		reserved.Release()
		transport.CloseIdleConnections()
	})
	if err := p.Up(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return p
}

// Up listens on the same port again after [Proxy.Down].
func (p *Proxy) Up(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server != nil {
		return nil
	}
	l, err := real.ListenWhenFree(ctx, "127.0.0.1", p.port)
	if err != nil {
		return err
	}
	// The context is not derived from the caller's, because the proxy lives until Down.
	p.closing, p.cancelStalled = context.WithCancel(context.Background())
	server := &http.Server{
		Handler: http.HandlerFunc(p.serve), ReadHeaderTimeout: time.Minute,
		ErrorLog: quiet,
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	p.server, p.served = server, served
	return nil
}

// Down closes the port and every connection; new connections are refused.
func (p *Proxy) Down() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.server == nil {
		return
	}
	p.cancelStalled()
	_ = p.server.Close()
	<-p.served
	p.server = nil
}

// Set replaces the rules. The first rule that matches a request applies.
func (p *Proxy) Set(rules ...*Rule) {
	p.rulesMu.Lock()
	defer p.rulesMu.Unlock()
	p.rules = rules
}

// ruled returns the rule that applies to a request, or nil.
func (p *Proxy) ruled(r *http.Request) *Rule {
	p.rulesMu.Lock()
	defer p.rulesMu.Unlock()
	for _, rule := range p.rules {
		if rule.consume(r) {
			return rule
		}
	}
	return nil
}

// Clear removes all rules.
func (p *Proxy) Clear() { p.Set() }

// Requests returns the requests received so far.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Count returns the number of requests received with the given method, or of all requests if method is empty.
func (p *Proxy) Count(method string) int {
	n := 0
	for _, r := range p.Requests() {
		if method == "" || r.Method == method {
			n++
		}
	}
	return n
}

// Await waits until a request that matches has been received.
func (p *Proxy) Await(ctx context.Context, match func(Request) bool) error {
	for {
		p.mu.Lock()
		found, news := slices.ContainsFunc(p.requests, match), p.news
		p.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return fmt.Errorf("waiting for a request: %w", context.Cause(ctx))
		}
	}
}

// serve handles one request to the proxy.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	// The whole body is read because net/http detects a closed connection only then.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	rule := p.ruled(r)
	closing := p.logRequest(r, string(body), rule != nil)
	// A stalled response ends when the client disconnects or the listener closes.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(closing, cancel)() //nolint:contextcheck // the listener's life beside the request's
	r = r.WithContext(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if rule == nil {
		p.forward.ServeHTTP(w, r)
		return
	}
	rule.kind(w, r, p.forward.ServeHTTP)
}

// logRequest records a request, wakes the waiting tests, and returns the context of the listener.
func (p *Proxy) logRequest(r *http.Request, body string, ruled bool) context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.Query(), Header: r.Header.Clone(), Body: body, Ruled: ruled,
	})
	close(p.news)
	p.news = make(chan struct{})
	return p.closing
}

// failed ends a request that could not be forwarded.
func failed(w http.ResponseWriter, _ *http.Request, err error) {
	if errors.Is(err, context.Canceled) {
		panic(http.ErrAbortHandler)
	}
	hangUp(w)
}

// record forwards a request and records the response.
func record(r *http.Request, forward http.HandlerFunc) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	forward(rec, r)
	return rec
}

// hangUp closes the connection with a TCP reset instead of a response, as after a crash.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
