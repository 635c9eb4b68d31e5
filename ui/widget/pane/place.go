package pane

// Place is a row of a wrapped text: a line, and a row within it.
type Place struct{ Line, Row int }

// Before says whether a place is nearer to the beginning than another.
func (a Place) Before(b Place) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Row < b.Row
}

// Rows is how many rows a line has; one at least.
type Rows func(line int) int

// Up is the place that is n rows before another, or the beginning.
func (rows Rows) Up(at Place, n int) Place {
	for n > at.Row {
		if at.Line == 0 {
			return Place{}
		}
		n -= at.Row + 1
		at.Line--
		at.Row = rows(at.Line) - 1
	}
	at.Row -= n
	return at
}

// Down is the place that is n rows after another, but not beyond the limit.
func (rows Rows) Down(at Place, n int, limit Place) Place {
	for at.Line < limit.Line && n > 0 {
		left := rows(at.Line) - 1 - at.Row
		if n <= left {
			break
		}
		n -= left + 1
		at = Place{Line: at.Line + 1}
	}
	at.Row += n
	if limit.Before(at) {
		return limit
	}
	return at
}

// Last is the last row of a text of so many lines.
func (rows Rows) Last(lines int) Place {
	if lines == 0 {
		return Place{}
	}
	return Place{Line: lines - 1, Row: rows(lines-1) - 1}
}

// End is the last place from which a text of so many lines fills an area of h rows.
func (rows Rows) End(lines, h int) Place {
	return rows.Up(rows.Last(lines), max(h, 1)-1)
}
