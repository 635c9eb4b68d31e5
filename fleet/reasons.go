package fleet

import (
	"cmp"
	"context"
	"time"

	"ironworks/models"
)

// explainAtOnce bounds how many failures of one answer wait for their reason before
// they are told; a hundred at once have one cause, and must not hold up the news.
const explainAtOnce = 8

// reasonTries is how often a node's history is asked for when Ironic fails to give it.
const reasonTries = 3

// wantedReason is a failed node whose reason is to be looked for.
type wantedReason struct {
	uuid  string
	tries int
}

// explain fills in why nodes failed before it is told that they did: the newest
// Ironic clears last_error before the node is in the failed state, and only the
// node's history still has it.
func (p *Poller) explain(ctx context.Context, events []models.Event) {
	asked := 0
	for i := range events {
		e := &events[i]
		if e.Kind != models.EventProvisionState || !fellBack(models.ProvisionState(e.From), models.ProvisionState(e.To)) || e.Inferred {
			continue
		}
		if e.Reason == "" && asked < explainAtOnce && !p.clock.Now().Before(p.reasonsDue) {
			asked++
			_, _ = p.reason(ctx, e.Node.UUID) // a fault is tried again later
		}
		row, evidence, _ := p.store.Get(e.Node.UUID)
		if e.Reason == "" {
			e.Reason = row.Reason
		}
		if e.Reason == "" {
			e.Reason = evidence.LastError
		}
	}
}

// blamed fills in why works failed, as far as it is known by now.
func (p *Poller) blamed(works []models.Work) []models.Work {
	for i := range works {
		w := &works[i]
		if w.Outcome != models.OutcomeFailed {
			continue
		}
		row, evidence, _ := p.store.Get(w.Node.UUID)
		w.Blame(cmp.Or(row.Reason, evidence.LastError))
	}
	return works
}

// tellBlamed tells work once more whose reason to fail was found after its end.
func (p *Poller) tellBlamed(uuid string) {
	row, evidence, ok := p.store.Get(uuid)
	if !ok {
		return
	}
	if w, seen := evidence.Work(&row); seen && w.Outcome == models.OutcomeFailed && w.Reason != "" {
		p.tell(Update{Works: []models.Work{w}})
	}
}

// reasons fetches why nodes failed that were so when we came, a few each round. A
// history that cannot be had is no fault of the connection and holds nothing up.
func (p *Poller) reasons(ctx context.Context) error {
	if p.clock.Now().Before(p.reasonsDue) {
		return nil
	}
	for asked := 0; asked < reasonsPerTick && len(p.wantReasons) > 0; {
		want := p.wantReasons[0]
		p.wantReasons = p.wantReasons[1:]
		did, err := p.reason(ctx, want.uuid)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if did {
			asked++
		}
		if err == nil {
			p.tellBlamed(want.uuid)
			continue
		}
		if want.tries++; want.tries < reasonTries {
			p.wantReasons = append(p.wantReasons, want)
			return nil
		}
		if row, evidence, ok := p.store.unexplained(want.uuid); ok {
			p.store.setReason(want.uuid, models.FailureReason(&row.Node, evidence, nil))
			p.tellBlamed(want.uuid)
		}
	}
	return nil
}

// reason finds out why one node failed, from its history or else the evidence, and
// keeps it; asked says that it took a request.
func (p *Poller) reason(ctx context.Context, uuid string) (asked bool, err error) {
	row, evidence, ok := p.store.unexplained(uuid)
	if !ok {
		return false, nil
	}
	var history []models.HistoryEntry
	if v, _ := p.api.Version(); row.Node.LastError == "" && v.Has(models.FeatureHistory) {
		began := p.clock.Now()
		asked = true
		history, err = p.api.History(ctx, uuid)
		if err != nil && !models.IsFault(err, models.FaultNotFound, models.FaultForbidden) {
			p.reasonFaults++
			p.reasonsDue = p.clock.Now().Add(doubled(p.reasonFaults, backOffMax))
			return asked, err
		}
		p.reasonFaults = 0
		p.answered(time.Time{}, began, false)
	}
	p.store.setReason(uuid, models.FailureReason(&row.Node, evidence, history))
	return asked, nil
}
