package fleet

import (
	"context"
	"time"

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
	return p.lookAround(ctx)
}

// lookAround is a round while the fleet is known: what changed, what is watched, and the
// reasons of failures.
func (p *Poller) lookAround(ctx context.Context) error {
	began := p.clock.Now()
	p.small = latencies{}
	read, err := p.news(ctx, began)
	if err != nil {
		return err
	}
	if err := p.watchedOnes(ctx, read); err != nil {
		return err
	}
	p.measured()
	p.planSweep()
	if err := p.reasons(ctx); err != nil {
		return err
	}
	p.lasted = p.clock.Now().Sub(began)
	p.rightAsOf(began)
	return nil
}

// rightAsOf tells that the picture has all that had happened at a local time, unless that
// is in doubt.
func (p *Poller) rightAsOf(began time.Time) {
	doubt := p.inDoubt()
	p.notify(Update{}, func(s *Status) {
		s.Behind = doubt
		if !doubt {
			s.AsOf = began
		}
	})
}

// one fetches a single node; a 404 removes it: it is gone.
func (p *Poller) one(ctx context.Context, id string) (gone bool, err error) {
	began := p.clock.Now()
	n, date, err := p.api.NodeAt(ctx, id, p.changeFields()...)
	if models.IsFault(err, models.FaultNotFound) {
		if row, _, ok := p.store.Get(id); ok {
			at := p.answered(time.Time{}, began, true)
			if e, ok := p.store.remove(row.Node.UUID, at); ok {
				p.removed++
				p.census.moved = p.clock.Now()
				p.tell(Update{Events: []models.Event{e}})
			}
		}
		return true, nil // also where it was gone before we knew of it
	}
	if err != nil {
		return false, err
	}
	n.Raw = nil
	p.put(ctx, []models.Node{*n}, p.answered(date, began, true), arrived)
	return false, nil
}

// watchedOnes fetches the nodes that are watched and those that are to be looked at. When
// there are many, those that the round has read already need no request of their own.
func (p *Poller) watchedOnes(ctx context.Context, read map[string]bool) error {
	for _, id := range p.watchedNodes(read) {
		if _, err := p.one(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
