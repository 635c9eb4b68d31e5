package fleet

import (
	"context"
	"slices"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// listing is where the poller is with the first full listing and the sweeps.
type listing struct {
	phase phase
	// number counts the full listings; a node that one did not have is missing.
	number uint64
	// marker is the last node of the page before, page the nodes of that page, and back
	// how many of them to go back when the marker is gone.
	marker string
	page   []string
	back   int
	// missing are the nodes that the last sweep did not have; trust is how many of them
	// have yet to be not found before the others are believed to be gone, too.
	missing []string
	judged  bool
	trust   int
	// urgent is a sweep without which the picture may be wrong, bare one that asks for
	// nothing but uuids. rows counts what a sweep gave, found is that it told something.
	urgent, bare, found bool
	rows                int
	began               time.Time
	// due is when the next regular sweep begins, soonest when an urgent one may.
	due, soonest time.Time
	// took is how long the last page took.
	took time.Duration
	// faults counts those since the last full listing that came to its end.
	faults int
}

type phase int

const (
	nothingYet phase = iota
	listingAll       // the first full listing is under way
	steady           // nothing is being listed
	sweeping         // a later full listing is under way
)

// screenful asks for what fits on a screen first: it costs a tenth of a full page.
func (p *Poller) screenful(ctx context.Context) error {
	began := p.clock.Now()
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: p.listFields(), Limit: firstPage})
	if err != nil {
		return err
	}
	p.put(ctx, page.Nodes, p.answered(page.Date, began, true), baseline)
	p.list.phase, p.list.number, p.list.began = listingAll, 1, began
	if len(page.Nodes) < firstPage && !page.More {
		p.remembered(page.Nodes)
		p.listed()
		return nil
	}
	return p.marks(ctx)
}

// remembered notes the last nodes of a listing: those that come later are created later.
func (p *Poller) remembered(nodes []models.Node) {
	var uuids []string
	for i := range slices.Backward(nodes) {
		uuids = append(uuids, nodes[i].UUID)
	}
	p.rememberNewest(uuids)
}

// listed ends a full listing.
func (p *Poller) listed() {
	now := p.clock.Now()
	p.list.phase, p.list.marker, p.list.page, p.list.faults = steady, "", nil, 0
	p.list.soonest = now.Add(now.Sub(p.list.began))
	if !p.list.bare {
		p.list.due = now.Add(p.sweepEvery())
	}
	p.period() // is in the status, too
	p.notify(Update{}, func(s *Status) {
		if !s.Complete {
			p.census.created = now
			s.Complete, s.AsOf = true, p.list.began
		}
	})
}

func (p *Poller) sweepEvery() time.Duration {
	if p.store.Len() > smallFleet {
		return sweepLarge
	}
	return sweepSmall
}

// planSweep begins a sweep that is due, or needed. Urgent ones leave the API as much time
// as they take.
func (p *Poller) planSweep() {
	now := p.clock.Now()
	if p.sweeps() {
		return
	}
	switch {
	case p.doubt != noDoubt && !now.Before(p.list.soonest):
		bare := p.doubt == doubtGone
		p.doubt = noDoubt
		p.beginSweep()
		p.list.urgent, p.list.bare = true, bare
	case !now.Before(p.list.due):
		p.beginSweep()
	}
}

func (p *Poller) beginSweep() {
	p.list.phase, p.list.marker, p.list.page, p.list.missing = sweeping, "", nil, nil
	if p.list.urgent {
		p.doubt = doubtAll // this one was not at its end
	}
	p.list.urgent, p.list.bare, p.list.found, p.list.judged = false, false, false, false
	p.list.rows, p.list.trust, p.list.began = 0, 0, p.clock.Now()
	p.list.number++
}

// endUrgent ends an urgent sweep of which nothing is left to ask.
func (p *Poller) endUrgent() {
	if !p.list.urgent || p.sweeps() {
		return
	}
	p.list.urgent = false
	p.census.vain++
	if p.list.found {
		p.census.vain = 0
	}
}

// sweeps says that a sweep has something left to ask.
func (p *Poller) sweeps() bool {
	return p.list.phase == sweeping || (p.list.phase == steady && len(p.list.missing) > 0)
}

// sweepCost is a guess of how long the next question of a sweep takes.
func (p *Poller) sweepCost() time.Duration {
	if p.list.phase == sweeping {
		return max(p.list.took, 8*p.latency)
	}
	return p.latency
}

// sweepOn puts a sweep's next question: a page, or one of the nodes that no page had.
// A fault ends the sweep; the next one comes the later the more of them failed.
func (p *Poller) sweepOn(ctx context.Context) error {
	err := p.sweepQuestion(ctx)
	if err != nil && ctx.Err() == nil {
		if p.list.phase == sweeping {
			p.list.faults++
		}
		p.list.phase, p.list.missing = steady, nil
		p.list.due = p.clock.Now().Add(doubled(max(p.list.faults, 1), p.sweepEvery()))
		if p.list.urgent {
			p.list.urgent, p.list.soonest = false, p.list.due
			p.doubtful(doubtAll)
		}
	}
	p.endUrgent()
	return err
}

func (p *Poller) sweepQuestion(ctx context.Context) error {
	if p.list.phase == sweeping {
		return p.listPage(ctx)
	}
	if len(p.list.missing) > fewMissing && !p.list.judged {
		return p.judge(ctx)
	}
	// Only a 404 removes a node that a sweep did not have.
	uuid := p.list.missing[0]
	p.list.missing = p.list.missing[1:]
	gone, err := p.one(ctx, uuid)
	if err != nil || !gone {
		p.list.trust = 0
		return err
	}
	p.list.found = true
	if p.list.trust > 0 {
		if p.list.trust--; p.list.trust == 0 {
			p.removeMissing()
		}
	}
	return nil
}

const (
	// fewMissing is how many nodes are asked for one by one before anything else is done.
	fewMissing = 8
	// sample is how many of many missing nodes have to be gone before the others are
	// believed to be.
	sample = 4
)

// judge finds out whether a sweep that does not have many nodes can be believed: it can
// where Ironic counts no more nodes than the sweep had. Then a sample is enough.
func (p *Poller) judge(ctx context.Context) error {
	total, counted, err := p.count(ctx)
	p.list.judged = counted || p.census.off || p.census.failed == 0
	if err == nil && counted && total <= p.list.rows {
		p.list.trust = sample
	}
	return err
}

// removeMissing forgets the nodes that a sweep did not have and that were not seen since.
func (p *Poller) removeMissing() {
	at := p.server.at(p.clock.Now())
	var events []models.Event
	for _, uuid := range p.store.missedBy(p.list.number) {
		if e, ok := p.store.remove(uuid, at); ok {
			events = append(events, e)
			p.removed++
		}
	}
	p.list.missing = nil
	p.census.moved = p.clock.Now()
	p.tell(Update{Events: events})
}

// listPage fetches the next page of a full listing. Its answers are later than all
// before, so they may simply be put over them.
func (p *Poller) listPage(ctx context.Context) error {
	began := p.clock.Now()
	fields := p.listFields()
	if p.list.bare {
		fields = []string{"uuid"}
	}
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: fields, Marker: p.list.marker})
	if models.IsFault(err, models.FaultNotFound, models.FaultBadRequest) && p.goBack() {
		return nil
	}
	if err != nil {
		return err
	}
	n := len(page.Nodes)
	if n > 0 && page.Nodes[n-1].UUID == p.list.marker {
		return &models.Fault{
			Kind: models.FaultRepeatedPage, Op: "list nodes", Message: "the server gives the same page again",
			Hint: "the API, or a proxy that caches in front of it, ignores the marker",
		}
	}
	from := arrived
	if p.list.phase == listingAll {
		from = baseline
	}
	at := p.answered(page.Date, began, false)
	p.list.took = p.clock.Now().Sub(began)
	p.list.page, p.list.back = p.list.page[:0], 1
	for i := range page.Nodes {
		p.list.page = append(p.list.page, page.Nodes[i].UUID)
	}
	p.list.rows += n
	if p.list.bare {
		p.store.sighted(p.list.page, p.list.number)
	} else if out := p.put(ctx, page.Nodes, at, from); len(out.news) > 0 {
		p.list.found = true
	}
	if n > 0 {
		p.list.marker = p.list.page[n-1]
	}
	if n > 0 && (page.More || n >= ironicclient.DefaultPage) {
		return nil
	}
	wasSweep := p.list.phase == sweeping
	if n > 0 && !p.list.bare {
		p.remembered(page.Nodes)
	}
	p.listed()
	if wasSweep {
		p.list.missing = p.store.missedBy(p.list.number)
	}
	return nil
}

// goBack is for a marker whose node was deleted meanwhile: the listing goes on from
// one before it, and from further back each time that this one is gone too.
func (p *Poller) goBack() bool {
	if p.list.marker == "" {
		return false
	}
	left := len(p.list.page) - p.list.back
	p.list.back *= 2
	if left <= 0 {
		p.list.marker, p.list.page = "", nil
		return false
	}
	p.list.page = p.list.page[:left]
	p.list.marker = p.list.page[left-1]
	return true
}
