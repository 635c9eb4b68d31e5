package node

import (
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Draw draws the heading, the line of tabs, and the current tab.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	content := s.content(t, w, max(h-2, 0)) // drawn first, because it sets the scroll position that the line of tabs shows
	return body.Page(t, w, h, s.heading(t, w), s.rule(t, w), func(int) string { return content })
}

func (s *Screen) content(t *theme.Theme, w, h int) string {
	top := s.notices(t, w, h)
	s.listAt = 0
	room := h - len(top)
	var lines []string
	if room > 0 && s.known() {
		lines = s.tabs[s.tab].draw(t, w, room)
	}
	s.listAt += body.PageTop + len(top)
	return cell.Block(append(top, lines...), w, h)
}

// rule draws the line of tabs, or the input while a search is being edited. On some tabs, it also shows the position.
func (s *Screen) rule(t *theme.Theme, w int) string {
	if s.prompt.Typing() {
		return s.prompt.Draw(t, w, "")
	}
	place := ""
	if p := s.pane(); p != nil && s.tab != rawTab && s.known() && p.Len() > s.room {
		place = p.Position()
	}
	if _, some := s.diskRows.Cursor(); some && s.tab == disksTab {
		place = fmt.Sprintf("%d of %d", s.diskRows.Index()+1, s.diskRows.Len())
	}
	titles := make([]string, tabCount)
	for i := range s.tabs {
		titles[i] = s.tabs[i].title
	}
	return s.tabLine.Draw(t, titles, s.tab, place, w)
}

// heading draws the node's name, its state, the time in this state, and the age of the data.
func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " "+cell.Cut(s.label(), max(w/3, 12)))}
	if !s.known() {
		return body.Line(t, w, left, nil)
	}
	row := s.picture()
	glyph, role := theme.Node(&row.Node)
	left = append(left, body.S(role, "  "+glyph+" "+row.Node.StateText()))
	if age := models.AgeInState(&row, s.env.ServerNow()); age != "" {
		left = append(left, body.S(theme.Muted, "  "+age))
	}
	return body.Line(t, w, left, []body.Span{s.freshness()})
}

// freshness returns the age of the fields that are not in the Store, or "deleted" if the node was deleted.
func (s *Screen) freshness() body.Span {
	if s.gone() {
		return body.S(theme.Bad, "deleted")
	}
	return body.FreshnessOf(s.detail)
}

// notices returns what every tab shows first if the node was deleted, is not read yet, or could not be read.
func (s *Screen) notices(t *theme.Theme, w, h int) []string {
	var lines []pane.Line
	switch {
	case s.session == nil:
		lines = body.Indented(theme.Muted, s.env.Keys.Text("No context is open; {connect} shows why."), w, 3)
	case s.gone() && s.known():
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+textDeletedNode, w, 1, 2)
	case s.gone():
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+" Ironic has no node "+s.uuid+".", w, 1, 2)
	case s.detail.Err() != nil:
		lines = body.Fault(s.detail.Err(), w)
	case !s.known():
		lines = body.Indented(theme.Muted, "Loading the node…", w, 3)
	default:
		return nil
	}
	lines = lines[:min(len(lines), max(h/2, 1))]
	return append(body.Draw(t, lines, w), "")
}

// readStore reads the node from the Store and reports whether it has changed, apart from its log.
func (s *Screen) readStore() (changed bool) {
	if s.session == nil {
		return false
	}
	row, evidence, ok := s.session.Store.Get(s.uuid)
	s.inStore = ok
	if !ok {
		return false
	}
	s.evidence = evidence
	if s.seen && row.SameButLog(&s.row) {
		s.row.Log = row.Log
		return false
	}
	s.row, s.seen, s.rowAt = row, true, time.Now()
	return true
}

func (s *Screen) known() bool {
	_, read := s.detail.Value()
	return s.seen || read
}

func (s *Screen) gone() bool {
	return s.seen && !s.inStore || models.IsFault(s.detail.Err(), models.FaultNotFound)
}

// picture returns the node's row: all fields as last read, and those of the Store if they are newer.
func (s *Screen) picture() models.Row {
	n, read := s.detail.Value()
	switch {
	case !read:
		return s.row
	case !s.seen:
		return models.Row{Node: *n}
	}
	row := s.row
	row.Node = *n
	if s.rowAt.After(s.detail.Asked()) {
		putOver(&row.Node, &s.row.Node)
	}
	if row.Node.ProvisionState.Phase() != s.row.Node.ProvisionState.Phase() {
		// The Store does not contain this state yet, so the start of the state is unknown.
		row.Since, row.FirstSeen, row.Reason = s.detail.Asked().Add(s.env.Status.Skew), s.detail.Asked(), ""
	}
	return row
}

// putOver copies fields from list to n: the fields that node lists contain; see [models.ListFields].
func putOver(n, list *models.Node) {
	n.Name, n.InstanceUUID = list.Name, list.InstanceUUID
	n.ProvisionState, n.TargetProvisionState = list.ProvisionState, list.TargetProvisionState
	n.PowerState, n.TargetPowerState = list.PowerState, list.TargetPowerState
	n.Maintenance, n.MaintenanceReason, n.Fault = list.Maintenance, list.MaintenanceReason, list.Fault
	n.LastError, n.Reservation = list.LastError, list.Reservation
	n.Driver, n.ResourceClass, n.Owner = list.Driver, list.ResourceClass, list.Owner
	n.DeployStep, n.CleanStep, n.ServiceStep = list.DeployStep, list.CleanStep, list.ServiceStep
	n.Protected, n.Retired = list.Protected, list.Retired
	n.ProvisionUpdatedAt = list.ProvisionUpdatedAt
	if list.Internal != nil {
		n.Internal = list.Internal
	}
}

func (s *Screen) label() string {
	row := s.picture()
	if label := row.Node.Label(); label != "" {
		return label
	}
	return s.uuid
}
