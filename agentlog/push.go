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

	"github.com/gofrs/flock"

	"ironworks/models"
	"ironworks/printable"
)

// PushOptions configures a [Receiver].
type PushOptions struct {
	// Dir is the folder for data that must survive a restart; see [OpenImages]. It is required.
	Dir string
	// Owner returns the node that a sender belongs to, or an error if the sender is unknown. The error is shown to
	// the operator and sent to the machine, which logs it. Owner is required; see [OwnerAmong].
	Owner func(context.Context, Sender) (Owner, error)
	// Limits restricts the memory and disk space that senders can use. A zero field means its default.
	Limits PushLimits
}

// Receiver receives the journals that machines push over HTTPS. Only one process may receive: see [ErrReceiving].
type Receiver struct {
	options     PushOptions
	images      *Images
	certificate tls.Certificate

	// gate is read-locked during each request, so that nothing is written after Serve has returned.
	gate sync.RWMutex
	open bool

	mu        sync.Mutex
	streams   map[string]*stream // by node UUID
	changed   chan struct{}      // closed and replaced when lines or a status arrive
	address   string
	heldBytes int // the total size of all streams in memory, in bytes
	written   int64
	refusals  int
	refusal   string
}

// ErrReceiving reports that another process already receives journals into the same folder.
var ErrReceiving = errors.New("another ironworks process is already receiving journals")

// NewReceiver returns a receiver with the folder in the options, created if necessary. [Receiver.Serve] listens.
func NewReceiver(o PushOptions) (*Receiver, error) {
	if o.Owner == nil {
		return nil, errors.New("receiver: no node lookup")
	}
	o.Limits = o.Limits.withDefaults()
	images, err := OpenImages(o.Dir)
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

// Address returns the address that the receiver listens on, as HOST:PORT, or "" if it does not listen.
func (r *Receiver) Address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.address
}

// Images returns the identities of the images whose machines may push.
func (r *Receiver) Images() *Images { return r.images }

// Refusals returns the number of requests that were refused since the start, and the reason for the last refusal.
func (r *Receiver) Refusals() (count int, last string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusals, r.refusal
}

// Serve receives journals until ctx is canceled, and then closes the listener and returns nil. It returns an error if
// it ends earlier.
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
		// Do not log port scans.
		ErrorLog:    stdlog.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	r.listens(listener.Addr().String())
	defer r.listens("")
	r.takeOver()
	r.opens(true)
	defer r.opens(false)
	bounded := &boundedListener{Listener: listener, maxTotal: limits.Connections, maxPerHost: limits.PerAddress}
	over := tls.NewListener(bounded, &tls.Config{
		Certificates: []tls.Certificate{r.certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	err = server.Serve(over)
	stop()
	_ = server.Close()
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

func (r *Receiver) refuse(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusals++
	r.refusal = printable.Line(why.Error())
}

func (r *Receiver) knownStream(node models.NodeRef) *stream {
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

// stream returns a node's stream. It creates the stream from the lines on disk if it is not in memory.
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
		line.Node = node // the node may have been renamed
		r.heldBytes += s.add(limits, line)
	})
	if s.position = at; err != nil {
		s.storeError, s.firstUnstored = printable.Line(err.Error()), s.first+len(s.lines)
	}
	r.streams[node.UUID] = s
	return s
}

// takeOver reads the lines that another process has received, because this process is now the receiver.
func (r *Receiver) takeOver() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		r.heldBytes += s.refresh(r.options.Limits, true, time.Now())
	}
}

// refresh reads the lines that another process has received, unless this process is the receiver.
func (r *Receiver) refresh(s *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.address == "" && s.spool.changed() {
		r.heldBytes += s.refresh(r.options.Limits, false, time.Now())
	}
}

// limitMemory adds grown to the bytes held in memory, and drops lines of the largest stream while they are too many.
func (r *Receiver) limitMemory(grown int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heldBytes += grown
	for r.heldBytes > r.options.Limits.AllBytes {
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
		r.heldBytes -= largest.halve()
	}
}

// pruneAfter counts the bytes written to disk, and prunes the files after each fraction of the AllDisk limit.
func (r *Receiver) pruneAfter(bytes int64) {
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

// lockReceiver makes this process the folder's only receiver. The kernel releases the lock when the process ends.
func lockReceiver(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, "receiver.lock"), flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = ErrReceiving
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("receiver: %w", err), lock.Close())
	}
	return lock, nil
}
