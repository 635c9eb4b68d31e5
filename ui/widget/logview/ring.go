package logview

import (
	"strings"
	"time"
)

// entry is a line as it is kept: a third of what a Line takes.
type entry struct {
	at, start int64 // nanoseconds since 1970; 0 where nobody knows
	tag, text string
	mark      string
	lane      uint16
	level     Level
	origin    uint8
}

// overhead is what an entry takes beside its text, in bytes: itself twice, for the ring may
// have room for as many again, and what the text is rounded up to. An entry takes 72 on 64-bit
// machines.
const overhead = 2*72 + 16

// cost is what an entry takes, in bytes. Tags and marks are few different ones.
func (e *entry) cost() int { return overhead + len(e.text) + len(e.text)/8 }

// packed is a line as it is kept. The text is copied: it may be a piece of something
// large that would be kept along.
func packed(l *Line) entry {
	e := entry{
		tag: oneLine(l.Tag), text: strings.Clone(oneLine(l.Text)), mark: l.Mark,
		lane: uint16(l.Lane), level: l.Level, origin: uint8(l.Origin), //nolint:gosec // both are few
	}
	if !l.Time.IsZero() {
		e.at = l.Time.UnixNano()
	}
	if !l.Start.IsZero() {
		e.start = l.Start.UnixNano()
	}
	return e
}

// line is an entry as it is given out.
func (e *entry) line() Line {
	l := Line{Tag: e.tag, Text: e.text, Mark: e.mark, Lane: int(e.lane), Level: e.level, Origin: int(e.origin)}
	if e.at != 0 {
		l.Time = time.Unix(0, e.at)
	}
	if e.start != 0 {
		l.Start = time.Unix(0, e.start)
	}
	return l
}

// ring keeps the last entries, bounded in number and in bytes. Each has a number that
// stays its own.
type ring struct {
	buf     []entry
	head, n int // the oldest, and how many there are
	first   int // the number of the oldest
	bytes   int
	dropped int
	tags    map[string]string // each tag is kept once

	maxLines, maxBytes int
}

// next is the number that the next entry gets.
func (r *ring) next() int { return r.first + r.n }

// at is the entry with a number, which has to be there.
func (r *ring) at(number int) *entry {
	return &r.buf[(r.head+number-r.first)%len(r.buf)]
}

// add takes an entry in, and drops old ones until the bounds hold; one entry stays.
func (r *ring) add(e entry) int {
	e.tag = r.once(e.tag)
	if r.n == len(r.buf) && r.n < r.maxLines {
		r.grow()
	}
	if r.n == len(r.buf) {
		r.drop()
	}
	number := r.next()
	r.n++
	*r.at(number) = e
	r.bytes += e.cost()
	for r.maxBytes > 0 && r.bytes > r.maxBytes && r.n > 1 {
		r.drop()
	}
	return number
}

// once gives the tag that is kept already, if there is one like it.
func (r *ring) once(tag string) string {
	const few = 1000
	if known, there := r.tags[tag]; there {
		return known
	}
	if r.tags == nil || len(r.tags) >= few {
		r.tags = map[string]string{}
	}
	tag = strings.Clone(tag)
	r.tags[tag] = tag
	return tag
}

func (r *ring) grow() {
	const atFirst = 256
	buf := make([]entry, min(max(2*len(r.buf), atFirst), r.maxLines))
	n := copy(buf, r.buf[r.head:])
	copy(buf[n:], r.buf[:r.head])
	r.buf, r.head = buf, 0
}

// drop forgets the oldest.
func (r *ring) drop() {
	e := &r.buf[r.head]
	r.bytes -= e.cost()
	*e = entry{}
	r.head = (r.head + 1) % len(r.buf)
	r.first++
	r.n--
	r.dropped++
}
