package ui

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/ui/action"
	"ironworks/ui/screen"
)

// key gives a key to the dialog in front, to a line that is being written, or to the
// action that it presses.
func (c *Console) key(msg tea.KeyPressMsg) tea.Cmd {
	name := msg.String()
	if name == "ctrl+c" {
		return c.do(action.Quit)
	}
	c.toasts.seen(c.opts.Clock.Now())
	if len(c.overlays) > 0 {
		return c.toOverlay(msg)
	}
	s := c.history.front()
	if s != nil && s.Typing() {
		return s.Update(msg)
	}
	a, ok := action.ForKey(name, c.scopes()...)
	if !ok {
		return nil
	}
	return c.press(a)
}

// scopes are what the screen in front has, and what is everywhere.
func (c *Console) scopes() []action.Scope {
	scopes := []action.Scope{action.Everywhere}
	if c.replay() != nil {
		scopes = append(scopes, action.Replay)
	}
	if s := c.history.front(); s != nil {
		scopes = append(scopes, s.Scopes()...)
	}
	return scopes
}

// press does an action, or says why it cannot be done now.
func (c *Console) press(a *action.Action) tea.Cmd {
	if why := c.why(a); why != "" {
		c.say(screen.Say{Level: screen.Warning, Text: string(a.ID) + ": " + why})
		return nil
	}
	return c.do(a.ID)
}

// pressWith is press for an action whose form has something in it already.
func (c *Console) pressWith(a *action.Action, filled arguments) tea.Cmd {
	s := c.history.front()
	if a.Scope != action.Nodes || a.ID == action.NodeVerbs || s == nil || c.why(a) != "" {
		return c.press(a)
	}
	return c.begin(a.ID, s.Targets(), filled)
}

// do carries an action out: the root's own, one on nodes, or the screen's.
func (c *Console) do(id action.ID) tea.Cmd {
	switch id {
	case action.Help:
		return c.show(c.help())
	case action.Palette:
		return c.palette()
	case action.NodeVerbs:
		return c.show(c.verbs())
	case action.Copy:
		return c.show(c.copies())
	case action.Messages:
		return c.show(c.toasts.note())
	case action.Older:
		return c.walk(-1)
	case action.Newer:
		return c.walk(1)
	case action.GoFleet, action.GoEvents, action.GoDrivers, action.GoConnect, action.GoTasks, action.GoIgnition, action.GoWatch:
		return c.home(screen.Kind(id))
	case action.Refresh:
		return c.refresh()
	case action.ReadOnly:
		return c.toggleReadOnly()
	case action.DeployResume:
		return c.resume()
	case action.Explain:
		return c.explain()
	case action.Mouse:
		c.mouse = !c.mouse
		c.say(screen.Say{Text: map[bool]string{
			true: "the mouse scrolls; shift-drag selects text", false: "the mouse is the terminal's again",
		}[c.mouse]})
	case action.Redraw:
		return tea.ClearScreen
	case action.Suspend:
		return tea.Suspend
	case action.Quit:
		return c.quit()
	case action.Back:
		return c.back()
	case action.PlayPause, action.PlayFaster, action.PlaySlower, action.PlayBack, action.PlayAhead, action.PlayPrevious, action.PlayNext, action.PlayTo:
		return c.play(id)
	default:
		return c.doHere(id)
	}
	return nil
}

// doHere does an action on the nodes that the screen is about, or the screen's own.
func (c *Console) doHere(id action.ID) tea.Cmd {
	s := c.history.front()
	if s == nil {
		return nil
	}
	if a, ok := action.Find(id); ok && a.Scope == action.Nodes {
		return c.begin(id, s.Targets(), nil)
	}
	switch id {
	case action.Open, action.Sort, action.PinDisk, action.LogSources, action.LogSerial, action.LogSave,
		action.BMCLogin, action.BMCTrust, action.BMCConsole, action.BMCPower, action.BMCBootOnce, action.BMCInsert, action.BMCEject, action.BMCClearJobs,
		action.BMCResetController:
		return c.atOnce(s.Do(id)) // they are wishes everywhere
	default:
		return s.Do(id)
	}
}

// back drops what narrows the screen's view, or goes to the screen before.
func (c *Console) back() tea.Cmd {
	if n, ok := c.history.front().(screen.Narrowed); ok {
		if cmd, did := n.Widen(); did {
			return cmd
		}
	}
	return c.walk(-1)
}

// why says why an action cannot be done now, "" when it can.
func (c *Console) why(a *action.Action) string {
	s := c.history.front()
	if a.ID == action.Explain {
		return c.whyExplain()
	}
	if c.replay() != nil && (a.Changes || a.Scope == action.Nodes && a.ID != action.NodeVerbs) {
		return "a recording plays: nothing is asked or changed"
	}
	if a.Changes && c.env.ReadOnly {
		return c.readOnlyText()
	}
	switch a.ID {
	case action.Older:
		if c.history.at == 0 {
			return "there is no screen before this one"
		}
	case action.Newer:
		if c.history.at+1 >= len(c.history.visited) {
			return "there is no screen after this one"
		}
	case action.ReadOnly:
		return c.whyReadOnly()
	case action.Copy:
		if s == nil || len(s.Copies()) == 0 {
			return "nothing here can be copied"
		}
	default:
	}
	if s == nil || a.Scope == action.Everywhere {
		return ""
	}
	if why := s.Why(a.ID); why != "" {
		return why
	}
	if a.Scope == action.Nodes {
		return c.whyNodes(a, s.Targets())
	}
	return ""
}

// pasted text goes where text is being written, and nowhere else: it presses no keys.
func (c *Console) pasted(msg tea.PasteMsg) tea.Cmd {
	if len(c.overlays) > 0 {
		return c.toOverlay(msg)
	}
	if s := c.history.front(); s != nil && s.Typing() {
		return s.Update(msg)
	}
	return nil
}

// wheel scrolls as the keys do.
func (c *Console) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	id := action.Down
	if msg.Mouse().Button == tea.MouseWheelUp {
		id = action.Up
	}
	if s := c.history.front(); s != nil && len(c.overlays) == 0 {
		return tea.Batch(s.Do(id), s.Do(id), s.Do(id))
	}
	return nil
}
