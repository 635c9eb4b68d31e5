package logview

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ironworks/ui/widget/pane"
)

// Search highlights all matches, ignoring case, and goes to one of them. If the view follows the newest line, Search
// goes to the newest match; otherwise, it goes to the first match at or below the top of the window. If there is no
// match, or text is empty, the window returns to its position before the search. Search reports whether there is a
// match.
func (v *View) Search(text string) bool {
	if v.before == nil {
		v.settle()
		v.before = &place{v.top.number, v.top.row}
		if v.follow {
			v.before.number = -1
		}
	}
	v.query = text
	back := *v.before
	if text == "" {
		v.before = nil
	}
	followed := back.number < 0
	v.cursor = -1
	if text != "" {
		if followed && v.seek(v.Shown()-1, -1) || !followed && v.seek(v.index(back.number), 1) {
			return true
		}
	}
	if followed {
		v.Follow(true)
	} else {
		v.top = back
	}
	return false
}

// Keep ends the input of the search text. The window stays where it is.
func (v *View) Keep() { v.before = nil }

// Query returns the search text.
func (v *View) Query() string { return v.query }

// Next goes to the next newer match, wrapping around, and reports whether there is a match.
func (v *View) Next() bool { return v.seek(v.from()+1, 1) }

// Prev goes to the next older match, wrapping around, and reports whether there is a match.
func (v *View) Prev() bool {
	if _, gone := v.Cursor(); !gone && v.follow {
		return v.seek(v.Shown()-1, -1)
	}
	return v.seek(v.from()-1, -1)
}

// from returns the index, among the shown lines, of the line after which Next starts searching. This is the current
// line or, if there is none, the line before the first visible one.
func (v *View) from() int {
	if v.cursor >= v.ring.first {
		return v.index(v.cursor)
	}
	v.settle()
	return v.at().Line - 1
}

// seek goes to the first line with the search text and reports whether there is one. It starts at index from,
// advances by step, and wraps around.
func (v *View) seek(from, step int) bool {
	if v.query == "" {
		return false
	}
	plain := !strings.ContainsFunc(v.query, func(r rune) bool { return r >= utf8.RuneSelf })
	return v.find(from, step, func(e *entry) bool {
		return has(e.text, v.query, plain) || has(e.tag, v.query, plain)
	})
}

// find goes to the first line for which wanted returns true. It starts at index from, advances by step, and wraps
// around. It reports whether there is such a line.
func (v *View) find(from, step int, wanted func(*entry) bool) bool {
	n := v.Shown()
	if n == 0 {
		return false
	}
	at := ((from % n) + n) % n
	for range n {
		if wanted(v.ring.at(v.number(at))) {
			v.reveal(at)
			return true
		}
		at = (at + step + n) % n
	}
	return false
}

// Problem goes to the next line that is an error or has a mark, and wraps around. If the current line is neither an
// error nor marked, the search starts at the first line.
func (v *View) Problem() bool {
	if _, gone := v.Cursor(); gone && v.ring.at(v.cursor).isProblem() {
		return v.find(v.index(v.cursor)+1, 1, (*entry).isProblem)
	}
	return v.find(0, 1, (*entry).isProblem)
}

// LastProblem returns the last line that is an error or has a mark, or false if there is none.
func (v *View) LastProblem() (Line, bool) {
	for i := v.Shown() - 1; i >= 0; i-- {
		if e := v.ring.at(v.number(i)); e.isProblem() {
			return e.line(), true
		}
	}
	return Line{}, false
}

func (e *entry) isProblem() bool { return e.level <= Error || e.mark != "" }

// has reports whether s contains the text in what, ignoring case. If plain is true, what must be ASCII, and has
// allocates no memory. This matters because each key press searches up to 100,000 lines.
func has(s, what string, plain bool) bool {
	if !plain {
		start, _ := pane.Find(s, what)
		return start >= 0
	}
	low, up := byte(unicode.ToLower(rune(what[0]))), byte(unicode.ToUpper(rune(what[0]))) //nolint:gosec // ASCII
	for len(s) >= len(what) {
		i := strings.IndexByte(s, low)
		if up != low {
			if k := strings.IndexByte(s[:max(i, 0)], up); k >= 0 {
				i = k
			} else if i < 0 {
				i = strings.IndexByte(s, up)
			}
		}
		if i < 0 || i+len(what) > len(s) {
			return false
		}
		if strings.EqualFold(s[i:i+len(what)], what) {
			return true
		}
		s = s[i+1:]
	}
	return false
}
