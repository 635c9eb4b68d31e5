package replay

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/request"
	"ironworks/printable"
)

// Answers replaces Ironic's API in a replay. It answers the console's requests with the recorded data as of the
// current moment, or with a fault if the recording lacks the data.
type Answers struct{ player *Player }

// Answers returns a replacement for Ironic's API that uses the player's recording.
func (p *Player) Answers() *Answers { return &Answers{player: p} }

// notRecorded returns the fault for data that no recording contains.
func notRecorded(what string) error {
	return &models.Fault{
		Kind: models.FaultNotKept, Op: what, Message: "not in the recording",
		Hint: "recordings contain only states, steps, operations and logs",
	}
}

// Node returns the recorded node with the given name or UUID, at the current moment.
func (a *Answers) Node(_ context.Context, id string, _ ...string) (*models.Node, error) {
	row, _, there := a.player.store.Get(id)
	if !there {
		return nil, notRecorded("node " + printable.Line(id))
	}
	node := row.Node
	raw, err := json.Marshal(&node)
	if err != nil {
		return nil, notRecorded("node " + printable.Line(id))
	}
	node.Raw = raw
	return &node, nil
}

// Ports returns a fault: recordings have no ports.
func (a *Answers) Ports(context.Context, string) ([]models.Port, error) {
	return nil, notRecorded("ports")
}

// Portgroups returns a fault: recordings have no port groups.
func (a *Answers) Portgroups(context.Context, string) ([]models.Portgroup, error) {
	return nil, notRecorded("portgroups")
}

// History returns a fault: recordings contain only the changes that were observed, not Ironic's history.
func (a *Answers) History(context.Context, string) ([]models.HistoryEntry, error) {
	return nil, notRecorded("history")
}

// Inventory returns a fault: recordings have no inventory.
func (a *Answers) Inventory(context.Context, string) (json.RawMessage, error) {
	return nil, notRecorded("inventory")
}

// Conductors returns a fault: recordings have no conductors.
func (a *Answers) Conductors(context.Context) ([]models.Conductor, error) {
	return nil, notRecorded("conductors")
}

// Drivers returns a fault: recordings have no drivers.
func (a *Answers) Drivers(context.Context) ([]models.Driver, error) {
	return nil, notRecorded("drivers")
}

// Validate returns a fault: recordings have no validation results.
func (a *Answers) Validate(context.Context, string) ([]models.Validation, error) {
	return nil, notRecorded("validate")
}

// Version returns the API version of the recorded session.
func (a *Answers) Version() (models.APIVersion, bool) { return a.player.version, true }

// Endpoint returns "": a replay does not use a server.
func (a *Answers) Endpoint() string { return "" }

// Refused returns nil: no server has refused a field.
func (a *Answers) Refused() []string { return nil }

// MissingFields returns all the given fields: a recording contains only the fields that are requested for node lists.
func (a *Answers) MissingFields(fields []string) []string { return fields }

// OfNode returns the node's operations that have ended by the current moment, newest first, at most the given number.
func (a *Answers) OfNode(_ context.Context, uuid string, most int) ([]models.Work, error) {
	return a.ended(most, func(w *models.Work) bool { return w.Node.UUID == uuid }), nil
}

// Latest returns the ended operations of all nodes at the current moment, newest first, at most the given number.
func (a *Answers) Latest(_ context.Context, most int) ([]models.Work, error) {
	return a.ended(most, func(*models.Work) bool { return true }), nil
}

// Lines returns the node's log lines between from and to, but none from after the current moment. A zero to means no
// other limit.
func (a *Answers) Lines(_ context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error] {
	at, _ := a.player.moment()
	if to.IsZero() || to.After(at) {
		to = at
	}
	return func(yield func(models.LogLine, error) bool) {
		for _, l := range a.player.lines[uuid] {
			if !l.at.Before(from) && !l.at.After(to) && !yield(*l.line, nil) {
				return
			}
		}
	}
}

func (a *Answers) ended(most int, wanted func(*models.Work) bool) []models.Work {
	at, _ := a.player.moment()
	var works []models.Work
	for i := range a.player.rec.Works {
		w := &a.player.rec.Works[i]
		if wanted(w) && !w.End.IsZero() && !w.End.After(at) {
			works = append(works, *w)
		}
	}
	slices.Reverse(works)
	return works[:min(len(works), max(most, 0))]
}

// Actions are refused, because a recording cannot be changed.

func readOnlyFault(what string) error {
	return &models.Fault{
		Kind: models.FaultReadOnly, Op: what, Message: "replays are read-only", Hint: "open the console without a recording",
	}
}

// NodeAt returns a recorded node and the current moment.
func (a *Answers) NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error) {
	n, err := a.Node(ctx, id, fields...)
	at, _ := a.player.moment()
	return n, at, err
}

// Send refuses the request with a fault, because replays are read-only.
func (a *Answers) Send(_ context.Context, r request.Request) (request.Answer, error) {
	return request.Answer{}, readOnlyFault(r.Op)
}

// Allocation returns a fault: recordings contain no allocations.
func (a *Answers) Allocation(context.Context, string) (*models.Allocation, error) {
	return nil, readOnlyFault("read an allocation")
}
