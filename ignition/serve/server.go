package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"ironworks/printable"
)

// Options configure a server. The zero value has the defaults.
type Options struct {
	// Listen is HOST:PORT. The default 127.0.0.1:0 is a free port that only this machine reaches;
	// use an address of [Candidates] for machines.
	Listen string
	// TLS enables HTTPS. If it is nil, the server uses HTTP.
	TLS *TLS
	// OnEvent receives the events, from several goroutines. It must not block, and may be nil.
	OnEvent func(Event)
	// Who returns the name of a remote address, for example "r7-n01's BMC", or "". It must be fast, and may be nil.
	Who func(remote netip.Addr) string

	// MaxConnections limits concurrent connections. Further connections wait. The default is 256.
	MaxConnections int
	// MaxPerAddress limits the connections of one remote address, except loopback. Further connections are closed. The
	// default is a quarter of MaxConnections.
	MaxPerAddress int
	// HeaderTimeout limits the time for request headers and for a TLS handshake (default 10 s).
	// IdleTimeout limits the time between requests of a connection (default 2 min).
	HeaderTimeout, IdleTimeout time.Duration
	// StallTimeout limits the time in which a client reads the next MiB (default 10 min). It is
	// long because a BMC reads only when the machine reads from its virtual drive.
	StallTimeout time.Duration
	// Grace is the time that running requests get when the server ends (default 3 s).
	Grace time.Duration
}

func (o Options) withDefaults() Options {
	fill := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	fill(&o.HeaderTimeout, 10*time.Second)
	fill(&o.IdleTimeout, 2*time.Minute)
	fill(&o.StallTimeout, 10*time.Minute)
	fill(&o.Grace, 3*time.Second)
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.MaxConnections <= 0 {
		o.MaxConnections = 256
	}
	return o
}

// Server serves items until the context of [Server.Run] ends.
type Server struct {
	options  Options
	listener net.Listener
	// certificate is nil for HTTP.
	certificate *tls.Certificate
	log         *fetchLog
	buffers     *buffers

	mu sync.RWMutex
	// items are keyed by the hash of their whole path, so that the time of a look-up reveals
	// nothing about existing paths.
	items map[[sha256.Size]byte]*entry

	handling sync.WaitGroup
	// ending is guarded by mu. Once it is set, no request is accepted.
	ending bool
}

// entry is an item whose pointer identifies it in the server's maps.
type entry struct{ Item }

func (e *entry) shown() Served { return Served{Node: e.Node, Name: e.Name, Kind: e.Kind} }

// Listen opens the port, so that URLs are known. The caller must call Run or Close.
func Listen(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", options.Listen)
	if err != nil {
		return nil, fmt.Errorf("serve on %s: %w", printable.Line(options.Listen), err)
	}
	return newServer(listener, options)
}

// newServer serves on a listener. It closes the listener on failure.
func newServer(listener net.Listener, options Options) (*Server, error) {
	s := &Server{
		options: options, listener: newLimited(listener, options.MaxConnections, options.MaxPerAddress), buffers: newBuffers(), items: map[[sha256.Size]byte]*entry{},
		log: &fetchLog{who: options.Who, onEvent: options.OnEvent, fetches: map[fetchKey]*tally{}},
	}
	if options.TLS != nil {
		var err error
		s.certificate, err = options.TLS.load(listener.Addr())
		if err != nil {
			return nil, errors.Join(fmt.Errorf("serve on %s: %w", printable.Line(options.Listen), err), listener.Close())
		}
	}
	return s, nil
}

// Close closes a server that does not run.
func (s *Server) Close() error { return s.listener.Close() }

// Addr returns the listen address.
func (s *Server) Addr() netip.AddrPort {
	at, _ := netip.ParseAddrPort(s.listener.Addr().String())
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// Run serves until ctx ends and running requests complete or the grace period is over. Then no
// goroutine and no connection remains.
func (s *Server) Run(ctx context.Context) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: s.options.HeaderTimeout, IdleTimeout: s.options.IdleTimeout, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
		// net/http would log to the screen.
		ErrorLog: log.New(failureWriter{s.log}, "", 0),
	}
	listener := s.listener
	if s.certificate != nil {
		// HTTP/2 would carry several responses per connection, which the limits do not count.
		listener = tls.NewListener(listener, &tls.Config{
			Certificates: []tls.Certificate{*s.certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		})
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		grace, done := context.WithTimeout(requests, s.options.Grace)
		defer done()
		if server.Shutdown(grace) != nil {
			_ = server.Close()
		}
		err = <-served
	}
	cut()
	_ = server.Close()
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	s.handling.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve on %s: %w", s.listener.Addr(), err)
}

// failureWriter turns net/http's log, for example failed handshakes, into events.
type failureWriter struct{ log *fetchLog }

func (w failureWriter) Write(p []byte) (int, error) {
	w.log.fail(short(strings.TrimPrefix(strings.TrimSpace(string(p)), "http: ")))
	return len(p), nil
}

// short sanitizes and truncates a client's text.
func short(text string) string {
	const most = 120
	text = printable.Line(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Add serves an item and returns the path of its URL. Each call returns another path.
func (s *Server) Add(item Item) (path string, err error) {
	if err := item.check(); err != nil {
		return "", err
	}
	var token [20]byte
	_, _ = rand.Read(token[:])
	// Lower-case letters and digits survive every form of a URL.
	path = "/" + strings.ToLower(base32.StdEncoding.EncodeToString(token[:])) + "/" + item.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[sha256.Sum256([]byte(path))] = &entry{item}
	return path, nil
}

// URL returns the URL of a path. host is the name or address that clients use.
func (s *Server) URL(host, path string) string {
	scheme := "http"
	if s.certificate != nil {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(int(s.Addr().Port()))), Path: path}
	return u.String()
}

// Fetches lists the downloads in the order in which they started.
func (s *Server) Fetches() []Fetch { return s.log.all() }

// find returns the item at a path, or nil if it does not exist or has expired.
func (s *Server) find(path string) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.items[sha256.Sum256([]byte(path))]
	if e == nil || !e.Until.IsZero() && !time.Now().Before(e.Until) {
		return nil
	}
	return e
}

// enter counts a request. It returns false if the server is ending.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return false
	}
	s.handling.Add(1)
	return true
}

// ServeHTTP serves GET and HEAD for the items' paths. It ignores queries, which some boot
// clients add.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handling.Done()
	control := http.NewResponseController(w)
	// Otherwise the deadline of the previous request would still apply.
	_ = control.SetWriteDeadline(time.Now().Add(s.options.StallTimeout))
	if r.ContentLength != 0 { // boot clients send no body
		_ = control.SetReadDeadline(time.Now().Add(s.options.HeaderTimeout))
		w.Header().Set("Connection", "close")
	}
	remote, agent := remoteOf(r.RemoteAddr), short(r.UserAgent())
	e := s.find(r.URL.EscapedPath())
	if e == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.log.refuse(remote, agent)
		// Only clients that know a URL may keep their connection open.
		w.Header().Set("Connection", "close")
		http.Error(w, "404 not found", http.StatusNotFound)
		return
	}
	content, size, err := open(r.Context(), e)
	if err != nil {
		t := s.log.request(e, remote, agent, r.Method == http.MethodHead, sizeUnknown)
		s.log.ended(t, false, false, short(err.Error()))
		http.Error(w, "500 cannot read the file", http.StatusInternalServerError)
		return
	}
	defer func() { _ = content.Close() }()
	s.send(w, r, e, content, s.log.request(e, remote, agent, r.Method == http.MethodHead, size))
}

func open(ctx context.Context, e *entry) (io.ReadSeekCloser, int64, error) {
	content, err := e.Open(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("open %s: %w", e.Name, err)
	}
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("size of %s: %w", e.Name, err), content.Close())
	}
	return content, size, nil
}

func (s *Server) send(w http.ResponseWriter, r *http.Request, e *entry, content io.ReadSeeker, t *tally) {
	out := &sending{
		ResponseWriter: w, control: http.NewResponseController(w), log: s.log, tally: t, buffers: s.buffers,
		stall: s.options.StallTimeout, head: r.Method == http.MethodHead,
	}
	// The remaining bytes show an aborted response; a panic of net/http or of the item counts as
	// one.
	failure := "response aborted"
	defer func() { s.log.ended(t, out.content, out.left > 0, failure) }()
	header := w.Header()
	header.Set("Content-Type", e.Kind.contentType())
	header.Set("X-Content-Type-Options", "nosniff")
	if e.secret() {
		header.Set("Cache-Control", "no-store")
	}
	if strings.Contains(r.Header.Get("Range"), ",") {
		// Multiple ranges are not supported; returning the whole item is valid.
		r.Header.Del("Range")
	}
	http.ServeContent(out, r, e.Name, e.Modified, content)
	failure = ""
	if out.failed != nil {
		failure = short(fmt.Sprintf("read %s: %v", e.Name, out.failed))
	}
}
