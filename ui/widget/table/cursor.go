package table

// Cursor returns the row at the cursor, or false if there are no rows.
func (t *Table[R]) Cursor() (R, bool) {
	if t.cursor < 0 || t.cursor >= len(t.rows) {
		var none R
		return none, false
	}
	return t.rows[t.cursor], true
}

// Index returns the index of the row at the cursor.
func (t *Table[R]) Index() int { return t.cursor }

// Move moves the cursor by the given number of rows.
func (t *Table[R]) Move(by int) { t.goTo(t.cursor + by) }

// Page moves the cursor and the window by the given number of screens, which overlap by one row.
func (t *Table[R]) Page(by int) {
	by *= max(t.body()-1, 1)
	t.top += by
	t.goTo(t.cursor + by)
}

// Top moves the cursor to the first row.
func (t *Table[R]) Top() { t.goTo(0) }

// Bottom moves the cursor to the last row.
func (t *Table[R]) Bottom() { t.goTo(len(t.rows) - 1) }

func (t *Table[R]) goTo(row int) {
	t.cursor = row
	t.clamp()
}

// Select moves the cursor to the row with the given ID, and reports whether there is such a row.
func (t *Table[R]) Select(id string) bool {
	i := find(t.rows, t.id, id, t.cursor)
	if i >= 0 {
		t.goTo(i)
	}
	return i >= 0
}

// Scroll scrolls by the given number of columns if not all of them fit. The first column is always visible.
func (t *Table[R]) Scroll(by int) {
	p := t.layout()
	t.scroll = min(max(t.scroll+by, 0), p.maxScroll)
}

// clamp moves the cursor to an existing row, and moves the window so that the cursor is visible.
func (t *Table[R]) clamp() {
	t.cursor = max(min(t.cursor, len(t.rows)-1), 0)
	body := t.body()
	switch jump := min(t.Jump, body/2); {
	case t.cursor < t.top:
		t.top = t.cursor - jump
	case t.cursor > t.top+max(body, 1)-1:
		t.top = t.cursor - max(body, 1) + 1 + jump
	}
	t.top = max(min(t.top, len(t.rows)-body), 0)
}

// Hit describes the part of the table that was clicked.
type Hit struct {
	// Row means that a row was clicked, to which the cursor has moved unless WasCurrent is true.
	Row, WasCurrent bool
	// Column is the key of the column whose title was clicked, or "" if no title was clicked.
	Column string
}

// Click handles a click on a cell. The cursor moves to a clicked row. The titles are at y = 0.
func (t *Table[R]) Click(x, y int) Hit {
	if x < 0 || x >= t.w || y < 0 || y >= t.h {
		return Hit{}
	}
	if y == 0 {
		return Hit{Column: t.columnAt(x)}
	}
	at := t.top + y - 1
	if at >= len(t.rows) {
		return Hit{}
	}
	again := at == t.cursor
	t.goTo(at)
	return Hit{Row: true, WasCurrent: again}
}

// columnAt returns the key of the column at x, or "". The gap with the sort arrow is part of a column.
func (t *Table[R]) columnAt(x int) string {
	p := t.layout()
	left := gutter
	for k, i := range p.cols {
		if k > 0 && k <= t.scroll {
			continue
		}
		right := left + p.width[k] + gap
		if x >= left && x < right {
			return t.cols[i].Key
		}
		left = right
	}
	return ""
}
