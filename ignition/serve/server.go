// Package serve serves images and Ignition configurations to boot clients, which are BMCs, Ironic's
// conductors, firmware and Ignition itself.
//
//	server, err := serve.Listen(ctx, serve.Options{OnEvent: show})
//	path, err := server.Add(serve.Item{Node: "r7-n01", Name: "r7-n01.iso", Kind: serve.ISO, Open: open})
//	url := server.URL(host, path) // for driver_info.deploy_iso
//	err = server.Run(ctx)         // until ctx is done
//
// Items may contain secrets, but boot clients cannot authenticate, so the URL itself is the secret:
// it contains 160 random bits and does not appear in any listing. All other paths return 404.
//
// The server records downloads by item and remote address ([Server.Fetches]) and reports them as
// events ([Options.OnEvent]). [Candidates] finds the addresses of this machine that a BMC can reach.
package serve

import (
	"cmp"
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

// Options configures a server. The zero value selects the defaults.
type Options struct {
	// Listen is the address to listen on, as HOST:PORT. The default, 127.0.0.1:0, selects a free port that only this
	// machine can reach. For other machines, use one of the addresses from [Candidates].
	Listen string
	// TLS enables HTTPS. If it is nil, the server uses HTTP.
	TLS *TLS
	// OnEvent receives the events. It may be called from several goroutines and must not block. It may be nil.
	OnEvent func(Event)
	// Who returns the name of a remote address, such as "r7-n01's BMC", or "". It must be fast. It may be nil.
	Who func(remote netip.Addr) string

	// MaxConnections limits the number of concurrent connections. Further connections wait. The default is 256.
	MaxConnections int
	// MaxPerAddress limits the number of connections from each remote address. Further connections are closed. The
	// default is a quarter of MaxConnections; only the default exempts loopback addresses.
	MaxPerAddress int
	// HeaderTimeout limits the time for receiving the request headers and for a TLS handshake (default 10 s).
	// IdleTimeout limits the time between two requests on a connection (default 2 min).
	HeaderTimeout, IdleTimeout time.Duration
	// StallTimeout limits the time that a client takes to read the next MiB (default 10 min). It is long because a
	// BMC reads only when the machine reads from the virtual drive.
	StallTimeout time.Duration
	// Grace limits how long running requests may continue after the server has started to shut down (default 3 s).
	Grace time.Duration
}

func (o Options) withDefaults() Options {
	o.Listen = cmp.Or(o.Listen, "127.0.0.1:0")
	o.MaxConnections = cmp.Or(max(o.MaxConnections, 0), 256)
	o.HeaderTimeout = cmp.Or(max(o.HeaderTimeout, 0), 10*time.Second)
	o.IdleTimeout = cmp.Or(max(o.IdleTimeout, 0), 2*time.Minute)
	o.StallTimeout = cmp.Or(max(o.StallTimeout, 0), 10*time.Minute)
	o.Grace = cmp.Or(max(o.Grace, 0), 3*time.Second)
	return o
}

// Server serves items while [Server.Run] is running.
type Server struct {
	options  Options
	listener net.Listener
	// certificate is nil if the server uses HTTP.
	certificate *tls.Certificate
	log         *fetchLog
	buffers     *sync.Pool

	mu sync.RWMutex
	// items maps the hash of an item's whole path to the item, so that the time of a lookup reveals no paths.
	items map[[sha256.Size]byte]*entry

	handling sync.WaitGroup
	// ending is guarded by mu. Once it is set, no request is accepted.
	ending bool
}

// entry is an item on the server. The server's maps identify it by its pointer.
type entry struct{ Item }

func (e *entry) shown() Served { return Served{Node: e.Node, Name: e.Name, Kind: e.Kind} }

// Listen opens the port, so that URLs are known before the server runs. The caller must call Run or Close.
func Listen(ctx context.Context, options Options) (*Server, error) {
	options = options.withDefaults()
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", options.Listen)
	if err != nil {
		return nil, fmt.Errorf("serve on %s: %w", printable.Line(options.Listen), err)
	}
	return newServer(listener, options)
}

// newServer returns a server that uses listener. It closes listener if it fails.
func newServer(listener net.Listener, options Options) (*Server, error) {
	s := &Server{
		options: options, listener: newLimited(listener, options.MaxConnections, options.MaxPerAddress), items: map[[sha256.Size]byte]*entry{},
		log:     &fetchLog{who: options.Who, onEvent: options.OnEvent, fetches: map[fetchKey]*tally{}},
		buffers: &sync.Pool{New: func() any { return new([bufferSize]byte) }},
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

// Close closes a server on which Run was not called.
func (s *Server) Close() error { return s.listener.Close() }

// Addr returns the address on which the server listens.
func (s *Server) Addr() netip.AddrPort {
	at, _ := netip.ParseAddrPort(s.listener.Addr().String())
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// Run serves items until ctx is done. It then waits until running requests are complete or the grace period is over.
// When it returns, no goroutine and no connection remains.
func (s *Server) Run(ctx context.Context) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: s.options.HeaderTimeout, IdleTimeout: s.options.IdleTimeout, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return requests },
		// By default, net/http would log to standard error and disturb the screen.
		ErrorLog: log.New(failureWriter{s.log}, "", 0),
	}
	listener := s.listener
	if s.certificate != nil {
		// With HTTP/2, one connection would carry several responses at the same time, but the limits count connections.
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

// failureWriter turns messages that net/http logs, for example about failed handshakes, into events.
type failureWriter struct{ log *fetchLog }

func (w failureWriter) Write(p []byte) (int, error) {
	w.log.fail(short(strings.TrimPrefix(strings.TrimSpace(string(p)), "http: ")))
	return len(p), nil
}

// short sanitizes text and truncates it to 120 characters.
func short(text string) string {
	const most = 120
	text = printable.Line(text)
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// Add adds an item to the server and returns the path of its URL. Each call returns a different path.
func (s *Server) Add(item Item) (path string, err error) {
	if !itemName.MatchString(item.Name) {
		return "", fmt.Errorf("serve %q: use only letters, digits, dots, dashes and underscores in a name", printable.Line(item.Name))
	}
	var token [20]byte
	_, _ = rand.Read(token[:])
	// Lowercase letters and digits stay the same in every form of a URL.
	path = "/" + strings.ToLower(base32.StdEncoding.EncodeToString(token[:])) + "/" + item.Name
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[sha256.Sum256([]byte(path))] = &entry{item}
	return path, nil
}

// ValidHost reports whether host is a name or an IP address, without a port. Only such a host may be passed to
// [Server.URL]: errors about the URL of another one would show its secret path.
func ValidHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	u, err := url.Parse("http://" + host + "/")
	return err == nil && u.Host == host && u.Port() == "" && !strings.ContainsAny(host, ":[]")
}

// URL returns the URL for a path from [Server.Add]. Clients reach the server by the name or address in host.
func (s *Server) URL(host, path string) string {
	scheme := "http"
	if s.certificate != nil {
		scheme = "https"
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(int(s.Addr().Port()))), Path: path}
	return u.String()
}

// Fetches returns the downloads in the order in which they started.
func (s *Server) Fetches() []Fetch { return s.log.all() }

func (s *Server) find(path string) *entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.items[sha256.Sum256([]byte(path))]
}

// enter counts a running request, unless the server is shutting down. It reports whether it counted the request.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return false
	}
	s.handling.Add(1)
	return true
}

// ServeHTTP handles GET and HEAD requests for items. It ignores query strings, which some boot clients add.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handling.Done()
	control := http.NewResponseController(w)
	// Without this, the deadline of the previous request would still apply.
	_ = control.SetWriteDeadline(time.Now().Add(s.options.StallTimeout))
	if r.ContentLength != 0 { // boot clients never send a body
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
	// If bytes remain to be sent, the response was aborted. A panic in the response is a failure, too.
	failure := "response aborted"
	defer func() { s.log.ended(t, out.content, out.left > 0, failure) }()
	header := w.Header()
	header.Set("Content-Type", e.Kind.contentType())
	header.Set("X-Content-Type-Options", "nosniff")
	if e.secret() {
		header.Set("Cache-Control", "no-store")
	}
	if strings.Contains(r.Header.Get("Range"), ",") {
		// Multiple ranges are not supported. Returning the whole item instead is valid.
		r.Header.Del("Range")
	}
	http.ServeContent(out, r, e.Name, e.Modified, content)
	failure = ""
	if out.failed != nil {
		failure = short(fmt.Sprintf("read %s: %v", e.Name, out.failed))
	}
}
