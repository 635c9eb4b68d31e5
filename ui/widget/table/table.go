// Package table shows rows in columns: only those that are seen are asked for, so that
// a hundred thousand rows cost what fifty do. Cursor and marks belong to a row's id,
// not to its place, and outlive sorting, filtering and refreshing. A line is
//
//	❯+ first column  second column
//
// where the first two cells are the cursor and the mark. The cursor is no more than that
// sign: it moves for two cells of the line, where a reversed row is sent whole.
package table

import "ironworks/ui/theme"

// Cell is what a column shows of a row. A glyph stands before the text.
type Cell struct {
	Text      string
	Role      theme.Role
	Glyph     string
	GlyphRole theme.Role
	// Draw, where it is set, paints exactly w cells instead of the rest: a picture, for
	// which a column that grows has the room.
	Draw func(t *theme.Theme, w int) string
}

// Column is one column of rows of type R.
type Column[R any] struct {
	Key, Title string
	// Min and Max bound the width in cells. Where room is short a column goes down to Min,
	// or to its title's width where Min is 0. A Max of 0 is no bound.
	Min, Max int
	// Grow is the column's share of the room that is left; 0 is none.
	Grow int
	// Right aligns to the right.
	Right bool
	// Drop is when the column goes, where not all can stand: the highest first, 0 never.
	Drop int
	// Head, where it is set, is the title by the column's width: of an axis.
	Head func(w int) string
	// Cell is asked for rows in sight, and for some more to learn the column's width.
	Cell func(r R) Cell
}

// Table is rows in columns. Sorting and filtering are its owner's.
type Table[R any] struct {
	// Empty is shown where there are no rows.
	Empty string

	id   func(R) string
	cols []Column[R]
	rows []R
	w, h int // h includes the title

	cursor, top int // places in rows: the cursor's and that of the first line

	order []string // marks, oldest first
	marks map[string]struct{}

	sortKey string
	sortDsc bool

	wide   bool
	scroll int   // columns hidden behind the first one
	seen   []int // widest content of each column so far
	plan   *plan // nil after a change
}

// New makes a table whose rows are told apart by id.
func New[R any](id func(R) string) *Table[R] {
	return &Table[R]{id: id, marks: map[string]struct{}{}}
}

// SetColumns replaces the columns. What was learnt of their widths is forgotten.
func (t *Table[R]) SetColumns(cols []Column[R]) {
	t.cols = cols
	t.scroll = 0
	t.measureAnew()
}

// SetRows replaces the rows; the slice is kept, not copied. The cursor stays with its row, at the same line of the
// screen where that can be; where its row has gone, it stays at the same place.
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
		// Who looks at the top keeps seeing what comes in there.
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

// SetSort shows at the titles how the rows are sorted.
func (t *Table[R]) SetSort(key string, descending bool) {
	t.sortKey, t.sortDsc = key, descending
}

// SetWide shows all columns, as wide as they want to be; what does not fit is reached by
// Scroll.
func (t *Table[R]) SetWide(wide bool) {
	if wide != t.wide {
		t.wide, t.scroll, t.plan = wide, 0, nil
	}
}

// Len is how many rows there are.
func (t *Table[R]) Len() int { return len(t.rows) }

// Rows are all rows, in the order of the screen.
func (t *Table[R]) Rows() []R { return t.rows }

// Visible are the rows in sight.
func (t *Table[R]) Visible() []R {
	return t.rows[t.top:min(t.top+t.body(), len(t.rows))]
}

// body is how many lines there are for rows.
func (t *Table[R]) body() int { return max(t.h-1, 0) }

// find is the place of the row with an id, or -1; near is where it was.
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
