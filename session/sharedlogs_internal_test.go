package session

import (
	"context"
	"testing"
	"testing/synctest"

	"ironworks/agentlog"
	"ironworks/models"
)

// fakeLog is a follower that returns the given batches. It records how often it was started, and whether it has
// ended.
type fakeLog struct {
	batches chan agentlog.Batch
	started int
	ended   bool
}

func (f *fakeLog) Follow(ctx context.Context, _ models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	f.started++
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		for {
			select {
			case <-ctx.Done():
				f.ended = true
				return
			case b, more := <-f.batches:
				if !more {
					return
				}
				out <- b
			}
		}
	}()
	return out
}

func numbered(from, to int) agentlog.Batch {
	b := agentlog.Batch{Status: []agentlog.Status{{Source: models.LogSSH}}}
	for i := from; i < to; i++ {
		b.Lines = append(b.Lines, models.LogLine{Text: string(rune('0' + i%10))})
	}
	return b
}

// TestSharedLogIsFollowedOnce checks that all readers get the lines of one follower, and that late readers also get
// earlier lines. It also checks that a slow reader loses the oldest lines and does not delay the others, and that the
// follower ends with its last reader.
func TestSharedLogIsFollowedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{batches: make(chan agentlog.Batch)}
		shared := newSharedLogs(log)
		node := models.NodeRef{UUID: "u"}
		first, leaveFirst := context.WithCancel(t.Context())
		second, leaveSecond := context.WithCancel(t.Context())
		fast, slow := shared.Follow(first, node), shared.Follow(second, node)
		synctest.Wait() // both have read the initial, empty state before the first line
		<-fast
		log.batches <- numbered(0, 3)
		if b := <-fast; len(b.Lines) != 3 || len(b.Status) != 1 {
			t.Errorf("%+v", b)
		}
		for range 3 {
			log.batches <- numbered(0, logKept)
			<-fast
		}
		<-slow
		synctest.Wait()
		if b := <-slow; len(b.Lines) != logKept || b.Dropped != 3+2*logKept {
			t.Errorf("%d lines, %d dropped", len(b.Lines), b.Dropped)
		}
		third, leaveThird := context.WithCancel(t.Context())
		if b := <-shared.Follow(third, node); len(b.Lines) != logKept || len(b.Status) != 1 {
			t.Errorf("a late reader has %d lines", len(b.Lines))
		}
		leaveFirst()
		leaveSecond()
		synctest.Wait()
		if log.started != 1 || log.ended {
			t.Errorf("%+v", log)
		}
		leaveThird()
		synctest.Wait()
		if !log.ended {
			t.Error("followed without a reader")
		}
		if shared.Follow(t.Context(), node); log.started != 2 {
			t.Error("not followed again")
		}
		close(log.batches)
	})
}

// TestSharedLogEnds checks that, when the follower ends, every reader gets the last lines and ends, too.
func TestSharedLogEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &fakeLog{batches: make(chan agentlog.Batch)}
		lines := newSharedLogs(log).Follow(t.Context(), models.NodeRef{UUID: "u"})
		log.batches <- numbered(0, 3)
		close(log.batches)
		got := 0
		for b := range lines {
			got += len(b.Lines)
		}
		if got != 3 {
			t.Errorf("%d lines", got)
		}
	})
}
