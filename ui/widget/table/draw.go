package table

import (
	"strings"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Draw draws the table in exactly the size set by Resize.
func (t *Table[R]) Draw(th *theme.Theme) string {
	if t.h <= 0 {
		return ""
	}
	p := t.layout()
	var b strings.Builder
	b.Grow(t.h * (max(t.w, 0) + 16*len(p.cols)))
	d := pen{b: &b, th: th, w: t.w}
	t.title(&d, p)
	rows := t.Visible()
	for i, r := range rows {
		d.newline()
		t.row(&d, p, r, t.top+i == t.cursor)
	}
	rest := t.body() - len(rows)
	if len(t.rows) == 0 && t.Empty != "" && rest > 0 {
		t.empty(&d, rest)
		return b.String()
	}
	for range rest {
		d.newline()
		d.end()
	}
	return b.String()
}

// title draws the titles. The sort arrow may be in the gap after its title, so that sorting moves no column.
func (t *Table[R]) title(d *pen, p *plan) {
	d.blanks(gutter)
	for k, i := range p.cols {
		if k > 0 && k <= t.scroll {
			continue
		}
		w := min(p.width[k], d.w-d.x)
		if w <= 0 {
			break
		}
		next := d.x + p.width[k] + gap
		col := &t.cols[i]
		role, arrow := theme.Muted, ""
		if col.Key == t.sortKey && t.sortKey != "" {
			role, arrow = theme.Strong, theme.GlyphUp
			if t.sortDsc {
				arrow = theme.GlyphDown
			}
			// The last column has no gap for the arrow.
			w = min(w, d.w-d.x-1)
		}
		text := cell.Cut(col.Title, w)
		if col.Head != nil {
			text = cell.Cut(col.Head(w), w)
		}
		if col.Right {
			d.blanks(w - cell.Width(text))
		}
		d.text(role, text+arrow)
		d.blanks(next - d.x)
	}
	d.end()
}

func (t *Table[R]) row(d *pen, p *plan, r R, current bool) {
	if plainTheme := d.th; current && t.Highlight {
		d.th, d.painted = plainTheme.Row(), true
		defer func() { d.th, d.painted = plainTheme, false }()
	}
	if current {
		d.text(theme.Accent, cell.Cut(theme.GlyphCursor, d.w))
	} else {
		d.blanks(1)
	}
	if d.w > 1 && len(t.order) > 0 && t.IsMarked(t.id(r)) {
		d.text(theme.Accent, theme.GlyphMark)
	} else {
		d.blanks(1)
	}
	d.blanks(gutter - 2)
	if c, whole := t.fullRow(r); whole {
		d.cell(c, d.w-d.x, false)
		d.end()
		return
	}
	for k, i := range p.cols {
		if k > 0 && k <= t.scroll {
			continue
		}
		w := min(p.width[k], d.w-d.x)
		if w <= 0 {
			break
		}
		d.cell(t.cols[i].printable(r), w, t.cols[i].Right)
		d.blanks(gap)
	}
	d.end()
}

func (t *Table[R]) empty(d *pen, lines int) {
	text := cell.Wrap(printable.Line(t.Empty), t.w-gutter-1)
	if lines > 1 {
		text = append([]string{""}, text...)
	}
	for i := range lines {
		d.newline()
		d.blanks(gutter)
		if i < len(text) {
			d.text(theme.Muted, cell.Cut(text[i], d.w-d.x))
		}
		d.end()
	}
}

// pen writes lines of exactly w cells. It counts what it writes, because measuring painted text is slow.
type pen struct {
	b  *strings.Builder
	th *theme.Theme
	w  int
	x  int // number of cells written to the line so far
	// painted means that blanks are painted too.
	painted bool
}

func (d *pen) newline() {
	d.b.WriteByte('\n')
	d.x = 0
}

// text writes text, which must fit into the line.
func (d *pen) text(role theme.Role, text string) {
	d.x += cell.Width(text)
	d.b.WriteString(d.th.Paint(role, text))
}

const blanks = "                                                                "

// blanks writes n spaces, or fewer if less space is left in the line.
func (d *pen) blanks(n int) {
	n = min(n, d.w-d.x)
	d.x += max(n, 0)
	for n > 0 {
		k := min(n, len(blanks))
		if d.painted {
			d.b.WriteString(d.th.Paint(theme.Plain, blanks[:k]))
		} else {
			d.b.WriteString(blanks[:k])
		}
		n -= k
	}
}

func (d *pen) end() { d.blanks(d.w - d.x) }

// cell writes a cell of the table, which takes w cells of the terminal: the glyph, a space and the text.
func (d *pen) cell(c Cell, w int, right bool) {
	end := d.x + w
	if c.Draw != nil {
		d.b.WriteString(c.Draw(d.th, w))
		d.x = end
		return
	}
	if right {
		d.blanks(w - c.width())
	}
	if c.Glyph != "" {
		d.text(c.GlyphRole, cell.Cut(c.Glyph, end-d.x))
		if c.Text != "" {
			d.blanks(min(1, end-d.x))
		}
	}
	if c.Text != "" {
		d.text(c.Role, cell.Cut(c.Text, end-d.x))
	}
	d.blanks(end - d.x)
}
