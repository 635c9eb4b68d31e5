package agentlog

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Subscribe sends the node's lines in memory, and then further lines until ctx is canceled. It then closes the channel.
// The zero NodeRef selects all nodes. A slow reader misses lines, which the Dropped field counts.
func (r *Receiver) Subscribe(ctx context.Context, node models.NodeRef) <-chan Batch {
	out := make(chan Batch)
	sub := &subscription{receiver: r, node: node, next: map[*stream]int{}, reported: map[string]Status{}}
	go func() {
		defer close(out)
		sub.run(ctx, out)
	}()
	return out
}

type subscription struct {
	receiver *Receiver
	node     models.NodeRef
	next     map[*stream]int
	reported map[string]Status
}

func (s *subscription) run(ctx context.Context, out chan<- Batch) {
	r := s.receiver
	for {
		changed := r.changes()
		for more := true; more; {
			var batch Batch
			if batch, more = s.gather(); !batch.empty() && !Send(ctx, out, batch) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(r.lookAfter()):
			continue
		}
		if !wait(ctx, gatherTime) {
			return
		}
	}
}

// lookAfter returns the time after which streams are checked even if nothing signals a change. This is necessary
// because silence changes a status, and because other processes send no signals.
func (r *Receiver) lookAfter() time.Duration {
	if r.Address() == "" {
		return lookTime
	}
	return r.options.Limits.Silence / 4
}

// gather collects the available lines. The more result reports whether lines remain.
func (s *subscription) gather() (batch Batch, more bool) {
	r := s.receiver
	streams := r.streamsOf(s.node)
	now, listening := time.Now(), r.Address()
	for _, stream := range streams {
		r.refresh(stream)
		room := max(batchLines-len(batch.Lines), 0)
		next, begun := s.next[stream]
		if !begun {
			next = -1
		}
		lines, behind, dropped := stream.since(next, room)
		batch.Lines = append(batch.Lines, lines...)
		batch.Dropped += dropped
		s.next[stream] = behind
		more = more || len(lines) >= room
		s.report(&batch, stream.status(now, r.options.Limits.Silence, listening))
	}
	if len(streams) == 0 && s.node.UUID != "" {
		s.report(&batch, (&stream{node: s.node}).status(now, time.Minute, listening))
	}
	return batch, more
}

func (s *subscription) report(batch *Batch, status Status) {
	if s.reported[status.Node.UUID] == status {
		return
	}
	s.reported[status.Node.UUID] = status
	batch.Status = append(batch.Status, status)
}

// streamsOf returns the stream of the given node or, if it is the zero NodeRef, the streams of all nodes. If
// necessary, it reads the stream of a single node from disk.
func (r *Receiver) streamsOf(node models.NodeRef) []*stream {
	if node.UUID != "" {
		if s := r.knownStream(node); s != nil {
			return []*stream{s}
		}
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.streams), func(a, b *stream) int { return strings.Compare(a.node.Label(), b.node.Label()) })
}
