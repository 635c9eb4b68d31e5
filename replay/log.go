package replay

import (
	"context"
	"sort"

	"ironworks/agentlog"
	"ironworks/models"
)

// mostAtOnce is how many lines one batch has.
const mostAtOnce = 2000

// Follow gives the lines of a node as the recording comes to them, until ctx ends; what
// is before the moment that is shown comes at once. When time goes back it has to be
// followed anew.
func (p *Player) Follow(ctx context.Context, node models.NodeRef, _ ...models.LogSource) <-chan agentlog.Batch {
	out := make(chan agentlog.Batch)
	go func() {
		defer close(out)
		f := follower{player: p, node: node, lines: p.lines[node.UUID], out: out}
		_, f.turn = p.moment()
		f.run(ctx)
	}()
	return out
}

// follower follows one node.
type follower struct {
	player *Player
	node   models.NodeRef
	lines  []shown
	out    chan<- agentlog.Batch
	turn   int
	next   int
}

func (f *follower) run(ctx context.Context) {
	if !f.send(ctx, agentlog.Batch{Status: f.status()}) {
		return
	}
	for {
		at, turn := f.player.moment()
		if turn != f.turn {
			<-ctx.Done() // who follows forgets all, and follows again
			return
		}
		due := f.next + sort.Search(len(f.lines)-f.next, func(i int) bool { return f.lines[f.next+i].at.After(at) })
		for f.next < due {
			batch := agentlog.Batch{}
			for ; f.next < due && len(batch.Lines) < mostAtOnce; f.next++ {
				batch.Lines = append(batch.Lines, *f.lines[f.next].line)
			}
			if !f.send(ctx, batch) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-f.player.clock.After(beat):
		}
	}
}

func (f *follower) send(ctx context.Context, b agentlog.Batch) bool {
	select {
	case f.out <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// status says of each source that the recording has lines of, that they come from it.
func (f *follower) status() []agentlog.Status {
	var all []agentlog.Status
	had := map[models.LogSource]bool{}
	for i := range f.lines {
		had[f.lines[i].line.Source] = true
	}
	for _, s := range models.LogSources() {
		if had[s] {
			all = append(all, agentlog.Status{Node: f.node, Source: s, State: agentlog.StateFollowing, Address: "recording"})
		}
	}
	if all == nil {
		all = append(all, agentlog.Status{
			Node: f.node, Source: models.LogArchive, State: agentlog.StateEnded, Address: "recording",
			Why:    "it has no line of this node",
			WayOut: "lines are kept while a console or ironworks logs follows the log",
		})
	}
	return all
}
