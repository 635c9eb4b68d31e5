package replay

import (
	"context"
	"sort"
	"time"

	"ironworks/agentlog"
	"ironworks/models"
)

// maxBatch is the maximum number of lines in a batch.
const maxBatch = 2000

// Follow sends the node's log lines when the player reaches them, until ctx is done. It starts with all lines before
// the current moment. After the player has jumped back, Follow must be called again.
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

// follower sends the log lines of one node.
type follower struct {
	player *Player
	node   models.NodeRef
	lines  []timedLine
	out    chan<- agentlog.Batch
	turn   int
	next   int
}

func (f *follower) run(ctx context.Context) {
	if !agentlog.Send(ctx, f.out, agentlog.Batch{Status: f.status()}) {
		return
	}
	for {
		at, turn := f.player.moment()
		if turn != f.turn {
			<-ctx.Done() // the caller drops everything and follows again
			return
		}
		due := f.next + sort.Search(len(f.lines)-f.next, func(i int) bool { return f.lines[f.next+i].at.After(at) })
		for f.next < due {
			batch := agentlog.Batch{}
			for ; f.next < due && len(batch.Lines) < maxBatch; f.next++ {
				batch.Lines = append(batch.Lines, *f.lines[f.next].line)
			}
			if !agentlog.Send(ctx, f.out, batch) {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(showInterval):
		}
	}
}

// status reports [agentlog.StateFollowing] for each source that has lines in the recording. If there are no lines, it
// reports [agentlog.StateEnded] for the archive.
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
			Reason: "no log lines of this node in the recording",
			Remedy: "lines are recorded only while the log is followed",
		})
	}
	return all
}
