package logview

import (
	"fmt"
	"strings"
	"time"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

const (
	// marks is the width of the cursor and the glyph of the level. clock and span are the widths of absolute and
	// relative times. laneMost is the maximum width of a source's name.
	marks    = 3
	clock    = 13
	span     = 11
	laneMost = 16
	// textLeast is the minimum width of the text. With less space, first the time and then the name is omitted.
	textLeast = 24
)

// lead holds the widths of the columns before the text. A column that is not shown has the width 0.
type lead struct{ times, lane int }

func (l lead) width() int { return marks + l.times + l.lane }

func (v *View) lead() lead {
	var l lead
	if len(v.lanes) > 1 {
		for _, name := range v.lanes {
			l.lane = max(l.lane, min(cell.Width(name), laneMost))
		}
		l.lane += 2
	}
	switch v.times {
	case Absolute:
		l.times = clock
	case SinceStart:
		l.times = span
	case NoTimes, timesCount:
	}
	if v.w-l.width() < textLeast {
		l.times = 0
	}
	if v.w-l.width() < textLeast {
		l.lane = min(l.lane, 2)
	}
	return l
}

func (v *View) room() int { return max(v.w-v.lead().width(), 0) }

// body returns the text of a line, preceded by the name of the program that wrote it.
func (e *entry) body() string {
	if e.tag == "" {
		return e.text
	}
	return e.tag + ": " + e.text
}

// rowsOf returns the number of rows that the i-th matching line takes.
func (v *View) rowsOf(i int) int {
	if !v.wrap || v.room() <= 0 || i >= v.Shown() {
		return 1
	}
	return len(v.breaks(v.number(i)))
}

// breaks returns the byte offsets at which the rows of a wrapped line end. They are cached near the window.
func (v *View) breaks(number int) []int {
	ends, known := v.rows[number]
	if known {
		return ends
	}
	if v.rows == nil || len(v.rows) > 8*(v.h+8) {
		v.rows = make(map[int][]int, v.h)
	}
	ends = pane.Breaks(v.ring.at(number).body(), v.room())
	v.rows[number] = ends
	return ends
}

// Draw draws the window in exactly the size set by Resize.
func (v *View) Draw(t *theme.Theme) string {
	if v.h <= 0 {
		return ""
	}
	v.settle()
	l, lines := v.lead(), v.Shown()
	if v.w <= l.width() {
		lines = 0
	}
	return v.walk().Area(v.at(), lines, v.w, v.h, func(b *strings.Builder, at pane.Place) { v.row(b, t, l, at) })
}

// row draws a single row. Only the first row of a line shows the columns before the text.
func (v *View) row(b *strings.Builder, t *theme.Theme, l lead, at pane.Place) {
	number := v.number(at.Line)
	e := v.ring.at(number)
	room := v.w - l.width()
	if at.Row > 0 {
		b.WriteString(cell.Blanks(marks + l.times))
	} else {
		v.marks(b, t, e, number)
		b.WriteString(v.time(t, e, l.times))
	}
	v.lane(b, t, e, l.lane, at.Row == 0)
	text := e.body()
	if v.wrap {
		ends := v.breaks(number)
		start, end := 0, ends[at.Row]
		if at.Row > 0 {
			start = ends[at.Row-1]
		}
		b.WriteString(cell.Fit(e.paint(t, text, v.query, start, start+len(strings.TrimRight(text[start:end], " "))), room))
		return
	}
	lead, start, end, more := pane.Window(text, v.x, room)
	if more {
		lead, start, end, _ = pane.Window(text, v.x, room-1)
	}
	lead = min(lead, room)
	painted := cell.Blanks(lead) + e.paint(t, text, v.query, start, end)
	if more {
		painted = cell.Fit(painted, room-1) + t.Paint(theme.Muted, cell.Ellipsis)
	}
	b.WriteString(cell.Fit(painted, room))
}

// marks draws the cursor and the level as glyphs, so that both can be seen without colors.
func (v *View) marks(b *strings.Builder, t *theme.Theme, e *entry, number int) {
	if number == v.cursor {
		b.WriteString(t.Paint(theme.Accent, theme.GlyphCursor))
	} else {
		b.WriteByte(' ')
	}
	switch {
	case e.mark != "":
		b.WriteString(t.Paint(theme.Bad, "!"))
	case e.level <= Error:
		b.WriteString(t.Paint(theme.Bad, theme.GlyphFailed))
	case e.level == Warning:
		b.WriteString(t.Paint(theme.Warn, theme.GlyphMaint))
	default:
		b.WriteByte(' ')
	}
	b.WriteByte(' ')
}

func (v *View) time(t *theme.Theme, e *entry, w int) string {
	switch {
	case w == 0:
		return ""
	case e.at == 0, v.times == SinceStart && e.start == 0:
		return cell.Blanks(w)
	case v.times == SinceStart:
		return t.Paint(theme.Muted, cell.FitRight(since(time.Duration(e.at-e.start)), w-1)) + " "
	}
	return t.Paint(theme.Muted, time.Unix(0, e.at).Local().Format("15:04:05.000")) + " "
}

// since formats d as the time since the start of a log, such as +1:02.345.
func since(d time.Duration) string {
	sign := "+"
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%d:%06.3f", sign, int(d.Minutes()), (d % time.Minute).Seconds())
}

// laneRole returns the role that determines the color of a source's name. It avoids the roles that indicate trouble.
func laneRole(lane int) theme.Role {
	roles := [...]theme.Role{theme.Busy, theme.Hold, theme.Good, theme.Wait, theme.Accent}
	return roles[lane%len(roles)]
}

// lane draws the name of the line's source in w cells. If named is false, it leaves the name blank.
func (v *View) lane(b *strings.Builder, t *theme.Theme, e *entry, w int, named bool) {
	if w == 0 {
		return
	}
	name := ""
	if named && int(e.lane) < len(v.lanes) {
		name = v.lanes[e.lane]
	}
	b.WriteString(t.Paint(laneRole(int(e.lane)), cell.Fit(name, w-2)+"│") + " ")
}

// paint paints the part of text between the byte offsets start and end. text must be the body of the line.
func (e *entry) paint(t *theme.Theme, text, query string, start, end int) string {
	role := theme.Plain
	switch {
	case e.level <= Error || e.mark != "":
		role = theme.Bad
	case e.level == Warning:
		role = theme.Warn
	case e.level >= Debug:
		role = theme.Muted
	}
	line := pane.Line{{Role: role, Text: text}}
	if e.tag != "" {
		line = pane.Line{{Role: theme.Muted, Text: text[:len(e.tag)+2]}, {Role: role, Text: e.text}}
	}
	return pane.Paint(t, line, text, query, start, end)
}
