package node

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/pane"
)

// pane returns the pane that shows the text of the current tab, or nil if the tab shows a list.
func (s *Screen) pane() *pane.Pane { return s.tabs[s.tab].text }

// mover returns the part of the current tab that scrolls: its list or its text.
func (s *Screen) mover() body.Mover {
	if list := s.tabs[s.tab].list; list != nil {
		return list
	}
	return s.pane()
}

// Do runs the screen's action with the given ID.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if tab, shows := tabOf(id); shows {
		if tab == logTab {
			return s.openLog()
		}
		return s.goTo(tab)
	}
	switch id {
	case action.NextTab:
		return s.goTo(s.tab + 1)
	case action.PrevTab:
		return s.goTo(s.tab + tabCount - 1)
	case action.Diff:
		if s.DisabledReason(id) == "" {
			s.raw.diffing = !s.raw.diffing
			s.raw.lay()
		}
		return nil
	case action.PinDisk:
		if s.DisabledReason(id) != "" {
			return nil
		}
		return s.askPin()
	case action.Preview:
		return s.showDisk()
	case action.Open:
		switch s.tab {
		case disksTab:
			return screen.Send(screen.Press{ID: action.PinDisk})
		case networkTab:
			return screen.Send(screen.Press{ID: action.PortEdit})
		case timelineTab:
			return s.openWork()
		}
	default:
	}
	if s.tab == logTab {
		return s.shownLog().Do(id)
	}
	if mine, cmd := s.doPorts(id); mine {
		return cmd
	}
	if mine, cmd := s.doBMC(id); mine {
		return cmd
	}
	p := s.pane()
	if body.Steer(s.mover(), id, s.step()) || p == nil {
		return nil
	}
	switch id {
	case action.Search:
		s.prompt.Begin(p.Query())
	case action.NextMatch:
		p.Next()
	case action.PrevMatch:
		p.Prev()
	case action.WrapLines:
		if s.tab == rawTab {
			p.SetWrap(!p.Wrap())
		}
	default:
	}
	return nil
}

// Click selects the tab or the row at the given position. open reports whether to open the row, because it was
// already selected.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if y == 1 {
		if tab := s.tabLine.At(x); tab >= 0 {
			return false, s.Do(tabActions()[tab])
		}
		return false, nil
	}
	at := &s.tabs[s.tab]
	return at.list != nil && at.list.Click(x, y-s.listAt).WasCurrent && at.opens, nil
}

func (s *Screen) step() int {
	if s.pane() != nil {
		return body.ScrollStep
	}
	return 1
}

func (s *Screen) goTo(tab int) tea.Cmd {
	s.tab = tab % tabCount
	s.setSteps()
	s.setTimeline()
	return s.open()
}

// typed handles a key press in the search input. The view jumps to a match after every key press.
func (s *Screen) typed(msg tea.Msg) {
	p := s.pane()
	if p == nil {
		return
	}
	switch s.prompt.Update(msg) {
	case body.Changed:
		s.prompt.Note = ""
		if !p.Search(s.prompt.Text()) && s.prompt.Text() != "" {
			s.prompt.Note = "not found"
		}
	case body.Abandoned:
		p.Search("")
	case body.Accepted, body.Ignored:
	}
}

// Widen clears the search. On the Log tab, it widens the log or, if that is not possible, leaves a recorded log.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.tab == logTab {
		if s.shownLog().Widen() {
			return nil, true
		}
		return s.leaveKept()
	}
	p := s.pane()
	if p == nil || p.Query() == "" {
		return nil, false
	}
	p.Search("")
	return nil, true
}

// Copies returns what the current tab offers for copying, the result of [screen.NodeCopies] for the node, and the
// node's row in the node list. Until the node is known, it returns only the UUID.
func (s *Screen) Copies() []screen.Copyable {
	if !s.known() {
		return []screen.Copyable{{Name: "uuid", Text: s.uuid}}
	}
	row := s.picture()
	copies := append(s.tabs[s.tab].copies(), screen.NodeCopies(s.env, &row.Node)...)
	return append(copies, screen.Copyable{Name: "row", Text: s.rowText(&row), Shape: screen.Row})
}

func (s *Screen) stepCopies() []screen.Copyable {
	st, ok := s.steps.Cursor()
	if !ok {
		return nil
	}
	return []screen.Copyable{{Name: "step", Text: st.label}, {Name: "arguments", Text: st.args}}
}

func (s *Screen) portCopies() []screen.Copyable {
	p, ok := s.ports.Cursor()
	if !ok {
		return nil
	}
	return []screen.Copyable{{Name: "address", Text: p.Address}, {Name: "port uuid", Text: p.UUID}}
}

func (s *Screen) historyCopies() []screen.Copyable {
	e, ok := s.entries.Cursor()
	if !ok {
		return nil
	}
	return []screen.Copyable{{Name: "event", Text: e.Event, Shape: screen.Lines}}
}

func (s *Screen) rawCopies() []screen.Copyable {
	if s.raw.text == "" {
		return nil
	}
	return []screen.Copyable{{Name: "yaml", Text: s.raw.text, Shape: screen.Lines}}
}

func (s *Screen) diskCopies() []screen.Copyable {
	d, ok := s.diskRows.Cursor()
	if !ok {
		return nil
	}
	copies := []screen.Copyable{{Name: "disk", Text: d.name}, {Name: "why", Text: d.why}}
	for _, a := range d.attributes {
		if a.Name == "serial" || a.Name == "wwn" || a.Name == "by-path" {
			copies = append(copies, screen.Copyable{Name: a.Name, Text: a.Value})
		}
	}
	return copies
}

// rowText returns the node's row in the node list, without columns that need additional API fields.
func (s *Screen) rowText(row *models.Row) string {
	var cells []string
	for _, c := range explain.Columns() {
		if c.Field == "" {
			cells = append(cells, c.Text(row, s.env.ServerNow()))
		}
	}
	return strings.Join(cells, "\t")
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	if a, ok := action.Find(id); ok && a.Scope == action.Nodes {
		return s.whyNode()
	}
	if s.tab == logTab {
		if why := s.shownLog().DisabledReason(id); why != "" {
			return why
		}
	}
	if a, ok := action.Find(id); ok && a.Scope == action.NodeBMC {
		return s.whyBMC(id)
	}
	if a, ok := action.Find(id); ok && a.Scope == action.NodeNet {
		return s.whyPorts(id)
	}
	switch id {
	case action.PinDisk:
		return s.whyPin()
	case action.Preview:
		if _, some := s.diskRows.Cursor(); !some {
			return textNoDisk
		}
	case action.Open:
		switch s.tab {
		case disksTab:
			return s.whyPin()
		case networkTab:
			return s.whyPorts(action.PortEdit)
		}
		if _, some := s.timeline.list.Cursor(); some && s.tab == timelineTab {
			return ""
		}
		return "no further details"
	case action.Diff:
		switch {
		case s.tab != rawTab:
			return "only in the Raw tab"
		case s.raw.before == nil:
			return s.env.Keys.Text("fetched only once; {refresh} fetches again")
		}
	case action.NextMatch, action.PrevMatch:
		if p := s.pane(); p != nil && p.Query() == "" {
			return "no search text"
		}
	case action.WrapLines:
		if s.tab == overviewTab || s.tab == bmcTabPlace {
			return "lines are already wrapped"
		}
	default:
	}
	return ""
}

func (s *Screen) whyNode() string {
	switch {
	case s.session == nil:
		return textNotConnected
	case s.gone():
		return "the node was deleted"
	case !s.known():
		return "the node is not loaded yet"
	}
	return "" // the root decides about each action
}
