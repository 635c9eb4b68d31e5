package pane

// Place is a row of a text with wrapped lines. It consists of the index of a line, and the index of a row within that
// line.
type Place struct{ Line, Row int }

// Before reports whether a is closer to the start of the text than b.
func (a Place) Before(b Place) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Row < b.Row
}

// Rows is a function that returns the number of rows of a line, which is at least one.
type Rows func(line int) int

// Up returns the place that is n rows above the place at, or the start of the text if that is closer.
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

// Down returns the place that is n rows below the place at, or limit if that is closer.
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

// Last returns the last row of a text with the given number of lines.
func (rows Rows) Last(lines int) Place {
	if lines == 0 {
		return Place{}
	}
	return Place{Line: lines - 1, Row: rows(lines-1) - 1}
}

// End returns the last place from which a text with the given number of lines still fills an area of h rows.
func (rows Rows) End(lines, h int) Place {
	return rows.Up(rows.Last(lines), max(h, 1)-1)
}
