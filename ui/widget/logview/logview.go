// Package logview displays a growing log with lines from one or several sources, in a limited amount of memory. The
// view follows the newest line until it is scrolled up; from then on, it counts the new lines. A search shows matches
// among the lines around them, whereas a filter hides all other lines. The cost of adding a line does not depend on
// the number of lines.
package logview

import (
	"slices"
	"strings"
	"time"

	"ironworks/printable"
)

// Level is the severity of a line, numbered as in syslog.
type Level uint8

// The levels that are displayed differently.
const (
	Error   Level = 3
	Warning Level = 4
	Info    Level = 6
	Debug   Level = 7
)

// Line is a line of a log. Text and Tag must not contain control characters, except for line breaks and tabs, which
// are replaced.
type Line struct {
	// Time is the time when the line was written. Start is the time from which SinceStart counts, such as the time of
	// the first line of a boot. Both are zero if unknown.
	Time, Start time.Time
	// Lane is the index of the line's source in the names passed to SetLanes. Origin is a number that the owner of
	// the view can choose freely; the view does not use it.
	Lane, Origin int
	Level        Level
	// Tag is the name of the program that wrote the line. It is shown before the text.
	Tag, Text string
	// Mark is a note about the line. If not empty, the line is highlighted.
	Mark string
}

// Times is the format in which the times of lines are shown.
type Times int

// The formats in which times are shown. SinceStart shows the time that has passed since Line.Start.
const (
	Absolute Times = iota
	SinceStart
	NoTimes
	timesCount
)

// Limits limits the lines of a log, and their size in bytes. Beyond a limit, the oldest lines are dropped.
type Limits struct{ Lines, Bytes int }

// Default limits a log to 40 MiB, overhead included.
var Default = Limits{Lines: 100_000, Bytes: 36 << 20}

// View is a window into a log.
type View struct {
	ring  ring
	lanes []string

	keep func(*Line) bool
	// hits holds the numbers of the lines that match the filter.
	hits []int

	w, h  int
	top   place
	x     int // cells scrolled to the right; 0 if lines are wrapped
	wrap  bool
	times Times

	follow bool
	// since is the number of the first line that arrived after the view stopped following.
	since int

	query string
	// cursor is the number of the current line, or -1 for none. before is the position of the window before the
	// search; its number is -1 if the view followed the newest line.
	cursor int
	before *place

	rows map[int][]int // cached row ends of wrapped lines
}

type place struct{ number, row int }

// New returns an empty view that follows the newest line.
func New(l Limits) *View {
	return &View{ring: ring{maxLines: max(l.Lines, 1), maxBytes: l.Bytes}, follow: true, cursor: -1}
}

// SetLanes sets the names of the sources. If there is only one, its name is not shown.
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
	dropped, _ := slices.BinarySearch(v.hits, v.ring.first)
	v.hits = v.hits[dropped:]
}

// Clear drops all lines.
func (v *View) Clear() {
	v.ring = ring{maxLines: v.ring.maxLines, maxBytes: v.ring.maxBytes, first: v.ring.next()}
	v.hits, v.rows, v.cursor = nil, nil, -1
	v.since = v.ring.first
}

// SetFilter hides the lines for which keep returns false. If keep is nil, it shows all lines. The line at the top
// stays there; if it is hidden, the next line that is shown takes its place.
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
func (v *View) Len() int { return len(v.ring.entries) }

// Shown returns the number of lines that match the filter.
func (v *View) Shown() int {
	if v.keep != nil {
		return len(v.hits)
	}
	return v.Len()
}

// Lines returns the lines that match the filter, the oldest first.
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

// number returns the number of the i-th line that matches the filter.
func (v *View) number(i int) int {
	if v.keep != nil {
		return v.hits[i]
	}
	return v.ring.first + i
}

// index is the inverse of number: it returns i for the i-th matching line. If the line with the given number does not
// match, it returns the index of the next matching line.
func (v *View) index(number int) int {
	if v.keep != nil {
		i, _ := slices.BinarySearch(v.hits, number)
		return i
	}
	return min(max(number-v.ring.first, 0), v.Len())
}

// Cursor returns the line that was last found by a search or jump. It returns false if there is none.
func (v *View) Cursor() (Line, bool) {
	if v.cursor < v.ring.first || v.cursor >= v.ring.next() {
		return Line{}, false
	}
	return v.ring.at(v.cursor).line(), true
}

// Resize sets the size of the window, in cells.
func (v *View) Resize(w, h int) {
	if w != v.w {
		v.rows = nil
	}
	v.w, v.h = w, h
}

// SetWrap selects whether long lines are wrapped. If not, they are cut, and Scroll moves them sideways.
func (v *View) SetWrap(wrap bool) {
	v.wrap, v.x, v.rows = wrap, 0, nil
	v.top.row = 0
}

// Wrap reports whether long lines are wrapped.
func (v *View) Wrap() bool { return v.wrap }

// NextTimes switches to the next format for times, and returns it.
func (v *View) NextTimes() Times {
	v.times = (v.times + 1) % timesCount
	v.rows = nil
	return v.times
}

// oneLine replaces line breaks and tabs with spaces.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
}
