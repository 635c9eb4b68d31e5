package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// explain opens the Explain screen for the node at the cursor, no matter which nodes are marked. A screen without
// nodes to act on finds the node itself.
func (c *Console) explain() tea.Cmd {
	s := c.history.front()
	if s == nil {
		return nil
	}
	if n, ok := nodeAtCursor(s); ok {
		return c.Open(screen.Ref{Kind: screen.KindExplain, ID: n.UUID})
	}
	return c.atOnce(s.Do(action.Explain))
}

// nodeAtCursor returns the node at the cursor of s, or false if there is none.
func nodeAtCursor(s screen.Screen) (models.NodeRef, bool) {
	if p, is := s.(screen.Pointing); is {
		return p.NodeAtCursor()
	}
	if targets := s.Targets(); len(targets) > 0 {
		return targets[0], true
	}
	return models.NodeRef{}, false
}

// whyExplain returns the reason why Explain is disabled, or "" if it is enabled.
func (c *Console) whyExplain() string {
	s := c.history.front()
	switch {
	case s == nil || c.env.Session == nil:
		return "not connected"
	case c.env.Session.Explain == nil:
		return "explanations are not available here"
	case s.Ref().Kind == screen.KindExplain:
		return c.env.Keys.Text("already shown; {refresh} refreshes")
	}
	_, some := nodeAtCursor(s)
	switch {
	case some:
		return ""
	case slices.Contains(s.Scopes(), action.Nodes):
		return "no node selected"
	}
	return s.DisabledReason(action.Explain)
}
