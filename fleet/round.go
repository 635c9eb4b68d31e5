package fleet

import (
	"context"
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
	if p.only {
		return p.onlyNodes(ctx)
	}
	p.takeNeeds()
	switch p.list.phase {
	case nothingYet:
		return p.screenful(ctx)
	case listingAll:
		err := p.listPage(ctx)
		if err != nil {
			p.list.faults++
		}
		return err
	case steady, sweeping:
	}
	began, before := p.clock.Now(), p.requests
	for _, work := range []func(context.Context) error{p.changed, p.created, p.watchedOnes} {
		if err := work(ctx); err != nil {
			return err
		}
	}
	p.measured(began, before)
	p.planSweep()
	return p.reasons(ctx)
}

// one fetches a single node; a 404 removes it.
func (p *Poller) one(ctx context.Context, id string) error {
	began := p.clock.Now()
	n, date, err := p.api.NodeAt(ctx, id, p.changeFields()...)
	if models.IsFault(err, models.FaultNotFound) {
		if row, _, ok := p.store.Get(id); ok {
			at := p.answered(time.Time{}, began, true)
			if e, ok := p.store.remove(row.Node.UUID, at); ok {
				p.tell(Update{Events: []models.Event{e}})
			}
		}
		return nil // also where it was gone before we knew of it
	}
	if err != nil {
		return err
	}
	n.Raw = nil
	p.put(ctx, []models.Node{*n}, p.answered(date, began, true), arrived)
	return nil
}

// changed asks for the nodes that changed last, and goes on as long as a whole page
// was news.
func (p *Poller) changed(ctx context.Context) error {
	q := ironicclient.NodeQuery{
		Fields: p.changeFields(), SortKey: "updated_at", Descending: true,
		Limit: min(2*p.store.Status().Busy+20, ironicclient.DefaultPage),
	}
	for {
		more, err := p.newsPage(ctx, &q)
		if err != nil || !more {
			return err
		}
	}
}

// created asks for the nodes that were made last: they have no updated_at, which
// sorts behind everything.
func (p *Poller) created(ctx context.Context) error {
	q := ironicclient.NodeQuery{Fields: p.changeFields(), SortKey: "created_at", Descending: true, Limit: newNodesPage}
	for {
		more, err := p.newsPage(ctx, &q)
		if err != nil || !more {
			return err
		}
		q.Limit = 20 * newNodesPage
	}
}

// newsPage puts one page into the store and moves the query on; more says that the
// page was full and all of it news.
func (p *Poller) newsPage(ctx context.Context, q *ironicclient.NodeQuery) (more bool, err error) {
	began := p.clock.Now()
	page, err := p.api.NodePage(ctx, *q)
	if models.IsFault(err, models.FaultNotFound) && q.Marker != "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	news := p.put(ctx, page.Nodes, p.answered(page.Date, began, true), arrived)
	if n := len(page.Nodes); n > 0 {
		q.Marker = page.Nodes[n-1].UUID
	}
	full := len(page.Nodes) >= q.Limit || page.More
	return full && len(page.Nodes) > 0 && news == len(page.Nodes), nil
}

func (p *Poller) watchedOnes(ctx context.Context) error {
	for _, id := range p.watchedNodes() {
		if err := p.one(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
