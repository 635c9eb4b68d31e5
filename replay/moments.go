package replay

import (
	"slices"
	"time"

	"ironworks/models"
)

// Moment is a point of a recording that is worth going to.
type Moment struct {
	At   time.Time
	Node models.NodeRef
	// Text says what happened, safe to show; Bad that it is a failure.
	Text string
	Bad  bool
}

// mostMoments bounds how many there are; of more, those that change no state go.
const mostMoments = 5000

// Moments are where states and steps changed, and where a log first told a known error.
func (p *Player) Moments() []Moment {
	var all []Moment
	for i := range p.rec.Events {
		e := &p.rec.Events[i]
		switch e.Kind {
		case models.EventProvisionState, models.EventRemoved, models.EventAdded:
		case models.EventStep, models.EventAgent, models.EventRamdisk, models.EventPower, models.EventMaintenance, models.EventError, models.EventInstance, models.EventFault:
			if len(p.rec.Events) > mostMoments || e.Kind == models.EventInstance {
				continue
			}
		default:
			continue
		}
		failed := e.Kind == models.EventProvisionState && models.ProvisionState(e.To).Failed() || e.Kind == models.EventError
		all = append(all, Moment{At: e.Time, Node: e.Node, Text: e.Text(), Bad: failed})
	}
	for _, lines := range p.lines {
		for _, l := range lines {
			if l.line.Known != "" {
				all = append(all, Moment{At: l.at, Node: l.line.Node, Text: "log: " + l.line.Text, Bad: true})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return a.At.Compare(b.At) })
	return all
}
