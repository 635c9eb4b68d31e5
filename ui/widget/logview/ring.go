package logview

import (
	"strings"
	"time"
)

// entry is a line as it is stored. It takes a third of the memory of a Line.
type entry struct {
	at, start int64 // nanoseconds since 1970; 0 if unknown
	tag, text string
	mark      string
	lane      uint16
	level     Level
	origin    uint8
}

// overhead is the size of an entry without its text, in bytes: twice the size of the struct (72 on 64-bit machines),
// because the capacity of the queue may be twice its length, plus what the allocator loses by rounding.
const overhead = 2*72 + 16

// cost returns the bytes that an entry takes, without the tag and the mark, which entries share.
func (e *entry) cost() int { return overhead + len(e.text) + len(e.text)/8 }

// packed returns l as an entry. It copies the text, which may be part of a large buffer.
func packed(l *Line) entry {
	e := entry{
		tag: oneLine(l.Tag), text: strings.Clone(oneLine(l.Text)), mark: l.Mark,
		lane: uint16(l.Lane), level: l.Level, origin: uint8(l.Origin), //nolint:gosec // both are small
	}
	if !l.Time.IsZero() {
		e.at = l.Time.UnixNano()
	}
	if !l.Start.IsZero() {
		e.start = l.Start.UnixNano()
	}
	return e
}

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

// ring is a queue of limited size. The number of an entry does not change when older ones are dropped.
type ring struct {
	entries []entry
	first   int // number of the oldest entry
	bytes   int
	tags    map[string]string // so that each tag is stored only once

	maxLines, maxBytes int
}

func (r *ring) next() int { return r.first + len(r.entries) }

// at returns the entry with the given number, which must exist.
func (r *ring) at(number int) *entry { return &r.entries[number-r.first] }

// add appends an entry and returns its number. Beyond a limit, it drops the oldest entries, but never the new one.
func (r *ring) add(e entry) int {
	e.tag = r.intern(e.tag)
	number := r.next()
	r.entries = append(r.entries, e)
	r.bytes += e.cost()
	for len(r.entries) > r.maxLines || r.maxBytes > 0 && r.bytes > r.maxBytes && len(r.entries) > 1 {
		r.drop()
	}
	return number
}

// intern returns the stored copy of a tag, so that equal tags share memory. It forgets all if there are too many.
func (r *ring) intern(tag string) string {
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

// drop removes the oldest entry. Reslicing is cheap: append copies only when the capacity is used up.
func (r *ring) drop() {
	r.bytes -= r.entries[0].cost()
	r.entries[0] = entry{}
	r.entries = r.entries[1:]
	r.first++
}
