package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/plugin"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/task"
)

const textReplayReadOnly = "not available while a recording plays"

// key sends a key press to the dialog in front or a text input, and otherwise runs the action bound to it.
func (c *Console) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	c.keyAt = time.Now()
	if c.watches() {
		return c.keyWhileFollowing(name)
	}
	if name == "ctrl+c" {
		return c.quit()
	}
	c.toasts.dismissRead(time.Now())
	if c.live != nil {
		c.live.views.reopen = "" // once a key has been pressed, the saved screen is not reopened
	}
	if len(c.overlays) > 0 {
		return c.toOverlay(msg)
	}
	s := c.history.front()
	if s != nil && s.Typing() {
		return s.Update(msg)
	}
	a, ok := c.env.Keys.ForKey(name, c.scopes()...)
	if !ok {
		return nil
	}
	return c.press(a)
}

func (c *Console) scopes() []action.Scope {
	scopes := []action.Scope{action.Everywhere}
	if c.replay() != nil {
		scopes = append(scopes, action.Replay)
	}
	if c.env.Seat != nil {
		scopes = append(scopes, action.Team)
	}
	if s := c.history.front(); s != nil {
		scopes = append(scopes, s.Scopes()...)
	}
	return scopes
}

// press runs an action, or shows the reason why it is disabled.
func (c *Console) press(a *action.Action) tea.Cmd {
	if why := c.disabledReason(a); why != "" {
		c.Say(screen.Say{Level: screen.Warning, Text: string(a.ID) + ": " + why})
		return nil
	}
	return c.do(a)
}

// pressWith runs an action as press does, and fills in the action's form, if it has one, with the given arguments.
func (c *Console) pressWith(a *action.Action, filled task.Arguments) tea.Cmd {
	s := c.history.front()
	if a.Scope != action.Nodes || a.ID == action.NodeVerbs || s == nil || c.disabledReason(a) != "" {
		return c.press(a)
	}
	return c.tasks.Begin(a.ID, s.Targets(), filled)
}

// do runs an action, without checking whether it is enabled.
func (c *Console) do(a *action.Action) tea.Cmd {
	switch id := a.ID; id {
	case action.Help:
		return c.Show(c.help())
	case action.Palette:
		return c.palette()
	case action.NodeVerbs:
		return c.Show(c.verbs())
	case action.Copy:
		return c.Show(c.copies())
	case action.Who:
		return c.Show(c.userList())
	case action.SayAll:
		return c.Show(c.messageForm())
	case action.Messages:
		return c.Show(c.toasts.list())
	case action.Older:
		return c.walk(-1)
	case action.Newer:
		return c.walk(1)
	case action.GoFleet, action.GoEvents, action.GoDrivers, action.GoConnect, action.GoTasks, action.GoIgnition, action.GoWatch, action.GoEnroll, action.GoRules, action.GoTemplates, action.GoRunbooks:
		return c.Home(screen.Kind(id))
	case action.Refresh:
		return c.refresh()
	case action.ReadOnly:
		return c.toggleReadOnly()
	case action.DeployResume:
		return c.tasks.Resume()
	case action.Explain:
		return c.explain()
	case action.Mouse:
		c.mouse = !c.mouse
		c.Say(screen.Say{Text: map[bool]string{
			true: "mouse on: click selects, a second click opens; shift-drag selects text", false: "mouse off",
		}[c.mouse]})
	case action.Redraw:
		if c.painter != nil {
			c.painter.erase()
		}
	case action.Suspend:
		return c.Exec(&stopped{}, func(err error) tea.Msg {
			if err == nil {
				return nil
			}
			return screen.Say{Level: screen.Failure, Text: models.OnScreen(err)}
		})
	case action.Quit:
		return c.quit()
	case action.Back:
		return c.back()
	case action.PlayPause, action.PlayFaster, action.PlaySlower, action.PlayBack, action.PlayAhead, action.PlayPrevious, action.PlayNext, action.PlayTo:
		return c.play(id)
	default:
		return c.doHere(a)
	}
	return nil
}

// doHere runs an action on the nodes selected on the current screen, or an action of the screen itself.
func (c *Console) doHere(a *action.Action) tea.Cmd {
	s := c.history.front()
	if s == nil {
		return nil
	}
	if a.Scope == action.Nodes || c.env.Plugins[a.ID] != nil {
		return c.tasks.Begin(a.ID, s.Targets(), nil)
	}
	switch a.ID {
	case action.Open, action.Sort, action.EnrollGo, action.PinDisk, action.LogSources, action.LogSerial, action.LogSave,
		action.BMCLogin, action.BMCTrust, action.BMCConsole, action.BMCPower, action.BMCBootOnce, action.BMCInsert, action.BMCEject, action.BMCClearJobs,
		action.BMCResetController, action.PortCreate, action.PortEdit, action.PortDelete, action.PortMissing, action.GroupCreate, action.GroupEdit, action.GroupDelete,
		action.VIFAttach, action.VIFDetach, action.RulesTest, action.RulesApply, action.RulesDelete,
		action.StepsNew, action.StepsApply, action.StepsDelete, action.StepsRun,
		action.HardwareAdd, action.HardwareApply, action.HardwareGolden, action.HardwareReset:
		return c.atOnce(s.Do(a.ID)) // the screen decides what to do
	default:
		return s.Do(a.ID)
	}
}

// back clears the filter or search of the current screen; if there is none, it returns to the previous screen.
func (c *Console) back() tea.Cmd {
	if n, ok := c.history.front().(screen.Narrowed); ok {
		if cmd, did := n.Widen(); did {
			return cmd
		}
	}
	return c.walk(-1)
}

func (c *Console) disabledReason(a *action.Action) string {
	s := c.history.front()
	if why := c.env.Forbidden[a.ID]; why != "" {
		return why
	}
	if a.ID == action.Explain {
		return c.whyExplain()
	}
	if c.replay() != nil && (a.Changes || a.ID == action.GoEnroll || a.Scope == action.Nodes && a.ID != action.NodeVerbs) {
		return textReplayReadOnly
	}
	if p := c.env.Plugins[a.ID]; p != nil {
		return c.whyPlugin(p)
	}
	if why := c.env.WhyReadOnly(); a.Changes && why != "" {
		return why
	}
	switch a.ID {
	case action.Older:
		if c.history.at == 0 {
			return "no previous screen"
		}
	case action.Newer:
		if c.history.at+1 >= len(c.history.visited) {
			return "no next screen"
		}
	case action.ReadOnly:
		return c.env.ReadOnlyByConfig()
	case action.Copy:
		if s == nil || len(s.Copies()) == 0 {
			return "nothing to copy"
		}
	default:
	}
	if s == nil || a.Scope == action.Everywhere {
		return ""
	}
	if why := s.DisabledReason(a.ID); why != "" {
		return why
	}
	if a.Scope == action.Nodes {
		return c.tasks.WhyNot(a, s.Targets())
	}
	return ""
}

func (c *Console) whyPlugin(p *plugin.Plugin) string {
	var nodes []models.NodeRef
	switch s := c.history.front(); {
	case c.replay() != nil:
		return textReplayReadOnly
	case s != nil:
		nodes = s.Targets()
	}
	return c.tasks.WhyNoPlugin(p, nodes)
}

// pasted sends pasted text to the dialog in front or to a text input. A paste never runs actions.
func (c *Console) pasted(msg tea.PasteMsg) tea.Cmd {
	if c.watches() {
		return nil
	}
	if len(c.overlays) > 0 {
		return c.toOverlay(msg)
	}
	if s := c.history.front(); s != nil && s.Typing() {
		return s.Update(msg)
	}
	return nil
}

// explain opens the Explain screen for the node at the cursor, whichever nodes are marked.
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

func nodeAtCursor(s screen.Screen) (models.NodeRef, bool) {
	if p, is := s.(screen.Pointing); is {
		return p.NodeAtCursor()
	}
	if targets := s.Targets(); len(targets) > 0 {
		return targets[0], true
	}
	return models.NodeRef{}, false
}

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

// Show opens a dialog in front of all open dialogs.
func (c *Console) Show(o screen.Overlay) tea.Cmd {
	c.overlays = append(c.overlays, o)
	if f, ok := o.(*overlay.Form); ok {
		f.WithoutFiles(c.env.WhyNoFiles)
		f.Recall(c.env.Entered)
	}
	if s, ok := o.(interface{ Start() tea.Cmd }); ok {
		return s.Start()
	}
	return nil
}

// Dismiss closes a dialog, even if others are in front of it.
func (c *Console) Dismiss(o screen.Overlay) {
	c.overlays = slices.DeleteFunc(c.overlays, func(one screen.Overlay) bool { return one == o })
}

// toOverlay sends a message to the dialog in front, and closes the dialog if it is done.
func (c *Console) toOverlay(msg tea.Msg) tea.Cmd {
	last := len(c.overlays) - 1
	done, cmd := c.overlays[last].Update(msg)
	if done {
		c.overlays = slices.Delete(c.overlays, last, last+1)
		return c.atOnce(cmd)
	}
	return cmd
}

// atOnce runs cmd before the next key is handled, so that keys typed ahead reach the dialog that it opens.
func (c *Console) atOnce(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return c.route(cmd())
}
