package fleet

import (
	"context"
	"slices"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

func (p *Poller) listFields() []string { return append(models.ListFields(), p.opts.Fields...) }

// changeFields are asked of the few nodes that changed: the list's and the evidence.
func (p *Poller) changeFields() []string { return append(p.listFields(), "driver_internal_info") }

// round is one period's work: a page of the first listing, or what changed, what is
// new, what is watched, and the reasons of failures.
func (p *Poller) round(ctx context.Context) error {
	if len(p.opts.Only) > 0 {
		return p.onlyNodes(ctx)
	}
	switch p.phase {
	case nothingYet:
		return p.screenful(ctx)
	case listingAll:
		return p.sweepPage(ctx)
	case steady, sweeping:
	}
	for _, work := range []func(context.Context) error{p.changed, p.created, p.watchedOnes, p.reasons} {
		if err := work(ctx); err != nil {
			return err
		}
	}
	p.planSweep()
	return nil
}

// screenful asks for what fits on a screen first: it costs a tenth of a full page.
func (p *Poller) screenful(ctx context.Context) error {
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: p.listFields(), Limit: firstPage})
	if err != nil {
		return err
	}
	p.put(ctx, page.Nodes, p.answered(page.Date, page.Latency), baseline)
	p.sweep = 1
	p.phase = listingAll
	if len(page.Nodes) < firstPage && !page.More {
		p.listed()
	}
	return nil
}

// listed ends a full listing.
func (p *Poller) listed() {
	p.phase, p.marker = steady, ""
	p.sweepDue = p.clock.Now().Add(p.sweepEvery())
	p.notify(nil, func(s *Status) { s.Complete = true })
}

func (p *Poller) sweepEvery() time.Duration {
	if p.store.Len() > smallFleet {
		return sweepLarge
	}
	return sweepSmall
}

func (p *Poller) planSweep() {
	if p.phase == steady && !p.clock.Now().Before(p.sweepDue) {
		p.phase, p.marker = sweeping, ""
		p.sweep++
	}
}

// sweepPage fetches the next page of a full listing. Its answers are later than all
// before, so they may simply be put over them.
func (p *Poller) sweepPage(ctx context.Context) error {
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{Fields: p.listFields(), Marker: p.marker})
	if models.IsFault(err, models.FaultNotFound, models.FaultBadRequest) && p.marker != "" {
		// The marker's node was deleted meanwhile: begin again.
		p.marker = ""
		return nil
	}
	if err != nil {
		return err
	}
	from := arrived
	if p.phase == listingAll {
		from = baseline
	}
	at := p.answered(page.Date, 0)
	before := p.marker
	p.put(ctx, page.Nodes, at, from)
	if n := len(page.Nodes); n > 0 {
		p.marker = page.Nodes[n-1].UUID
	}
	switch {
	case p.marker == before && len(page.Nodes) > 0:
		p.marker = ""
		if p.phase == sweeping {
			p.phase, p.sweepDue = steady, p.clock.Now().Add(p.sweepEvery())
		}
		return &models.Fault{
			Kind: models.FaultRepeatedPage, Op: "list nodes", Message: "the server gives the same page again",
			Hint: "the API, or a proxy that caches in front of it, ignores the marker",
		}
	case page.More || len(page.Nodes) >= ironicclient.DefaultPage:
		return nil
	}
	first := p.phase == listingAll
	p.listed()
	if !first {
		return p.confirmGone(ctx)
	}
	return nil
}

// confirmGone asks for every node that a sweep did not have: only a 404 removes it.
func (p *Poller) confirmGone(ctx context.Context) error {
	for _, uuid := range p.store.missedBy(p.sweep) {
		if err := p.one(ctx, uuid); err != nil {
			return err
		}
	}
	return nil
}

// one fetches a single node; a 404 removes it.
func (p *Poller) one(ctx context.Context, id string) error {
	n, date, err := p.api.NodeAt(ctx, id, p.changeFields()...)
	if models.IsFault(err, models.FaultNotFound) {
		if row, _, ok := p.store.Get(id); ok {
			at := p.answered(time.Time{}, 0)
			if e, ok := p.store.remove(row.Node.UUID, at); ok {
				p.tell([]models.Event{e})
			}
			return nil
		}
	}
	if err != nil {
		return err
	}
	n.Raw = nil
	p.put(ctx, []models.Node{*n}, p.answered(date, 0), arrived)
	return nil
}

// changed asks for the nodes that changed last, and goes on as long as a whole page
// was news.
func (p *Poller) changed(ctx context.Context) error {
	q := ironicclient.NodeQuery{
		Fields: p.changeFields(), SortKey: "updated_at", Descending: true,
		Limit: min(2*p.store.Status().Busy+20, ironicclient.DefaultPage),
	}
	for first := true; ; first = false {
		more, latency, err := p.newsPage(ctx, &q)
		if err != nil {
			return err
		}
		if first {
			p.latency = latency
		}
		if !more {
			return nil
		}
	}
}

// created asks for the nodes that were made last: they have no updated_at, which
// sorts behind everything.
func (p *Poller) created(ctx context.Context) error {
	q := ironicclient.NodeQuery{Fields: p.changeFields(), SortKey: "created_at", Descending: true, Limit: newNodesPage}
	for {
		more, _, err := p.newsPage(ctx, &q)
		if err != nil || !more {
			return err
		}
		q.Limit = 20 * newNodesPage
	}
}

// newsPage puts one page into the store and moves the query on; more says that the
// page was full and all of it news.
func (p *Poller) newsPage(ctx context.Context, q *ironicclient.NodeQuery) (more bool, latency time.Duration, err error) {
	page, err := p.api.NodePage(ctx, *q)
	if models.IsFault(err, models.FaultNotFound) && q.Marker != "" {
		return false, 0, nil
	}
	if err != nil {
		return false, 0, err
	}
	news := p.put(ctx, page.Nodes, p.answered(page.Date, page.Latency), arrived)
	if n := len(page.Nodes); n > 0 {
		q.Marker = page.Nodes[n-1].UUID
	}
	full := len(page.Nodes) >= q.Limit || page.More
	return full && len(page.Nodes) > 0 && news == len(page.Nodes), page.Latency, nil
}

func (p *Poller) watchedOnes(ctx context.Context) error {
	for _, id := range p.watchedNodes() {
		if err := p.one(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// onlyNodes is the round of a poller that looks at named nodes alone.
func (p *Poller) onlyNodes(ctx context.Context) error {
	for _, id := range slices.Clone(p.opts.Only) {
		began := p.clock.Now()
		if err := p.named(ctx, id); err != nil {
			return err
		}
		p.latency = p.clock.Now().Sub(began)
	}
	if p.phase == nothingYet {
		p.listed()
	}
	return p.reasons(ctx)
}

func (p *Poller) named(ctx context.Context, id string) error {
	if _, _, known := p.store.Get(id); known {
		err := p.one(ctx, id)
		if _, _, still := p.store.Get(id); err == nil && !still {
			p.opts.Only = slices.DeleteFunc(p.opts.Only, func(o string) bool { return o == id })
		}
		return err
	}
	n, date, err := p.api.NodeAt(ctx, id, p.changeFields()...)
	if err != nil {
		return err
	}
	n.Raw = nil
	p.put(ctx, []models.Node{*n}, p.answered(date, 0), baseline)
	// From now on by uuid: a rename must not lose the node.
	p.opts.Only[slices.Index(p.opts.Only, id)] = n.UUID
	return nil
}
