package fleet

import "time"

const (
	// headAge is the minimum age of an earlier round's order with which a list is compared. A database with whole
	// seconds (MySQL) sorts changes of one second in any order, and a transaction may end after a later one has
	// started.
	headAge = 2 * time.Second
	// maxHead is the maximum number of nodes whose order is remembered.
	maxHead = 2000
	// minRun is the number of consecutive nodes that must be in the same order as in an earlier round.
	minRun = 3
)

// head is the order in which Ironic had last updated nodes, newest first, when a round started; started is that local
// time.
type head struct {
	started time.Time
	order   []string
}

// anchor returns the newest order that is old enough to compare with.
func (p *Poller) anchor(now time.Time) []string {
	for i := len(p.heads) - 1; i >= 0; i-- {
		if i == 0 || now.Sub(p.heads[i].started) >= headAge {
			return p.heads[i].order
		}
	}
	return nil
}

// rememberHead stores the order that a round has read, followed by the known order of the nodes that were updated
// before these.
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

// boundary finds where a list by updated_at, newest first, becomes old: from there on, nodes have not been updated since
// an earlier round. Ironic omits updated_at from such a list, and heartbeats and locks update a node without a visible
// change. But unchanged nodes keep their order, so after the updated nodes come those of the earlier round (the
// anchors), in the same order and with known content.
type boundary struct {
	anchors []string
	at      map[string]int
	seen    map[string]bool
	// low is the first anchor that was not seen; next is the anchor that a run expects.
	low, next int
	run       int
	// missed are the anchors that should have come before the run: they were deleted, or updated while the pages were
	// read.
	missed []string
}

func newBoundary(anchors []string) *boundary {
	b := &boundary{anchors: anchors, at: make(map[string]int, len(anchors)), seen: map[string]bool{}}
	for i, uuid := range anchors {
		b.at[uuid] = i
	}
	return b
}

// addNodes processes the next nodes of the list; news has the nodes whose content has changed. It returns the number of
// nodes that were not on an earlier page of the round.
func (b *boundary) addNodes(uuids []string, news map[string]bool) (unseen int) {
	for _, uuid := range uuids {
		if b.seen[uuid] {
			continue // the node at the marker was updated: the page starts further up
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

// reached reports whether the rest of the list is older than the earlier round, provided that all
// missed nodes are deleted.
func (b *boundary) reached() bool { return b.run > 0 && b.run >= min(minRun, len(b.anchors)) }

// exhausted reports whether all nodes of the earlier round were seen without a run of nodes in the same order.
func (b *boundary) exhausted() bool { return b.low >= len(b.anchors) }
