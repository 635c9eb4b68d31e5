package fleet

import (
	"context"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// pageGrowth is the factor by which the page size grows within a round. Thus a quiet fleet costs one small page, and
// a burst of changes costs a few large pages.
const pageGrowth = 10

type pager struct {
	query ironicclient.NodeQuery
	// listed holds the nodes in the order of the list, as far as it has been read.
	listed []string
	// endedEarly is set if reading stopped before the end of the list, because no node was left to continue from.
	endedEarly bool
}

type pageResult struct {
	uuids []string
	applied
	// more reports whether the list continues.
	more bool
}

// next reads the next page of w and stores its nodes. After a deleted marker, it continues from an earlier node.
func (p *Poller) next(ctx context.Context, w *pager) (pageResult, error) {
	for back := 1; ; back *= 2 {
		began := time.Now()
		page, err := p.api.NodePage(ctx, w.query)
		switch {
		case err == nil:
			return p.addPage(ctx, w, page, began), nil
		case !models.IsFault(err, models.FaultNotFound) || w.query.Marker == "":
			return pageResult{}, err
		}
		earlier := goBack(w.listed, back)
		if len(earlier) == 0 {
			w.endedEarly = true
			return pageResult{}, nil
		}
		w.listed, w.query.Marker = earlier, earlier[len(earlier)-1]
	}
}

func uuidsOf(nodes []models.Node) []string {
	uuids := make([]string, len(nodes))
	for i := range nodes {
		uuids[i] = nodes[i].UUID
	}
	return uuids
}

func (p *Poller) addPage(ctx context.Context, w *pager, page *ironicclient.NodePage, began time.Time) pageResult {
	got := pageResult{uuids: uuidsOf(page.Nodes)}
	got.applied = p.put(ctx, page.Nodes, p.recordAnswer(page.Date, began, w.query.Limit <= smallPage), arrived)
	got.more = len(page.Nodes) > 0 && (len(page.Nodes) >= w.query.Limit || page.More)
	if n := len(got.uuids); n > 0 {
		w.listed = append(w.listed, got.uuids...)
		w.query.Marker = got.uuids[n-1]
	}
	w.query.Limit = min(max(pageGrowth*w.query.Limit, smallPage), ironicclient.DefaultPage)
	return got
}

// goBack returns a list without its last nodes, so that its new last node can be the next marker.
func goBack(listed []string, nodes int) []string { return listed[:max(len(listed)-nodes, 0)] }

// changeLimit returns the size of the first page of changed nodes. It grows with the number of busy nodes.
func (p *Poller) changeLimit() int {
	return min(2*p.store.Status().Busy+20, ironicclient.DefaultPage)
}

// readChanged reads the nodes that Ironic updated last, until it reaches nodes that have not been updated since an
// earlier round. It returns the UUIDs of the nodes that it has read. deletions means that nodes are known to have
// been deleted.
func (p *Poller) readChanged(ctx context.Context, began time.Time, deletions bool) (read map[string]bool, err error) {
	w := pager{query: ironicclient.NodeQuery{
		Fields: p.changeFields(), Whole: p.wholeFields(), SortKey: "updated_at", Descending: true, Limit: p.changeLimit(),
	}}
	b := newBoundary(p.anchor(began))
	if len(b.anchors) == 0 {
		w.query.Limit = max(w.query.Limit, smallPage)
	}
	for rows := 0; ; {
		got, err := p.next(ctx, &w)
		if err != nil {
			return nil, err
		}
		unseen := b.addNodes(got.uuids, got.changedNodes)
		rows += len(got.uuids)
		if !got.more {
			if err := p.checkMissing(ctx, b, rows == len(w.listed) && !w.endedEarly); err != nil {
				return nil, err
			}
			break
		}
		end, err := p.atBoundary(ctx, b, got, deletions)
		if err != nil {
			return nil, err
		}
		if end {
			break
		}
		if unseen == 0 || rows > 2*p.store.Len()+ironicclient.DefaultPage {
			p.requireSweep(sweepAll)
			break
		}
	}
	if w.endedEarly {
		p.requireSweep(sweepAll)
	}
	p.rememberHead(began, w.listed)
	return b.seen, nil
}

// atBoundary reports whether all changed nodes are on the pages read so far. If it cannot be sure, it requests a sweep.
func (p *Poller) atBoundary(ctx context.Context, b *boundary, got pageResult, deletions bool) (bool, error) {
	switch {
	case len(b.anchors) == 0:
		// There is no earlier round to compare with yet.
		p.requireSweep(sweepAll)
		return len(got.changedNodes) == 0, nil
	case b.reached() && len(b.missed) == 0:
		return true, nil
	case b.reached() && len(b.missed) > fewMissing:
		// Either many nodes were deleted, or this is not the boundary. A sweep finds out which.
		if deletions || p.census.disabled {
			p.requireSweep(sweepAll)
			return true, nil
		}
		return false, nil
	case b.reached():
		for _, uuid := range b.missed {
			b.seen[uuid] = true
			gone, err := p.readNode(ctx, uuid)
			if err != nil {
				return false, err
			}
			if !gone {
				b.run = 0
			}
		}
		b.missed = nil
		return b.run > 0, nil
	case (b.exhausted() || deletions) && len(got.changedNodes) == 0:
		p.requireSweep(sweepAll)
		return true, nil
	}
	return false, nil
}

// checkMissing is called at the end of the list of changed nodes. If sure is set, the list was read without gaps, so
// nodes that it does not include may have been deleted. checkMissing reads each of these nodes or, if there are too
// many, requests a sweep.
func (p *Poller) checkMissing(ctx context.Context, b *boundary, sure bool) error {
	if !sure || len(b.seen) >= p.store.Len() {
		return nil
	}
	missing := p.store.notIn(b.seen)
	if len(missing) > fewMissing {
		p.requireSweep(sweepUUIDs)
		return nil
	}
	return p.readNodes(ctx, missing)
}

// readCreated reads the nodes created last, down to the newest nodes of an earlier round. New nodes have no
// updated_at, so they come last in the order by updated_at. The order by created_at never changes, and new nodes come
// first in it.
func (p *Poller) readCreated(ctx context.Context) error {
	w := pager{query: ironicclient.NodeQuery{
		Fields: p.changeFields(), Whole: p.wholeFields(), SortKey: "created_at", Descending: true, Limit: newNodesPage,
	}}
	p.census.lastCreated = time.Now()
	for known := false; !known; {
		got, err := p.next(ctx, &w)
		if err != nil {
			return err
		}
		for _, uuid := range got.uuids {
			known = known || p.newest[uuid]
		}
		if !got.more || (len(got.added) == 0 && len(p.newest) == 0) || len(w.listed) > 2*p.store.Len()+ironicclient.DefaultPage {
			break
		}
	}
	if w.endedEarly {
		p.requireSweep(sweepAll)
	}
	p.rememberNewest(w.listed)
	return nil
}

// rememberNewest remembers the nodes at the start of uuids as the newest ones.
func (p *Poller) rememberNewest(uuids []string) {
	p.newest = make(map[string]bool, smallPage)
	for _, uuid := range uuids[:min(len(uuids), smallPage)] {
		p.newest[uuid] = true
	}
}
