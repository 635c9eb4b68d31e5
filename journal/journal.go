package journal

import (
	"context"
	"crypto/rand"
	"database/sql"
	"sync"
	"time"

	"ironworks/models"
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
	// Trouble is told that nothing can be kept, and why: once, until it works again. It is
	// called from the journal's goroutine. May be nil.
	Trouble func(error)
}

const (
	// gather is how long records are collected before they are written together.
	gather = 250 * time.Millisecond
	// again is how long after trouble it is tried again.
	again = 10 * time.Second
	// mostWaiting bounds what waits while nothing can be written; the newest is dropped.
	mostWaiting = 20_000
)

// Journal is the journal of one context. Its methods may be called from anywhere.
type Journal struct {
	opts Options
	// writer tells this journal's records from those of other programs.
	writer string

	mu      sync.Mutex
	waiting records
	dropped int
	closed  bool

	// wake says that something waits; flush that somebody wants it written now.
	wake  chan struct{}
	flush chan chan struct{}
	stop  chan struct{}
	done  chan struct{}

	dbMu sync.Mutex
	// write has one connection, read several that cannot change anything; nil until
	// they are needed.
	write, read *sql.DB
}

// records are what waits to be written.
type records struct {
	events []models.Event
	works  []models.Work
	// place is where in works a piece of work is: only its last state is written.
	place map[workKey]int
}

// workKey names a piece of work as this program sees it.
type workKey struct {
	node  string
	kind  models.ProvisionState
	begin int64
}

// Open begins a journal. The file is opened when something is written, or when there
// is one to read. Close has to be called: the end of ctx is not its end, for what waits
// is written then, too.
func Open(ctx context.Context, opts Options) *Journal {
	j := &Journal{
		opts: opts, writer: rand.Text(),
		wake: make(chan struct{}, 1), flush: make(chan chan struct{}), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go j.run(context.WithoutCancel(ctx))
	return j
}

// Note keeps events and works; it does not wait for the disk. What is no transition of
// anything, such as a reason that was found later, is only in the works.
func (j *Journal) Note(events []models.Event, works []models.Work) {
	if len(events) == 0 && len(works) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	for i := range events {
		if j.waiting.full() {
			j.dropped++
			continue
		}
		j.waiting.events = append(j.waiting.events, events[i])
	}
	for i := range works {
		if !j.waiting.put(works[i]) {
			j.dropped++
		}
	}
	select {
	case j.wake <- struct{}{}:
	default: // it is awake already
	}
}

func (r *records) full() bool { return len(r.events)+len(r.works) >= mostWaiting }

// put notes a work in the place of what waits of it already; false when there is no room.
func (r *records) put(w models.Work) bool {
	key := workKey{node: w.Node.UUID, kind: w.Kind, begin: w.Begin.UnixMicro()}
	if i, known := r.place[key]; known {
		r.works[i] = w
		return true
	}
	if r.full() {
		return false
	}
	if r.place == nil {
		r.place = map[workKey]int{}
	}
	r.place[key] = len(r.works)
	r.works = append(r.works, w)
	return true
}

func (r *records) empty() bool { return len(r.events)+len(r.works) == 0 }

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
	said := false
	keep := func() (ok bool) {
		err := j.keep(ctx)
		switch {
		case err == nil:
			said = false
		case !said && j.opts.Trouble != nil:
			said = true
			j.opts.Trouble(err)
		}
		return err == nil
	}
	for {
		select {
		case <-j.stop:
			keep()
			return
		case reply := <-j.flush:
			keep()
			close(reply)
			continue
		case <-j.wake:
		}
		wait := gather
		for written := false; !written; wait = again {
			select {
			case <-j.stop:
				keep()
				return
			case reply := <-j.flush:
				written = keep()
				close(reply)
			case <-j.opts.Clock.After(wait):
				written = keep()
			}
		}
	}
}

// keep writes what waits. What could not be written waits on.
func (j *Journal) keep(ctx context.Context) error {
	j.mu.Lock()
	batch := j.waiting
	j.waiting = records{}
	j.mu.Unlock()
	if batch.empty() {
		return nil
	}
	err := j.store(ctx, &batch)
	if err != nil {
		j.putBack(batch)
	}
	return err
}

// putBack puts a batch before what came since, as far as there is room.
func (j *Journal) putBack(batch records) {
	j.mu.Lock()
	defer j.mu.Unlock()
	since := j.waiting
	j.waiting = batch
	for i := range since.events {
		if !j.waiting.full() {
			j.waiting.events = append(j.waiting.events, since.events[i])
		} else {
			j.dropped++
		}
	}
	for i := range since.works {
		if !j.waiting.put(since.works[i]) {
			j.dropped++
		}
	}
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
