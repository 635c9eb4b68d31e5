package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := some()
		nodes[0].Owner, nodes[1].Lessee, nodes[2].Conductor = "blue", "green", "c1"
		r, s, needed := opened(t, screen.Defaults{Sort: "name"}, nodes...)
		by := func(field string, want ...string) {
			t.Helper()
			r.Deliver(s, GroupBy(field))
			r.Deliver(s, r.Sync())
			if got := names(s); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", field, got, want)
			}
			screentest.CheckSizes(t, s)
		}
		by("state", "[deploy failed]", "n2", "[available]", "n3", "[active]", "n1", "n10")
		by("class", "[big]", "n1", "n3", "[small]", "n2", "n10")
		r.Deliver(s, SortBy("name"))
		by("class", "[big]", "n3", "n1", "[small]", "n10", "n2")
		r.Deliver(s, SortBy("name"))
		by("owner", "[blue]", "n1", "[]", "n2", "n3", "n10")
		screentest.Shows(t, s, 80, 20, "▾ blue  1 node", "▾ no owner  3 nodes")
		by("lessee", "[green]", "n2", "[]", "n1", "n3", "n10")
		by("conductor", "[c1]", "n10", "[]", "n1", "n2", "n3")
		if !slices.Contains(*needed, "lessee") || !slices.Contains(*needed, "conductor") {
			t.Errorf("requested %v", *needed)
		}
		by("no-such-field", "n1", "n2", "n3", "n10")
		by("class", "[big]", "n1", "n3", "[small]", "n2", "n10")
		r.Deliver(s, UseFilter("name:n1"))
		by("class", "[big]", "n1", "[small]", "n10")
		r.Deliver(s, UseFilter("zebra"))
		by("class")
		r.Do(s, s.Do(action.Group))
		r.Deliver(s, UseFilter(""))
		if got := names(s); !slices.Equal(got, []string{"n1", "n2", "n3", "n10"}) {
			t.Errorf("after the end of grouping: %v", got)
		}
		if asked := r.Do(s, s.Do(action.Group)); len(asked) != 1 {
			t.Errorf("without groups the key asks %v", asked)
		}
	})
}

func TestFolding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{Sort: "name"}, some()...)
		r.Deliver(s, GroupBy("class"))
		s.Do(action.Top)
		if s.pointedGroup() == nil {
			t.Fatal("the first line is no group")
		}
		if got := s.Targets(); len(got) > 0 || len(s.Copies()) > 0 || s.DisabledReason(action.ShowLog) == "" || s.DisabledReason(action.Open) != "" {
			t.Errorf("targets of a heading: %v", got)
		}
		if opened := r.Do(s, s.Do(action.Open)); len(opened) > 0 {
			t.Errorf("enter on a heading opened %v", opened)
		}
		want := []string{"[big]", "[small]", "n2", "n10"}
		if got := names(s); !slices.Equal(got, want) {
			t.Errorf("folded: %v", got)
		}
		screentest.Shows(t, s, 80, 20, "▸ big  2 nodes")
		r.Deliver(s, r.Change(screentest.UUID(4), func(n *models.Node) { n.Owner = "blue" }))
		if got := names(s); !slices.Equal(got, want) || s.pointedGroup().value != "big" {
			t.Errorf("after a change: %v, cursor %v", got, s.pointedGroup())
		}
		r.Env.Session.View = s.View()
		restored := New(r.Env)
		r.Open(restored)
		if got := names(restored); !slices.Equal(got, want) {
			t.Errorf("after a restart: %v", got)
		}
		s.Do(action.Open)
		if got := names(s); len(got) != 6 || s.View().Folded != nil {
			t.Errorf("unfolded: %v, %v", got, s.View().Folded)
		}
		s.Do(action.Down)
		if opened := r.Do(s, s.Do(action.Open)); len(opened) != 1 {
			t.Errorf("enter on a node: %v", opened)
		}
	})
}

func TestMarksOfGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{Sort: "name"}, some()...)
		r.Deliver(s, GroupBy("class"))
		marked := func(want ...string) {
			t.Helper()
			var got []string
			for _, n := range s.Targets() {
				got = append(got, n.Name)
			}
			if len(s.table.Marked()) == 0 {
				got = nil
			}
			if !slices.Equal(got, want) {
				t.Errorf("marked %v, want %v", got, want)
			}
		}
		s.Do(action.Top)
		s.Do(action.Open) // nodes in a folded group are marked, too
		s.Do(action.Mark)
		marked("n1", "n3")
		screentest.Shows(t, s, 80, 20, "▸ big  2 nodes, 2 marked")
		if s.pointedGroup() == nil || s.pointedGroup().value != "small" {
			t.Errorf("the cursor is on %v", s.pointedGroup())
		}
		s.Do(action.Down)
		s.Do(action.Mark)
		marked("n1", "n3", "n2")
		s.Do(action.Top)
		s.Do(action.Down)
		s.Do(action.Mark) // marks the remaining nodes of the group
		marked("n1", "n3", "n2", "n10")
		s.Do(action.Top)
		s.Do(action.Mark)
		marked("n2", "n10")
		s.Do(action.ClearMarks)
		s.Do(action.MarkAll)
		marked("n1", "n2", "n3", "n10")
		s.Do(action.ClearMarks)
		s.Do(action.Bottom)
		s.Do(action.Mark)
		s.Do(action.Top)
		s.Do(action.MarkRange) // the range includes a folded group
		marked("n10", "n2")
		r.Deliver(s, UseFilter("name:=n2"))
		s.Do(action.ClearMarks)
		s.Do(action.Top)
		s.Do(action.Mark) // marks only the nodes that match the filter
		marked("n2")
	})
}

func TestHostileGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := some()
		nodes[0].ResourceClass = "\x1b]0;x\a" + strings.Repeat("long", 200)
		r, s, _ := opened(t, screen.Defaults{}, nodes...)
		r.Deliver(s, GroupBy("class"))
		screentest.CheckSizes(t, s)
		if text := screentest.Text(s, 80, 20); strings.ContainsAny(text, "\x1b\a") {
			t.Errorf("%q", text)
		}
		for _, g := range s.picture.groups {
			s.fold(g)
		}
		if got := s.View().Folded; !slices.Equal(got, []string{"big", "small"}) {
			t.Errorf("stored: %q", got)
		}
	})
}

// manyRows returns 10 000 rows that belong to 500 owners.
func manyRows() []*models.Row {
	rows := make([]*models.Row, 10_000)
	for i := range rows {
		rows[i] = &models.Row{Node: models.Node{UUID: screentest.UUID(i), Owner: fmt.Sprint("owner", i%500)}}
	}
	return rows
}

func TestManyGroups(t *testing.T) {
	t.Parallel()
	groups := grouped(manyRows(), "owner")
	n := 0
	for i, g := range groups {
		n += len(g.rows)
		if i > 0 && groups[i-1].value >= g.value {
			t.Fatalf("%q after %q", g.value, groups[i-1].value)
		}
	}
	if len(groups) != 500 || n != 10_000 {
		t.Errorf("%d groups of %d nodes", len(groups), n)
	}
}

func BenchmarkGrouped(b *testing.B) {
	rows := manyRows()
	b.ReportAllocs()
	for b.Loop() {
		grouped(rows, "owner")
	}
}
