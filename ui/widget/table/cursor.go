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
func (t *Table[R]) Move(by int) {
	t.cursor += by
	t.clamp()
}

// Page moves the cursor and the window by the given number of screens, which overlap by one row.
func (t *Table[R]) Page(by int) {
	by *= max(t.body()-1, 1)
	t.cursor += by
	t.top += by
	t.clamp()
}

// Top moves the cursor to the first row.
func (t *Table[R]) Top() {
	t.cursor = 0
	t.clamp()
}

// Bottom moves the cursor to the last row.
func (t *Table[R]) Bottom() {
	t.cursor = len(t.rows) - 1
	t.clamp()
}

// Select moves the cursor to the row with the given ID, and reports whether there is such a row.
func (t *Table[R]) Select(id string) bool {
	i := find(t.rows, t.id, id, t.cursor)
	if i < 0 {
		return false
	}
	t.cursor = i
	t.clamp()
	return true
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
