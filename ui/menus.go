package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
)

// show puts an overlay in front.
func (c *Console) show(o screen.Overlay) tea.Cmd {
	c.overlays = append(c.overlays, o)
	if s, ok := o.(interface{ Start() tea.Cmd }); ok {
		return s.Start()
	}
	return nil
}

// toOverlay gives a message to the dialog in front, and takes it away when it is done.
func (c *Console) toOverlay(msg tea.Msg) tea.Cmd {
	last := len(c.overlays) - 1
	done, cmd := c.overlays[last].Update(msg)
	if done {
		c.overlays = slices.Delete(c.overlays, last, last+1)
		return c.atOnce(cmd)
	}
	return cmd
}

// atOnce does a wish before the next key is looked at: what was typed ahead is for what
// the wish brings to the front, and not for what is there until then.
func (c *Console) atOnce(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return c.route(cmd())
}

// footActions are those of some scopes that the footer shows, in its order.
func footActions(scopes []action.Scope) []*action.Action {
	var foot []*action.Action
	for _, a := range action.In(scopes...) {
		if a.Foot > 0 {
			foot = append(foot, a)
		}
	}
	slices.SortStableFunc(foot, func(a, b *action.Action) int { return cmp.Compare(a.Foot, b.Foot) })
	return foot
}

// item is an action in a list: what it does, its key, and why it cannot be done now.
func (c *Console) item(a *action.Action) overlay.Item {
	keys := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		keys[i] = keyText(k)
	}
	return overlay.Item{
		ID: "do " + string(a.ID), Title: string(a.ID), Detail: a.Help,
		Key: strings.Join(keys, " "), Disabled: c.why(a),
	}
}

// help lists what can be done here, and does it.
func (c *Console) help() screen.Overlay {
	var items []overlay.Item
	scopes := c.scopes()
	// The screen's own first: what is everywhere is known soon.
	for _, a := range action.In(scopes[1:]...) {
		items = append(items, c.item(a))
	}
	for _, a := range action.In(action.Everywhere) {
		items = append(items, c.item(a))
	}
	return overlay.NewPick("What can be done here", items, c.picked)
}

// verbs lists what can be done to the nodes that the screen is about.
func (c *Console) verbs() screen.Overlay {
	var items []overlay.Item
	for _, a := range action.In(action.Nodes) {
		if a.ID != action.NodeVerbs && a.ID != action.Explain {
			items = append(items, c.item(a))
		}
	}
	// What can be done comes first, in the order of a machine's life.
	slices.SortStableFunc(items, func(a, b overlay.Item) int {
		return cmp.Compare(min(len(a.Disabled), 1), min(len(b.Disabled), 1))
	})
	return overlay.NewPick("Act on "+c.targetsText(), items, c.picked)
}

// palette lists everything that can be gone to or done.
func (c *Console) palette() tea.Cmd {
	var items []overlay.Item
	for _, a := range action.In(c.scopes()...) {
		switch a.ID {
		case action.Up, action.Down, action.PageUp, action.PageDown, action.Top, action.Bottom,
			action.ScrollLeft, action.ScrollRight, action.Palette:
			continue // nobody moves a cursor by name
		default:
			items = append(items, c.item(a))
		}
	}
	for _, ctx := range c.env.Contexts {
		disabled := ""
		if ctx.Err != nil {
			disabled = "cannot be used, 4 says why: " + models.Printable(ctx.Err.Error())
		}
		items = append(items, overlay.Item{
			ID: "context " + ctx.Name, Title: "context " + models.Printable(ctx.Name), Detail: models.Printable(ctx.Endpoint), Disabled: disabled,
		})
	}
	if c.env.Session == nil {
		return c.show(overlay.NewPick("Go to, or do", items, c.picked))
	}
	// Ten thousand names are sorted off the screen's own time. The list is there at once
	// all the same: what is typed ahead is for it, and not for the screen behind.
	store, pick := c.env.Session.Store, overlay.NewPick("Go to, or do", items, c.picked).Loading()
	return tea.Batch(c.show(pick), func() tea.Msg {
		items := slices.Clone(items)
		byName, _ := explain.FindColumn("name")
		for _, row := range store.Rows(models.Filter{}, byName, false) {
			items = append(items, overlay.Item{
				ID: "node " + row.Node.UUID, Title: models.Printable(row.Node.Label()), Detail: models.Printable(string(row.Node.ProvisionState)),
			})
		}
		return overlay.Items{Of: pick, Items: items}
	})
}

// picked does what was chosen from one of the lists.
func (c *Console) picked(id string) tea.Cmd {
	what, name, _ := strings.Cut(id, " ")
	switch what {
	case "do":
		return screen.Wish(screen.Press{ID: action.ID(name)})
	case "context":
		return screen.Wish(screen.Switch{Context: name})
	case "node":
		return screen.Wish(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: name}})
	}
	return nil
}

// copies lists what can be copied here.
func (c *Console) copies() screen.Overlay {
	list := c.history.front().Copies()
	items := make([]overlay.Item, len(list))
	for i, item := range list {
		items[i] = overlay.Item{ID: fmt.Sprint(i), Title: item.Name, Detail: models.Printable(item.Text)}
	}
	return overlay.NewPick("Copy", items, func(id string) tea.Cmd {
		for i, item := range list {
			if fmt.Sprint(i) == id {
				return screen.Wish(screen.CopyText{Copyable: item})
			}
		}
		return nil
	})
}

// wish does what a screen or a dialog wants.
func (c *Console) wish(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Open:
		return c.openAt(msg)
	case screen.Say:
		c.say(msg)
	case screen.Ask:
		return c.show(msg.Overlay)
	case screen.CopyText:
		return c.copyText(msg.Copyable)
	case screen.Press:
		if a, ok := action.Find(msg.ID); ok {
			return c.pressWith(a, arguments{fieldSettings: msg.Settings})
		}
	case screen.Switch:
		return c.openSession(msg.Context) // tasks go on: each has the session that it began with
	case screen.RetryTask:
		return c.retryTask(msg.Task)
	case screen.ApplyRamdisks:
		return c.applyRamdisks(msg)
	case screen.StartDeployment:
		return c.startDeployment(msg)
	case screen.PinDisk:
		return c.pinDisk(msg)
	case screen.OrderBMC:
		return c.orderBMC(msg)
	case screen.EditFile:
		return c.editFile(msg)
	case screen.LeaveTask:
		c.leaveTask(msg.Task)
	}
	return nil
}

// maxCopy is what terminals take at once with OSC 52.
const maxCopy = 74_000

// copyText puts text into the terminal's clipboard, over SSH too.
func (c *Console) copyText(what screen.Copyable) tea.Cmd {
	if len(what.Text) > maxCopy {
		c.say(screen.Say{Level: screen.Warning, Text: fmt.Sprintf(
			"%s has %d bytes, more than terminals take into the clipboard (%d); use the command instead", what.Name, len(what.Text), maxCopy)})
		return nil
	}
	first, _, _ := strings.Cut(what.Text, "\n")
	c.say(screen.Say{Level: screen.Success, Text: "copied the " + what.Name + ": " + first})
	return tea.SetClipboard(what.Text)
}

// quit ends the console; while tasks run it asks.
func (c *Console) quit() tea.Cmd {
	n := c.env.Tasks.Running()
	if n == 0 || c.asksToQuit {
		return c.leave()
	}
	c.asksToQuit = true // a second ctrl+c means it
	return c.show(overlay.NewConfirm(c.opts.Clock, overlay.Question{
		Title: "Quit", Lines: c.runningLines(),
		Ask: fmt.Sprintf("Stop following %d task%s? What was sent goes on by itself; what was not is not sent.", n, plural(n)),
		Yes: screen.Wish(quitNow{}), No: screen.Wish(stays{}),
	}))
}

// stays takes a wish to quit back.
type stays struct{}
