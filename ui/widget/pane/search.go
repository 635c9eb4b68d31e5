package pane

import (
	"unicode"
	"unicode/utf8"

	"ironworks/ui/cell"
)

// Search highlights all matches, ignoring case. It goes to the first match at or below the top line, wrapping around,
// and reports whether there is one. An empty text ends the search.
func (p *Pane) Search(text string) bool {
	p.query = text
	p.hit = p.top.Line
	if text == "" {
		return false
	}
	return p.seek(p.top.Line, 1)
}

// Query returns the search text.
func (p *Pane) Query() string { return p.query }

// Next goes to the next line with a match, wrapping around, and reports whether there is a match.
func (p *Pane) Next() bool { return p.seek(p.hit+1, 1) }

// Prev goes to the previous line with a match, wrapping around, and reports whether there is a match.
func (p *Pane) Prev() bool { return p.seek(p.hit-1, -1) }

// seek goes to the first line with the search text and reports whether there is one. It starts at index from,
// advances by step, and wraps around.
func (p *Pane) seek(from, step int) bool {
	n := len(p.lines)
	if p.query == "" || n == 0 {
		return false
	}
	at := ((from % n) + n) % n
	for range n {
		text := p.lines[at].text()
		if start, _ := Find(text, p.query); start >= 0 {
			p.hit = at
			p.show(at, text, start)
			return true
		}
		at = (at + step + n) % n
	}
	return false
}

// show scrolls the line with a match to the top, so that it is clear which match is current. If the match is still
// not visible, it scrolls sideways too. start is the offset of the match in text.
func (p *Pane) show(line int, text string, start int) {
	p.GoTo(line)
	if p.wrap {
		return
	}
	x := cell.Width(text[:start])
	if x < p.x || x >= p.x+p.w {
		p.x = max(x-p.w/2, 0)
	}
}

// Find returns the byte range of the first occurrence of what in s, ignoring case, or -1 if there is none.
func Find(s, what string) (start, end int) {
	first, _ := utf8.DecodeRuneInString(what)
	first = unicode.ToLower(first)
	for i, r := range s {
		if r != first && unicode.ToLower(r) != first {
			continue
		}
		if n := prefix(s[i:], what); n >= 0 {
			return i, i + n
		}
	}
	return -1, -1
}

// prefix returns the length, in bytes, of the prefix of s that matches the text in what, ignoring case. It returns -1
// if s does not start with that text.
func prefix(s, what string) int {
	rest := s
	for _, w := range what {
		r, n := utf8.DecodeRuneInString(rest)
		if n == 0 || r != w && unicode.ToLower(r) != unicode.ToLower(w) {
			return -1
		}
		rest = rest[n:]
	}
	return len(s) - len(rest)
}
