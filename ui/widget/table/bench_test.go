package table_test

import (
	"strconv"
	"testing"

	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// tenColumns returns the columns of a table for a wide screen. Some of them have a glyph, and one has wide
// characters.
func tenColumns() []table.Column[row] {
	cols := append(columns(), columns()[:3]...)
	cols = append(cols, columns()[:2]...)
	return append(cols, table.Column[row]{Key: "site", Title: "Site", Min: 8, Cell: func(row) table.Cell {
		return table.Cell{Text: "机架一号", Role: theme.Warn}
	}})
}

func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{10, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			tab := newTable(n, 200, 50)
			tab.SetColumns(tenColumns())
			th := plainTheme()
			tab.Move(n / 2)
			b.ReportAllocs()
			for b.Loop() {
				tab.Draw(th)
			}
		})
	}
}

func BenchmarkSetRows(b *testing.B) {
	tab := newTable(10_000, 200, 50)
	tab.SetColumns(tenColumns())
	rows := makeRows(10_000)
	tab.Bottom()
	b.ReportAllocs()
	for b.Loop() {
		tab.SetRows(rows)
	}
}
