package line

import (
	"slices"
	"strings"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// dot stands for a character of a secret.
const dot = "•"

// Draw is the line, exactly w cells wide, scrolled so that the cursor is in sight. The
// cursor is a reversed cell.
func (l *Line) Draw(t *theme.Theme, w int) string {
	if w <= 0 {
		return ""
	}
	chars := l.chars()
	// Where the cursor is, in cells.
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

// char is a character as it is shown.
type char struct {
	text  string
	width int
	role  theme.Role
	from  int // in bytes of the value; the cursor is at one of these
}

// chars are all that there is to show.
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
		if secret(i) {
			c.text, c.width = dot, 1
		}
		chars = append(chars, c)
		i += len(text)
	}
	behind := l.ghost()
	if l.value == "" {
		behind = l.Placeholder
	}
	for i := 0; i < len(behind); {
		text, width := cell.First(behind[i:])
		chars = append(chars, char{text: text, width: width, role: theme.Muted, from: len(l.value) + i})
		i += len(text)
	}
	return append(chars, char{text: " ", width: 1, from: len(l.value) + len(behind)})
}

// paint joins the characters that are in sight; those of one role together.
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
			run.WriteString(cell.Blanks(c.width + cut)) // a wide one that is cut through
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
