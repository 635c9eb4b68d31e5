package replay

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"ironworks/models"
)

// Answers are what a recording has in the place of Ironic's API, at the moment that is
// shown. What it has not is a fault that says so: nobody is asked.
type Answers struct{ player *Player }

// Answers gives them.
func (p *Player) Answers() *Answers { return &Answers{player: p} }

// notKept is the answer to what no recording has.
func notKept(what string) error {
	return &models.Fault{
		Kind: models.FaultNotKept, Op: what, Message: "a recording does not have it",
		Hint: "nothing is asked while it plays; it has states, steps, work and the log",
	}
}

// Node gives a node as it was kept.
func (a *Answers) Node(_ context.Context, id string, _ ...string) (*models.Node, error) {
	row, _, there := a.player.store.Get(id)
	if !there {
		return nil, notKept("node " + models.Printable(id))
	}
	node := row.Node
	raw, err := json.Marshal(&node)
	if err != nil {
		return nil, notKept("node " + models.Printable(id))
	}
	node.Raw = raw
	return &node, nil
}

// Ports are not kept.
func (a *Answers) Ports(context.Context, string) ([]models.Port, error) { return nil, notKept("ports") }

// Portgroups are not kept.
func (a *Answers) Portgroups(context.Context, string) ([]models.Portgroup, error) {
	return nil, notKept("portgroups")
}

// History is not kept as Ironic has it: Timeline and Events have what was seen.
func (a *Answers) History(context.Context, string) ([]models.HistoryEntry, error) {
	return nil, notKept("history")
}

// Inventory is not kept.
func (a *Answers) Inventory(context.Context, string) (json.RawMessage, error) {
	return nil, notKept("inventory")
}

// Conductors are not kept.
func (a *Answers) Conductors(context.Context) ([]models.Conductor, error) {
	return nil, notKept("conductors")
}

// Drivers are not kept.
func (a *Answers) Drivers(context.Context) ([]models.Driver, error) { return nil, notKept("drivers") }

// Validate asks nobody.
func (a *Answers) Validate(context.Context, string) ([]models.Validation, error) {
	return nil, notKept("validate")
}

// Version is the one that was spoken.
func (a *Answers) Version() (models.APIVersion, bool) { return a.player.version, true }

// Endpoint is nowhere.
func (a *Answers) Endpoint() string { return "" }

// Refused is nothing.
func (a *Answers) Refused() []string { return nil }

// OfNode gives the work on a node that had ended by the moment that is shown, the newest
// first.
func (a *Answers) OfNode(_ context.Context, uuid string, most int) ([]models.Work, error) {
	return a.ended(most, func(w *models.Work) bool { return w.Node.UUID == uuid }), nil
}

// Latest gives the last work of all nodes that had ended by then.
func (a *Answers) Latest(_ context.Context, most int) ([]models.Work, error) {
	return a.ended(most, func(*models.Work) bool { return true }), nil
}

// Lines gives the lines of a node's log of a time, as far as the recording has come.
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
