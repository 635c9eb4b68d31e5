package logs

import (
	"context"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/screen"
	"ironworks/ui/widget/logview"
)

// Kept is a part of a log that was kept.
type Kept struct {
	// Name is what it is the log of, safe to show.
	Name     string
	From, To time.Time
}

// NewKept makes a log of what was kept of nodes in some time. It begins where that
// begins, and follows nothing.
func NewKept(env *screen.Env, of Kept) *Log {
	l := NewWithin(env, logview.Default)
	l.kept, l.followed = &of, nil
	if env.Session != nil && env.Session.Journal != nil {
		l.followed = &shelf{journal: env.Session.Journal, of: of}
	}
	l.view.Follow(false)
	return l
}

// Kept is what it is the log of, nil for one that is live.
func (l *Log) Kept() *Kept { return l.kept }

// shelf gives lines that were kept as sources give those that come.
type shelf struct {
	journal screen.Journal
	of      Kept
}

// atOnce is how many lines come together.
const atOnce = 1000

// Follow gives the lines, and ends.
func (s *shelf) Follow(ctx context.Context, node models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		var batch agentlog.Batch
		send := func() bool {
			select {
			case out <- batch:
				batch = agentlog.Batch{}
				return true
			case <-ctx.Done():
				return false
			}
		}
		for l, err := range s.journal.Lines(ctx, node.UUID, s.of.From, s.of.To) {
			if err != nil {
				batch.Status = append(batch.Status, agentlog.Status{
					Node: node, Source: models.LogArchive, State: agentlog.StateFailed, Reason: printable.Line(models.OnScreen(err)),
				})
				break
			}
			if batch.Lines = append(batch.Lines, l); len(batch.Lines) >= atOnce && !send() {
				return
			}
		}
		send()
	}()
	return out
}
