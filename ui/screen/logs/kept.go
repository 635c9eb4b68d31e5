package logs

import (
	"context"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/screen"
)

// Kept identifies a recorded part of a log.
type Kept struct {
	// Name is the name of the recorded operation. It is sanitized.
	Name     string
	From, To time.Time
}

// NewKept returns a log of recorded lines. It starts at the first line and does not follow new lines.
func NewKept(env *screen.Env, of Kept) *Log {
	l := New(env)
	l.kept, l.followed = &of, nil
	if env.Session != nil && env.Session.Journal != nil {
		l.followed = &recordedLines{journal: env.Session.Journal, of: of}
	}
	l.view.Follow(false)
	return l
}

// recordedLines sends recorded lines in the same way as a live source.
type recordedLines struct {
	journal screen.Journal
	of      Kept
}

const atOnce = 1000

// Follow sends all recorded lines, then closes the channel.
func (s *recordedLines) Follow(ctx context.Context, node models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		var batch agentlog.Batch
		for l, err := range s.journal.Lines(ctx, node.UUID, s.of.From, s.of.To) {
			if err != nil {
				batch.Status = append(batch.Status, agentlog.Status{
					Node: node, Source: models.LogArchive, State: agentlog.StateFailed, Reason: printable.Line(models.OnScreen(err)),
				})
				break
			}
			if batch.Lines = append(batch.Lines, l); len(batch.Lines) >= atOnce {
				if !agentlog.Send(ctx, out, batch) {
					return
				}
				batch = agentlog.Batch{}
			}
		}
		agentlog.Send(ctx, out, batch)
	}()
	return out
}
