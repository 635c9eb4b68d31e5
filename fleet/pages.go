package fleet

import (
	"context"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// growth is how much larger each page of one round is than the one before: a quiet fleet
// costs a small page, a burst few large ones.
const growth = 10

// pager reads page after page of a list in an order of its own.
type pager struct {
	query ironicclient.NodeQuery
	// trail are the nodes in the order of the list, as far as it was read.
	trail []string
	// lost says that the list ended early: no node to go on from is left.
	lost bool
}

// walked is what one page of a pager gave.
type walked struct {
	uuids []string
	applied
	// more says that the list goes on.
	more bool
}

// next reads a page, puts it into the store and moves on. Where the node to go on from was
// deleted meanwhile it goes on from one further up.
func (p *Poller) next(ctx context.Context, w *pager) (walked, error) {
	for back := 1; ; back *= 2 {
		began := p.clock.Now()
		page, err := p.api.NodePage(ctx, w.query)
		if models.IsFault(err, models.FaultNotFound) && w.query.Marker != "" {
			left := len(w.trail) - back
			if left <= 0 {
				w.lost = true
				return walked{}, nil
			}
			w.trail = w.trail[:left]
			w.query.Marker = w.trail[left-1]
			continue
		}
		if err != nil {
			return walked{}, err
		}
		return p.took(ctx, w, page, began), nil
	}
}

func (p *Poller) took(ctx context.Context, w *pager, page *ironicclient.NodePage, began time.Time) walked {
	got := walked{uuids: make([]string, len(page.Nodes))}
	for i := range page.Nodes {
		got.uuids[i] = page.Nodes[i].UUID
	}
	got.applied = p.put(ctx, page.Nodes, p.answered(page.Date, began, w.query.Limit <= smallPage), arrived)
	got.more = len(page.Nodes) > 0 && (len(page.Nodes) >= w.query.Limit || page.More)
	if n := len(got.uuids); n > 0 {
		w.trail = append(w.trail, got.uuids...)
		w.query.Marker = got.uuids[n-1]
	}
	w.query.Limit = min(max(growth*w.query.Limit, smallPage), ironicclient.DefaultPage)
	return got
}

// changeLimit is the size of the first page of what changed.
func (p *Poller) changeLimit() int {
	return min(2*p.store.Status().Busy+20, ironicclient.DefaultPage)
}

// changed reads the nodes that Ironic touched last, down to those that it has not touched
// since an earlier round, and says which it read. deletions says that nodes are known to be
// gone.
func (p *Poller) changed(ctx context.Context, began time.Time, deletions bool) (read map[string]bool, err error) {
	w := pager{query: ironicclient.NodeQuery{
		Fields: p.changeFields(), SortKey: "updated_at", Descending: true, Limit: p.changeLimit(),
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
		unseen := b.take(got.uuids, got.news)
		rows += len(got.uuids)
		if !got.more {
			if err := p.whole(ctx, b, rows == len(w.trail) && !w.lost); err != nil {
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
			p.doubtful(doubtAll)
			break
		}
	}
	if w.lost {
		p.doubtful(doubtAll)
	}
	p.rememberHead(began, w.trail)
	return b.seen, nil
}

// atBoundary says that the pages of what changed are at their end.
func (p *Poller) atBoundary(ctx context.Context, b *boundary, got walked, deletions bool) (bool, error) {
	switch {
	case len(b.anchors) == 0:
		// There is nothing to compare with yet.
		p.doubtful(doubtAll)
		return len(got.news) == 0, nil
	case b.reached() && len(b.missed) == 0:
		return true, nil
	case b.reached() && len(b.missed) > fewMissing:
		// So many are gone, or this is no boundary: a sweep tells.
		if deletions || p.census.off {
			p.doubtful(doubtAll)
			return true, nil
		}
		return false, nil
	case b.reached():
		for _, uuid := range b.missed {
			b.seen[uuid] = true
			gone, err := p.one(ctx, uuid)
			if err != nil {
				return false, err
			}
			if !gone {
				b.run = 0
			}
		}
		b.missed = nil
		return b.run > 0, nil
	case (b.exhausted() || deletions) && len(got.news) == 0:
		p.doubtful(doubtAll)
		return true, nil
	}
	return false, nil
}

// whole is for a list that was read to its end: nodes that it did not have may be gone.
func (p *Poller) whole(ctx context.Context, b *boundary, sure bool) error {
	if !sure || len(b.seen) >= p.store.Len() {
		return nil
	}
	missing := p.store.without(b.seen)
	if len(missing) > fewMissing {
		p.doubtful(doubtGone)
		return nil
	}
	for _, uuid := range missing {
		if _, err := p.one(ctx, uuid); err != nil {
			return err
		}
	}
	return nil
}

// created reads the nodes that were made last, down to those that were the last ones in an
// earlier round: they have no updated_at, which sorts behind everything. Their order never
// changes, and new ones come on top.
func (p *Poller) created(ctx context.Context) error {
	w := pager{query: ironicclient.NodeQuery{
		Fields: p.changeFields(), SortKey: "created_at", Descending: true, Limit: newNodesPage,
	}}
	p.census.created = p.clock.Now()
	for known := false; !known; {
		got, err := p.next(ctx, &w)
		if err != nil {
			return err
		}
		for _, uuid := range got.uuids {
			known = known || p.newest[uuid]
		}
		if !got.more || (len(got.added) == 0 && len(p.newest) == 0) || len(w.trail) > 2*p.store.Len()+ironicclient.DefaultPage {
			break
		}
	}
	if w.lost {
		p.doubtful(doubtAll)
	}
	p.rememberNewest(w.trail)
	return nil
}

// rememberNewest keeps which nodes were the last ones that were made.
func (p *Poller) rememberNewest(uuids []string) {
	p.newest = make(map[string]bool, smallPage)
	for _, uuid := range uuids[:min(len(uuids), smallPage)] {
		p.newest[uuid] = true
	}
}
