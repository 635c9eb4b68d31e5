package line

import (
	"slices"
	"strings"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// dot replaces each character of a secret.
const dot = "•"

// Draw draws the line in exactly w cells, scrolled to the cursor, which is a cell in reverse video.
func (l *Line) Draw(t *theme.Theme, w int) string {
	if w <= 0 {
		return ""
	}
	chars := l.chars()
	x, width := 0, 1
	for _, c := range chars {
		if c.from == l.cursor {
			width = max(c.width, 1)
		}
		if c.from < l.cursor {
			x += c.width
		}
	}
	if l.Blurred {
		l.scroll = 0
	} else {
		l.scroll = max(min(l.scroll, x), x+width-w, 0)
	}
	return cell.Fit(l.paint(t, chars, w), w)
}

type char struct {
	text  string
	width int
	role  theme.Role
	from  int // byte offset in the text; the cursor is at the offset of one of the characters
}

// chars returns the characters to display: the text with secrets hidden, the rest of the suggestion or the
// placeholder, and a space for a cursor at the end.
func (l *Line) chars() []char {
	chars := make([]char, 0, len(l.value)+1)
	secret := func(int) bool { return l.Secret }
	if l.Secrets != nil {
		parts := l.Secrets(l.value)
		secret = func(at int) bool {
			return l.Secret || slices.ContainsFunc(parts, func(p [2]int) bool { return at >= p[0] && at < p[1] })
		}
	}
	for i := 0; i < len(l.value); {
		text, width := cell.First(l.value[i:])
		c := char{text: text, width: width, from: i}
		if shown := printable.Line(text); shown != text {
			c.text, c.width = shown, cell.Width(shown)
		}
		if secret(i) {
			c.text, c.width = dot, 1
		}
		chars = append(chars, c)
		i += len(text)
	}
	behind := l.suggestedRest()
	if l.value == "" {
		behind = l.Placeholder
	}
	behind = printable.Line(behind)
	for i := 0; i < len(behind); {
		text, width := cell.First(behind[i:])
		chars = append(chars, char{text: text, width: width, role: theme.Muted, from: len(l.value) + i})
		i += len(text)
	}
	return append(chars, char{text: " ", width: 1, from: len(l.value) + len(behind)})
}

// paint returns the visible characters. Adjacent characters of the same role are painted together.
func (l *Line) paint(t *theme.Theme, chars []char, w int) string {
	var b, run strings.Builder
	role := theme.Plain
	flush := func(next theme.Role) {
		b.WriteString(t.Paint(role, run.String()))
		run.Reset()
		role = next
	}
	x := 0
	for _, c := range chars {
		x += c.width
		if x <= l.scroll {
			continue
		}
		if x > l.scroll+w {
			break
		}
		if cut := x - c.width - l.scroll; cut < 0 {
			run.WriteString(cell.Blanks(c.width + cut)) // part of a wide character is hidden at the left
			continue
		}
		want := c.role
		if c.from == l.cursor && !l.Blurred {
			want = theme.Match
		}
		if want != role || want == theme.Match {
			flush(want)
		}
		run.WriteString(c.text)
	}
	flush(theme.Plain)
	return b.String()
}
