package fleet

import (
	"context"
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
	// missing are the nodes that the last sweep did not have.
	missing []string
	due     time.Time
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
	p.list.phase, p.list.number = listingAll, 1
	if len(page.Nodes) < firstPage && !page.More {
		p.listed()
	}
	return nil
}

// listed ends a full listing.
func (p *Poller) listed() {
	p.list.phase, p.list.marker, p.list.page, p.list.faults = steady, "", nil, 0
	p.list.due = p.clock.Now().Add(p.sweepEvery())
	p.notify(Update{}, func(s *Status) { s.Complete = true })
}

func (p *Poller) sweepEvery() time.Duration {
	if p.store.Len() > smallFleet {
		return sweepLarge
	}
	return sweepSmall
}

func (p *Poller) planSweep() {
	if p.list.phase == steady && !p.clock.Now().Before(p.list.due) {
		p.beginSweep()
	}
}

func (p *Poller) beginSweep() {
	p.list.phase, p.list.marker, p.list.page, p.list.missing = sweeping, "", nil, nil
	p.list.number++
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
	}
	return err
}

func (p *Poller) sweepQuestion(ctx context.Context) error {
	if p.list.phase == sweeping {
		return p.listPage(ctx)
	}
	// Only a 404 removes a node that a sweep did not have.
	uuid := p.list.missing[0]
	p.list.missing = p.list.missing[1:]
	return p.one(ctx, uuid)
}

// listPage fetches the next page of a full listing. Its answers are later than all
// before, so they may simply be put over them.
func (p *Poller) listPage(ctx context.Context) error {
	began := p.clock.Now()
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: p.listFields(), Marker: p.list.marker})
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
	p.put(ctx, page.Nodes, at, from)
	if n > 0 {
		p.list.marker = p.list.page[n-1]
	}
	if n > 0 && (page.More || n >= ironicclient.DefaultPage) {
		return nil
	}
	wasSweep := p.list.phase == sweeping
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
