package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
)

// explain goes to what is the matter with the node that the screen is about; of several it
// asks which. A screen about something else has a node at its cursor.
func (c *Console) explain() tea.Cmd {
	s := c.history.front()
	if s == nil {
		return nil
	}
	switch targets := s.Targets(); len(targets) {
	case 0:
		return c.atOnce(s.Do(action.Explain))
	case 1:
		return c.open(screen.Ref{Kind: screen.KindExplain, ID: targets[0].UUID})
	default:
		return c.show(c.explained(targets))
	}
}

// explained lists nodes to choose the one from that is explained.
func (c *Console) explained(nodes []models.NodeRef) screen.Overlay {
	items := make([]overlay.Item, len(nodes))
	for i, n := range nodes {
		items[i] = overlay.Item{ID: n.UUID, Title: models.Printable(n.Label())}
		if row, _, there := c.env.Session.Store.Get(n.UUID); there {
			items[i].Detail = models.Printable(row.Node.StateText())
		}
	}
	return overlay.NewPick("Explain one of them", items, func(uuid string) tea.Cmd {
		return screen.Wish(screen.Open{Ref: screen.Ref{Kind: screen.KindExplain, ID: uuid}})
	})
}

// whyExplain says why nothing can be explained from here.
func (c *Console) whyExplain() string {
	s := c.history.front()
	switch {
	case s == nil || c.env.Session == nil:
		return "there is no connection"
	case c.env.Session.Explain == nil:
		return "nothing can be explained here"
	case s.Ref().Kind == screen.KindExplain:
		return "this is it; ctrl+r reads anew"
	case len(s.Targets()) > 0:
		return ""
	case slices.Contains(s.Scopes(), action.Nodes):
		return "no node is chosen"
	}
	return s.Why(action.Explain)
}
