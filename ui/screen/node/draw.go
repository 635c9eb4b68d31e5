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

// rule draws the line of tabs, or the input while a search is being edited. On the Overview, BMC and Disks tabs, it
// also shows the position.
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
	_, read := s.detail.Value()
	return body.Freshness(time.Now(), s.detail.Asked(), read, s.detail.Busy(), s.detail.Err())
}

// notices returns the lines that every tab shows above its content if the node was deleted, has not been read yet, or
// could not be read. It returns nil otherwise.
func (s *Screen) notices(t *theme.Theme, w, h int) []string {
	var lines []pane.Line
	switch {
	case s.session == nil:
		lines = body.Indented(theme.Muted, s.env.Keys.Text(textNoContext), w, 3)
	case s.gone() && s.known():
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+textDeletedNode, w, 1, 2)
	case s.gone():
		lines = body.IndentedMost(theme.Bad, theme.GlyphFailed+textNoNode+s.uuid+".", w, 1, 2)
	case s.detail.Err() != nil:
		lines = body.Fault(s.detail.Err(), w)
	case !s.known():
		lines = body.Indented(theme.Muted, textLoading, w, 3)
	default:
		return nil
	}
	lines = lines[:min(len(lines), max(h/2, 1))]
	return append(body.Draw(t, lines, w), "")
}
