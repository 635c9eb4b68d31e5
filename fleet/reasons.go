package fleet

import (
	"context"
	"time"

	"ironworks/models"
)

// explainAtOnce bounds how many failures of one answer wait for their reason before
// they are told; a hundred at once have one cause, and must not hold up the news.
const explainAtOnce = 8

// explain fills in why nodes failed before it is told that they did: the newest
// Ironic clears last_error before the node is in the failed state, and only the
// node's history still has it.
func (p *Poller) explain(ctx context.Context, events []models.Event) {
	asked := 0
	for i := range events {
		e := &events[i]
		if e.Kind != models.EventProvisionState || !models.ProvisionState(e.To).Failed() || e.Inferred {
			continue
		}
		if e.Reason == "" && asked < explainAtOnce {
			asked++
			if p.reason(ctx, e.Node.UUID) == nil {
				row, _, _ := p.store.Get(e.Node.UUID)
				e.Reason = row.Reason
			}
		}
		if e.Reason == "" {
			_, evidence, _ := p.store.Get(e.Node.UUID)
			e.Reason = evidence.LastError
		}
	}
}

// reasons fetches why nodes failed that were so when we came.
func (p *Poller) reasons(ctx context.Context) error {
	for range min(len(p.wantReasons), reasonsPerTick) {
		uuid := p.wantReasons[0]
		if err := p.reason(ctx, uuid); err != nil {
			return err
		}
		p.wantReasons = p.wantReasons[1:]
	}
	return nil
}

// reason finds out why one node failed, from its last_error, its history, or the
// evidence, and keeps it.
func (p *Poller) reason(ctx context.Context, uuid string) error {
	row, evidence, ok := p.store.Get(uuid)
	if !ok || !row.Node.ProvisionState.Failed() || row.Reason != "" {
		return nil
	}
	var history []models.HistoryEntry
	if v, _ := p.api.Version(); row.Node.LastError == "" && v.Has(models.FeatureHistory) {
		entries, err := p.api.History(ctx, uuid)
		if err != nil && !models.IsFault(err, models.FaultNotFound, models.FaultForbidden) {
			return err
		}
		p.answered(time.Time{}, 0)
		history = entries
	}
	p.store.setReason(uuid, models.FailureReason(&row.Node, evidence, history))
	return nil
}
