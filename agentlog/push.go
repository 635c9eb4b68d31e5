package agentlog

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ironworks/models"
)

// PushOptions say what a [Receiver] works with.
type PushOptions struct {
	// Dir is where it keeps what has to be known after a restart: see [OpenImages]. Required.
	Dir string
	// Owner says which node a sender is, or that it is none: an error that is shown to
	// whoever looks, and to the sender's own log. Required; see [OwnerAmong].
	Owner func(context.Context, Sender) (Owner, error)
	// Now and After are the clock; that of the system if nil.
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
	// Limits are the defaults where they are zero.
	Limits PushLimits
}

// Receiver takes the journals that machines send over HTTPS. It is used by one process
// at a time: see [ErrReceiving].
type Receiver struct {
	options     PushOptions
	images      *Images
	certificate pushCertificate

	// gate is held for reading by each request that is being taken, so that nothing is
	// written any more once Serve has ended.
	gate sync.RWMutex
	open bool

	mu       sync.Mutex
	streams  map[string]*stream // by the node's uuid
	changed  chan struct{}      // closed, and made anew, when something came
	address  string
	held     int // bytes of all streams
	written  int64
	refusals int
	refusal  string
}

// ErrReceiving is a folder into which another process receives.
var ErrReceiving = errors.New("another ironworks receives journals already")

// NewReceiver opens the folder. Nothing listens before [Receiver.Serve].
func NewReceiver(o PushOptions) (*Receiver, error) {
	if o.Owner == nil {
		return nil, errors.New("receiver: nothing that knows nodes")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	o.Limits = o.Limits.withDefaults()
	images, err := OpenImages(o.Dir, o.Now)
	if err != nil {
		return nil, fmt.Errorf("receiver: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(o.Dir, "spool"), 0o700); err != nil {
		return nil, fmt.Errorf("receiver: %w", err)
	}
	r := &Receiver{options: o, images: images, streams: map[string]*stream{}, changed: make(chan struct{})}
	if r.certificate, err = images.certificate(); err != nil {
		return nil, fmt.Errorf("receiver: %w", err)
	}
	return r, nil
}

// Address is where it listens, as HOST:PORT; empty while it does not.
func (r *Receiver) Address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.address
}

// Images are the identities of the images whose machines may send.
func (r *Receiver) Images() *Images { return r.images }

// Refusals are how many requests were refused since the start, and why the last one was.
func (r *Receiver) Refusals() (count int, last string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusals, r.refusal
}

// Serve takes journals until ctx ends, which is no error, and closes the listener.
func (r *Receiver) Serve(ctx context.Context, listener net.Listener) error {
	lock, err := lockReceiver(r.options.Dir)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { _ = lock.Close() }()
	limits := r.options.Limits
	server := &http.Server{
		Handler:           http.HandlerFunc(r.serve),
		ReadHeaderTimeout: limits.Read / 2, ReadTimeout: limits.Read, WriteTimeout: 2 * limits.Read,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		// Whoever scans ports is no news.
		ErrorLog:    stdlog.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	r.listens(listener.Addr().String())
	defer r.listens("")
	r.takeOver()
	r.opens(true)
	defer r.opens(false)
	bounded := &boundedListener{Listener: listener, most: limits.Connections, each: limits.PerAddress}
	over := tls.NewListener(bounded, &tls.Config{
		Certificates: []tls.Certificate{r.certificate.tls}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	done := make(chan struct{})
	var stopping sync.WaitGroup
	stopping.Go(func() {
		select {
		case <-ctx.Done():
		case <-done:
		}
		_ = server.Close()
	})
	err = server.Serve(over)
	close(done)
	stopping.Wait()
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("receiving journals at %s: %w", listener.Addr(), err)
}

func (r *Receiver) listens(address string) {
	r.mu.Lock()
	r.address = address
	r.mu.Unlock()
	r.wake()
}

func (r *Receiver) opens(open bool) {
	r.gate.Lock()
	defer r.gate.Unlock()
	r.open = open
}

// changes is closed when something comes.
func (r *Receiver) changes() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (r *Receiver) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.changed)
	r.changed = make(chan struct{})
}

// refuse counts a request that was not taken.
func (r *Receiver) refuse(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusals++
	r.refusal = models.Printable(why.Error())
}

// known is a node's stream where there is one, in memory or on disk.
func (r *Receiver) known(node models.NodeRef) *stream {
	r.mu.Lock()
	s := r.streams[node.UUID]
	r.mu.Unlock()
	if s != nil {
		return s
	}
	if _, err := os.Stat(spoolPath(r.options.Dir, node.UUID)); err != nil {
		return nil
	}
	return r.stream(node)
}

// stream is that of a node, with what is kept of it.
func (r *Receiver) stream(node models.NodeRef) *stream {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.streams[node.UUID]; s != nil {
		return s
	}
	limits := r.options.Limits
	s := &stream{
		node: node, spool: spool{path: spoolPath(r.options.Dir, node.UUID), most: limits.NodeDisk},
		allowed: allowance{rate: float64(limits.Rate)},
	}
	at, err := s.spool.load(r.address != "", func(line models.LogLine) {
		line.Node = node // it may have another name by now
		r.held += s.add(limits, line)
	})
	if s.at = at; err != nil {
		s.trouble, s.unkept = models.Printable(err.Error()), s.first+len(s.lines)
	}
	r.streams[node.UUID] = s
	return s
}

// takeOver reads what another process has received meanwhile: from now on it is us.
func (r *Receiver) takeOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		r.held += s.refresh(r.options.Limits, true, r.options.Now())
	}
}

// look reads what another process receives.
func (r *Receiver) look(s *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.address == "" && s.spool.changed() {
		r.held += s.refresh(r.options.Limits, false, r.options.Now())
	}
}

// hold counts what is in memory, and drops lines of those that have most when it is too
// much.
func (r *Receiver) hold(grown int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held += grown
	for r.held > r.options.Limits.AllBytes {
		var largest *stream
		most := 0
		for _, s := range r.streams {
			s.mu.Lock()
			if s.size > most {
				largest, most = s, s.size
			}
			s.mu.Unlock()
		}
		if largest == nil {
			return
		}
		r.held -= largest.halve()
	}
}

// wrote prunes the disk now and then.
func (r *Receiver) wrote(bytes int64) {
	r.mu.Lock()
	r.written += bytes
	due := r.written > r.options.Limits.AllDisk/32
	if due {
		r.written = 0
	}
	r.mu.Unlock()
	if due {
		pruneSpools(r.options.Dir, r.options.Limits.AllDisk)
	}
}
