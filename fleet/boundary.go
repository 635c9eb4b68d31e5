package fleet

import "time"

const (
	// headAge is how old the order of an earlier round must be to compare with. A database
	// that keeps whole seconds (MySQL) sorts a later change of the same second anywhere
	// among that second's, and a transaction may end after a later one began.
	headAge = 2 * time.Second
	// headMost bounds how many nodes are remembered in their order.
	headMost = 2000
	// runLeast is how many nodes have to follow each other as they did before.
	runLeast = 3
)

// head is the order, newest first, in which Ironic had last touched nodes when a round
// began at a local time.
type head struct {
	began time.Time
	order []string
}

// anchor is the newest order that is old enough to compare with.
func (p *Poller) anchor(now time.Time) []string {
	for i := len(p.heads) - 1; i >= 0; i-- {
		if i == 0 || now.Sub(p.heads[i].began) >= headAge {
			return p.heads[i].order
		}
	}
	return nil
}

// rememberHead keeps the order that a round saw, with what is known of the nodes below.
func (p *Poller) rememberHead(began time.Time, seen []string) {
	order := make([]string, 0, min(len(seen)+headMost, 2*headMost))
	taken := make(map[string]bool, len(seen))
	add := func(uuids []string) {
		for _, uuid := range uuids {
			if len(order) < headMost && !taken[uuid] {
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
		if began.Sub(p.heads[i].began) >= headAge {
			old = i
		}
	}
	p.heads = p.heads[old:]
}

// boundary finds where in a list by updated_at, newest first, the nodes begin that were
// not touched since an earlier round. Ironic does not give updated_at in such a list, and a
// heartbeat or a lock touches a node without a change that shows. But nodes that nobody
// touched keep their order: behind the touched ones come those of the earlier round, one
// after the other, with what was known of them.
type boundary struct {
	anchors []string
	at      map[string]int
	seen    map[string]bool
	// low is the first anchor that was not seen, next the one that a run expects.
	low, next int
	run       int
	// missed are anchors that should have come before the run: deleted, or touched while
	// the pages were read.
	missed []string
}

func newBoundary(anchors []string) *boundary {
	b := &boundary{anchors: anchors, at: make(map[string]int, len(anchors)), seen: map[string]bool{}}
	for i, uuid := range anchors {
		b.at[uuid] = i
	}
	return b
}

// take looks at the next nodes of the list; news are those whose content is different.
// It counts the nodes that were not on an earlier page of the round.
func (b *boundary) take(uuids []string, news map[string]bool) (unseen int) {
	for _, uuid := range uuids {
		if b.seen[uuid] {
			continue // the node at the marker was touched: the page begins further up
		}
		unseen++
		b.step(uuid, news[uuid])
		b.seen[uuid] = true
	}
	return unseen
}

func (b *boundary) step(uuid string, changed bool) {
	for b.low < len(b.anchors) && b.seen[b.anchors[b.low]] {
		b.low++
	}
	if b.exhausted() || (b.run >= runLeast && b.next == len(b.anchors)) {
		return
	}
	at, known := b.at[uuid]
	if b.run == 0 {
		b.next = b.low
	}
	if changed || !known || at < b.next {
		b.reset()
		return
	}
	for _, skipped := range b.anchors[b.next:at] {
		if !b.seen[skipped] {
			b.missed = append(b.missed, skipped)
		}
	}
	b.run, b.next = b.run+1, at+1
}

func (b *boundary) reset() { b.run, b.missed = 0, nil }

// reached says that the rest of the list is older than the earlier round, if all of missed
// are gone.
func (b *boundary) reached() bool { return b.run > 0 && b.run >= min(runLeast, len(b.anchors)) }

// exhausted says that all nodes of the earlier round were seen before any run.
func (b *boundary) exhausted() bool { return b.low >= len(b.anchors) }
