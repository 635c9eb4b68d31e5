package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"ironworks/agentlog"
	"ironworks/mailbox"
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

// logKept is the number of earlier lines for a new reader, and the maximum number of a reader's unread lines.
const logKept = 2000

type logStream struct {
	stop    func()
	readers map[*logReader]struct{}
	// kept holds the last lines, and status the last status of each source.
	kept   []models.LogLine
	status map[models.LogSource]agentlog.Status
}

type logReader = mailbox.Box[agentlog.Batch]

// Follow follows the log of a node. A reader that is slower than the log loses the oldest lines, which the batches
// count as dropped. It does not slow down other readers.
func (l *sharedLogs) Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch {
	key := fmt.Sprint(node.UUID, slices.Sorted(slices.Values(more)))
	reader := mailbox.New[agentlog.Batch]()
	l.mu.Lock()
	s := l.streams[key]
	if s == nil {
		s = l.start(ctx, key, node, more)
	}
	s.readers[reader] = struct{}{}
	appendBatch(reader, agentlog.Batch{Lines: s.kept, Status: slices.Collect(maps.Values(s.status))})
	l.mu.Unlock()
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		defer l.removeReader(key, s, reader)
		for {
			batch, more := reader.Take(ctx)
			if !more || !agentlog.Send(ctx, out, batch) {
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
		for r := range s.readers {
			r.Close()
		}
		l.forget(key, s)
	}()
	return s
}

// add passes a batch to the readers, and stores it for later readers.
func (s *logStream) add(b agentlog.Batch) {
	s.kept, _ = newest(append(s.kept, b.Lines...))
	for _, status := range b.Status {
		s.status[status.Source] = status
	}
	for r := range s.readers {
		appendBatch(r, b)
	}
}

func appendBatch(r *logReader, b agentlog.Batch) {
	r.Put(func(pending *agentlog.Batch) {
		lines, lost := newest(append(pending.Lines, b.Lines...))
		pending.Lines, pending.Status = lines, append(pending.Status, b.Status...)
		pending.Dropped += b.Dropped + lost
	})
}

// newest returns the last logKept lines, and the number of lines before them.
func newest(lines []models.LogLine) (kept []models.LogLine, lost int) {
	if lost = len(lines) - logKept; lost <= 0 {
		return lines, 0
	}
	return slices.Clone(lines[lost:]), lost
}

// removeReader removes a reader. When the last reader leaves, the stream stops.
func (l *sharedLogs) removeReader(key string, s *logStream, r *logReader) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(s.readers, r)
	if len(s.readers) == 0 {
		s.stop()
		l.forget(key, s)
	}
}

// forget removes a stream, so that the next reader starts another one.
func (l *sharedLogs) forget(key string, s *logStream) {
	if l.streams[key] == s {
		delete(l.streams, key)
	}
}
