package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
)

// explain opens the Explain screen for the screen's node, or a list to choose from several. Screens without nodes
// use the node at their cursor.
func (c *Console) explain() tea.Cmd {
	s := c.history.front()
	if s == nil {
		return nil
	}
	switch targets := s.Targets(); len(targets) {
	case 0:
		return c.atOnce(s.Do(action.Explain))
	case 1:
		return c.Open(screen.Ref{Kind: screen.KindExplain, ID: targets[0].UUID})
	default:
		return c.Show(c.explained(targets))
	}
}

// explained lists the nodes to choose from.
func (c *Console) explained(nodes []models.NodeRef) screen.Overlay {
	items := make([]overlay.Item, len(nodes))
	for i, n := range nodes {
		items[i] = overlay.Item{ID: n.UUID, Title: n.Label()}
		if row, _, there := c.env.Session.Store.Get(n.UUID); there {
			items[i].Detail = row.Node.StateText()
		}
	}
	return overlay.NewPick(textExplainWhich, items, func(uuid string) tea.Cmd {
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindExplain, ID: uuid}})
	})
}

// whyExplain returns why Explain is disabled, "" if it is not.
func (c *Console) whyExplain() string {
	s := c.history.front()
	switch {
	case s == nil || c.env.Session == nil:
		return textNotConnected
	case c.env.Session.Explain == nil:
		return textNoExplain
	case s.Ref().Kind == screen.KindExplain:
		return textAlreadyExplain
	case len(s.Targets()) > 0:
		return ""
	case slices.Contains(s.Scopes(), action.Nodes):
		return textNoNodeSelected
	}
	return s.Why(action.Explain)
}
