package ui

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// pinDisk takes an order up that writes the hint for a disk.
func (c *Console) pinDisk(msg screen.PinDisk) tea.Cmd {
	switch {
	case c.env.Session == nil:
		c.say(screen.Say{Level: screen.Warning, Text: "pin: there is no Ironic: no context is open"})
		return nil
	case c.env.ReadOnly:
		c.say(screen.Say{Level: screen.Warning, Text: "pin: " + c.readOnlyText()})
		return nil
	}
	o := order{
		id: action.PinDisk, nodes: []models.NodeRef{msg.Node}, session: c.env.Session, runner: c.env.Session.Runner,
		exact: msg.Pin, command: msg.Words,
	}
	o.runner.ReadOnly = o.runner.ReadOnly || c.env.ReadOnly
	return c.prepare(o)
}
