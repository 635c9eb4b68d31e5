package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"ironworks/agentlog"
	"ironworks/models"
)

// sharedLogs follows each log once for all readers.
type sharedLogs struct {
	follower agentlog.Follower

	mu      sync.Mutex
	streams map[string]*logStream
}

func newSharedLogs(f agentlog.Follower) *sharedLogs {
	return &sharedLogs{follower: f, streams: map[string]*logStream{}}
}

// logKept is how many lines a new reader of a log gets from before.
const logKept = 2000

// logStream is the log of a node from some sources, with its readers.
type logStream struct {
	stop    func()
	readers map[*logReader]struct{}
	// kept are the last lines, status the last one of each source.
	kept   []models.LogLine
	status map[models.LogSource]agentlog.Status
	ended  bool
}

// logReader has what one reader has not read yet.
type logReader struct {
	pending agentlog.Batch
	wake    chan struct{}
}

// Follow returns the log of a node. A reader that is slower than the log loses its oldest lines, which are counted, and
// does not slow down the others.
func (l *sharedLogs) Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch {
	key := fmt.Sprint(node.UUID, slices.Sorted(slices.Values(more)))
	reader := &logReader{wake: make(chan struct{}, 1)}
	l.mu.Lock()
	s := l.streams[key]
	if s == nil {
		s = l.start(ctx, key, node, more)
	}
	s.readers[reader] = struct{}{}
	reader.add(agentlog.Batch{Lines: s.kept})
	for _, status := range s.status {
		reader.add(agentlog.Batch{Status: []agentlog.Status{status}})
	}
	l.mu.Unlock()
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		defer l.leave(key, s, reader)
		for {
			select {
			case <-ctx.Done():
				return
			case <-reader.wake:
			}
			l.mu.Lock()
			batch, ended := reader.pending, s.ended
			reader.pending = agentlog.Batch{}
			l.mu.Unlock()
			select {
			case <-ctx.Done():
				return
			case out <- batch:
			}
			if ended {
				return
			}
		}
	}()
	return out
}

// start follows a log until its last reader leaves.
func (l *sharedLogs) start(ctx context.Context, key string, node models.NodeRef, more []models.LogSource) *logStream {
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &logStream{stop: stop, readers: map[*logReader]struct{}{}, status: map[models.LogSource]agentlog.Status{}}
	l.streams[key] = s
	batches := l.follower.Follow(following, node, more...)
	go func() {
		for b := range batches {
			l.mu.Lock()
			s.add(b)
			l.mu.Unlock()
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		s.ended = true
		for r := range s.readers {
			r.ring()
		}
		if l.streams[key] == s {
			delete(l.streams, key)
		}
	}()
	return s
}

// add gives a batch to the readers, and keeps it for later ones.
func (s *logStream) add(b agentlog.Batch) {
	s.kept = append(s.kept, b.Lines...)
	if over := len(s.kept) - logKept; over > 0 {
		s.kept = slices.Clone(s.kept[over:])
	}
	for _, status := range b.Status {
		s.status[status.Source] = status
	}
	for r := range s.readers {
		r.add(b)
	}
}

func (r *logReader) add(b agentlog.Batch) {
	r.pending.Lines = append(r.pending.Lines, b.Lines...)
	r.pending.Status = append(r.pending.Status, b.Status...)
	r.pending.Dropped += b.Dropped
	if over := len(r.pending.Lines) - logKept; over > 0 {
		r.pending.Lines = slices.Clone(r.pending.Lines[over:])
		r.pending.Dropped += over
	}
	r.ring()
}

func (r *logReader) ring() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// leave removes a reader; the last one stops the stream.
func (l *sharedLogs) leave(key string, s *logStream, r *logReader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(s.readers, r)
	if len(s.readers) == 0 {
		s.stop()
		if l.streams[key] == s {
			delete(l.streams, key)
		}
	}
}
