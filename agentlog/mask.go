package agentlog

import (
	"slices"
	"strings"

	"ironworks/models"
)

// masker takes the secrets out of the lines of one writer. It knows when it is in the
// middle of something that goes on over several lines.
type masker struct {
	in    region
	spans []span
}

// span is a part of a line that nobody may see.
type span struct{ from, to int }

// line gives the line without its secrets. It is called with the lines of one writer in
// their order.
func (m *masker) line(text string) string {
	m.spans = m.spans[:0]
	from := 0
	if m.in.kind != regionNone {
		from = m.goOn(text)
	}
	m.find(text, from)
	if len(m.spans) == 0 {
		return text
	}
	return cutOut(text, m.spans)
}

// goOn hides what belongs to the region that an earlier line began, and says where the
// rest of this one begins.
func (m *masker) goOn(text string) int {
	if body := afterHeader(text); body > 0 && !m.in.survives(text[body:]) {
		m.in = region{}
		return 0
	}
	end, over := m.in.end(text)
	m.hide(0, end)
	if m.in.lines--; over || m.in.lines <= 0 {
		m.in = region{}
	}
	return end
}

func (m *masker) hide(from, to int) {
	if from < to {
		m.spans = append(m.spans, span{from, to})
	}
}

// find hides the secrets that begin in text[from:].
func (m *masker) find(text string, from int) {
	lower := asciiLower(text)
	m.findKeys(text, lower, from)
	m.findDumps(text, lower, from)
	m.findPrivateKey(text, from)
	m.findAddresses(text, lower, from)
	m.findWords(text, lower, from)
}

// begin hides text[from:] as far as the region goes; one that does not end here goes on
// in the next line.
func (m *masker) begin(text string, from int, r region) int {
	end, over := r.end(text[from:])
	m.hide(from, from+end)
	if !over {
		m.in = r
	}
	return from + end
}

func cutOut(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	b.Grow(len(text))
	at, hidden := 0, -1
	for _, s := range spans {
		if s.to <= at {
			continue
		}
		s.from = max(s.from, at)
		b.WriteString(text[at:s.from])
		if hidden != s.from { // two that touch are one
			b.WriteString(models.Mask)
		}
		at, hidden = s.to, s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// asciiLower keeps every byte in its place, as strings.ToLower does not.
func asciiLower(s string) string {
	i := 0
	for i < len(s) && (s[i] < 'A' || s[i] > 'Z') {
		i++
	}
	if i == len(s) {
		return s
	}
	b := []byte(s)
	for ; i < len(b); i++ {
		if b[i] >= 'A' && b[i] <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// each calls found with the place of every occurrence of word at or after from; found
// says where to go on.
func each(text, word string, from int, found func(at int) int) {
	for from <= len(text) {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return
		}
		from = max(found(from+i), from+i+len(word))
	}
}
