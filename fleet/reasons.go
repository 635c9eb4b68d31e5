package fleet

import (
	"cmp"
	"context"
	"time"

	"ironworks/models"
)

// maxReasonsWaiting is the maximum number of failure events in one response that are held back until their reasons
// are known. If a hundred nodes fail at once, their failures probably have the same cause, and must not delay other
// events.
const maxReasonsWaiting = 8

const reasonTries = 3

type wantedReason struct {
	uuid  string
	tries int
}

// fillReasons adds the reasons to failure events before they are reported. It may have to read the node's history,
// because the newest Ironic clears last_error before the node enters the failed state.
func (p *Poller) fillReasons(ctx context.Context, events []models.Event) {
	asked := 0
	for i := range events {
		e := &events[i]
		if e.Kind != models.EventProvisionState || !models.ProvisionState(e.To).FailureAfter(models.ProvisionState(e.From)) || e.Inferred {
			continue
		}
		if e.Reason == "" && asked < maxReasonsWaiting && !time.Now().Before(p.reasonsDue) {
			asked++
			_, _ = p.readReason(ctx, e.Node.UUID) // if this fails, it is retried later
		}
		row, evidence, _ := p.store.Get(e.Node.UUID)
		e.Reason = cmp.Or(e.Reason, row.Reason, evidence.LastError)
	}
}

func (p *Poller) withReasons(works []models.Work) []models.Work {
	for i := range works {
		w := &works[i]
		if w.Outcome != models.OutcomeFailed {
			continue
		}
		row, evidence, _ := p.store.Get(w.Node.UUID)
		w.SetFailureReason(cmp.Or(row.Reason, evidence.LastError))
	}
	return works
}

// reportReason reports a failed operation again, because its reason was found later.
func (p *Poller) reportReason(uuid string) {
	row, evidence, ok := p.store.Get(uuid)
	if !ok {
		return
	}
	if w, seen := evidence.Work(&row); seen && w.Outcome == models.OutcomeFailed && w.Reason != "" {
		p.report(Update{Works: []models.Work{w}})
	}
}

// readReasons reads failure reasons that are still unknown, a few in each round. Most of them belong to failures from
// before the program started. A history that cannot be read does not count as a connection fault, and does not delay
// the round.
func (p *Poller) readReasons(ctx context.Context) error {
	if time.Now().Before(p.reasonsDue) {
		return nil
	}
	for asked := 0; asked < reasonsPerTick && len(p.reasonQueue) > 0; {
		want := p.reasonQueue[0]
		p.reasonQueue = p.reasonQueue[1:]
		did, err := p.readReason(ctx, want.uuid)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if did {
			asked++
		}
		if err == nil {
			p.reportReason(want.uuid)
			continue
		}
		if want.tries++; want.tries < reasonTries {
			p.reasonQueue = append(p.reasonQueue, want)
			return nil
		}
		if row, evidence, ok := p.store.unexplained(want.uuid); ok {
			p.store.setReason(want.uuid, models.FailureReason(&row.Node, evidence, nil))
			p.reportReason(want.uuid)
		}
	}
	return nil
}

// readReason determines why a node failed, from its last_error, its history or the evidence, and stores the reason.
// asked reports whether it sent a request.
func (p *Poller) readReason(ctx context.Context, uuid string) (asked bool, err error) {
	row, evidence, ok := p.store.unexplained(uuid)
	if !ok {
		return false, nil
	}
	var history []models.HistoryEntry
	if v, _ := p.api.Version(); row.Node.LastError == "" && v.Has(models.FeatureHistory) {
		began := time.Now()
		asked = true
		history, err = p.api.History(ctx, uuid)
		if err != nil && !models.IsFault(err, models.FaultNotFound, models.FaultForbidden) {
			p.reasonFaults++
			p.reasonsDue = time.Now().Add(backOffDelay(p.reasonFaults, backOffMax))
			return asked, err
		}
		p.reasonFaults = 0
		p.recordAnswer(time.Time{}, began, false)
	}
	p.store.setReason(uuid, models.FailureReason(&row.Node, evidence, history))
	return asked, nil
}
