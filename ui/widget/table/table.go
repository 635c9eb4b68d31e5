// Package table displays rows in columns. Only visible rows are formatted, so the cost does not depend on the number
// of rows. The cursor and the marks belong to the ID of a row, and so survive sorting, filtering and refreshing. A
// line has the form
//
//	❯+ first column  second column
//
// where the first two cells are the cursor and the mark.
package table

import (
	"ironworks/printable"
	"ironworks/ui/theme"
)

// Cell is the content of a row in one column. The glyph comes before the text.
type Cell struct {
	Text      string
	Role      theme.Role
	Glyph     string
	GlyphRole theme.Role
	// Draw, if not nil, draws exactly w cells in place of the glyph and the text. It is meant for columns that grow.
	Draw func(t *theme.Theme, w int) string
}

// Column describes a column of a table whose rows have the type R.
type Column[R any] struct {
	Key, Title string
	// Min and Max limit the width, in cells. A column can shrink to Min or, if Min is 0, to the width of its title.
	// If Max is 0, the width has no upper limit.
	Min, Max int
	// Grow is the share of the free space that the column gets. If 0, it gets none.
	Grow  int
	Right bool
	// Drop is the order in which columns that do not fit are removed, highest first. A column with 0 is kept.
	Drop int
	// Head, if not nil, returns the title for a given width, such as an axis.
	Head func(w int) string
	// Text returns the text of a cell, and Role is its role. Cell, if not nil, replaces both, for example to add a
	// glyph. Text and Cell are called for visible rows and for a sample of all rows.
	Text func(r R) string
	Role theme.Role
	Cell func(r R) Cell
}

// printable returns the cell for row r, with control characters in its text replaced.
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

// Table displays rows in columns. Its owner sorts and filters the rows.
type Table[R any] struct {
	// Empty is the text shown if there are no rows.
	Empty string
	// Highlight paints the whole row at the cursor. Moving it then sends two rows to the terminal, not two cells.
	Highlight bool
	// Jump is the number of additional rows to scroll when the cursor leaves the window. It reduces how often a table
	// beside another widget scrolls. There, each scrolled line is sent again, because terminals can scroll only whole
	// lines.
	Jump int

	// FullRow, if not nil, returns the content of rows that consist of a single cell rather than columns, such as
	// headings. Such rows cannot be marked.
	FullRow func(r R) (c Cell, full bool)

	id   func(R) string
	cols []Column[R]
	rows []R
	w, h int // h includes the line with the titles

	cursor, top int // indexes of the row at the cursor and of the first visible row

	order []string // IDs of the marked rows, oldest mark first
	marks map[string]struct{}

	sortKey string
	sortDsc bool

	wide   bool
	scroll int   // number of columns hidden after the first one
	widest []int // width of the widest content of each column so far
	plan   *plan // nil if it has to be computed again
}

// New returns an empty table. id returns the ID of a row.
func New[R any](id func(R) string) *Table[R] {
	return &Table[R]{id: id, marks: map[string]struct{}{}}
}

// SetColumns replaces the columns. Their widths are measured again.
func (t *Table[R]) SetColumns(cols []Column[R]) {
	t.cols = cols
	t.scroll = 0
	t.measureAnew()
}

// SetRows replaces the rows; it does not copy the slice. The cursor stays at the row with the same ID, on the same
// line of the screen if possible. If that row is gone, the cursor keeps its index.
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
		// A window at the top stays there as long as the cursor remains visible, so that new rows are visible.
		t.top = 0
	}
	t.clamp()
	t.measure()
}

// Resize sets the size of the area, in cells. The titles take one line of it.
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

// SetSort sets the column whose title shows the sort arrow, and the direction of the arrow.
func (t *Table[R]) SetSort(key string, descending bool) {
	t.sortKey, t.sortDsc = key, descending
}

// SetWide selects whether all columns are shown in full width. Scroll shows the columns that do not fit.
func (t *Table[R]) SetWide(wide bool) {
	if wide != t.wide {
		t.wide, t.scroll, t.plan = wide, 0, nil
	}
}

// Len returns the number of rows.
func (t *Table[R]) Len() int { return len(t.rows) }

// Rows returns all rows in order.
func (t *Table[R]) Rows() []R { return t.rows }

// Visible returns the rows in the window.
func (t *Table[R]) Visible() []R {
	return t.rows[t.top:min(t.top+t.body(), len(t.rows))]
}

// fullRow returns the content of a row that consists of a single cell. whole is false for rows with columns.
func (t *Table[R]) fullRow(r R) (c Cell, whole bool) {
	if t.FullRow != nil {
		c, whole = t.FullRow(r)
		c.Text = printable.Line(c.Text)
	}
	return c, whole
}

// body returns the number of lines available for rows.
func (t *Table[R]) body() int { return max(t.h-1, 0) }

// find returns the index of the row whose ID is want, or -1. It looks first at near, the previous index.
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
