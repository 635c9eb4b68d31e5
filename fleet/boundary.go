package fleet

import "time"

const (
	// headAge is the minimum age of an earlier round whose order is used for comparison. The order of younger rounds
	// is unreliable: a database that stores whole seconds (MySQL) sorts changes within a second arbitrarily, and a
	// transaction may end after one that started later.
	headAge = 2 * time.Second
	// maxHead is the maximum number of nodes whose order is remembered.
	maxHead = 2000
	// minRun is the number of consecutive nodes in the order of an earlier round after which the list counts as old.
	minRun = 3
)

// head is the order of the nodes, most recently updated first, when a round started at the given local time.
type head struct {
	started time.Time
	order   []string
}

// anchor returns the newest remembered order that is at least headAge old or, if all are younger, the oldest one.
func (p *Poller) anchor(now time.Time) []string {
	for i := len(p.heads) - 1; i >= 0; i-- {
		if i == 0 || now.Sub(p.heads[i].started) >= headAge {
			return p.heads[i].order
		}
	}
	return nil
}

// rememberHead stores the order of nodes that a round has read, followed by the earlier nodes in their known order.
func (p *Poller) rememberHead(began time.Time, seen []string) {
	order := make([]string, 0, min(len(seen)+maxHead, 2*maxHead))
	taken := make(map[string]bool, len(seen))
	add := func(uuids []string) {
		for _, uuid := range uuids {
			if len(order) < maxHead && !taken[uuid] {
				taken[uuid] = true
				order = append(order, uuid)
			}
		}
	}
	add(seen)
	if n := len(p.heads); n > 0 {
		add(p.heads[n-1].order)
	}
	p.heads = append(p.heads, head{began, order})
	old := 0
	for i := range p.heads {
		if began.Sub(p.heads[i].started) >= headAge {
			old = i
		}
	}
	p.heads = p.heads[old:]
}

// boundary finds the position in a list sorted by updated_at, newest first, after which no node has been updated
// since an earlier round. It cannot use the times, because Ironic omits updated_at from such a list, and because
// heartbeats and locks update a node without a visible change. But unchanged nodes keep their order. So the updated
// nodes are followed by the nodes of the earlier round (the anchors), in the same order and with known content.
type boundary struct {
	anchors []string
	at      map[string]int
	seen    map[string]bool
	// low is the index of the first anchor not seen yet, and next that of the anchor that would continue the run.
	low, next int
	run       int
	// missed holds the anchors missing before the current run: deleted, or updated while the pages were read.
	missed []string
}

func newBoundary(anchors []string) *boundary {
	b := &boundary{anchors: anchors, at: make(map[string]int, len(anchors)), seen: map[string]bool{}}
	for i, uuid := range anchors {
		b.at[uuid] = i
	}
	return b
}

// addNodes processes the next nodes of the list. news contains the nodes whose content has changed. addNodes returns
// the number of nodes that were not on an earlier page of the round.
func (b *boundary) addNodes(uuids []string, news map[string]bool) (unseen int) {
	for _, uuid := range uuids {
		if b.seen[uuid] {
			continue // the node used as marker was updated and moved up, so the page overlaps earlier ones
		}
		unseen++
		b.addNode(uuid, news[uuid])
		b.seen[uuid] = true
	}
	return unseen
}

func (b *boundary) addNode(uuid string, changed bool) {
	for b.low < len(b.anchors) && b.seen[b.anchors[b.low]] {
		b.low++
	}
	if b.exhausted() || (b.run >= minRun && b.next == len(b.anchors)) {
		return
	}
	at, known := b.at[uuid]
	if b.run == 0 {
		b.next = b.low
	}
	if changed || !known || at < b.next {
		b.run, b.missed = 0, nil
		return
	}
	for _, skipped := range b.anchors[b.next:at] {
		if !b.seen[skipped] {
			b.missed = append(b.missed, skipped)
		}
	}
	b.run, b.next = b.run+1, at+1
}

// reached reports whether the rest of the list seems unchanged since the earlier round. The result is reliable only
// if all missed nodes have been deleted.
func (b *boundary) reached() bool { return b.run > 0 && b.run >= min(minRun, len(b.anchors)) }

// exhausted reports whether all anchors were seen, so that the boundary cannot be found anymore.
func (b *boundary) exhausted() bool { return b.low >= len(b.anchors) }
