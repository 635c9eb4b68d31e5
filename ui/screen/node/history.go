package node

import (
	"slices"
	"time"

	"ironworks/models"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

// setHistoryColumns sets the columns of the history. It omits state and duration if this Ironic does not record them.
func (s *Screen) setHistoryColumns() {
	cols := []table.Column[models.HistoryEntry]{
		{Key: "time", Title: "TIME", Min: 14, Max: 19, Role: theme.Muted, Text: func(e models.HistoryEntry) string { return e.CreatedAt.Local().Format("01-02 15:04:05") }},
		{Key: "severity", Title: "SEVERITY", Min: 8, Max: 10, Cell: func(e models.HistoryEntry) table.Cell {
			role := theme.Plain
			if e.IsError() {
				role = theme.Bad
			}
			return table.Cell{Text: e.Severity, Role: role}
		}},
		{Key: "type", Title: "TYPE", Min: 12, Max: 20, Drop: 1, Text: func(e models.HistoryEntry) string { return e.EventType }},
		{Key: "state", Title: "STATE", Min: 13, Max: 24, Drop: 2, Text: func(e models.HistoryEntry) string { return e.State }},
		{Key: "took", Title: "TOOK", Min: 5, Max: 8, Right: true, Drop: 3, Text: func(e models.HistoryEntry) string { return e.Took() }},
		{Key: "user", Title: "USER", Min: 6, Max: 20, Drop: 4, Text: func(e models.HistoryEntry) string { return e.User }},
		{Key: "event", Title: "EVENT", Min: 22, Grow: 1, Text: func(e models.HistoryEntry) string { return e.Event }},
	}
	if v, _ := s.session.API.Version(); !v.Has(models.FeatureHistoryState) {
		cols = slices.DeleteFunc(cols, func(c table.Column[models.HistoryEntry]) bool { return c.Key == "state" || c.Key == "took" })
	}
	s.entries.SetColumns(cols)
}

func (s *Screen) hasHistory() bool {
	v, _ := s.session.API.Version()
	return v.Has(models.FeatureHistory)
}

func (s *Screen) drawHistory(t *theme.Theme, w, h int) []string {
	if s.session != nil && !s.hasHistory() {
		v, _ := s.session.API.Version()
		text := models.OnScreen(v.Require(models.FeatureHistory)) + ". Recent changes are on the Overview tab."
		return body.Draw(t, append([]pane.Line{nil}, body.Indented(theme.Muted, text, w-1, 3)...), w)
	}
	lines := s.asked(t, w, s.history.Err())
	s.entries.Empty = body.EmptyText(s.history, "Loading the history…", "No history. Ironic records errors and some state changes.")
	below := s.entry(t, w, h)
	s.listAt = len(lines)
	s.entries.Resize(w, h-len(lines)-len(below))
	return append(append(lines, body.Split(s.entries.Draw(t))...), below...)
}

// entry draws the entry at the cursor. Its height does not depend on the entry.
func (s *Screen) entry(t *theme.Theme, w, h int) []string {
	e, ok := s.entries.Cursor()
	if !ok || h < 8 {
		return nil
	}
	most := h * 2 / 5
	head := e.CreatedAt.Local().Format(time.DateTime) + "  " + e.Severity + "  " + e.EventType
	if e.State != "" {
		head += "  " + e.State
	}
	if e.TargetState != "" {
		head += " → " + e.TargetState
	}
	if took := e.Took(); took != "" {
		head += "  after " + took
	}
	if e.Conductor != "" {
		head += "  by " + e.Conductor
	}
	if e.User != "" {
		head += "  for " + e.User
	}
	text := body.IndentedMost(theme.Muted, head, w-1, 1, 1)
	text = append(text, body.IndentedMost(theme.Plain, e.Event, w-1, 1, most-2)...)
	return body.Padded(append([]string{t.Rule(w)}, body.Draw(t, text, w)...), most)
}
