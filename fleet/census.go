package fleet

import (
	"context"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// sweepNeed is the kind of sweep that is needed, if any. A sweep is any full listing except the initial one.
type sweepNeed int

const (
	sweepNone sweepNeed = iota
	// sweepUUIDs means that nodes may have been deleted, so a sweep that lists only UUIDs is enough.
	sweepUUIDs
	// sweepAll means that nodes may have changed without being read.
	sweepAll
)

// census compares the number of stored nodes with the number that Ironic counts.
type census struct {
	// disabled is set if Ironic does not count nodes for this user, or counts nodes that it does not list.
	disabled bool
	// failed counts consecutive server errors.
	failed int
	// emptySweeps counts the urgent sweeps that have found nothing since the numbers last agreed.
	emptySweeps int
	// lastChurn is when a node was last added or removed; lastCreated is when the newest nodes were last read.
	lastChurn, lastCreated time.Time
}

const (
	// createdEvery is the interval at which the newest nodes are read even if the count is unchanged, because as many
	// nodes may have been created as deleted.
	createdEvery = time.Minute
	// countTries is the number of consecutive failures after which nodes are no longer counted.
	countTries = 5
	// maxEmptySweeps is the maximum number of sweeps that find nothing. After that, the count is ignored.
	maxEmptySweeps = 2
)

// requireSweep requests a sweep of at least the given kind. Until it has ended, the node list counts as incomplete.
func (p *Poller) requireSweep(d sweepNeed) { p.sweepNeed = max(p.sweepNeed, d) }

// sweepPending reports whether a sweep is needed, or is running because it was needed.
func (p *Poller) sweepPending() bool { return p.sweepNeed != sweepNone || p.list.urgent }

// count returns the number of nodes that Ironic counts. known is false if the number is not available, or not needed
// because the first page of changed nodes contains the whole fleet.
func (p *Poller) count(ctx context.Context) (total int, known bool, err error) {
	if v, _ := p.api.Version(); !v.Has(models.FeatureShards) {
		p.census.disabled = true
	}
	if p.census.disabled || p.store.Len() < p.changeLimit() {
		return 0, false, nil
	}
	began := time.Now()
	total, date, err := p.api.CountNodes(ctx)
	if models.IsFault(err, models.FaultForbidden, models.FaultNotFound, models.FaultBadRequest, models.FaultVersion,
		models.FaultNotAcceptable) {
		p.census.disabled = true
		return 0, false, nil
	}
	if models.IsFault(err, models.FaultBadAnswer, models.FaultServer) {
		// Ironic with SQLite responds with 500 while its database is locked.
		p.census.failed++
		p.census.disabled = p.census.failed >= countTries
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	p.census.failed = 0
	p.recordAnswer(date, began, true)
	return total, true, nil
}

// fetchChanges finds changed, new and deleted nodes. If nothing has changed, this takes two requests. It returns the
// UUIDs that it has read in the list of changed nodes.
func (p *Poller) fetchChanges(ctx context.Context, began time.Time) (read map[string]bool, err error) {
	total, counted, err := p.count(ctx)
	if err != nil {
		return nil, err
	}
	had, gone := p.store.Len(), p.removed
	read, err = p.readChanged(ctx, began, counted && total < had)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	churn := !p.census.lastChurn.IsZero() && now.Sub(p.census.lastChurn) < recentChange
	if !counted || churn || total > had || now.Sub(p.census.lastCreated) >= createdEvery {
		if err := p.readCreated(ctx); err != nil {
			return nil, err
		}
	}
	return read, p.compare(ctx, total, counted, had, p.removed-gone)
}

// compare compares the number of stored nodes with total, Ironic's count. had is the number of nodes before the round
// read its pages, and removed is the number of nodes found to be deleted since then.
func (p *Poller) compare(ctx context.Context, total int, counted bool, had, removed int) error {
	switch {
	case !counted:
	case total < had-removed:
		p.handleMiscount(sweepUUIDs)
	case p.store.Len()+removed < total:
		p.handleMiscount(sweepAll)
	case p.store.Len() > total:
		// Count again, because nodes may have been created or deleted after the first count.
		total, counted, err := p.count(ctx)
		if err != nil {
			return err
		}
		if counted && p.store.Len() > total {
			p.handleMiscount(sweepUUIDs)
		}
	default:
		p.census.emptySweeps = 0
	}
	return nil
}

// handleMiscount requests a sweep. If earlier sweeps have found nothing, Ironic counts nodes that it does not list;
// handleMiscount then disables counting instead.
func (p *Poller) handleMiscount(d sweepNeed) {
	if p.census.emptySweeps >= maxEmptySweeps {
		p.census.disabled = true
		return
	}
	p.requireSweep(d)
}

// markStart reads the number of nodes, and the nodes that Ironic updated last. This happens before the first full
// listing, so that changes during the listing are found.
func (p *Poller) markStart(ctx context.Context) error {
	total, counted, err := p.count(ctx)
	if err != nil {
		return err
	}
	if counted {
		p.store.setStatus(func(s *Status) { s.Total = total })
	}
	began := time.Now()
	page, err := p.api.NodePage(ctx, ironicclient.NodeQuery{
		Fields: []string{"uuid"}, SortKey: "updated_at", Descending: true, Limit: smallPage,
	})
	if err != nil {
		return err
	}
	p.recordAnswer(page.Date, began, true)
	p.rememberHead(began, uuidsOf(page.Nodes))
	return nil
}
