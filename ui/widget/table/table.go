// Package table shows rows in columns. Only visible rows are formatted, so that the cost does not depend on their
// number. Cursor and marks belong to a row's ID, and survive sorting, filtering and refreshing. A line is
//
//	❯+ first column  second column
//
// where the first two cells are the cursor and the mark.
package table

import (
	"ironworks/printable"
	"ironworks/ui/theme"
)

// Cell is the content of a column for a row. The glyph comes before the text.
type Cell struct {
	Text      string
	Role      theme.Role
	Glyph     string
	GlyphRole theme.Role
	// Draw, if set, paints exactly w cells instead, for columns that grow.
	Draw func(t *theme.Theme, w int) string
}

// Column is a column of rows of type R.
type Column[R any] struct {
	Key, Title string
	// Min and Max bound the width in cells. A column shrinks to Min, or to its title if Min is 0. Max 0 is unbounded.
	Min, Max int
	// Grow is the share of free space that the column gets; 0 means no share.
	Grow  int
	Right bool
	// Drop orders the removal of columns that do not fit: the highest first, 0 never.
	Drop int
	// Head, if set, returns the title for a width, such as an axis.
	Head func(w int) string
	// Text, in Role, is the cell of a column without glyphs; Cell, if set, replaces it. Both are called for visible
	// rows, and for a sample of others.
	Text func(r R) string
	Role theme.Role
	Cell func(r R) Cell
}

// printable returns a sanitized cell.
func (c *Column[R]) printable(r R) Cell {
	var shown Cell
	switch {
	case c.Cell != nil:
		shown = c.Cell(r)
	case c.Text != nil:
		shown = Cell{Text: c.Text(r), Role: c.Role}
	}
	shown.Text = printable.Line(shown.Text)
	return shown
}

// Table shows rows in columns. The owner sorts and filters the rows.
type Table[R any] struct {
	// Empty is shown if there are no rows.
	Empty string
	// Highlight paints the cursor's row from end to end. Without it, moving the cursor sends two cells to the terminal;
	// with it, two rows.
	Highlight bool
	// Jump is the number of additional rows that are scrolled when the cursor leaves the window. Beside another widget
	// each scrolled line is sent again, because terminals scroll only whole lines.
	Jump int

	// FullRow, if set, returns the content of a row that is one cell instead of columns, such as a heading. Such rows
	// have no marks.
	FullRow func(r R) (c Cell, full bool)

	id   func(R) string
	cols []Column[R]
	rows []R
	w, h int // h includes the title

	cursor, top int // the indexes of the cursor's row and the first visible row

	order []string // marks, oldest first
	marks map[string]struct{}

	sortKey string
	sortDsc bool

	wide   bool
	scroll int   // hidden columns after the first
	widest []int // widest content of each column so far
	plan   *plan // nil after a change
}

// New returns a table; id identifies rows.
func New[R any](id func(R) string) *Table[R] {
	return &Table[R]{id: id, marks: map[string]struct{}{}}
}

// SetColumns replaces the columns, and resets their widths.
func (t *Table[R]) SetColumns(cols []Column[R]) {
	t.cols = cols
	t.scroll = 0
	t.measureAnew()
}

// SetRows replaces the rows; the slice is not copied. The cursor stays with its row, if possible on the same line;
// if the row is gone, at the same index.
func (t *Table[R]) SetRows(rows []R) {
	at := t.cursor
	if cur, ok := t.Cursor(); ok {
		if i := find(rows, t.id, t.id(cur), at); i >= 0 {
			at = i
		}
	}
	line := t.cursor - t.top
	atTop := t.top == 0
	t.rows, t.cursor = rows, at
	t.top = at - line
	if atTop && at < t.body() {
		// At the top, new rows stay visible.
		t.top = 0
	}
	t.clamp()
	t.measure()
}

// Resize sets the area; the title takes one line of it.
func (t *Table[R]) Resize(w, h int) {
	if w == t.w && h == t.h {
		return
	}
	changed := w != t.w
	t.w, t.h = w, h
	t.clamp()
	if changed {
		t.measureAnew()
	}
}

// SetSort sets the sort arrow.
func (t *Table[R]) SetSort(key string, descending bool) {
	t.sortKey, t.sortDsc = key, descending
}

// SetWide shows all columns in full width; Scroll reaches the rest.
func (t *Table[R]) SetWide(wide bool) {
	if wide != t.wide {
		t.wide, t.scroll, t.plan = wide, 0, nil
	}
}

// Len returns the number of rows.
func (t *Table[R]) Len() int { return len(t.rows) }

// Rows returns all rows in order.
func (t *Table[R]) Rows() []R { return t.rows }

// Visible returns the visible rows.
func (t *Table[R]) Visible() []R {
	return t.rows[t.top:min(t.top+t.body(), len(t.rows))]
}

// fullRow returns the content of a row without columns.
func (t *Table[R]) fullRow(r R) (c Cell, whole bool) {
	if t.FullRow != nil {
		c, whole = t.FullRow(r)
		c.Text = printable.Line(c.Text)
	}
	return c, whole
}

// body returns the number of lines for rows.
func (t *Table[R]) body() int { return max(t.h-1, 0) }

// find returns the index of the row with an ID, or -1. near is the index where the row was last.
func find[R any](rows []R, id func(R) string, want string, near int) int {
	if near < len(rows) && id(rows[near]) == want {
		return near
	}
	for i, r := range rows {
		if id(r) == want {
			return i
		}
	}
	return -1
}
