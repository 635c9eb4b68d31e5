package replay

import (
	"fmt"
	"time"

	"ironworks/models"
)

// echo is how late the picture of another program may be: two that look at one node do
// not look at the same moment, and their clocks of the server are not the same.
const echo = 5 * time.Second

// echoes are how each node stood last, the newest at the end. Pictures are in their order.
type echoes map[string][]stood

type stood struct {
	how string
	at  time.Time
}

// is says that a picture is of how the node stood shortly before something else was seen
// of it already: a node that has become active is not deploying again for a moment.
func (e echoes) is(p *models.Picture) bool {
	n := &p.Node
	step, _ := n.CurrentStep()
	how := fmt.Sprint(n.ProvisionState, "|", n.TargetProvisionState, "|", step.Label(), "|", n.PowerState, "|", n.Maintenance)
	var recent []stood
	for _, s := range e[n.UUID] {
		if p.At.Sub(s.at) <= echo {
			recent = append(recent, s)
		}
	}
	for i, s := range recent {
		if s.how == how && i < len(recent)-1 {
			e[n.UUID] = recent
			return true
		}
	}
	if len(recent) > 0 && recent[len(recent)-1].how == how {
		recent[len(recent)-1].at = p.At
		e[n.UUID] = recent
		return false
	}
	e[n.UUID] = append(recent, stood{how: how, at: p.At})
	return false
}
