package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// Clock is how a journal waits.
type Clock interface {
	After(d time.Duration) <-chan time.Time
}

// Options shape a journal.
type Options struct {
	// Path is the file; its folder is made when there is something to write.
	Path  string
	Clock Clock
	// Trouble is told that something cannot be kept, and why: once, until it works again. It
	// is called from the journal's goroutine. May be nil.
	Trouble func(error)
	// Limits bound what is kept; what is zero is the default.
	Limits Limits
	// Now is this machine's time; time.Now if nil. Records have their servers' times, which
	// may be wrong.
	Now func() time.Time
}

// Limits bound the lines and pictures of a journal. All else is kept for a year.
type Limits struct {
	// Size is how many bytes lines take on disk, packed; pictures take a quarter of that
	// at most. The oldest go first.
	Size int64
	// Age is how long they are kept, counted back from the newest record that is not in the
	// future.
	Age time.Duration
}

// What is kept where nothing else is said.
const (
	DefaultSize = 1 << 30
	DefaultAge  = 90 * 24 * time.Hour
)

const (
	// gather is how long records are collected before they are written together.
	gather = 250 * time.Millisecond
	// linesEvery is how many times as long lines are: more of them pack better.
	linesEvery = 4
	// again is how long after trouble it is tried again.
	again = 10 * time.Second
)

// Journal is the journal of one context. Its methods may be called from anywhere.
type Journal struct {
	opts Options
	// writer tells this journal's records from those of other programs.
	writer string

	mu      sync.Mutex
	waiting waiting
	// writing is how much of the lines is being written.
	writing int
	dropped dropped
	closed  bool

	// seen and packer are the goroutine's.
	seen   *seen
	packer *packer

	// wake says that something waits, hurry that much does; flush that somebody wants it
	// written now.
	wake, hurry chan struct{}
	flush       chan chan struct{}
	stop        chan struct{}
	done        chan struct{}

	dbMu sync.Mutex
	// write has one connection, read several that cannot change anything; nil until
	// they are needed.
	write, read *sql.DB
}

// Open begins a journal. The file is opened when something is written, or when there
// is one to read. Close has to be called: the end of ctx is not its end, for what waits
// is written then, too.
func Open(ctx context.Context, opts Options) *Journal {
	if opts.Limits.Size <= 0 {
		opts.Limits.Size = DefaultSize
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Limits.Age <= 0 {
		opts.Limits.Age = DefaultAge
	}
	j := &Journal{
		opts: opts, writer: rand.Text(), seen: newSeen(),
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1),
		flush: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go j.run(context.WithoutCancel(ctx))
	return j
}

// Note keeps records; it does not wait for the disk. What is no transition of anything,
// such as a reason that was found later, is only in the works. Of pictures those are kept
// that differ from the last one of their node. Lines of the sources archive and status are
// not kept, and those of one entry of a machine's journal have to come together.
func (j *Journal) Note(r Records) {
	if r.empty() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	j.waiting.add(r, j.writing, &j.dropped)
	tell(j.wake)
	if j.waiting.size >= plenty {
		tell(j.hurry)
	}
}

// tell says something to whoever was not told yet.
func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Close writes what waits, ends the goroutine and closes the file.
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
	k := &keeper{journal: j}
	defer k.close()
	for {
		select {
		case <-j.stop:
			k.keep(ctx, true)
			return
		case reply := <-j.flush:
			k.keep(ctx, true)
			close(reply)
			continue
		case <-j.wake:
		}
		if !k.untilWritten(ctx) {
			return
		}
	}
}

// keeper is what the goroutine remembers from one batch to the next.
type keeper struct {
	journal *Journal
	// failed and flooded say that it was told already.
	failed, flooded bool
	// held is how often lines were let wait.
	held int
}

func (k *keeper) close() {
	if k.journal.packer != nil {
		k.journal.packer.close()
	}
}

// untilWritten writes until nothing waits; false when the journal is closed.
func (k *keeper) untilWritten(ctx context.Context) bool {
	j := k.journal
	for {
		wait, hurry := gather, j.hurry
		if k.failed {
			wait, hurry = again, nil // it waits for better times, however much comes
		}
		var written bool
		select {
		case <-j.stop:
			k.keep(ctx, true)
			return false
		case reply := <-j.flush:
			written = k.keep(ctx, true)
			close(reply)
		case <-hurry:
			written = k.keep(ctx, true)
		case <-j.opts.Clock.After(wait):
			k.held++
			written = k.keep(ctx, k.failed || k.held >= linesEvery)
		}
		if written {
			return true
		}
	}
}

// keep writes what waits, with the lines or without; it says whether nothing waits any
// more of what was there. What could not be written waits on.
func (k *keeper) keep(ctx context.Context, withLines bool) (all bool) {
	j := k.journal
	batch, left := j.take(withLines)
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
			j.trouble(err)
		}
	case batch.dropped.lines > 0 && !k.flooded:
		k.flooded = true
		j.trouble(fmt.Errorf("%d lines of logs are not kept in journal %s: more came than could be written", batch.dropped.lines, j.opts.Path))
	}
	k.failed = err != nil
	return err == nil && !left
}

func (j *Journal) trouble(err error) {
	if j.opts.Trouble != nil {
		j.opts.Trouble(err)
	}
}

// batch is what is written together.
type batch struct {
	waiting
	dropped dropped
}

// take takes what waits; left says that lines were left.
func (j *Journal) take(withLines bool) (b batch, left bool) {
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

// putBack puts a batch before what came since, as far as there is room.
func (j *Journal) putBack(b batch) {
	j.mu.Lock()
	defer j.mu.Unlock()
	since := j.waiting
	j.waiting, j.writing = b.waiting, 0
	j.dropped.add(b.dropped)
	j.waiting.append(since, &j.dropped)
}

// written waits until what was noted so far is written, or could not be.
func (j *Journal) written(ctx context.Context) error {
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
