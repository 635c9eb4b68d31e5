package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Draw draws the number of nodes in each state, the filter, the list and, below it, the latest events.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	s.window = w
	if h <= 2 {
		return cell.Block([]string{s.countsLine(t, w)}, w, h)
	}
	events := eventLines(h)
	lines := []string{s.countsLine(t, w), s.filterLine(t, w)}
	body := h - len(lines)
	if events > 0 {
		body -= events + 1
	}
	s.listAt = len(lines)
	lines = append(lines, s.list(t, w, body)...)
	if events > 0 {
		lines = append(lines, t.Rule(w))
		lines = append(lines, s.lastEvents(t, w, events)...)
	}
	return cell.Block(lines, w, h)
}

// list draws the table and, on a wide terminal, the preview beside it.
func (s *Screen) list(t *theme.Theme, w, h int) []string {
	aside, left := s.previewWidth(w), w
	s.table.Jump = 0
	if aside > 0 {
		left, s.table.Jump = w-aside-1, h/4
		s.needPreviewFields()
	}
	s.resize(left)
	s.table.Resize(left, h)
	s.table.Empty = s.emptyText()
	drawn := s.table.Draw(t)
	if aside > 0 {
		drawn = body.Beside(t, drawn, s.preview(t, aside, h), w, h)
	}
	return body.Split(drawn)
}

func eventLines(h int) int {
	switch {
	case h >= 40:
		return 6
	case h >= 26:
		return 4
	case h >= 16:
		return 2
	}
	return 0
}

// countsLine draws the number of nodes in as many states as fit, the ones that need attention first.
func (s *Screen) countsLine(t *theme.Theme, w int) string {
	total := models.Counted(s.picture.counts.Total, "node")
	if !s.filter.IsZero() {
		total = fmt.Sprintf("%d of %s", len(s.picture.rows), total)
	}
	if marks := len(s.table.Marked()); marks > 0 {
		total = fmt.Sprintf("%d marked · %s", marks, total)
	}
	if !s.env.Status.Complete && s.picture.counts.Total > 0 {
		total += " so far"
	}
	room := w - cell.Width(total) - 3
	counts := s.summary()
	shown := fitting(counts, room-1)
	line, used := " ", 1
	for i := range shown {
		text := counts[i].text()
		line += t.Paint(counts[i].role, text) + "   "
		used += cell.Width(text) + 3
	}
	if more := len(counts) - shown; more > 0 {
		text := fmt.Sprintf(textMoreStates, more)
		line += t.Paint(theme.Muted, text)
		used += cell.Width(text)
	}
	return line + cell.Blanks(w-1-used-cell.Width(total)) + t.Paint(theme.Strong, total)
}

type count struct {
	glyph, word string
	role        theme.Role
	n           int
}

func (c count) text() string { return printable.Line(fmt.Sprintf("%s %d %s", c.glyph, c.n, c.word)) }

// fitting returns how many leading counts fit into room cells, with "+N more" if others are left out.
func fitting(counts []count, room int) int {
	used, fit := 0, 0
	for i := range counts {
		used += cell.Width(counts[i].text())
		rest := 0
		if more := len(counts) - i - 1; more > 0 {
			rest = 3 + cell.Width(fmt.Sprintf(textMoreStates, more))
		}
		if used+rest <= room {
			fit = i + 1
		}
		used += 3
	}
	return fit
}

// summary counts the nodes in each state and in maintenance, the ones that need attention first.
func (s *Screen) summary() []count {
	states := slices.SortedFunc(maps.Keys(s.picture.counts.States), func(a, b models.ProvisionState) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b))
	})
	var counts []count
	maintenance := count{theme.GlyphMaint, "maintenance", theme.Warn, s.picture.counts.Maintenance}
	for _, state := range states {
		glyph, role := theme.State(state)
		// Maintenance comes after failed and held states, and before waiting states.
		if maintenance.n > 0 && !state.Failed() && state.Class() != models.ClassHold {
			counts = append(counts, maintenance)
			maintenance.n = 0
		}
		counts = append(counts, count{glyph, string(state), role, s.picture.counts.States[state]})
	}
	if maintenance.n > 0 {
		counts = append(counts, maintenance)
	}
	return counts
}

// rank ranks a state by how urgently its nodes need attention.
func rank(state models.ProvisionState) int {
	return models.Attention(&models.Row{Node: models.Node{ProvisionState: state}}, time.Time{})
}

// filterLine draws the rule above the list with the filter, or the input line while it is edited.
func (s *Screen) filterLine(t *theme.Theme, w int) string {
	switch {
	case s.typing:
		prompt := " " + t.Paint(theme.Key, "/") + " "
		right := ""
		if s.inputErr != nil {
			right = " " + body.Text(t, theme.Warn, models.OnScreen(s.inputErr), w*2/3)
		}
		room := max(w-3-cell.Width(right), 0)
		return prompt + s.input.Draw(t, room) + right
	case !s.filter.IsZero():
		return body.Rule(t, theme.Accent, " / "+s.filter.String()+" "+s.unknownText(), w)
	}
	return t.Rule(w)
}

// emptyText explains why the list is empty and, where possible, what the operator can do about it.
func (s *Screen) emptyText() string {
	switch {
	case s.env.Session == nil:
		return s.env.Keys.Text("No context is open; {connect} shows why.")
	case s.env.Status.Answered.IsZero() && s.env.Status.Fault != nil:
		return models.OnScreen(s.env.Status.Fault) + s.env.Keys.Text(" ({connect}: details)")
	case s.env.Status.Answered.IsZero():
		return "Loading nodes…"
	case s.picture.counts.Total == 0 && s.env.Status.Complete:
		return s.env.Keys.Text("No nodes yet. {enroll} enrolls nodes from a file or from BMC addresses.")
	case s.picture.counts.Total == 0:
		return "Loading nodes…"
	case !s.filter.IsZero():
		return s.env.Keys.Text("No nodes match the filter. {back} clears it.")
	}
	return ""
}

func (s *Screen) lastEvents(t *theme.Theme, w, n int) []string {
	lines := make([]string, 0, n)
	for _, e := range s.env.Events.Last(n) {
		lines = append(lines, screen.EventLine(t, &e, w))
	}
	if len(lines) == 0 {
		lines = append(lines, t.Paint(theme.Muted, " No events yet."))
	}
	return lines
}

const (
	// previewFrom is the minimum width of the screen, in cells, at which there is room for the preview.
	previewFrom = 140
	// previewLeast and previewMost are the limits for the width of the preview, in cells. Within these limits, the
	// list keeps its roomy width if possible.
	previewLeast = 44
	previewMost  = 60
	// previewFieldsUpTo is the maximum number of nodes for which listings include the preview's additional fields.
	// These fields multiply the size of a listing. In a larger fleet, the preview shows only the fields that are in
	// every listing.
	previewFieldsUpTo = 1000
)

// previewFields returns the API fields that the preview shows but that listings normally do not include.
func previewFields() []string {
	return []string{"driver_info", "properties", "boot_interface", "deploy_interface"}
}

// needPreviewFields requests the preview's fields once the fleet is known not to be too large.
func (s *Screen) needPreviewFields() {
	if s.peeked || s.env.Session == nil || !s.env.Status.Complete {
		return
	}
	s.peeked = true
	if s.env.Session.Store.Len() <= previewFieldsUpTo {
		s.needFields(previewFields()...)
	}
}

// previewWidth returns the preview's width, or 0 if there is none, as when all columns need the whole width.
func (s *Screen) previewWidth(w int) int {
	if s.plain || s.wide || w < previewFrom {
		return 0
	}
	return min(max(w-roomyWidth-1, previewLeast), previewMost)
}

// preview draws the node at the cursor from the Store, so moving the cursor sends no request.
func (s *Screen) preview(t *theme.Theme, w, h int) string {
	at, ok := s.pointed()
	if !ok || s.env.Session == nil {
		return cell.Block(nil, w, h)
	}
	row, evidence, known := s.env.Session.Store.Get(at.Node.UUID)
	if !known {
		row = *at
	}
	n, now := &row.Node, s.env.ServerNow()
	if n.Troubled() && s.env.Session.Changes != nil {
		row.Changes = s.env.Session.Changes(n.UUID, now)
	}
	glyph, role := theme.Node(n)
	lines := []pane.Line{
		{body.S(theme.Strong, " "+n.Label())},
		{body.S(theme.Muted, " "+n.UUID)},
		{body.S(role, " "+glyph+" "+n.StateText()), body.S(theme.Muted, "  "+models.AgeInState(&row, now))},
		nil,
	}
	lines = append(lines, body.IndentedMost(urgency(&row, now), explain.Sentence(&row, evidence, now), w-1, 1, h/2)...)
	lines = append(lines, nil)
	lines = append(lines, body.Details(previewDetails(&row), w)...)
	return cell.Block(body.Draw(t, lines, w), w, h)
}

// previewDetails returns the details that the preview's heading and explanation do not contain.
func previewDetails(r *models.Row) []models.Detail {
	details := models.Details(slices.DeleteFunc(explain.Unsaid(r), func(d models.Detail) bool { return d.Name == "uuid" }))
	if disk, err := explain.FindColumn("disk"); err == nil {
		details.Add("disk", disk.Text(r, r.Since))
	}
	return details
}
