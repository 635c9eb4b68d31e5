package pane

// Place is a row of a wrapped text: a line, and a row in it.
type Place struct{ Line, Row int }

// Before reports whether a is nearer to the start than b.
func (a Place) Before(b Place) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Row < b.Row
}

// Rows returns the number of rows of a line, at least one.
type Rows func(line int) int

// Up returns the place n rows above, or the start.
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

// Down returns the place n rows below, at most limit.
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

// Last returns the last row of a text of so many lines.
func (rows Rows) Last(lines int) Place {
	if lines == 0 {
		return Place{}
	}
	return Place{Line: lines - 1, Row: rows(lines-1) - 1}
}

// End returns the last place that fills an area of h rows.
func (rows Rows) End(lines, h int) Place {
	return rows.Up(rows.Last(lines), max(h, 1)-1)
}
