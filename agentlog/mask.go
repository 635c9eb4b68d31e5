package agentlog

import (
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/printable"
)

// masker masks the secrets in the lines of one writer. It keeps state, because a secret may span several lines.
type masker struct {
	in    region
	spans []span
}

type span struct{ from, to int }

// line returns the line without its secrets. It must be called for all lines of a writer, in order.
func (m *masker) line(text string) string {
	m.spans = m.spans[:0]
	from := 0
	if m.in.Kind != regionNone {
		from = m.continueRegion(text)
	}
	lower := asciiLower(text)
	m.findKeys(text, lower, from)
	m.findDumps(text, lower, from)
	m.findPrivateKey(text, from)
	m.findAddresses(text, lower, from)
	m.findWords(text, lower, from)
	if len(m.spans) == 0 {
		return text
	}
	return cutOut(text, m.spans)
}

// continueRegion masks the part of a secret from an earlier line, and returns the offset of the rest.
func (m *masker) continueRegion(text string) int {
	if body := readHeader(text).size; body > 0 && !m.in.continuesIn(text[body:]) {
		m.in = region{}
		return 0
	}
	end, over := m.in.end(text)
	m.hide(0, end)
	if m.in.Lines--; over || m.in.Lines <= 0 {
		m.in = region{}
	}
	return end
}

func (m *masker) hide(from, to int) {
	if from < to {
		m.spans = append(m.spans, span{from, to})
	}
}

// startRegion masks text[from:] up to the end of the region, which may be in a later line, and returns that end.
func (m *masker) startRegion(text string, from int, r region) int {
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
		if hidden != s.from { // merge adjacent spans
			b.WriteString(models.Mask)
		}
		at, hidden = s.to, s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// asciiLower converts ASCII letters to lower case. Unlike strings.ToLower, it preserves byte offsets.
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

// forEach calls found with the offset of each word in text[from:]. The search continues at its result.
func forEach(text, word string, from int, found func(at int) int) {
	for from <= len(text) {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return
		}
		from = max(found(from+i), from+i+len(word))
	}
}

// Masked returns text with its secrets masked, for errors, reasons and similar messages shown with the log.
func Masked(text string) string {
	var m masker
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = m.line(lines[i])
	}
	return strings.Join(lines, "\n")
}

// MaskedWork returns a copy of w in which secrets in the reasons are masked.
func MaskedWork(w *models.Work) models.Work {
	masked := *w
	masked.Reason = Masked(w.Reason)
	if w.Evidence != nil {
		kept := *w.Evidence
		kept.LastError = Masked(kept.LastError)
		masked.Evidence = &kept
	}
	return masked
}

// Sanitize returns a line from an untrusted file in a form that is safe to show. It masks secrets, removes control
// sequences, and recomputes the fields that are derived from the text.
func Sanitize(l models.LogLine) models.LogLine {
	var m masker
	text := withoutColors(truncate(l.Text, maxRaw))
	l.Text = truncate(printable.Line(truncate(m.line(text), maxText)), maxText)
	l.Unit = truncate(printable.Line(l.Unit), maxUnit)
	l.Node.Name = printable.Line(l.Node.Name)
	l.Boot, l.Cursor = truncate(printable.Line(l.Boot), maxUnit), truncate(printable.Line(l.Cursor), 4*maxUnit)
	if l.Source != models.LogServe && !slices.Contains(models.LogSources(), l.Source) {
		l.Source = models.LogArchive
	}
	l.Level = min(max(l.Level, models.LogCritical), models.LogDebug)
	l.Known = string(explain.FindRamdiskError(l.Text))
	if p := l.Progress; p != nil && (p.Percent < 0 || p.Percent > 100 || p.Done < 0 || p.Total < 0) {
		l.Progress = nil
	}
	return l
}
