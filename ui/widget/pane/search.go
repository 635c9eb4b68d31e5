package pane

import (
	"unicode"
	"unicode/utf8"

	"ironworks/ui/cell"
)

// Search marks a text wherever it stands, in upper or lower case, and goes to the first
// place from the present one on, then to those before it. An empty text ends searching.
func (p *Pane) Search(text string) bool {
	p.query = text
	p.hit = p.top.Line
	if text == "" {
		return false
	}
	return p.seek(p.top.Line, 1)
}

// Query is what is searched for.
func (p *Pane) Query() string { return p.query }

// Next goes to the next line with the text, from the last one to the first.
func (p *Pane) Next() bool { return p.seek(p.hit+1, 1) }

// Prev goes to the line before with the text, from the first one to the last.
func (p *Pane) Prev() bool { return p.seek(p.hit-1, -1) }

// seek looks through all lines once, beginning with one.
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

// show brings a match to the top, so that it is plain which of several in sight it is.
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

// Find finds a text in another one without regard to case: the bytes it takes, or -1.
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

// prefix is how many bytes of s the text takes at its beginning, or -1.
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
