// Package logview shows a log as it comes: the last lines, as many as were said and no
// more memory than was said, of one or several writers that come interleaved. It follows
// the newest until somebody looks at older ones, then counts what comes meanwhile.
// Searching keeps the lines around what is found; filtering leaves out all others. A line
// that comes costs the same however many there are.
package logview

import (
	"slices"
	"strings"
	"time"
)

// Level is how bad a line is; the numbers are syslog's.
type Level uint8

// The levels that look different.
const (
	Error   Level = 3
	Warning Level = 4
	Info    Level = 6
	Debug   Level = 7
)

// Line is one line of a log. Text and Tag are safe to show.
type Line struct {
	// Time is when it was written; zero where nobody knows. Start is when what it belongs
	// to began, zero likewise.
	Time, Start time.Time
	// Lane says whose it is, by its place in SetLanes; Origin is the owner's own.
	Lane, Origin int
	Level        Level
	// Tag stands before the text: who wrote it.
	Tag, Text string
	// Mark says what is known of the line; a line with one is marked.
	Mark string
}

// Times is what stands before each line.
type Times int

// What can stand there.
const (
	Absolute Times = iota
	SinceStart
	NoTimes
	timesCount
)

// Limits bound what is kept; the oldest lines go first.
type Limits struct{ Lines, Bytes int }

// Default is a log that fits into 40 MiB with all that belongs to it.
var Default = Limits{Lines: 100_000, Bytes: 36 << 20}

// View is a window on a log.
type View struct {
	ring  ring
	lanes []string

	keep func(*Line) bool
	// hits are the numbers of the lines that the filter keeps, where there is one.
	hits []int

	w, h  int
	top   place
	x     int // cells scrolled to the right, without wrapping
	wrap  bool
	times Times

	follow bool
	// since is the number of the first line that came after following ended.
	since int

	query string
	// cursor is the number of the line that was gone to, -1 when none was; before is where
	// the window was before the search was begun.
	cursor int
	before *place

	rows map[int][]int // where wrapped lines break, of lines in sight
}

// place is a row of the wrapped log: the number of a line, and a row within it.
type place struct{ number, row int }

// New makes an empty view that follows.
func New(l Limits) *View {
	return &View{ring: ring{maxLines: max(l.Lines, 1), maxBytes: l.Bytes}, follow: true, cursor: -1}
}

// SetLanes names the writers. With one there is no need to say whose a line is.
func (v *View) SetLanes(names []string) {
	v.lanes = slices.Clone(names)
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

// forget drops of the hits what the ring has dropped.
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

// SetFilter keeps only some lines in sight; nil shows all. The line at the top stays
// where it is, or the next one that is kept.
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

// Len is how many lines there are, Shown how many of them the filter keeps.
func (v *View) Len() int { return v.ring.n }

// Shown is how many lines the filter keeps.
func (v *View) Shown() int {
	if v.keep != nil {
		return len(v.hits)
	}
	return v.ring.n
}

// Forgotten is how many lines were too many.
func (v *View) Forgotten() int { return v.ring.dropped }

// Lines are the lines that the filter keeps, the oldest first.
func (v *View) Lines() []Line {
	lines := make([]Line, v.Shown())
	for i := range lines {
		lines[i] = v.ring.at(v.number(i)).line()
	}
	return lines
}

// InSight are the lines of which something is in the window.
func (v *View) InSight() []Line {
	v.settle()
	var lines []Line
	for i, rows := v.index(v.top.number), -v.top.row; i < v.Shown() && rows < v.h; i++ {
		lines = append(lines, v.ring.at(v.number(i)).line())
		rows += v.rowsOf(i)
	}
	return lines
}

// number is that of a shown line, by its place among them.
func (v *View) number(i int) int {
	if v.keep != nil {
		return v.hits[i]
	}
	return v.ring.first + i
}

// index is the place among the shown lines of a number, or of the next that is shown.
func (v *View) index(number int) int {
	if v.keep != nil {
		i, _ := slices.BinarySearch(v.hits, number)
		return i
	}
	return min(max(number-v.ring.first, 0), v.ring.n)
}

// Cursor is the line that a search or a jump went to.
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

// SetWrap breaks long lines, or cuts them and lets Scroll show the rest.
func (v *View) SetWrap(wrap bool) {
	v.wrap, v.x, v.rows = wrap, 0, nil
	v.top.row = 0
}

// Wrap says whether long lines are broken.
func (v *View) Wrap() bool { return v.wrap }

// NextTimes goes on to the next way of telling times.
func (v *View) NextTimes() Times {
	v.times = (v.times + 1) % timesCount
	v.rows = nil
	return v.times
}

// oneLine makes one line of what may be several.
func oneLine(s string) string {
	if strings.IndexByte(s, '\n') < 0 && strings.IndexByte(s, '\r') < 0 && strings.IndexByte(s, '\t') < 0 {
		return s
	}
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(s)
}
