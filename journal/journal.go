package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// Options configures a Journal.
type Options struct {
	// Path is the path of the journal's file; its folder is created at the first write.
	Path string
	// OnError, if not nil, is called when writing fails, but not again until writing has succeeded. It is called from
	// the journal's goroutine.
	OnError func(error)
	// Limits restricts the size and the age of the content. Zero values mean the defaults.
	Limits Limits
}

// Limits restricts the lines and snapshots in a journal. Everything else is kept for a year.
type Limits struct {
	// Size is the maximum packed size of lines on disk, in bytes. In addition, snapshots take at most a quarter of
	// this size. The oldest lines and snapshots are deleted first.
	Size int64
	// Age is the maximum age of lines and snapshots, counted back from the newest record that is not in the future.
	Age time.Duration
}

// The default values of [Limits].
const (
	DefaultSize = 1 << 30
	DefaultAge  = 90 * 24 * time.Hour
)

const (
	// batchDelay is the time for which records are collected, so that they can be written together.
	batchDelay = 250 * time.Millisecond
	// linesEvery is the number of batch delays for which lines are collected. Lines are collected for longer than
	// other records, because larger groups of lines can be packed better.
	linesEvery = 4
	// retryAfter is the delay between a failed write and the next attempt.
	retryAfter = 10 * time.Second
)

// Journal is the journal of one context. Its methods are safe for concurrent use.
type Journal struct {
	opts Options
	// writer identifies the records written by this program.
	writer string

	mu      sync.Mutex
	waiting waiting
	// writing is the size of the lines that are being written, in bytes.
	writing int
	dropped dropped
	closed  bool

	// Only the writing goroutine uses seen and packer.
	seen   *lineIndex
	packer *packer

	// wake signals that records are waiting, and writeNow that there are enough of them to write them immediately. A
	// channel sent to flush is closed once the waiting records have been written.
	wake, writeNow chan struct{}
	flush          chan chan struct{}
	stop           chan struct{}
	done           chan struct{}

	dbMu sync.Mutex
	// write is the database with a single connection for writing; read is the database with several read-only
	// connections. Both are nil until they are needed.
	write, read *sql.DB
}

// Open returns a journal. The file is opened by the first write or, if it exists, by the first read. The caller must
// call Close, which writes the waiting records even if ctx has been canceled.
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

// Record stores records without waiting for the disk. A reason for a failure that is found later is stored only with
// the operation, not with the transition. A snapshot is stored only if it differs from the node's last one. Lines
// from the archive and status sources are not stored. Lines that belong to one journal entry must be consecutive.
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

// signal sends a signal on c, unless one is already waiting there. It never blocks.
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

// recorder holds the state of the writing goroutine between batches.
type recorder struct {
	journal *Journal
	// failed is set while writing fails; lossReported is set once a loss of lines has been reported. Both problems
	// are reported only once.
	failed, lossReported bool
	// held counts the batches since lines were last written. Lines are held back to pack more of them together.
	held int
}

// run writes waiting records until the journal is closed.
func (j *Journal) run(ctx context.Context) {
	defer close(j.done)
	defer j.closeFiles()
	defer func() {
		if j.packer != nil {
			j.packer.close()
		}
	}()
	k := &recorder{journal: j}
	waiting := false // whether records are waiting
	for {
		// Without waiting records, only wake is of interest, and otherwise only the other two. A nil channel never
		// becomes ready.
		var wake, hurry chan struct{}
		var delay <-chan time.Time
		switch {
		case !waiting:
			wake = j.wake
		case k.failed:
			delay = time.After(retryAfter) // even if many records are waiting
		default:
			hurry, delay = j.writeNow, time.After(batchDelay)
		}
		select {
		case <-j.stop:
			k.flush(ctx, true)
			return
		case reply := <-j.flush:
			waiting = !k.flush(ctx, true) && waiting
			close(reply)
		case <-wake:
			waiting = true
		case <-hurry:
			waiting = !k.flush(ctx, true)
		case <-delay:
			k.held++
			waiting = !k.flush(ctx, k.failed || k.held >= linesEvery)
		}
	}
}

// flush writes the waiting records, with or without the lines, and reports whether all were written. Records that
// could not be written keep waiting.
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

// batch contains the records that are written in one transaction.
type batch struct {
	waiting
	dropped dropped
}

// takeWaiting removes and returns the waiting records. Without withLines, it leaves the lines. left reports whether
// lines are still waiting.
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

// putBack returns a batch to the waiting records after writing it has failed. It inserts the batch before newer
// records, which are dropped if there is no room for them.
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
