package ui

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// startDeployment begins a deployment that a screen has shown and somebody confirmed.
// The plan is carried out by the action that did the checks, whatever the plan says.
func (c *Console) startDeployment(msg screen.StartDeployment) tea.Cmd {
	why := ""
	switch {
	case c.env.Session == nil:
		why = "there is no Ironic: no context is open"
	case c.env.ReadOnly:
		why = c.readOnlyText()
	case msg.Action == nil || len(msg.Plan.Legal()) == 0:
		why = "there is no node that its checks let pass"
	case !msg.Action.CheckedBy(c.env.Session.Checks):
		why = "its checks were done on another Ironic; nothing was sent"
	}
	if why != "" {
		c.say(screen.Say{Level: screen.Warning, Text: "deploy: " + why})
		return nil
	}
	plan := msg.Plan
	plan.Action = msg.Action
	return c.run(order{
		id: action.Verb(models.VerbDeploy), nodes: msg.Nodes, session: c.env.Session, runner: c.env.Session.Runner, command: msg.Command,
	}, plan)
}
