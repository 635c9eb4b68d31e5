package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
)

func someNodes(n int) []models.Node {
	rng := rand.New(rand.NewPCG(1, 2))
	states := models.States()
	nodes := make([]models.Node, n)
	for i := range nodes {
		s := states[rng.IntN(len(states))]
		nodes[i] = models.Node{
			UUID: fmt.Sprintf("00000000-0000-0000-0000-%012d", i), Name: fmt.Sprintf("r%d-n%d", i%40, i/40), ProvisionState: s,
			PowerState: models.PowerOn, Driver: "redfish", ResourceClass: fmt.Sprintf("gp-%dx", rng.IntN(4)),
			Owner: fmt.Sprintf("o%d", rng.IntN(3)), Maintenance: rng.IntN(9) == 0, Traits: []string{"CUSTOM_A"},
		}
		if s.Failed() {
			nodes[i].LastError = fmt.Sprintf("error %d", rng.IntN(100))
		}
		if s == models.StateDeployWait {
			nodes[i].DeployStep = &models.Step{Interface: "deploy", Step: "install_coreos"}
		}
	}
	return nodes
}

func TestRowsSortAsModelsDo(t *testing.T) {
	s := NewStore()
	at := time.Unix(1000, 0)
	s.apply(someNodes(400), at, baseline, 1)
	later := someNodes(400)
	for i := range later {
		later[i].ProvisionState = models.StateActive
	}
	for i := range 10 {
		s.apply(later[i*7:i*7+7], at.Add(time.Duration(i)*time.Minute), arrived, 1)
	}
	for _, by := range explain.Columns() {
		for _, descending := range []bool{false, true} {
			got := s.Rows(filter.Filter{}, by, descending)
			want := s.Rows(filter.Filter{}, explain.Columns()[1], false)
			models.SortRows(want, by, descending)
			if !slices.EqualFunc(got, want, func(a, b *models.Row) bool { return a.Node.UUID == b.Node.UUID }) {
				t.Errorf("by %s, descending %v: another order than that of models.SortRows", by.Key, descending)
			}
		}
	}
	if got := s.Rows(filter.Filter{}, models.Column{}, false); len(got) != 400 || got[0].Node.Name != "r0-n0" {
		t.Errorf("no column: %d rows, first %s", len(got), got[0].Node.Name)
	}
}

func TestRowsFilter(t *testing.T) {
	s := NewStore()
	s.apply(someNodes(200), time.Unix(1000, 0), baseline, 1)
	for _, line := range []string{"", "state:failed", "class:gp-1x", "r3-", "!state:busy maintenance:yes", "nothing-is-so-called"} {
		f, err := filter.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, n := range someNodes(200) {
			if f.Match(&models.Row{Node: n}) == models.Yes {
				want++
			}
		}
		if got := len(s.Rows(f, explain.Columns()[0], false)); got != want {
			t.Errorf("%q: %d rows, want %d", line, got, want)
		}
	}
}

func TestGetAndRename(t *testing.T) {
	s := NewStore()
	at := time.Unix(0, 0)
	put := func(nodes ...models.Node) { s.apply(nodes, at, arrived, 1) }
	name := func(id, want string) {
		t.Helper()
		row, _, ok := s.Get(id)
		if got := row.Node.UUID; got != want || ok != (want != "") {
			t.Errorf("%q is %q (%v), want %q", id, got, ok, want)
		}
	}
	a := models.Node{UUID: "a", Name: "x", ProvisionState: models.StateActive}
	b := models.Node{UUID: "b", Name: "z", ProvisionState: models.StateActive}
	c := models.Node{UUID: "c", ProvisionState: models.StateActive}
	put(a, b, c)
	name("x", "a")
	name("a", "a")
	name("c", "c")
	name("", "")
	name("nobody", "")
	// In one response, a gives up its name and b takes it.
	a.Name, b.Name = "y", "x"
	put(b, a)
	name("x", "b")
	name("y", "a")
	name("z", "")
	a.Name = ""
	put(a)
	name("y", "")
	if _, ok := s.remove("b", at); !ok {
		t.Error("b is not there")
	}
	name("x", "")
	if _, ok := s.remove("b", at); ok {
		t.Error("b is there twice")
	}
	if got := s.Counts(); got.States[models.StateActive] != 2 || s.Len() != 2 {
		t.Errorf("counts %v, %d nodes", got, s.Len())
	}
}

func TestBusyIsCounted(t *testing.T) {
	s := NewStore()
	at := time.Unix(0, 0)
	rng := rand.New(rand.NewPCG(5, 5))
	states := models.States()
	for range 2000 {
		id := fmt.Sprint(rng.IntN(20))
		if rng.IntN(10) == 0 {
			s.remove(id, at)
		} else {
			s.apply([]models.Node{{UUID: id, ProvisionState: states[rng.IntN(len(states))]}}, at, arrived, 1)
		}
		want := 0
		for state, n := range s.Counts().States {
			if state.Busy() {
				want += n
			}
		}
		if got := s.Status().Busy; got != want {
			t.Fatalf("%d busy, want %d", got, want)
		}
	}
}

func TestRowsAreImmutable(t *testing.T) {
	s := NewStore()
	nodes := someNodes(300)
	s.apply(nodes, time.Unix(0, 0), baseline, 1)
	stop := make(chan struct{})
	var readers, writer sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				rows := s.Rows(filter.Filter{}, explain.Columns()[2], false)
				for i := range rows {
					_ = explain.StepLine(rows[i], time.Now(), nil)
				}
				_, _, _ = s.Get("r1-n1")
				_, _, _, _ = s.Counts(), s.Status(), s.Revision(), s.Len()
			}
		})
	}
	writer.Go(func() {
		rng := rand.New(rand.NewPCG(9, 9))
		states := models.States()
		for i := range 400 {
			n := nodes[rng.IntN(len(nodes))]
			n.ProvisionState = states[rng.IntN(len(states))]
			n.Internal = &models.Internal{AgentURL: fmt.Sprint(i)}
			s.apply([]models.Node{n}, time.Unix(int64(i), 0), arrived, 1)
			s.setReason(n.UUID, fmt.Sprint(i))
			if i%50 == 0 {
				s.remove(n.UUID, time.Unix(int64(i), 0))
			}
		}
	})
	writer.Wait()
	close(stop)
	readers.Wait()
}

// TestPositionOfAStepInAListing checks the position of a step after a listing, which contains the current step, but
// not the list of steps. The position must not be that of the previous step, and fields missing from the listing must
// be preserved.
func TestPositionOfAStepInAListing(t *testing.T) {
	s := NewStore()
	index := 0
	n := models.Node{UUID: "u", ProvisionState: models.StateDeployWait, Internal: &models.Internal{
		DeploySteps: []models.Step{{Interface: "deploy", Step: "a"}, {Interface: "deploy", Step: "b"}}, DeployIndex: &index,
	}}
	n.DeployStep = &n.Internal.DeploySteps[0]
	s.apply([]models.Node{n}, time.Unix(0, 0), baseline, 1)
	for step, place := range map[string]string{"b": "2/2", "c": ""} {
		n.Internal, n.DeployStep = nil, &models.Step{Interface: "deploy", Step: step}
		out := s.apply([]models.Node{n}, time.Unix(1, 0), arrived, 2)
		if len(out.events) != 1 || out.events[0].Kind != models.EventStep || out.events[0].Reason != place {
			t.Errorf("step %s: told %+v", step, out.events)
		}
	}
	if row, _, _ := s.Get("u"); row.Node.Internal == nil {
		t.Error("what the listing did not ask for is forgotten")
	}
}

func BenchmarkApplyUnchanged10000(b *testing.B) {
	s := NewStore()
	s.apply(someNodes(10000), time.Unix(0, 0), baseline, 1)
	nodes := someNodes(10000)
	b.ReportAllocs()
	for b.Loop() {
		s.apply(nodes, time.Unix(1, 0), arrived, 1)
	}
}

func BenchmarkApply25Of10000(b *testing.B) {
	s := NewStore()
	s.apply(someNodes(10000), time.Unix(0, 0), baseline, 1)
	nodes := someNodes(25)
	b.ReportAllocs()
	for b.Loop() {
		s.apply(nodes, time.Unix(1, 0), arrived, 1)
	}
}

func BenchmarkRows10000(b *testing.B) {
	s := NewStore()
	s.apply(someNodes(10000), time.Unix(0, 0), baseline, 1)
	for _, c := range []struct{ key, filter string }{{"name", ""}, {"state", ""}, {"step", ""}, {"age", ""}, {"name", "state:failed r3"}} {
		f, err := filter.Parse(c.filter)
		if err != nil {
			b.Fatal(err)
		}
		by, err := explain.FindColumn(c.key)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.key+" "+c.filter, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Rows(f, by, false)
			}
		})
	}
}
