package fleet

import (
	"context"
	"slices"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// listing records the progress of the first full listing and of the sweeps, which are the later full listings.
type listing struct {
	phase phase
	// number is the number of the current full listing. It is stored with every listed node, so that
	// the nodes that the listing lacks can be found.
	number uint64
	// marker is the last node of the previous page, and page holds the nodes of that page. If the marker's node was
	// deleted, the listing continues from an earlier node of the page; back is the number of nodes to go back.
	marker string
	page   []string
	back   int
	// missing holds the nodes that the last sweep did not include. sampleLeft is the number of missing nodes that
	// must still be confirmed as deleted before all the others count as deleted, too.
	missing    []string
	verified   bool
	sampleLeft int
	// urgent means that the node list may be wrong until the sweep has ended. uuidsOnly means that the sweep lists
	// only UUIDs, and found means that it has found a change. rows is the number of nodes that the sweep has listed
	// so far.
	urgent, uuidsOnly, found bool
	rows                     int
	started                  time.Time
	// due is the time when the next regular sweep starts, and soonest the earliest time for an urgent one.
	due, soonest time.Time
	// pageDuration is the duration of the request for the last page.
	pageDuration time.Duration
	// faults counts the faults since the last complete listing.
	faults int
}

type phase int

const (
	notStarted phase = iota
	listingAll       // the first full listing is running
	steady           // no listing is running
	sweeping         // a later full listing is running
)

// firstScreen starts the first listing. It reads only a screenful, which costs a tenth of a full page.
func (p *Poller) firstScreen(ctx context.Context) error {
	began := time.Now()
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: p.listFields(), Whole: p.wholeFields(), Limit: firstPage})
	if err != nil {
		return err
	}
	p.put(ctx, page.Nodes, p.recordAnswer(page.Date, began, true), baseline)
	p.list.phase, p.list.number, p.list.started = listingAll, 1, began
	if len(page.Nodes) < firstPage && !page.More {
		p.rememberLast(page.Nodes)
		p.endListing()
		return nil
	}
	return p.markStart(ctx)
}

// rememberLast remembers the last nodes in a listing by ID as the newest nodes. Later nodes come after them.
func (p *Poller) rememberLast(nodes []models.Node) {
	uuids := uuidsOf(nodes)
	slices.Reverse(uuids)
	p.rememberNewest(uuids)
}

func (p *Poller) endListing() {
	now := time.Now()
	p.list.phase, p.list.marker, p.list.page, p.list.faults = steady, "", nil, 0
	p.list.soonest = now.Add(now.Sub(p.list.started))
	if !p.list.uuidsOnly {
		p.list.due = now.Add(p.sweepEvery())
	}
	p.period() // also updates the status
	p.notify(Update{}, func(s *Status) {
		if !s.Complete {
			p.census.lastCreated = now
			s.Complete, s.AsOf = true, p.list.started
		}
	})
}

func (p *Poller) sweepEvery() time.Duration {
	if p.store.Len() > smallFleet {
		return sweepLarge
	}
	return sweepSmall
}

// planSweep starts a sweep if one is due or needed. An urgent sweep must wait as long as the last one took.
func (p *Poller) planSweep() {
	now := time.Now()
	if p.sweepRunning() {
		return
	}
	switch {
	case p.sweepNeed != sweepNone && !now.Before(p.list.soonest):
		bare := p.sweepNeed == sweepUUIDs
		p.sweepNeed = sweepNone
		p.beginSweep()
		p.list.urgent, p.list.uuidsOnly = true, bare
	case !now.Before(p.list.due):
		p.beginSweep()
	}
}

func (p *Poller) beginSweep() {
	p.list.phase, p.list.marker, p.list.page, p.list.missing = sweeping, "", nil, nil
	if p.list.urgent {
		p.sweepNeed = sweepAll // the urgent sweep was interrupted
	}
	p.list.urgent, p.list.uuidsOnly, p.list.found, p.list.verified = false, false, false, false
	p.list.rows, p.list.sampleLeft, p.list.started = 0, 0, time.Now()
	p.list.number++
}

func (p *Poller) endUrgent() {
	if !p.list.urgent || p.sweepRunning() {
		return
	}
	p.list.urgent = false
	p.census.emptySweeps++
	if p.list.found {
		p.census.emptySweeps = 0
	}
}

// sweepRunning reports whether a sweep has remaining requests.
func (p *Poller) sweepRunning() bool {
	return p.list.phase == sweeping || (p.list.phase == steady && len(p.list.missing) > 0)
}

// sweepCost estimates the duration of a sweep's next request.
func (p *Poller) sweepCost() time.Duration {
	if p.list.phase == sweeping {
		return max(p.list.pageDuration, 8*p.latency)
	}
	return p.latency
}

// sweepStep sends a sweep's next request, which reads a page or a node that was on no page. A fault ends the sweep.
// Each further fault doubles the delay before the next sweep.
func (p *Poller) sweepStep(ctx context.Context) error {
	err := p.sweepRequest(ctx)
	if err != nil && ctx.Err() == nil {
		if p.list.phase == sweeping {
			p.list.faults++
		}
		p.list.phase, p.list.missing = steady, nil
		p.list.due = time.Now().Add(backOffDelay(max(p.list.faults, 1), p.sweepEvery()))
		if p.list.urgent {
			p.list.urgent, p.list.soonest = false, p.list.due
			p.requireSweep(sweepAll)
		}
	}
	p.endUrgent()
	return err
}

func (p *Poller) sweepRequest(ctx context.Context) error {
	if p.list.phase == sweeping {
		return p.listPage(ctx)
	}
	if len(p.list.missing) > fewMissing && !p.list.verified {
		return p.verifySweep(ctx)
	}
	// Read a node that the sweep did not include. Only a 404 response removes it.
	uuid := p.list.missing[0]
	p.list.missing = p.list.missing[1:]
	gone, err := p.readNode(ctx, uuid)
	if err != nil || !gone {
		p.list.sampleLeft = 0
		return err
	}
	p.list.found = true
	if p.list.sampleLeft > 0 {
		if p.list.sampleLeft--; p.list.sampleLeft == 0 {
			p.removeMissing()
		}
	}
	return nil
}

const (
	// fewMissing is the largest number of missing nodes that are read one by one without further checks.
	fewMissing = 8
	// sampleSize is the number of missing nodes that must be confirmed as deleted before the others count as deleted.
	sampleSize = 4
)

// verifySweep checks whether a sweep that lacks many nodes is plausible, which requires that Ironic counts no more
// nodes than the sweep has listed. If it is plausible, only a sample of the missing nodes must be confirmed as
// deleted.
func (p *Poller) verifySweep(ctx context.Context) error {
	total, counted, err := p.count(ctx)
	p.list.verified = counted || p.census.disabled || p.census.failed == 0
	if err == nil && counted && total <= p.list.rows {
		p.list.sampleLeft = sampleSize
	}
	return err
}

// removeMissing removes the nodes that a sweep did not include and that have not been seen since.
func (p *Poller) removeMissing() {
	at := p.server.at(time.Now())
	var events []models.Event
	for _, uuid := range p.store.missedBy(p.list.number) {
		if e, ok := p.store.remove(uuid, at); ok {
			events = append(events, e)
			p.removed++
		}
	}
	p.list.missing = nil
	p.census.lastChurn = time.Now()
	p.report(Update{Events: events})
}

// listPage reads the next page of a full listing. It stores the page's nodes, which are newer than the stored
// versions. After the last page of a sweep, it finds the missing nodes.
func (p *Poller) listPage(ctx context.Context) error {
	began := time.Now()
	fields := p.listFields()
	if p.list.uuidsOnly {
		fields = []string{"uuid"}
	}
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: fields, Whole: p.wholeFields(), Marker: p.list.marker})
	if models.IsFault(err, models.FaultNotFound, models.FaultBadRequest) && p.list.marker != "" {
		// The marker's node was deleted, so continue from an earlier node.
		p.list.page = goBack(p.list.page, p.list.back)
		p.list.marker = ""
		if left := len(p.list.page); left > 0 {
			p.list.marker, p.list.back = p.list.page[left-1], 2*p.list.back
			return nil
		}
	}
	if err != nil {
		return err
	}
	n := len(page.Nodes)
	if n > 0 && page.Nodes[n-1].UUID == p.list.marker {
		return &models.Fault{
			Kind: models.FaultRepeatedPage, Op: "list nodes", Message: "the server repeats the same page",
			Hint: "the API, or a proxy that caches in front of it, ignores the marker",
		}
	}
	from := arrived
	if p.list.phase == listingAll {
		from = baseline
	}
	at := p.recordAnswer(page.Date, began, false)
	p.list.pageDuration = time.Since(began)
	p.list.page, p.list.back = uuidsOf(page.Nodes), 1
	p.list.rows += n
	if p.list.uuidsOnly {
		p.store.markSeen(p.list.page, p.list.number)
	} else if out := p.put(ctx, page.Nodes, at, from); len(out.changedNodes) > 0 {
		p.list.found = true
	}
	if n > 0 {
		p.list.marker = p.list.page[n-1]
	}
	if n > 0 && (page.More || n >= ironicclient.DefaultPage) {
		return nil
	}
	wasSweep := p.list.phase == sweeping
	if n > 0 && !p.list.uuidsOnly {
		p.rememberLast(page.Nodes)
	}
	p.endListing()
	if wasSweep {
		p.list.missing = p.store.missedBy(p.list.number)
	}
	return nil
}
