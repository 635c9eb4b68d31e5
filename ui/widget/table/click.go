package table

// Hit describes the part of the table that was clicked.
type Hit struct {
	// Row means that a row was clicked. The cursor has moved to that row. WasCurrent means that the cursor was
	// already on the row.
	Row, WasCurrent bool
	// Column is the key of the column whose title was clicked, or "" if no title was clicked.
	Column string
}

// Click handles a click on a cell. If the cell belongs to a row, the cursor moves to that row. The titles are at y =
// 0.
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
	t.cursor = at
	t.clamp()
	return Hit{Row: true, WasCurrent: again}
}

// columnAt returns the key of the column at x, or "". The gap after a column counts as part of it, because the sort
// arrow may be there.
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
