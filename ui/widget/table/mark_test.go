package table_test

import (
	"slices"
	"strconv"
	"testing"

	"ironworks/ui/widget/table"
)

func TestMarks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   func(*table.Table[row])
		want []string
	}{
		{"toggle moves down", func(tab *table.Table[row]) { tab.ToggleMark(); tab.ToggleMark() }, []string{"id-0", "id-1"}},
		{"toggle twice", func(tab *table.Table[row]) { tab.ToggleMark(); tab.Move(-1); tab.ToggleMark() }, nil},
		{"in the order of marking", func(tab *table.Table[row]) { tab.Mark("id-3"); tab.Mark("id-1"); tab.Mark("id-3") }, []string{"id-3", "id-1"}},
		{"range down", func(tab *table.Table[row]) { tab.Mark("id-1"); tab.Move(3); tab.MarkRange() }, []string{"id-1", "id-2", "id-3"}},
		{"range up", func(tab *table.Table[row]) { tab.Mark("id-3"); tab.Move(1); tab.MarkRange() }, []string{"id-3", "id-2", "id-1"}},
		{"range without a mark", func(tab *table.Table[row]) { tab.MarkRange() }, []string{"id-0"}},
		{"range from a mark that is shown", func(tab *table.Table[row]) {
			tab.Mark("id-1")
			tab.Mark("gone")
			tab.Move(2)
			tab.MarkRange()
		}, []string{"id-1", "gone", "id-2"}},
		{"all", func(tab *table.Table[row]) { tab.MarkAll() }, []string{"id-0", "id-1", "id-2", "id-3", "id-4"}},
		{"none", func(tab *table.Table[row]) { tab.MarkAll(); tab.ClearMarks() }, nil},
		{"filtered out", func(tab *table.Table[row]) { tab.Mark("id-4"); tab.SetRows(makeRows(2)) }, []string{"id-4"}},
		{"pruned", func(tab *table.Table[row]) {
			tab.MarkAll()
			tab.Prune(func(id string) bool { return id == "id-2" })
		}, []string{"id-2"}},
		{"without rows", func(tab *table.Table[row]) { tab.SetRows(nil); tab.ToggleMark(); tab.MarkRange(); tab.MarkAll() }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tab := newTable(5, 60, 11)
			tc.do(tab)
			got := tab.Marked()
			if !slices.Equal(got, tc.want) {
				t.Errorf("got %v, want %v", got, tc.want)
			}
			for i := range 5 {
				id := "id-" + strconv.Itoa(i)
				if tab.IsMarked(id) != slices.Contains(tc.want, id) {
					t.Errorf("%s: marked %v", id, tab.IsMarked(id))
				}
			}
		})
	}
}
