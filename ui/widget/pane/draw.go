package pane

import (
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Draw draws the pane in exactly the size set by Resize.
func (p *Pane) Draw(t *theme.Theme) string {
	lines := len(p.lines)
	if p.w <= 0 {
		lines = 0
	}
	return p.walk().Area(p.top, lines, p.w, p.h, func(b *strings.Builder, at Place) { p.row(b, t, at) })
}

func (p *Pane) row(b *strings.Builder, t *theme.Theme, at Place) {
	line := p.lines[at.Line]
	text := line.text()
	var lead, start, end int
	var more bool
	if p.wrap {
		ends := p.breaks(at.Line)
		end = ends[at.Row]
		if at.Row > 0 {
			start = ends[at.Row-1]
		}
		if cell.Width(text[start:end]) > p.w {
			end = start + len(strings.TrimSuffix(text[start:end], " "))
		}
		if cell.Width(text[start:end]) > p.w {
			end = start // not even a single character fits into the area
		}
	} else if lead, start, end, more = Window(text, p.x, p.w); more {
		// The last cell is reserved for the sign that there is more.
		lead, start, end, _ = Window(text, p.x, p.w-1)
		lead = min(lead, p.w-1)
	}
	lead = min(lead, p.w)
	used := lead + cell.Width(text[start:end])
	painted := Paint(t, line, text, p.query, start, end)
	if more {
		painted += cell.Blanks(p.w-1-used) + t.Paint(theme.Muted, cell.Ellipsis)
		used = p.w
	}
	b.WriteString(cell.Blanks(lead))
	if len(line) > 1 || p.query != "" {
		// A role may change within a character that consists of several runes.
		painted = cell.Fit(painted, p.w-lead)
		used = p.w
	}
	b.WriteString(painted)
	b.WriteString(cell.Blanks(p.w - used))
}

// Paint paints the part of line between the byte offsets start and end according to the roles of its spans, and
// highlights matches of query. text is the text of the whole line.
func Paint(t *theme.Theme, line Line, text, query string, start, end int) string {
	if query == "" && len(line) == 1 {
		return t.Paint(line[0].Role, text[start:end])
	}
	var b strings.Builder
	m0, m1 := matchFrom(text, query, 0)
	at := 0
	for _, s := range line {
		for i, to := at, at+len(s.Text); i < to; {
			for m1 >= 0 && m1 <= i {
				m0, m1 = matchFrom(text, query, m1)
			}
			role, until := s.Role, to
			switch {
			case m0 >= 0 && m0 <= i:
				role, until = theme.Match, min(to, m1)
			case m0 >= 0:
				until = min(to, m0)
			}
			if from, upTo := max(i, start), min(until, end); from < upTo {
				b.WriteString(t.Paint(role, text[from:upTo]))
			}
			i = until
		}
		at += len(s.Text)
	}
	return b.String()
}

// matchFrom returns the first match of query that starts at or after the given offset, or -1 if there is none.
func matchFrom(text, query string, from int) (start, end int) {
	if query == "" {
		return -1, -1
	}
	start, end = Find(text[from:], query)
	if start < 0 {
		return -1, -1
	}
	return start + from, end + from
}
