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

// Options say how to serve. Zero values are the defaults.
type Options struct {
	// Listen is HOST:PORT. The default is 127.0.0.1:0, which nobody else can reach, on
	// a port that is free: give an address of [Candidates] for machines.
	Listen string
	// TLS makes it HTTPS; nil is HTTP.
	TLS *TLS
	// OnEvent is told what happens, from several goroutines; it must not block. May be
	// nil.
	OnEvent func(Event)
	// Who names a remote address: "r7-n01's BMC". It must be fast, and answers "" when
	// it does not know. May be nil.
	Who func(remote netip.Addr) string

	// MaxConnections bounds how many are served at a time; the next ones wait. 256.
	MaxConnections int
	// MaxPerAddress bounds how many of them one remote address has; the next ones are
	// closed. A quarter of MaxConnections, but for loopback.
	MaxPerAddress int
	// HeaderTimeout bounds the time for a request's headers and for a TLS handshake
	// (10 s), IdleTimeout that between two requests of a connection (2 min).
	HeaderTimeout, IdleTimeout time.Duration
	// StallTimeout is how long a client may take for the next MiB. A BMC that shows an
	// image to a machine that does not read it just then is patient: 10 min.
	StallTimeout time.Duration
	// Grace is how long answers that are under way get when the server ends (3 s).
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
	// items are by the hash of their whole path: how long a look-up takes tells nothing
	// about the paths that there are.
	items map[[sha256.Size]byte]*entry

	handling sync.WaitGroup
	// ending is guarded by mu; nothing is handled any longer once it is set.
	ending bool
}

// entry is an item under its address.
type entry struct{ Item }

func (e *entry) shown() Served { return Served{Node: e.Node, Name: e.Name, Kind: e.Kind} }

// Listen opens the port, so that addresses are known. The caller runs the server, or
// closes it.
func Listen(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", options.Listen)
	if err != nil {
		return nil, fmt.Errorf("serve on %s: %w", printable.Line(options.Listen), err)
	}
	return newServer(listener, options)
}

// newServer serves on a listener, which it closes on failure.
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

// Close gives up a server that is not run.
func (s *Server) Close() error { return s.listener.Close() }

// Addr is where it listens.
func (s *Server) Addr() netip.AddrPort {
	at, _ := netip.ParseAddrPort(s.listener.Addr().String())
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// Run serves until ctx ends, and a little longer for answers that are under way. It
// returns when nothing of it is left.
func (s *Server) Run(ctx context.Context) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: s.options.HeaderTimeout, IdleTimeout: s.options.IdleTimeout, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
		// What net/http has to say would go across the screen.
		ErrorLog: log.New(failureWriter{s.log}, "", 0),
	}
	listener := s.listener
	if s.certificate != nil {
		// HTTP/1.1 only: there a connection carries one answer, and connections are counted.
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

// failureWriter makes events of what net/http logs: handshakes that failed.
type failureWriter struct{ log *fetchLog }

func (w failureWriter) Write(p []byte) (int, error) {
	w.log.fail(short(strings.TrimPrefix(strings.TrimSpace(string(p)), "http: ")))
	return len(p), nil
}

// short is text of a client as it may be shown.
func short(text string) string {
	const most = 120
	text = printable.Line(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Add serves an item and returns the path of its address. The same item gets another
// address each time.
func (s *Server) Add(item Item) (path string, err error) {
	if err := item.check(); err != nil {
		return "", err
	}
	var token [20]byte
	_, _ = rand.Read(token[:])
	// Letters of one case and digits are the same in every form that an address takes.
	path = "/" + strings.ToLower(base32.StdEncoding.EncodeToString(token[:])) + "/" + item.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[sha256.Sum256([]byte(path))] = &entry{item}
	return path, nil
}

// Remove ends the address with that path; requests that are being answered go on.
func (s *Server) Remove(path string) {
	key := sha256.Sum256([]byte(path))
	s.mu.Lock()
	e := s.items[key]
	delete(s.items, key)
	s.mu.Unlock()
	if e != nil {
		s.log.forget(e)
	}
}

// URL is the address of a path, by the host under which clients reach this machine:
// a name or an address.
func (s *Server) URL(host, path string) string {
	scheme := "http"
	if s.certificate != nil {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(int(s.Addr().Port()))), Path: path}
	return u.String()
}

// Fetches lists what was fetched so far, in the order in which it began.
func (s *Server) Fetches() []Fetch { return s.log.all() }

// find is the item under a path, nil when there is none or its time is over.
func (s *Server) find(path string) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.items[sha256.Sum256([]byte(path))]
	if e == nil || !e.Until.IsZero() && !time.Now().Before(e.Until) {
		return nil
	}
	return e
}

// enter counts a request in; false is that the server is at its end.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return false
	}
	s.handling.Add(1)
	return true
}

// ServeHTTP answers GET and HEAD of the items' addresses. A query is not looked at:
// some who boot add one.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handling.Done()
	control := http.NewResponseController(w)
	// Deadlines of the request before would hold for this one too.
	_ = control.SetWriteDeadline(time.Now().Add(s.options.StallTimeout))
	if r.ContentLength != 0 { // clients that boot send no body
		_ = control.SetReadDeadline(time.Now().Add(s.options.HeaderTimeout))
		w.Header().Set("Connection", "close")
	}
	remote, agent := remoteOf(r.RemoteAddr), short(r.UserAgent())
	e := s.find(r.URL.EscapedPath())
	if e == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.log.refuse(remote, agent)
		// Only who knows an address may keep a connection between requests.
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
	// A client that is gone is seen by what is left; a panic of net/http or of the item
	// counts as one.
	failure := "response aborted"
	defer func() { s.log.ended(t, out.content, out.left > 0, failure) }()
	header := w.Header()
	header.Set("Content-Type", e.Kind.contentType())
	header.Set("X-Content-Type-Options", "nosniff")
	if e.secret() {
		header.Set("Cache-Control", "no-store")
	}
	if strings.Contains(r.Header.Get("Range"), ",") {
		// Several ranges at once are of use to nobody here; the whole is a right answer.
		r.Header.Del("Range")
	}
	http.ServeContent(out, r, e.Name, e.Modified, content)
	failure = ""
	if out.failed != nil {
		failure = short(fmt.Sprintf("read %s: %v", e.Name, out.failed))
	}
}
