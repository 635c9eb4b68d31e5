package ui

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/screen"
)

// watchStarted goes to the Watch screen when a deployment was begun, so that one sees
// how it goes; the screen before is one step back.
func (c *Console) watchStarted(t *screen.Task) tea.Cmd {
	if c.env.Session == nil || t.Context != c.env.Session.Context.Name {
		return nil
	}
	switch models.Verb(t.Plan.Action.Name()) {
	case models.VerbDeploy, models.VerbRebuild:
		return c.home(screen.KindWatch)
	default:
		return nil
	}
}
