package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// applyRamdisks takes an order up that writes into nodes what they boot.
func (c *Console) applyRamdisks(msg screen.ApplyRamdisks) tea.Cmd {
	return c.orderMade("apply", order{
		id: action.IgnitionApply, nodes: msg.Nodes, command: msg.Words,
		exact: provision.ApplyRamdisk(provision.RamdiskOptions{For: msg.For, CheckParams: func(params string) error {
			return models.CheckKernelAppendParams(params, models.ConfiguredKernelParameters)
		}}),
	})
}

// pinDisk takes an order up that writes the hint for a disk.
func (c *Console) pinDisk(msg screen.PinDisk) tea.Cmd {
	return c.orderMade("pin", order{id: action.PinDisk, nodes: []models.NodeRef{msg.Node}, command: msg.Words, exact: msg.Pin})
}

// orderBMC takes an order to a BMC up.
func (c *Console) orderBMC(msg screen.OrderBMC) tea.Cmd {
	return c.orderMade("BMC", order{id: action.ShowBMC, nodes: []models.NodeRef{msg.Node}, command: msg.Words, made: msg.Action})
}

// orderMade takes an order up whose action is made already; what is its name in what is
// said of it.
func (c *Console) orderMade(what string, o order) tea.Cmd {
	switch {
	case c.env.Session == nil:
		c.say(screen.Say{Level: screen.Warning, Text: what + ": there is no Ironic: no context is open"})
		return nil
	case c.env.ReadOnly:
		c.say(screen.Say{Level: screen.Warning, Text: what + ": " + c.readOnlyText()})
		return nil
	}
	o.session, o.runner = c.env.Session, c.env.Session.Runner
	o.runner.ReadOnly = o.runner.ReadOnly || c.env.ReadOnly
	return c.prepare(o)
}

// askExact shows the requests as they will be sent, and asks: always, for what a
// machine boots into, or installs to, is easily the wrong thing.
func (c *Console) askExact(p prepared) tea.Cmd {
	previews := p.plan.Preview()
	var lines []overlay.Text
	changes := 0
	for i, preview := range previews {
		if i > 0 {
			lines = append(lines, overlay.Text{})
		}
		lines = append(lines, previewLines(preview)...)
		if preview.Refusal == nil && !preview.Unchanged() {
			changes++
		}
	}
	if changes == 0 {
		return c.show(overlay.NewNote("Nothing to send", lines))
	}
	q := overlay.Question{
		Title: p.plan.Action.Name() + " " + planText(p.plan.Legal()), Lines: lines,
		Ask: fmt.Sprintf("Send %d request%s?", changes, plural(changes)), Yes: screen.Wish(confirmed{p}),
	}
	if changes > 1 {
		q.Type = strconv.Itoa(changes)
		q.Ask += " Type their number to go on."
	}
	return c.show(overlay.NewConfirm(c.opts.Clock, q))
}

// previewLines are what would be sent to one node, and the same for a shell.
func previewLines(p provision.Preview) []overlay.Text {
	lines := []overlay.Text{{Role: theme.Strong, Text: models.Printable(p.Node.Label())}}
	add := func(role theme.Role, text string) {
		lines = append(lines, overlay.Text{Role: role, Text: "  " + models.Printable(text), Indent: 4})
	}
	switch {
	case p.Refusal != nil:
		add(theme.Warn, "left out: "+p.Refusal.Error())
	case p.Unchanged():
		add(theme.Muted, "is so already: nothing is sent")
	}
	for _, w := range p.Warnings {
		add(theme.Warn, theme.GlyphMaint+" "+w)
	}
	for _, r := range p.Requests {
		add(theme.Plain, strings.TrimSpace(r.Method+" "+r.Path+" "+string(r.Payload())))
	}
	for _, command := range p.Commands {
		add(theme.Muted, command)
	}
	return lines
}

// words are the command line that does what was ordered.
func (o *order) words(nodes []string) []string {
	switch {
	case o.command != nil:
		return o.command
	case o.exact != nil:
		return append([]string{"ignition", "serve", "--per-node", "--apply"}, nodes...)
	}
	return append(words(o.id, o.args, nodes), o.overrideWords()...)
}
