package watch

import (
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/phase"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
	"ironworks/ui/widget/timebar"
)

// setColumns sets the columns: name, state, bar, progress and remaining time. The bar takes up the spare width. roomy
// reports whether the screen is wide.
func (s *Screen) setColumns(roomy bool) {
	s.roomy = roomy
	words := 18
	if roomy {
		words = 40
	}
	s.table.SetColumns([]table.Column[*row]{
		{Key: "name", Title: "NAME", Min: 8, Max: 24, Role: theme.Strong, Text: func(r *row) string { return r.ref.Label() }},
		{Key: "state", Title: "STATE", Min: 10, Max: 16, Cell: stateCell},
		{Key: "bar", Title: "PROGRESS", Min: 22, Grow: 1, Head: func(w int) string {
			if len(s.rows) == 0 {
				return ""
			}
			return timebar.Scale{Total: s.scale, W: w}.Ruler(models.Age)
		}, Cell: func(r *row) table.Cell {
			if !r.seen {
				return table.Cell{}
			}
			return table.Cell{Draw: func(t *theme.Theme, w int) string {
				past, _ := s.others.Value()
				spans := phase.Spans(&r.work, past, r.pace, s.env.ServerNow())
				return timebar.Scale{Total: s.scale, W: w}.Bar(t, spans)
			}}
		}},
		{Key: "now", Title: "NOW", Min: 14, Max: words, Drop: 1, Cell: func(r *row) table.Cell {
			text, role := r.activity(s.env.ServerNow())
			return table.Cell{Text: text, Role: role}
		}},
		{Key: "left", Title: "LEFT", Min: 7, Max: 7, Cell: (*row).drawRemaining},
	})
}

func stateCell(r *row) table.Cell {
	if !r.inStore {
		return table.Cell{Glyph: theme.GlyphUnknown, GlyphRole: theme.Warn, Text: "not found", Role: theme.Warn}
	}
	glyph, role := theme.Node(&r.node.Node)
	if r.failed() {
		glyph, role = theme.GlyphFailed, theme.Bad
	}
	if r.endedEarlier {
		role = theme.Muted
	}
	return table.Cell{Glyph: glyph, GlyphRole: role, Text: string(r.node.Node.ProvisionState), Role: role}
}

// activity returns the most important fact about the node: a fault, a failure, or the progress of its operation.
func (r *row) activity(now time.Time) (string, theme.Role) {
	switch {
	case r.trouble != "":
		return r.trouble, theme.Warn
	case r.waiting && (!r.inStore || r.node.Node.ProvisionState.Resting()):
		return "queued", theme.Muted
	case !r.seen:
		return r.node.Reason, theme.Bad
	case r.work.Outcome == models.OutcomeFailed && r.work.Reason != "":
		return r.work.Reason, theme.Bad
	case r.work.Current() == nil:
		return r.work.Noun() + " took " + models.Age(r.work.Took(now)), theme.Muted
	}
	if text, role := phase.Boot(&r.node, &r.work, now); text != "" {
		return text, role
	}
	return phase.TextAt(&r.work, len(r.work.Phases)-1, r.pace, now), theme.Plain
}

// drawRemaining returns the cell with the estimated remaining time, which is empty without an estimate.
func (r *row) drawRemaining() table.Cell {
	switch {
	case !r.seen || r.work.Outcome != models.OutcomeRunning || !r.estimate.Known:
		return table.Cell{}
	case r.estimate.Late:
		return table.Cell{Text: "late", Role: theme.Warn}
	}
	return table.Cell{Text: "~" + models.Age(r.estimate.CoarseLeft())}
}

// Draw draws the nodes, the details of the node at the cursor, and the nodes' events and logs.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	return body.Page(t, w, h, s.heading(t, w), t.Rule(w), func(h int) string {
		if s.session == nil {
			return cell.Block(body.Draw(t, append([]pane.Line{nil}, body.Indented(theme.Muted, s.env.Keys.Text(textNoContext), w, 3)...), w), w, h)
		}
		below := s.below(t, w, h)
		if roomy := w >= 120; roomy != s.roomy {
			s.setColumns(roomy)
		}
		s.table.Resize(w, max(h-len(below), 0))
		return cell.Block(append(body.Split(s.table.Draw(t)), below...), w, h)
	})
}

// below draws the details of the node at the cursor, the events and, if available, the log.
func (s *Screen) below(t *theme.Theme, w, h int) []string {
	about := s.details(t, w, h)
	if !s.hasLog() || len(s.rows) == 0 {
		return append(about, s.drawEvents(t, w, h)...)
	}
	rows, events := len(s.rows)+1, 0
	var most int // lines of the log, including its rule
	switch {
	case s.reading: // the log takes most of the space, but a few nodes stay visible
		about = nil
		most = h - min(rows, max(h/4, 2))
	case h >= 30:
		events = h / 8
		most = max(h/3, h-len(about)-rows-events-1)
	case h >= 14:
		most = max(h/3, min(h/2, h-len(about)-rows))
	}
	if most < 3 {
		return about
	}
	lines := append(about, s.drawLastEvents(t, w, events)...)
	return append(append(lines, t.Rule(w)), s.log.Draw(t, w, most-1)...)
}

// heading draws the numbers of nodes by state, and the estimated time until the last operation ends.
func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " Watch")}
	var counts [rankEarlier + 1]int
	last, known := time.Duration(0), true
	for _, r := range s.rows {
		rank := r.rank()
		counts[rank]++
		if rank == rankRunning {
			known = known && r.estimate.Known
			last = max(last, r.estimate.CoarseLeft())
		}
	}
	for rank, part := range [...]struct {
		role theme.Role
		text string
	}{
		rankFailed:  {theme.Bad, theme.GlyphFailed + " %d failed"},
		rankHeld:    {theme.Hold, theme.GlyphHold + " %d held"},
		rankRunning: {theme.Busy, theme.GlyphWorking + " %d running"},
		rankQueued:  {theme.Muted, theme.GlyphIdle + " %d queued"},
		rankDone:    {theme.Good, theme.GlyphDone + " %d done"},
		rankEarlier: {theme.Muted, "%d earlier"},
	} {
		if n := counts[rank]; n > 0 {
			left = append(left, body.S(part.role, "  "+fmt.Sprintf(part.text, n)))
		}
	}
	var right []body.Span
	if known && counts[rankRunning] > 0 && counts[rankQueued] == 0 {
		right = []body.Span{body.S(theme.Plain, "all finish in about "+models.Age(last))}
	}
	return body.Line(t, w, left, right)
}

// details draws a rule and the details of the node at the cursor. The height does not depend on the node.
func (s *Screen) details(t *theme.Theme, w, h int) []string {
	const most = 2
	if h < 12 || len(s.rows) == 0 {
		return nil
	}
	lines := []string{t.Rule(w)}
	if r, ok := s.table.Cursor(); ok {
		text, role := s.aboutText(r)
		lines = append(lines, body.Draw(t, body.IndentedMost(role, r.ref.Label()+"  "+text, w-1, 1, most), w)...)
	}
	return body.Padded(lines, most+1)
}

func (s *Screen) aboutText(r *row) (string, theme.Role) {
	now := s.env.ServerNow()
	switch {
	case !r.inStore:
		return "no longer exists", theme.Warn
	case r.trouble != "":
		return r.trouble, theme.Warn
	case !r.seen && r.node.Reason != "":
		return string(r.node.Node.ProvisionState) + ": " + r.node.Reason, theme.Bad
	case !r.seen:
		return "no operations since the console opened", theme.Muted
	case r.work.Outcome == models.OutcomeFailed:
		return fmt.Sprintf("%s failed after %s: %s", r.work.Noun(), models.Age(r.work.Took(now)), r.work.Reason), theme.Bad
	case r.work.Current() == nil:
		return fmt.Sprintf("%s done in %s: %s", r.work.Noun(), models.Age(r.work.Took(now)), phase.Line(&r.work, now)), theme.Plain
	}
	text := r.work.Noun() + " running for " + models.Age(r.work.Took(now)) + ": " + phase.TextAt(&r.work, len(r.work.Phases)-1, r.pace, now)
	if boot, _ := phase.Boot(&r.node, &r.work, now); boot != "" {
		text += ", ramdisk: " + boot
	}
	if e := r.estimate.Text(); e != "" {
		text += ", " + e
		if r.estimate.Total.N > 0 {
			text += " (" + r.estimate.Total.SampleText(r.work.Noun()) + ")"
		}
	}
	return text, theme.Plain
}

const eventsAtMost = 100

// events holds the last events of the watched nodes. It reads only new events from the log.
type events struct {
	last []models.Event
	// next is the number of the next event to read. nodes is the number of nodes watched at the last read.
	next, nodes int
}

// readLog reads the new events from the log. If the number of watched nodes has changed, it reads all events again.
func (l *events) readLog(log *screen.EventLog, list *screen.WatchList) {
	if n := len(list.Nodes()); n != l.nodes {
		l.nodes, l.next, l.last = n, 0, nil
	}
	fresh, next := log.Since(l.next)
	l.next = next
	for i := range fresh {
		if list.Has(fresh[i].Node.UUID) {
			l.last = append(l.last, fresh[i])
		}
	}
	if more := len(l.last) - eventsAtMost; more > 0 {
		l.last = append([]models.Event(nil), l.last[more:]...)
	}
}

// drawEvents draws as many of the last events as a screen of height h has room for.
func (s *Screen) drawEvents(t *theme.Theme, w, h int) []string {
	most := 0
	switch {
	case h >= 30:
		most = h / 3
	case h >= 16:
		most = 5
	}
	return s.drawLastEvents(t, w, most)
}

// drawLastEvents draws a rule and, below it, at most the given number of events, with the newest at the bottom.
func (s *Screen) drawLastEvents(t *theme.Theme, w, most int) []string {
	if most == 0 || len(s.rows) == 0 {
		return nil
	}
	s.lines.readLog(s.env.Events, s.env.Watching)
	lines := []string{t.Rule(w)}
	last := s.lines.last[max(len(s.lines.last)-most, 0):]
	for i := range last {
		lines = append(lines, screen.EventLine(t, &last[i], w))
	}
	return body.Padded(lines, most+1)
}
