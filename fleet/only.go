package fleet

import (
	"context"
	"slices"
	"time"

	"ironworks/models"
)

// onlyNodes is the round of a poller that looks at named nodes alone.
func (p *Poller) onlyNodes(ctx context.Context) error {
	if p.list.phase == nothingYet {
		return p.firstLook(ctx)
	}
	began := p.clock.Now()
	p.small = latencies{}
	for _, uuid := range slices.Clone(p.opts.Only) {
		if _, err := p.one(ctx, uuid); err != nil {
			return err
		}
		if _, _, still := p.store.Get(uuid); !still {
			p.opts.Only = slices.DeleteFunc(p.opts.Only, func(o string) bool { return o == uuid })
		}
	}
	p.measured()
	p.rightAsOf(began)
	return p.reasons(ctx)
}

// firstLook fetches all the named nodes before it tells any: when one is not there the
// owner may want to give up instead. From then on they are asked for by uuid: a rename
// must not lose a node.
func (p *Poller) firstLook(ctx context.Context) error {
	p.list.began, p.small = p.clock.Now(), latencies{}
	var nodes []models.Node
	var uuids []string
	var at time.Time
	for _, id := range p.opts.Only {
		asked := p.clock.Now()
		n, date, err := p.api.NodeAt(ctx, id, p.changeFields()...)
		if err != nil {
			return err
		}
		at = p.answered(date, asked, true)
		n.Raw = nil
		if !slices.Contains(uuids, n.UUID) {
			uuids, nodes = append(uuids, n.UUID), append(nodes, *n)
		}
	}
	p.opts.Only = uuids
	p.put(ctx, nodes, at, baseline)
	p.measured()
	p.listed()
	return p.reasons(ctx)
}
