// Package timebar draws time spans as bars on an axis, either several on one line or one per line.
//
//	├─ power on ─├──── boot to ramdisk ────├▓▓▓ install_coreos ▓▓░░░░░░┤
package timebar

import (
	"slices"
	"strings"
	"time"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Span is a time span. Its times are relative to the start of the axis.
type Span struct {
	From, To time.Duration
	// Due is the expected end of an open span, or 0 if unknown.
	Due  time.Duration
	Name string
	Role theme.Role
	Kind Kind
	// Unseen means that the span started at an unknown time before From.
	Unseen bool
}

// Kind says whether and how a span has ended.
type Kind int

// The kinds of spans. A span of the kind Over has ended without a failure.
const (
	Over   Kind = iota
	Open        // the span is still running
	Broken      // the span failed
)

// Scale is the axis on which bars are drawn. It is W cells wide, and Total is the time that it covers.
type Scale struct {
	Total time.Duration
	W     int
}

// steps contains the lengths that an axis can have. There are only a few, so that the axis rarely changes.
var steps = [...]time.Duration{
	10 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second,
	time.Minute, 90 * time.Second, 2 * time.Minute, 3 * time.Minute, 4 * time.Minute, 5 * time.Minute, 6 * time.Minute, 8 * time.Minute,
	10 * time.Minute, 12 * time.Minute, 15 * time.Minute, 20 * time.Minute, 30 * time.Minute, 45 * time.Minute,
	time.Hour, 90 * time.Minute, 2 * time.Hour, 3 * time.Hour, 4 * time.Hour, 6 * time.Hour, 8 * time.Hour, 12 * time.Hour,
}

// NewScale returns an axis of w cells that is long enough for a time span of the given length.
func NewScale(longest time.Duration, w int) Scale {
	if i, _ := slices.BinarySearch(steps[:], longest); i < len(steps) {
		return Scale{Total: steps[i], W: w}
	}
	const day = 24 * time.Hour
	return Scale{Total: (longest + day - 1) / day * day, W: w}
}

func (s Scale) at(d time.Duration) int {
	if s.Total <= 0 {
		return 0
	}
	return min(max(int(float64(d)/float64(s.Total)*float64(s.W)), 0), s.W)
}

// Bar draws consecutive spans on one line, in the width of the scale.
func (s Scale) Bar(t *theme.Theme, spans []Span) string {
	var b strings.Builder
	x := 0
	for i := range spans {
		p := &spans[i]
		from, to, due := s.places(p)
		from = max(from, x)
		to = min(max(to, from+1), s.W)
		due = max(due, to)
		last := i == len(spans)-1
		if !last {
			// The next span starts where this one ends.
			next := max(s.at(spans[i+1].From), from+1)
			to, due = min(next, s.W), min(next, s.W)
		}
		if due <= from {
			continue
		}
		b.WriteString(cell.Blanks(from - x))
		b.WriteString(draw(t, p, due-from, to-from, last))
		x = due
	}
	b.WriteString(cell.Blanks(s.W - x))
	return b.String()
}

// Row draws a single span on a line, in the width of the scale. The name of the span is inside the bar, or beside it.
func (s Scale) Row(t *theme.Theme, p Span) string {
	from, to, due := s.places(&p)
	to = max(to, from+1)
	due = max(due, to)
	if due > s.W {
		from, to, due = max(from-(due-s.W), 0), min(to, s.W), s.W
	}
	w, name := due-from, p.Name
	if w <= 0 {
		return cell.Blanks(s.W)
	}
	if nameFits(name, w-2) {
		return cell.Blanks(from) + draw(t, &p, w, to-from, true) + cell.Blanks(s.W-due)
	}
	p.Name = ""
	bar := draw(t, &p, w, to-from, true)
	size := cell.Width(name)
	switch {
	case size+1 <= s.W-due:
		return cell.Blanks(from) + bar + " " + name + cell.Blanks(s.W-due-1-size)
	case size+1 <= from:
		return cell.Blanks(from-size-1) + name + " " + bar + cell.Blanks(s.W-due)
	case s.W-due >= from:
		return cell.Blanks(from) + bar + cell.Fit(" "+name, s.W-due)
	}
	return cell.Fit(name, max(from-1, 0)) + cell.Blanks(min(from, 1)) + bar + cell.Blanks(s.W-due)
}

// places returns the positions of the start, the current end, and the expected end of a span, in cells.
func (s Scale) places(p *Span) (from, to, due int) {
	from, to = s.at(p.From), s.at(p.To)
	due = to
	if p.Kind == Open && p.Due > p.To {
		due = s.at(p.Due)
	}
	return min(from, max(s.W-1, 0)), to, due
}

func nameFits(name string, room int) bool { return name != "" && cell.Width(name)+2 <= room }

// draw paints a span in w cells. If the span is open, done is the number of cells that are filled. closed means that
// the end of the span is drawn too.
func draw(t *theme.Theme, p *Span, w, done int, closed bool) string {
	begin, end := "├", ""
	if p.Unseen {
		begin = cell.Ellipsis
	}
	switch {
	case !closed, p.Kind == Open && done >= w: // the end is not known or not drawn
	case p.Kind == Broken:
		end = theme.GlyphFailed
	default:
		end = "┤"
	}
	if w == 1 && end != "" {
		return t.Paint(p.Role, map[bool]string{true: end, false: begin}[p.Kind == Broken])
	}
	inner := w - 1 - cell.Width(end)
	name := ""
	if shown := printable.Line(p.Name); nameFits(shown, inner) {
		name = " " + shown + " "
	}
	left := (inner - cell.Width(name)) / 2
	right := inner - left - cell.Width(name)
	done-- // the first cell is used for the start
	return t.Paint(p.Role, begin) + fill(t, p, left, done) + name + fill(t, p, right, done-left-cell.Width(name)) + t.Paint(p.Role, end)
}

// fill paints n cells inside a bar. If the span is open, done is the number of cells that are filled.
func fill(t *theme.Theme, p *Span, n, done int) string {
	if p.Kind != Open {
		return t.Paint(p.Role, strings.Repeat(theme.GlyphRule, max(n, 0)))
	}
	done = min(max(done, 0), max(n, 0))
	return t.Paint(p.Role, strings.Repeat(theme.GlyphFull, done)) +
		t.Paint(theme.Muted, strings.Repeat(theme.GlyphEmpty, max(n-done, 0)))
}

// ticks contains the intervals at which an axis can have labels.
var ticks = [...]time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// mostTicks is the maximum number of intervals between labels.
const mostTicks = 5

// Ruler returns the axis with labels at round times, such as "0        1m        2m". The text has the width of the
// scale and no role. label formats a time.
func (s Scale) Ruler(label func(time.Duration) string) string {
	step := s.tick(label)
	line, x := "", 0
	for at := time.Duration(0); at <= s.Total; at += step {
		text := label(at)
		place := min(s.at(at), s.W-cell.Width(text))
		if at > 0 && place < x+2 || place < 0 {
			break
		}
		line += cell.Blanks(place-x) + text
		x = place + cell.Width(text)
		if step <= 0 {
			break
		}
	}
	return line + cell.Blanks(s.W-x)
}

// tick returns the shortest round interval that leaves enough room for the labels.
func (s Scale) tick(label func(time.Duration) string) time.Duration {
	const day = 24 * time.Hour
	if s.Total <= 0 {
		return 0
	}
	room := func(step time.Duration) bool {
		return s.Total/step <= mostTicks && s.at(step) >= cell.Width(label(s.Total-s.Total%step))+2
	}
	if i := slices.IndexFunc(ticks[:], room); i >= 0 {
		return ticks[i]
	}
	return max((s.Total/mostTicks+day-1)/day, 1) * day
}
