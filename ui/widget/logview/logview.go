// Package logview shows a growing log of one or several interleaved sources, in bounded memory. It follows the
// newest line until scrolled up, then counts new ones. Search keeps the lines around matches; a filter hides all
// others. The cost of a new line does not depend on their number.
package logview

import (
	"slices"
	"strings"
	"time"

	"ironworks/printable"
)

// Level is the severity, as in syslog.
type Level uint8

// The levels that look different.
const (
	Error   Level = 3
	Warning Level = 4
	Info    Level = 6
	Debug   Level = 7
)

// Line is a log line. Text and Tag are sanitized.
type Line struct {
	// Time is the time when the line was written. Start is the time from which SinceStart counts, such as that of the
	// first line of a boot. Each is zero if unknown.
	Time, Start time.Time
	// Lane is the index of the line's source in SetLanes. Origin is a number that the owner of the view chooses.
	Lane, Origin int
	Level        Level
	// Tag is the name of the program that wrote the line, shown before the text.
	Tag, Text string
	// Mark is a note about the line; a line with a note is marked.
	Mark string
}

// Times is the format of the times.
type Times int

// The formats of times.
const (
	Absolute Times = iota
	SinceStart
	NoTimes
	timesCount
)

// Limits bound the log; the oldest lines are dropped first.
type Limits struct{ Lines, Bytes int }

// Default is a log of at most 40 MiB with all overhead.
var Default = Limits{Lines: 100_000, Bytes: 36 << 20}

// View is a window on a log.
type View struct {
	ring  ring
	lanes []string

	keep func(*Line) bool
	// hits are the numbers of the lines that match the filter.
	hits []int

	w, h  int
	top   place
	x     int // scrolled cells, without wrapping
	wrap  bool
	times Times

	follow bool
	// since is the number of the first line that arrived after following ended.
	since int

	query string
	// cursor is the number of the current line, -1 for none. before is the position of the window before the search.
	cursor int
	before *place

	rows map[int][]int // row ends of wrapped lines near the window
}

// place is a row of the wrapped log.
type place struct{ number, row int }

// New returns an empty view that follows the newest line.
func New(l Limits) *View {
	return &View{ring: ring{maxLines: max(l.Lines, 1), maxBytes: l.Bytes}, follow: true, cursor: -1}
}

// SetLanes names the sources. A single one is not shown.
func (v *View) SetLanes(names []string) {
	v.lanes = make([]string, len(names))
	for i, name := range names {
		v.lanes[i] = printable.Line(name)
	}
	v.rows = nil
}

// Append adds lines at the end.
func (v *View) Append(lines ...Line) {
	for i := range lines {
		number := v.ring.add(packed(&lines[i]))
		if v.keep != nil && v.keep(&lines[i]) {
			v.hits = append(v.hits, number)
		}
	}
	v.forget()
}

// forget removes the hits of lines that the ring has dropped.
func (v *View) forget() {
	n := 0
	for n < len(v.hits) && v.hits[n] < v.ring.first {
		n++
	}
	v.hits = v.hits[n:]
}

// Clear drops all lines.
func (v *View) Clear() {
	v.ring = ring{maxLines: v.ring.maxLines, maxBytes: v.ring.maxBytes, first: v.ring.first + v.ring.n}
	v.hits, v.rows, v.cursor = nil, nil, -1
	v.since = v.ring.first
}

// SetFilter hides the lines for which keep returns false; nil shows all lines. The line at the top stays there, or else
// the next line that is shown.
func (v *View) SetFilter(keep func(*Line) bool) {
	v.keep, v.hits = keep, nil
	if keep == nil {
		return
	}
	for number := v.ring.first; number < v.ring.next(); number++ {
		l := v.ring.at(number).line()
		if keep(&l) {
			v.hits = append(v.hits, number)
		}
	}
}

// Len returns the number of lines.
func (v *View) Len() int { return v.ring.n }

// Shown returns the number of lines that match the filter.
func (v *View) Shown() int {
	if v.keep != nil {
		return len(v.hits)
	}
	return v.ring.n
}

// Lines returns the lines that match the filter, oldest first.
func (v *View) Lines() []Line {
	lines := make([]Line, v.Shown())
	for i := range lines {
		lines[i] = v.ring.at(v.number(i)).line()
	}
	return lines
}

// InSight returns the lines that are at least partly visible.
func (v *View) InSight() []Line {
	v.settle()
	var lines []Line
	for i, rows := v.index(v.top.number), -v.top.row; i < v.Shown() && rows < v.h; i++ {
		lines = append(lines, v.ring.at(v.number(i)).line())
		rows += v.rowsOf(i)
	}
	return lines
}

// number returns the number of the i-th matching line.
func (v *View) number(i int) int {
	if v.keep != nil {
		return v.hits[i]
	}
	return v.ring.first + i
}

// index returns the index of the line with a number among the matching lines, or the index of the next matching line.
func (v *View) index(number int) int {
	if v.keep != nil {
		i, _ := slices.BinarySearch(v.hits, number)
		return i
	}
	return min(max(number-v.ring.first, 0), v.ring.n)
}

// Cursor returns the line that a search or jump went to.
func (v *View) Cursor() (Line, bool) {
	if v.cursor < v.ring.first || v.cursor >= v.ring.next() {
		return Line{}, false
	}
	return v.ring.at(v.cursor).line(), true
}

// Resize sets the area.
func (v *View) Resize(w, h int) {
	if w != v.w {
		v.rows = nil
	}
	v.w, v.h = w, h
}

// SetWrap wraps long lines, or cuts them and enables Scroll.
func (v *View) SetWrap(wrap bool) {
	v.wrap, v.x, v.rows = wrap, 0, nil
	v.top.row = 0
}

// Wrap reports whether long lines are wrapped.
func (v *View) Wrap() bool { return v.wrap }

// NextTimes switches to the next format of times.
func (v *View) NextTimes() Times {
	v.times = (v.times + 1) % timesCount
	v.rows = nil
	return v.times
}

// oneLine replaces line breaks.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
}
