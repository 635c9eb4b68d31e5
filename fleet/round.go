package fleet

import (
	"context"
	"slices"
	"time"

	"ironworks/models"
)

func (p *Poller) listFields() []string { return append(models.ListFields(), p.opts.Fields...) }

// wholeFields returns the configured fields that models.Node does not contain.
func (p *Poller) wholeFields() []string { return models.WholeFields(p.opts.Fields) }

// changeFields returns the fields to read for changed nodes: the list's, and driver_internal_info for the evidence.
func (p *Poller) changeFields() []string { return append(p.listFields(), "driver_internal_info") }

// round runs one round. Until the first listing has ended, it reads the listing's next page. After that, it reads
// changed, new and watched nodes, and the reasons for failures.
func (p *Poller) round(ctx context.Context) error {
	if p.limited {
		return p.onlyNodes(ctx)
	}
	p.applyRequests()
	switch p.list.phase {
	case notStarted:
		return p.firstScreen(ctx)
	case listingAll:
		err := p.listPage(ctx)
		if err != nil {
			p.list.faults++
		}
		return err
	case steady, sweeping:
	}
	return p.steadyRound(ctx)
}

func (p *Poller) steadyRound(ctx context.Context) error {
	began := time.Now()
	p.small = latencies{}
	read, err := p.fetchChanges(ctx, began)
	if err != nil {
		return err
	}
	if err := p.readNodes(ctx, p.watchedNodes(read)); err != nil {
		return err
	}
	p.updateLatency()
	p.planSweep()
	if err := p.readReasons(ctx); err != nil {
		return err
	}
	p.roundDuration = time.Since(began)
	p.setAsOf(began)
	return nil
}

// setAsOf records that the node list contains all changes up to began, in local time, unless a sweep is pending.
func (p *Poller) setAsOf(began time.Time) {
	pending := p.sweepPending()
	p.notify(Update{}, func(s *Status) {
		s.Behind = pending
		if !pending {
			s.AsOf = began
		}
	})
}

func (p *Poller) fetchNode(ctx context.Context, id string) (n models.Node, at time.Time, err error) {
	began := time.Now()
	got, date, err := p.api.NodeAt(ctx, id, p.changeFields()...)
	if err != nil {
		return n, at, err
	}
	if err := got.KeepWhole(p.wholeFields()); err != nil {
		return n, at, err
	}
	got.Raw = nil
	return *got, p.recordAnswer(date, began, true), nil
}

// readNode reads a single node. If Ironic responds with 404, readNode removes the node from the store.
func (p *Poller) readNode(ctx context.Context, id string) (gone bool, err error) {
	began := time.Now()
	n, at, err := p.fetchNode(ctx, id)
	if models.IsFault(err, models.FaultNotFound) {
		if row, _, ok := p.store.Get(id); ok {
			at := p.recordAnswer(time.Time{}, began, true)
			if e, ok := p.store.remove(row.Node.UUID, at); ok {
				p.removed++
				p.census.lastChurn = time.Now()
				p.report(Update{Events: []models.Event{e}})
			}
		}
		return true, nil // even if the node was not in the store
	}
	if err == nil {
		p.put(ctx, []models.Node{n}, at, arrived)
	}
	return false, err
}

func (p *Poller) readNodes(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if _, err := p.readNode(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// onlyNodes runs a round of a poller that is limited to named nodes.
func (p *Poller) onlyNodes(ctx context.Context) error {
	if p.list.phase == notStarted {
		return p.firstRead(ctx)
	}
	began := time.Now()
	p.small = latencies{}
	for _, uuid := range slices.Clone(p.opts.Only) {
		if _, err := p.readNode(ctx, uuid); err != nil {
			return err
		}
		if _, _, still := p.store.Get(uuid); !still {
			p.opts.Only = slices.DeleteFunc(p.opts.Only, func(o string) bool { return o == uuid })
		}
	}
	p.updateLatency()
	p.setAsOf(began)
	return p.readReasons(ctx)
}

// firstRead reads all named nodes before it reports any of them, because the caller may want to give up if one is
// missing. Later requests use the UUIDs, because names may change.
func (p *Poller) firstRead(ctx context.Context) error {
	p.list.started, p.small = time.Now(), latencies{}
	var nodes []models.Node
	var uuids []string
	var at time.Time
	for _, id := range p.opts.Only {
		n, answered, err := p.fetchNode(ctx, id)
		if err != nil {
			return err
		}
		if at = answered; !slices.Contains(uuids, n.UUID) {
			uuids, nodes = append(uuids, n.UUID), append(nodes, n)
		}
	}
	p.opts.Only = uuids
	p.put(ctx, nodes, at, baseline)
	p.updateLatency()
	p.endListing()
	return p.readReasons(ctx)
}
