// Package cell measures and cuts text by terminal cells. Styles (SGR sequences) are kept and have no width.
package cell

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Ellipsis marks the place where text was cut off.
const Ellipsis = "…"

// Width returns the width of a line in cells.
func Width(s string) int {
	if w, ok := quickWidth(s); ok {
		return w
	}
	return ansi.StringWidth(s)
}

// Cut shortens text to at most w cells. If it cuts anything off, the text ends with an ellipsis.
func Cut(s string, w int) string {
	switch {
	case w <= 0:
		return ""
	case plain(s):
		if len(s) <= w {
			return s
		}
		return s[:w-1] + Ellipsis
	}
	if have, ok := quickWidth(s); ok && have <= w {
		return s
	}
	return ansi.Truncate(s, w, Ellipsis)
}

// Fit cuts text or pads it on the right to exactly w cells.
func Fit(s string, w int) string {
	s = Cut(s, w)
	return s + Blanks(w-Width(s))
}

// FitRight cuts text or pads it on the left to exactly w cells.
func FitRight(s string, w int) string {
	s = Cut(s, w)
	right := Blanks(w-Width(s)) + s
	// A combining character at the start of s shares the cell of the space before it.
	return Blanks(w-Width(right)) + right
}

// From drops the first n cells of a line. A wide character that would be cut in half becomes a space.
func From(s string, n int) string {
	if n <= 0 {
		return s
	}
	if plain(s) {
		return s[min(n, len(s)):]
	}
	want := Width(s) - n
	rest := ansi.TruncateLeft(s, n, "")
	for k := n + 1; Width(rest) > max(want, 0); k++ {
		rest = ansi.TruncateLeft(s, k, "")
	}
	return Blanks(want-Width(rest)) + rest
}

// First returns the first grapheme of unstyled text and its width in cells.
func First(s string) (char string, width int) {
	if s != "" && s[0] >= 0x20 && s[0] < 0x7f && (len(s) == 1 || s[1] < 0x80) {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// Blanks returns n spaces, or "" if n is negative.
func Blanks(n int) string {
	if n <= 0 {
		return ""
	}
	return strings.Repeat(" ", n)
}

// Wrap breaks text at spaces into lines of at most w cells; a word longer than that is broken anywhere. Existing line
// breaks are kept. Each line starts and ends its own styles.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	// The second pass breaks words with hyphens, which ansi.Wrap leaves too long.
	lines := strings.Split(ansi.Hardwrap(ansi.Wrap(s, w, ""), w, true), "\n")
	if !strings.Contains(s, escape) {
		return lines
	}
	open := ""
	for i, line := range lines {
		before := open
		open = style(open, line)
		lines[i] = before + line
		if open != "" {
			lines[i] += reset
		}
	}
	return lines
}

// style returns the SGR sequences in effect at the end of line, if those in open were in effect at its start.
func style(open, line string) string {
	for {
		_, after, found := strings.Cut(line, escape)
		if !found {
			return open
		}
		codes, rest, ended := strings.Cut(after, "m")
		if !ended {
			return open
		}
		if codes == "" || codes == "0" {
			open = ""
		} else {
			open += escape + codes + "m"
		}
		line = rest
	}
}

// Block joins lines into a block of exactly w by h cells. It cuts what does not fit, and pads the rest with blanks.
func Block(lines []string, w, h int) string {
	if h <= 0 {
		return ""
	}
	fitted := make([]string, h)
	copy(fitted, lines)
	for i, line := range fitted {
		fitted[i] = Fit(line, w)
	}
	return strings.Join(fitted, "\n")
}

// Over draws the block top over base, which must have room for it, from column x of line y on.
func Over(base, top string, x, y int) string {
	lines := strings.Split(base, "\n")
	for i, line := range strings.Split(top, "\n") {
		if y+i >= len(lines) {
			break
		}
		under := lines[y+i]
		lines[y+i] = Fit(ansi.Truncate(under, x, ""), x) + reset + line + reset + From(under, x+Width(line))
	}
	return strings.Join(lines, "\n")
}

const (
	escape = "\x1b["
	reset  = "\x1b[m"
)

// quickWidth is a fast version of Width. It supports printable ASCII, SGR sequences and the glyphs of the console,
// which make up most lines. For any other text, it returns false. It exists because the screen is measured after
// every message, and segmenting the screen into graphemes took half of the drawing time.
func quickWidth(s string) (w int, ok bool) {
	for i := 0; i < len(s); {
		switch b := s[i]; {
		case b >= 0x20 && b < 0x7f:
			i++
			w++
		case b == 0x1b:
			end := sgrEnd(s[i:])
			if end == 0 {
				return 0, false
			}
			i += end
		case b < 0xc2:
			return 0, false
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if !oneCell(r) {
				return 0, false
			}
			i += size
			w++
		}
	}
	return w, true
}

// sgrEnd returns the length of the SGR sequence at the start of s, or 0 if there is none.
func sgrEnd(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch b := s[i]; {
		case b >= '0' && b <= '9' || b == ';' || b == ':':
		case b == 'm':
			return i + 1
		default:
			return 0
		}
	}
	return 0
}

// oneCell reports whether r takes one cell no matter which other character accepted by oneCell follows it. It accepts
// Latin letters, box drawing characters, and the console's glyphs, but neither variation selectors nor combining
// marks.
func oneCell(r rune) bool {
	switch {
	case r >= 0xa1 && r <= 0x17f:
		return r != 0xad
	case r >= 0x2500 && r <= 0x257f, r >= 0x2591 && r <= 0x2593, r >= 0x2190 && r <= 0x2193:
		return true
	}
	return strings.ContainsRune("●◐◌○■✖▲❯✓▴▾▸…≤≥–—‘’“”‹›•", r)
}

// plain reports whether s is printable ASCII only, so that every byte takes one cell.
func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
