package replay

import (
	"time"

	"ironworks/models"
)

// echo is how late the picture of another program may be: two that look at one node do
// not look at the same moment, and their clocks of the server are not the same.
const echo = 5 * time.Second

// rests are when each node came to rest, and from what, the last time first.
type rests map[string][]*models.Event

func (r *Recording) rests() rests {
	found := rests{}
	for i := len(r.Events) - 1; i >= 0; i-- {
		e := &r.Events[i]
		if e.Kind == models.EventProvisionState && !models.ProvisionState(e.To).Busy() {
			found[e.Node.UUID] = append(found[e.Node.UUID], e)
		}
	}
	return found
}

// echoes says that a picture is of work that had ended shortly before: a node that has
// become active is not deploying again for a moment.
func (r rests) echoes(p *models.Picture) bool {
	if !p.Node.ProvisionState.Busy() {
		return false
	}
	for _, e := range r[p.Node.UUID] {
		if late := p.At.Sub(e.Time); late >= 0 {
			return late <= echo && models.ProvisionState(e.From).Phase() == p.Node.ProvisionState.Phase()
		}
	}
	return false
}

// settled is when a picture is shown: one of a node at rest not before that is told, for
// the clock of who made it may be behind the teller's.
func (r rests) settled(p *models.Picture) time.Time {
	if p.Node.ProvisionState.Busy() {
		return p.At
	}
	for _, e := range r[p.Node.UUID] {
		early := e.Time.Sub(p.At)
		if early > 0 && early <= echo && e.To == string(p.Node.ProvisionState) && models.ProvisionState(e.From).Busy() {
			return e.Time
		}
	}
	return p.At
}
