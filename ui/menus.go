package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/fleet"
	"ironworks/ui/task"
)

const (
	textPaletteTitle = "Go to or run"
	textCopyTooLong  = "%s is too long for the clipboard (%d bytes, limit %d); copy the command instead"
)

// targetsText describes the nodes selected on the current screen: the name of a single node, or the number of nodes.
func (c *Console) targetsText() string {
	s := c.history.front()
	if s == nil {
		return "no node"
	}
	targets := s.Targets()
	if len(targets) == 1 {
		return targets[0].Label()
	}
	return fmt.Sprintf("%d marked nodes", len(targets))
}

func (c *Console) footActions() []*action.Action {
	var foot []*action.Action
	for _, a := range c.env.Keys.In(c.scopes()...) {
		if a.Foot > 0 {
			foot = append(foot, a)
		}
	}
	slices.SortStableFunc(foot, func(a, b *action.Action) int { return cmp.Compare(a.Foot, b.Foot) })
	return foot
}

func (c *Console) item(a *action.Action) overlay.Item {
	keys := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		keys[i] = action.KeyText(k)
	}
	return overlay.Item{
		ID: "do " + string(a.ID), Title: string(a.ID), Detail: a.Help,
		Key: strings.Join(keys, " "), Disabled: c.disabledReason(a), Why: func() string { return c.disabledReason(a) },
	}
}

// help returns a menu of the actions by topic. The current screen's topics come first, shared ones last.
func (c *Console) help() screen.Overlay {
	scopes := c.scopes()
	actions := c.env.Keys.In(scopes...)
	slices.SortStableFunc(scopes, func(a, b action.Scope) int { return cmp.Compare(a.Common(), b.Common()) })
	var items []overlay.Item
	for _, scope := range slices.Compact(scopes) {
		headed := false
		for _, a := range actions {
			if a.Scope != scope {
				continue
			}
			if !headed {
				items, headed = append(items, overlay.Item{ID: "topic " + string(scope), Title: scope.Title(), Heading: true}), true
			}
			items = append(items, c.menuItem(a))
		}
	}
	return overlay.NewPick("Actions", items, c.picked)
}

// menuItem returns the menu item of an action, and makes the action's keys work while the menu is open.
func (c *Console) menuItem(a *action.Action) overlay.Item {
	item := c.item(a)
	item.Keys = a.Keys
	return item
}

func (c *Console) verbs() screen.Overlay {
	var items []overlay.Item
	for _, a := range c.env.Keys.In(action.Nodes) {
		if a.ID != action.NodeVerbs && a.ID != action.Explain {
			items = append(items, c.menuItem(a))
		}
	}
	// Enabled actions come first; apart from that, the order follows a node's life.
	slices.SortStableFunc(items, func(a, b overlay.Item) int {
		return cmp.Compare(min(len(a.Disabled), 1), min(len(b.Disabled), 1))
	})
	return overlay.NewPick("Act on "+c.targetsText(), items, c.picked)
}

func (c *Console) palette() tea.Cmd {
	var items []overlay.Item
	for _, a := range c.env.Keys.In(c.scopes()...) {
		switch a.ID {
		case action.Up, action.Down, action.PageUp, action.PageDown, action.Top, action.Bottom,
			action.ScrollLeft, action.ScrollRight, action.Palette:
			continue // moving the cursor needs no name
		default:
			items = append(items, c.item(a))
		}
	}
	for _, ctx := range c.env.Contexts {
		disabled := ""
		if ctx.Err != nil {
			disabled = c.env.Keys.Text("unusable ({connect} shows details): ") + models.OnScreen(ctx.Err)
		}
		items = append(items, overlay.Item{
			ID: "context " + ctx.Name, Title: "context " + ctx.Name, Detail: ctx.Endpoint, Disabled: disabled,
		})
	}
	if c.env.Session == nil {
		return c.Show(overlay.NewPick(textPaletteTitle, items, c.picked))
	}
	saved := c.env.Session.Filters
	for _, name := range saved.Names() {
		items = append(items, overlay.Item{ID: "filter @" + name, Title: "@" + name, Detail: saved.Text(name)})
	}
	for _, field := range fleet.GroupFields() {
		items = append(items, overlay.Item{ID: "group " + field, Title: "group " + field, Detail: "group the fleet by " + field})
	}
	for _, column := range explain.Columns() {
		items = append(items, overlay.Item{ID: "sort " + column.Key, Title: "sort " + column.Key, Detail: "sort the fleet by " + column.Key})
	}
	// Sorting 10,000 names takes too long for Update, so a command does it. The palette nevertheless opens
	// immediately, so that it receives keys that are typed ahead.
	store, pick := c.env.Session.Store, overlay.NewPick(textPaletteTitle, items, c.picked).Loading()
	return tea.Batch(c.Show(pick), func() tea.Msg {
		items := slices.Clone(items)
		byName, _ := explain.FindColumn("name")
		rows := store.Rows(filter.Filter{}, byName, false)
		for _, key := range []string{"state:", "class:"} {
			for _, filter := range saved.Complete(key, rows) {
				items = append(items, overlay.Item{ID: "filter " + filter, Title: filter, Detail: "filter the fleet"})
			}
		}
		for _, row := range rows {
			items = append(items, overlay.Item{
				ID: "node " + row.Node.UUID, Title: row.Node.Label(), Detail: string(row.Node.ProvisionState),
			})
		}
		return overlay.Items{Of: pick, Items: items}
	})
}

// picked carries out the choice of a menu item, whose ID is a kind, such as "node", a space, and an argument.
func (c *Console) picked(id string) tea.Cmd {
	what, name, _ := strings.Cut(id, " ")
	switch what {
	case "do":
		return screen.Send(screen.Press{ID: action.ID(name)})
	case "context":
		return screen.Send(screen.Switch{Context: name})
	case "filter":
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindFleet}, Message: fleet.UseFilter(name)})
	case "sort":
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindFleet}, Message: fleet.SortBy(name)})
	case "group":
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindFleet}, Message: fleet.GroupBy(name)})
	case "node":
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: name}})
	}
	return nil
}

func (c *Console) copies() screen.Overlay {
	list := c.history.front().Copies()
	items := make([]overlay.Item, len(list))
	for i, item := range list {
		items[i] = overlay.Item{ID: strconv.Itoa(i), Title: item.Name, Detail: item.Text}
	}
	return overlay.NewPick("Copy", items, func(id string) tea.Cmd {
		i, _ := strconv.Atoi(id)
		return screen.Send(screen.CopyText{Copyable: list[i]})
	})
}

// handleRequest carries out a request sent by a screen or dialog. It forwards any other message.
func (c *Console) handleRequest(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Open:
		return c.openAt(msg)
	case screen.Say:
		c.Say(msg)
	case screen.Ask:
		return c.Show(msg.Overlay)
	case screen.CopyText:
		return c.copyText(msg.Copyable)
	case screen.Press:
		if a, ok := c.env.Keys.Find(msg.ID); ok {
			return c.pressWith(a, task.Arguments{task.FieldSettings: msg.Settings})
		}
	case screen.Switch:
		return c.openSession(msg.Context) // tasks continue, because each keeps its own session
	case screen.RetryTask:
		return c.tasks.Retry(msg.Task)
	case screen.StartAction:
		return c.tasks.Start(msg)
	case screen.StartEnroll:
		return c.tasks.Enroll(msg)
	case screen.StartDeployment:
		return c.tasks.Deploy(msg)
	case screen.EditFile:
		return c.editFile(msg)
	case screen.CancelNode:
		c.env.Tasks.CancelNode(msg.Task, msg.UUID)
	case screen.LeaveTask:
		c.env.Tasks.StopFollowing(msg.Task)
	default:
		return c.forward(msg)
	}
	return nil
}

// maxCopy is the greatest length, in bytes, that common terminals accept in OSC 52.
const maxCopy = 74_000

// copyText copies text to the terminal's clipboard with OSC 52, which also works over SSH.
func (c *Console) copyText(what screen.Copyable) tea.Cmd {
	text := what.Printable()
	if len(text) > maxCopy {
		c.Say(screen.Say{Level: screen.Warning, Text: fmt.Sprintf(textCopyTooLong, what.Name, len(text), maxCopy)})
		return nil
	}
	first, _, _ := strings.Cut(text, "\n")
	c.Say(screen.Say{Level: screen.Success, Text: "copied the " + what.Name + ": " + first})
	return c.send(ansi.SetSystemClipboard(text))
}

// quit ends the console. If this would end running tasks, it asks first.
func (c *Console) quit() tea.Cmd {
	n := c.env.Tasks.Running()
	if n == 0 || c.asksToQuit || c.opts.Tasks != nil { // on a server, tasks continue without the console
		return c.shutDown()
	}
	c.asksToQuit = true // a second ctrl+c quits
	return c.Show(overlay.NewConfirm(overlay.Question{
		Title: "Quit", Lines: c.tasks.Running(),
		Ask: "Stop following " + models.Counted(n, "task") + "? Requests already sent continue in Ironic; the others are not sent.",
		Yes: screen.Send(quitNow{}), No: screen.Send(quitCanceled{}),
	}))
}

type quitCanceled struct{}
