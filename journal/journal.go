package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// Options configure a Journal.
type Options struct {
	// Path is the path of the journal's file; its folder is created at the first write.
	Path string
	// OnError is called when writing fails, and not again until writing has succeeded. It is called from the journal's
	// goroutine. It may be nil.
	OnError func(error)
	// Limits limit the content; zero values are the defaults.
	Limits Limits
}

// Limits limit the lines and snapshots of a journal. Everything else is kept for a year.
type Limits struct {
	// Size is the packed size of lines on disk in bytes; snapshots take at most a quarter of that. The oldest lines and
	// snapshots are deleted first.
	Size int64
	// Age is the maximum age of lines and snapshots, counted back from the newest record that is not in the future.
	Age time.Duration
}

// Defaults of [Limits].
const (
	DefaultSize = 1 << 30
	DefaultAge  = 90 * 24 * time.Hour
)

const (
	// batchDelay is the time for which records are collected before they are written together.
	batchDelay = 250 * time.Millisecond
	// linesEvery is the factor by which lines are collected longer than other records, because more lines pack better.
	linesEvery = 4
	// retryAfter is the delay after a failure.
	retryAfter = 10 * time.Second
)

// Journal is the journal of one context. Its methods are safe for concurrent use.
type Journal struct {
	opts Options
	// writer identifies this program's records.
	writer string

	mu      sync.Mutex
	waiting waiting
	// writing is the size of the lines that are being written.
	writing int
	dropped dropped
	closed  bool

	// Only the writing goroutine uses seen and packer.
	seen   *lineIndex
	packer *packer

	// wake signals that records are waiting, and writeNow that many are waiting; flush requests that they are written
	// now.
	wake, writeNow chan struct{}
	flush          chan chan struct{}
	stop           chan struct{}
	done           chan struct{}

	dbMu sync.Mutex
	// write is the database with one connection for writing, and read that with several read-only connections; nil
	// until they are needed.
	write, read *sql.DB
}

// Open returns a journal. The file is opened at the first write, or at the first read if it
// exists. The caller must call Close: waiting records are written even if ctx has ended.
func Open(ctx context.Context, opts Options) *Journal {
	if opts.Limits.Size <= 0 {
		opts.Limits.Size = DefaultSize
	}
	if opts.Limits.Age <= 0 {
		opts.Limits.Age = DefaultAge
	}
	j := &Journal{
		opts: opts, writer: rand.Text(), seen: newLineIndex(),
		wake: make(chan struct{}, 1), writeNow: make(chan struct{}, 1),
		flush: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go j.run(context.WithoutCancel(ctx))
	return j
}

// Record stores records without waiting for the disk. Events other than transitions, such as a reason that was found
// later, are stored only with the operations. Snapshots are stored if they differ from the node's last one. Lines of
// the sources archive and status are not stored, and those of one journal entry must be consecutive.
func (j *Journal) Record(r Records) {
	if r.empty() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	j.waiting.add(r, j.writing, &j.dropped)
	signal(j.wake)
	if j.waiting.size >= writeNowBytes {
		signal(j.writeNow)
	}
}

// signal sends to a channel without blocking.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close writes the waiting records, stops the goroutine and closes the file.
func (j *Journal) Close() {
	j.mu.Lock()
	was := j.closed
	j.closed = true
	j.mu.Unlock()
	if !was {
		close(j.stop)
	}
	<-j.done
}

// run writes until the journal is closed.
func (j *Journal) run(ctx context.Context) {
	defer close(j.done)
	defer j.closeFiles()
	k := &recorder{journal: j}
	defer k.close()
	for {
		select {
		case <-j.stop:
			k.flush(ctx, true)
			return
		case reply := <-j.flush:
			k.flush(ctx, true)
			close(reply)
			continue
		case <-j.wake:
		}
		if !k.untilWritten(ctx) {
			return
		}
	}
}

// recorder is the state of the writing goroutine between batches.
type recorder struct {
	journal *Journal
	// failed is true while writing fails, lossReported once lost lines were reported: both are reported once.
	failed, lossReported bool
	// held counts the writes for which lines were held back, to pack more lines together.
	held int
}

func (k *recorder) close() {
	if k.journal.packer != nil {
		k.journal.packer.close()
	}
}

// untilWritten writes until no records are waiting; it returns false when the journal is closed.
func (k *recorder) untilWritten(ctx context.Context) bool {
	j := k.journal
	for {
		wait, hurry := batchDelay, j.writeNow
		if k.failed {
			wait, hurry = retryAfter, nil // after a failure, wait regardless of the amount
		}
		var written bool
		select {
		case <-j.stop:
			k.flush(ctx, true)
			return false
		case reply := <-j.flush:
			written = k.flush(ctx, true)
			close(reply)
		case <-hurry:
			written = k.flush(ctx, true)
		case <-time.After(wait):
			k.held++
			written = k.flush(ctx, k.failed || k.held >= linesEvery)
		}
		if written {
			return true
		}
	}
}

// flush writes the waiting records, with or without lines, and reports whether all were written. Records that could
// not be written stay.
func (k *recorder) flush(ctx context.Context, withLines bool) (all bool) {
	j := k.journal
	batch, left := j.takeWaiting(withLines)
	if withLines {
		k.held = 0
	}
	if batch.empty() {
		return !left
	}
	err := j.store(ctx, &batch)
	switch {
	case err != nil:
		j.putBack(batch)
		if !k.failed {
			j.reportError(err)
		}
	case batch.dropped.lines > 0 && !k.lossReported:
		k.lossReported = true
		j.reportError(fmt.Errorf("%d log lines were not recorded in journal %s: the log is faster than the disk", batch.dropped.lines, j.opts.Path))
	}
	k.failed = err != nil
	return err == nil && !left
}

func (j *Journal) reportError(err error) {
	if j.opts.OnError != nil {
		j.opts.OnError(err)
	}
}

// batch has the records that are written in one transaction.
type batch struct {
	waiting
	dropped dropped
}

// takeWaiting removes and returns the waiting records; left reports whether lines were left.
func (j *Journal) takeWaiting(withLines bool) (b batch, left bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	b = batch{waiting: j.waiting, dropped: j.dropped}
	j.waiting, j.dropped = waiting{}, dropped{}
	if !withLines {
		j.waiting.lines, j.waiting.size = b.lines, b.size
		b.lines, b.size = nil, 0
	}
	if b.empty() {
		j.dropped = b.dropped
	}
	j.writing = b.size
	return b, len(j.waiting.lines) > 0
}

// putBack inserts a batch before newer records, as far as there is room.
func (j *Journal) putBack(b batch) {
	j.mu.Lock()
	defer j.mu.Unlock()
	since := j.waiting
	j.waiting, j.writing = b.waiting, 0
	j.dropped.add(b.dropped)
	j.waiting.append(since, &j.dropped)
}

// flushed waits until everything recorded so far is written, or the write has failed.
func (j *Journal) flushed(ctx context.Context) error {
	reply := make(chan struct{})
	select {
	case j.flush <- reply:
	case <-j.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-reply:
	case <-j.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
