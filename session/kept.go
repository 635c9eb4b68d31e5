package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/journal"
	"ironworks/models"
	"ironworks/provision"
)

// UpdateRecords are what is kept of an update: what happened, and how the nodes stand to
// which it did.
func UpdateRecords(store *fleet.Store, u fleet.Update) journal.Records {
	r := journal.Records{Events: u.Events, Works: u.Works}
	pictured := map[string]bool{}
	for _, e := range slices.Backward(u.Events) { // the last of a node is when it stood so
		if pictured[e.Node.UUID] {
			continue
		}
		pictured[e.Node.UUID] = true
		if row, _, there := store.Get(e.Node.UUID); there {
			r.Pictures = append(r.Pictures, models.Picture{At: e.Time, Node: row.Node})
		}
	}
	return r
}

// Turns are how nodes stood that a command follows: it looks at them often, and not each
// look is news.
type Turns struct {
	mu   sync.Mutex
	last map[string]string
}

// Records are what is kept of progress.
func (t *Turns) Records(p *provision.Progress) journal.Records {
	var r journal.Records
	if p.Work == nil {
		return r
	}
	r.Works = []models.Work{*p.Work}
	if p.Now == nil {
		return r
	}
	step, _ := p.Now.CurrentStep()
	stands := fmt.Sprint(p.Now.ProvisionState, step.Label(), p.Now.PowerState, p.Now.Maintenance, p.Now.LastError)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]string{}
	}
	if t.last[p.Node.UUID] != stands {
		t.last[p.Node.UUID] = stands
		r.Pictures = []models.Picture{{At: p.At, Node: *p.Now}}
	}
	return r
}

// Kept is a follower that keeps the lines that another gives.
func Kept(f agentlog.Follower, keep LineKeeper) agentlog.Follower {
	return &keptLogs{Follower: f, keep: keep}
}

type keptLogs struct {
	agentlog.Follower
	keep LineKeeper
}

// LineKeeper keeps lines of ramdisks' logs.
type LineKeeper func([]models.LogLine)

// LinesOf keeps lines in a journal.
func LinesOf(kept *journal.Journal) LineKeeper {
	return func(lines []models.LogLine) { kept.Note(journal.Records{Lines: lines}) }
}

// linesHeard keeps lines in a journal, and what they tell of boots in a store, at the server's
// time.
func linesHeard(kept *journal.Journal, store *fleet.Store) LineKeeper {
	keep := LinesOf(kept)
	return func(lines []models.LogLine) {
		keep(lines)
		store.Heard(lines, store.Status().Skew)
	}
}

// Follow is the follower's.
func (k *keptLogs) Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch {
	return KeepLines(ctx, k.keep, k.Follower.Follow(ctx, node, more...))
}

// KeepLines hands batches on and keeps their lines.
func KeepLines(ctx context.Context, keep LineKeeper, batches <-chan agentlog.Batch) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		for b := range batches {
			keep(b.Lines)
			if ctx.Err() != nil {
				continue // a reader that drains the channel gets nothing after the end
			}
			select {
			case out <- b:
			case <-ctx.Done(): // they end, too
			}
		}
	}()
	return out
}
