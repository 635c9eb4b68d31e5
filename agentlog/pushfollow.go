package agentlog

import (
	"context"
	"slices"
	"time"

	"ironworks/models"
)

// Subscribe gives what a node has sent so far, as far as it is held, and what it sends,
// until ctx ends; then it closes the channel, as the only one that does. The zero
// NodeRef is all nodes. A slow reader holds up nobody: what it was too late for is in
// Dropped.
func (r *Receiver) Subscribe(ctx context.Context, node models.NodeRef) <-chan Batch {
	out := make(chan Batch)
	sub := &subscription{receiver: r, node: node, next: map[*stream]int{}, told: map[string]Status{}}
	go func() {
		defer close(out)
		sub.run(ctx, out)
	}()
	return out
}

// subscription is one reader.
type subscription struct {
	receiver *Receiver
	node     models.NodeRef
	next     map[*stream]int
	told     map[string]Status
}

func (s *subscription) run(ctx context.Context, out chan<- Batch) {
	r := s.receiver
	for {
		changed := r.changes()
		for {
			batch, more := s.gather()
			if len(batch.Lines)+len(batch.Status) > 0 || batch.Dropped > 0 {
				select {
				case out <- batch:
				case <-ctx.Done():
					return
				}
			}
			if !more {
				break
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-r.options.After(r.patience()):
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-r.options.After(gatherTime):
		}
	}
}

// patience is after how long to look without being told: silence is news, too, and
// nobody tells what another process receives.
func (r *Receiver) patience() time.Duration {
	if r.Address() == "" {
		return lookTime
	}
	return r.options.Limits.Silence / 4
}

// gather takes what there is; more says that not all of it fitted.
func (s *subscription) gather() (batch Batch, more bool) {
	r := s.receiver
	streams := r.streamsOf(s.node)
	now, listening := r.options.Now(), r.Address()
	for _, stream := range streams {
		r.look(stream)
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
		s.tell(&batch, stream.status(now, r.options.Limits.Silence, listening))
	}
	if len(streams) == 0 && s.node.UUID != "" {
		s.tell(&batch, (&stream{node: s.node}).status(now, time.Minute, listening))
	}
	return batch, more
}

// tell adds a status that is news.
func (s *subscription) tell(batch *Batch, status Status) {
	if s.told[status.Node.UUID] == status {
		return
	}
	s.told[status.Node.UUID] = status
	batch.Status = append(batch.Status, status)
}

// streamsOf are the streams of a node, or of all; that of a node is read from the disk
// where it is kept.
func (r *Receiver) streamsOf(node models.NodeRef) []*stream {
	if node.UUID != "" {
		if s := r.known(node); s != nil {
			return []*stream{s}
		}
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	streams := make([]*stream, 0, len(r.streams))
	for _, s := range r.streams {
		streams = append(streams, s)
	}
	slices.SortFunc(streams, func(a, b *stream) int { return compareRefs(a.node, b.node) })
	return streams
}

func compareRefs(a, b models.NodeRef) int {
	switch {
	case a.Label() < b.Label():
		return -1
	case a.Label() > b.Label():
		return 1
	}
	return 0
}
