package fleet

import (
	"maps"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
)

// TestLimitedStore checks that every way of reading a limited store returns exactly the nodes that match the limit,
// even after nodes have changed.
func TestLimitedStore(t *testing.T) {
	t.Parallel()
	s := NewStore()
	nodes := someNodes(400)
	s.apply(nodes, time.Unix(1000, 0), baseline, 1)
	to, err := filter.Parse("owner:o1")
	if err != nil {
		t.Fatal(err)
	}
	limited := s.Limited(to)
	check := func() {
		t.Helper()
		seen := map[string]bool{}
		states := map[models.ProvisionState]int{}
		for i := range nodes {
			n := &nodes[i]
			mine := n.Owner == "o1"
			if mine {
				seen[n.UUID] = true
				states[n.ProvisionState]++
			}
			for _, ident := range []string{n.UUID, n.Name} {
				if row, _, there := limited.Get(ident); there != mine || mine && row.Node.UUID != n.UUID {
					t.Fatalf("get %s of %s: %v", ident, n.Owner, there)
				}
			}
		}
		rows := limited.Rows(filter.Filter{}, explain.Columns()[0], false)
		for i := range rows {
			if !seen[rows[i].Node.UUID] {
				t.Errorf("a row of %s", rows[i].Node.Owner)
			}
		}
		counts := limited.Counts()
		if len(seen) == 0 || len(rows) != len(seen) || limited.Len() != len(seen) || counts.Total != len(seen) || !maps.Equal(counts.States, states) {
			t.Errorf("%d nodes: %d rows, length %d, counts %+v", len(seen), len(rows), limited.Len(), counts)
		}
	}
	check()
	others, err := filter.Parse("owner:o2")
	if err != nil {
		t.Fatal(err)
	}
	if rows := limited.Rows(others, explain.Columns()[0], false); len(rows) != 0 {
		t.Errorf("a filter shows %d nodes beyond the limit", len(rows))
	}
	for i := range 60 { // nodes of owner o1 change to o2, and other nodes change to o1
		nodes[i].Owner = map[bool]string{true: "o1", false: "o2"}[nodes[i].Owner != "o1"]
	}
	s.apply(nodes[:60], time.Unix(2000, 0), arrived, 2)
	check()
	if s.Len() != 400 || limited.Revision() != s.Revision() {
		t.Errorf("all: %d nodes; revisions %d and %d", s.Len(), limited.Revision(), s.Revision())
	}
}
