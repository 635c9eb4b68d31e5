package fleet

import (
	"context"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// doubt is what may be wrong with the picture that only a sweep can tell.
type doubt int

const (
	noDoubt doubt = iota
	// doubtGone is that nodes are gone: a sweep that asks for nothing but uuids tells.
	doubtGone
	// doubtAll is that more may have changed than was read.
	doubtAll
)

// census is what is known of the number of nodes.
type census struct {
	// off says that Ironic does not count for us, or counts others than it lists.
	off bool
	// failed counts the server errors in a row.
	failed int
	// vain counts the urgent sweeps that found nothing since the count was right.
	vain int
	// moved is when nodes were last seen to come or go, created when the nodes that were
	// made last were last asked for.
	moved, created time.Time
}

const (
	// createdEvery is how often nodes are asked for that came while as many went.
	createdEvery = time.Minute
	// countTries is how often in a row Ironic may fail to count.
	countTries = 5
	// vainSweeps is how many sweeps may find nothing before the count is not believed.
	vainSweeps = 2
)

// doubtful notes that the picture is not what Ironic has, until a sweep has ended.
func (p *Poller) doubtful(d doubt) { p.doubt = max(p.doubt, d) }

// inDoubt says that a sweep is needed, or under way because it was.
func (p *Poller) inDoubt() bool { return p.doubt != noDoubt || p.list.urgent }

// count asks how many nodes there are; known is false where that cannot be had, or where
// the page of what changed holds the whole fleet anyway.
func (p *Poller) count(ctx context.Context) (total int, known bool, err error) {
	if v, _ := p.api.Version(); !v.Has(models.FeatureShards) {
		p.census.off = true
	}
	if p.census.off || p.store.Len() < p.changeLimit() {
		return 0, false, nil
	}
	began := p.clock.Now()
	total, date, err := p.api.CountNodes(ctx)
	if models.IsFault(err, models.FaultForbidden, models.FaultNotFound, models.FaultBadRequest, models.FaultVersion,
		models.FaultNotAcceptable) {
		p.census.off = true
		return 0, false, nil
	}
	if models.IsFault(err, models.FaultBadAnswer, models.FaultServer) {
		// An Ironic on SQLite answers 500 while its database is locked.
		p.census.failed++
		p.census.off = p.census.failed >= countTries
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	p.census.failed = 0
	p.answered(date, began, true)
	return total, true, nil
}

// news asks for what changed, and for what came and went: in a quiet fleet two requests.
// It gives the nodes that it read of those that changed.
func (p *Poller) news(ctx context.Context, began time.Time) (read map[string]bool, err error) {
	total, counted, err := p.count(ctx)
	if err != nil {
		return nil, err
	}
	had, gone := p.store.Len(), p.removed
	read, err = p.changed(ctx, began, counted && total < had)
	if err != nil {
		return nil, err
	}
	now := p.clock.Now()
	churn := !p.census.moved.IsZero() && now.Sub(p.census.moved) < recently
	if !counted || churn || total > had || now.Sub(p.census.created) >= createdEvery {
		if err := p.created(ctx); err != nil {
			return nil, err
		}
	}
	return read, p.compare(ctx, total, counted, had, p.removed-gone)
}

// compare looks whether there are as many nodes as Ironic counted: had before the round's
// pages were read, of which removed were found to be gone since.
func (p *Poller) compare(ctx context.Context, total int, counted bool, had, removed int) error {
	switch {
	case !counted:
	case total < had-removed:
		p.miscounted(doubtGone)
	case p.store.Len()+removed < total:
		p.miscounted(doubtAll)
	case p.store.Len() > total:
		// Some came after the count, or went.
		total, counted, err := p.count(ctx)
		if err != nil {
			return err
		}
		if counted && p.store.Len() > total {
			p.miscounted(doubtGone)
		}
	default:
		p.census.vain = 0
	}
	return nil
}

// miscounted has a sweep tell what the count does not, unless sweeps have not: then Ironic
// counts nodes that it does not list for us.
func (p *Poller) miscounted(d doubt) {
	if p.census.vain >= vainSweeps {
		p.census.off = true
		return
	}
	p.doubtful(d)
}

// marks notes, before the first full listing, how many nodes there are and which Ironic
// touched last: what happens during the listing is found from there.
func (p *Poller) marks(ctx context.Context) error {
	total, counted, err := p.count(ctx)
	if err != nil {
		return err
	}
	if counted {
		p.store.setStatus(func(s *Status) { s.Total = total })
	}
	began := p.clock.Now()
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{
		Fields: []string{"uuid"}, SortKey: "updated_at", Descending: true, Limit: smallPage,
	})
	if err != nil {
		return err
	}
	p.answered(page.Date, began, true)
	order := make([]string, len(page.Nodes))
	for i := range page.Nodes {
		order[i] = page.Nodes[i].UUID
	}
	p.rememberHead(began, order)
	return nil
}
