package fleet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/theme"
)

func TestMain(m *testing.M) { screentest.Main(m) }

// opened opens a screen that lists the given nodes and uses d as the context's defaults. It also returns a pointer to
// the list of API fields that the screen has requested.
func opened(t *testing.T, d screen.Defaults, nodes ...models.Node) (*screentest.Rig, *Screen, *[]string) {
	t.Helper()
	r := screentest.New(t, nodes...)
	r.Env.Session.Defaults = d
	s := New(r.Env)
	r.Open(s)
	r.Deliver(s, r.Sync())
	return r, s, &r.Needed
}

func some() []models.Node {
	node := func(i int, name string, state models.ProvisionState, class string) models.Node {
		return models.Node{UUID: screentest.UUID(i), Name: name, ProvisionState: state, ResourceClass: class, PowerState: models.PowerOn}
	}
	return []models.Node{
		node(1, "n1", models.StateActive, "big"), node(2, "n2", models.StateDeployFailed, "small"),
		node(3, "n10", models.StateActive, "small"), node(4, "n3", models.StateAvailable, "big"),
	}
}

// names returns the names of the listed nodes in the order of the list. For the heading of a group, it returns the
// value of the group in brackets.
func names(s *Screen) []string {
	var list []string
	for _, row := range s.table.Rows() {
		if row.group != nil {
			list = append(list, "["+row.group.value+"]")
			continue
		}
		list = append(list, row.Node.Name)
	}
	return list
}

func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, some()...)
		sorted := func(want ...string) {
			t.Helper()
			if got := names(s); !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		}
		sorted("n2", "n3", "n1", "n10") // nodes that need attention come first
		by := func(key string) {
			t.Helper()
			r.Deliver(s, SortBy(key))
		}
		by("name")
		sorted("n1", "n2", "n3", "n10")
		by("name")
		sorted("n10", "n3", "n2", "n1")
		by("class")
		sorted("n1", "n3", "n2", "n10")
		by("no such column")
		sorted("n1", "n3", "n2", "n10")
	})
}

func TestConfiguredList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s, needed := opened(t, screen.Defaults{Columns: []string{"name", "shard", "nonsense"}, Sort: "-name", Filter: "class:big"}, some()...)
		if got := names(s); !slices.Equal(got, []string{"n3", "n1"}) {
			t.Errorf("shown are %v", got)
		}
		if !slices.Contains(*needed, "shard") {
			t.Errorf("asked for %v", *needed)
		}
		screentest.Shows(t, s, 80, 20, "SHARD", "NAME▾", "/ class:big", "2 of 4")
		screentest.Lacks(t, s, 80, 20, "POWER", "NONSENSE")
		// Invalid settings are ignored, because they were reported at the start.
		_, s, _ = opened(t, screen.Defaults{Columns: []string{"nonsense", "name"}, Sort: "nonsense", Filter: "nonsense:x"}, some()...)
		if len(names(s)) != 4 {
			t.Errorf("shown are %v", names(s))
		}
	})
}

func TestFilterHoldsWhileItIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, needed := opened(t, screen.Defaults{}, some()...)
		s.Do(action.Filter)
		r.Type(s, "state:act")
		screentest.Shows(t, s, 80, 20, "2 of 4")
		r.Type(s, "ive shard:")
		if !slices.Contains(*needed, "shard") {
			t.Errorf("asked for %v", *needed)
		}
		r.Type(s, "x \"")
		screentest.Shows(t, s, 80, 20, "unclosed quote", "0 of 4")
		r.Deliver(s, screentest.Press("enter"))
		if !s.Typing() {
			t.Error("a filter that is wrong was taken")
		}
		r.Deliver(s, screentest.Press("esc"))
		screentest.Lacks(t, s, 80, 20, "of 4", "unclosed quote")
	})
}

// TestAKeyAfterTheFilterIsForWhatItLeaves checks that keys that are typed before a slow picture arrives act on the
// filtered nodes.
func TestAKeyAfterTheFilterIsForWhatItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, some()...)
		s.Do(action.Filter)
		var late []tea.Cmd
		for _, letter := range "name:=n10" {
			late = append(late, s.Update(screentest.Press(string(letter))))
		}
		s.Update(screentest.Press("enter"))
		if got := s.Targets(); len(got) != 1 || got[0].Name != "n10" {
			t.Fatalf("the next key is for %v, of %v", got, names(s))
		}
		for _, cmd := range late {
			r.Do(s, cmd)
		}
		if got := names(s); !slices.Equal(got, []string{"n10"}) || s.composing {
			t.Errorf("a late picture shows %v", got)
		}
	})
}

// TestPicturesAreMadeOneAtATime checks that only one picture is composed at a time, and that only the last one
// requested is shown.
func TestPicturesAreMadeOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, some()...)
		first := s.refresh()
		if first == nil || s.refresh() != nil || s.refresh() != nil {
			t.Fatal("several pictures are made at once")
		}
		var next tea.Cmd
		for _, msg := range screentest.Run(first) {
			next = s.Update(msg)
		}
		if next == nil {
			t.Fatal("what was asked for meanwhile is not made")
		}
		r.Do(s, next)
		if s.composing || s.composeAgain {
			t.Error("it does not come to rest")
		}
		// A result for the previous screen, which was replaced when the context changed, is dropped.
		s.Update(picture{number: s.viewsRequested + 7})
		if len(names(s)) != 4 {
			t.Error("a picture of others was taken")
		}
	})
}

// TestNothingNewMakesNoPicture checks that a poll without changes does not lead to a new picture, because it is slow
// to compose a picture of ten thousand nodes.
func TestNothingNewMakesNoPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, some()...)
		r.Pass(10 * time.Second)
		if cmd := s.Update(r.Sync()); cmd != nil {
			t.Error("a picture is made of what is there already")
		}
		r.Pass(10 * time.Second)
		if cmd := s.Update(r.Change(screentest.UUID(1), func(n *models.Node) { n.Owner = "other" })); cmd == nil {
			t.Error("no picture is made of what is new")
		}
	})
}

func TestMarksGoWithTheirNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, some()...)
		s.Do(action.MarkAll)
		if n := len(s.Targets()); n != 4 {
			t.Fatalf("%d targets", n)
		}
		r.API.Nodes = r.API.Nodes[1:]
		r.Pass(2 * time.Minute)
		for range 4 {
			r.Deliver(s, r.Sync())
		}
		if got := s.Targets(); len(got) != 3 {
			t.Errorf("targets after a node was deleted: %v", got)
		}
		s.Do(action.ClearMarks)
		if got := s.Targets(); len(got) != 1 {
			t.Errorf("without marks: %v", got)
		}
	})
}

func TestWhyNothingIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		s := New(r.Env)
		screentest.Shows(t, s, 80, 20, "Loading nodes…")
		r.Env.Status.Fault = &models.Fault{Kind: models.FaultTLS, Op: "list nodes", Message: "the certificate is not trusted", Hint: "cacert"}
		screentest.Shows(t, s, 80, 20, "the certificate is not trusted", "(4: details)")
		r.Env.Status.Fault, r.Env.Status.Answered = nil, time.Now()
		screentest.Shows(t, s, 80, 20, "Loading nodes…")
		r.Env.Status.Complete = true
		screentest.Shows(t, s, 80, 20, "No nodes yet.")
		r.Env.Session = nil
		screentest.Shows(t, s, 80, 20, "No context is open")
		for _, id := range []action.ID{action.Open, action.ShowLog, action.Mark, action.MarkAll, action.MarkRange, action.ClearMarks, action.ClearFilter} {
			if s.DisabledReason(id) == "" {
				t.Errorf("%s can be done on nothing", id)
			}
		}
	})
}

func TestCountsNeedRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var nodes []models.Node
		for i, state := range models.States() {
			nodes = append(nodes, models.Node{UUID: screentest.UUID(i), Name: fmt.Sprint("n", i), ProvisionState: state, Maintenance: i == 3})
		}
		_, s, _ := opened(t, screen.Defaults{}, nodes...)
		line := strings.SplitN(screentest.Text(s, 80, 20), "\n", 2)[0]
		if !strings.HasPrefix(line, " ✖ 1 ") || !strings.HasSuffix(line, fmt.Sprint(len(nodes), " nodes")) {
			t.Errorf("%q", line)
		}
		screentest.Shows(t, s, 420, 46, "▲ 1 maintenance", "■ 1 clean hold", "◐ 1 deploying")
		screentest.CheckSizes(t, s)
	})
}

// TestOrderInTime checks that a node whose agent has been silent for too long moves up even though the node does not
// change.
func TestOrderInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits := func(i int, name string) models.Node {
			return models.Node{
				UUID: screentest.UUID(i), Name: name, ProvisionState: models.StateDeployWait, PowerState: models.PowerOn,
				Internal: &models.Internal{AgentURL: "https://a", LastHeartbeat: models.Time{Time: screentest.Began}},
			}
		}
		r, s, _ := opened(t, screen.Defaults{}, waits(1, "n1"), waits(2, "n2"))
		screentest.Shows(t, s, 100, 20, "ramdisk has called back")
		r.Deliver(s, r.Pass(5*time.Minute))
		r.Deliver(s, r.Change(screentest.UUID(1), func(n *models.Node) {
			internal := *n.Internal
			internal.LastHeartbeat.Time = time.Now()
			n.Internal = &internal
		}))
		screentest.Shows(t, s, 100, 20, "agent silent 5m (timeout in ~25m)")
		if got := names(s); !slices.Equal(got, []string{"n1", "n2"}) {
			t.Errorf("%v: usual silence counts", got)
		}
		for range 7 {
			r.Deliver(s, r.Pass(10*time.Second))
		}
		if got := names(s); !slices.Equal(got, []string{"n2", "n1"}) {
			t.Errorf("%v: the silent one is not first", got)
		}
		screentest.Shows(t, s, 100, 20, "agent silent 6m (timeout in ~23m)")
	})
}

func TestDeadConductor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := models.Node{UUID: screentest.UUID(1), Name: "n1", ProvisionState: models.StateDeploying, Reservation: "c2"}
		r, s, _ := opened(t, screen.Defaults{}, n)
		screentest.Lacks(t, s, 100, 20, "conductor is dead")
		r.Env.Conductors = []models.Conductor{{Hostname: "c1", Alive: true}, {Hostname: "c2"}}
		screentest.Shows(t, s, 100, 20, "conductor is dead")
	})
}

// TestStepAfterAChange checks that the STEP column shows the changes that were made from this console since the
// failure.
func TestStepAfterAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		node := models.Node{
			UUID: screentest.UUID(1), Name: "n1", ProvisionState: models.StateDeployFailed,
			LastError: "Deploy step deploy.install_coreos failed on node x. No suitable device was found for deployment using these hints {}",
		}
		r, s, _ := opened(t, screen.Defaults{}, node)
		row := s.table.Rows()[0].Row
		if got := s.stepCell(row).Text; got != "no disk matches the hints" {
			t.Errorf("before: %q", got)
		}
		node.ProvisionUpdatedAt = models.Time{Time: r.Env.ServerNow().Add(-time.Hour)}
		r.Env.Session.Changes = func(uuid string, now time.Time) []models.NodeChange {
			if uuid != node.UUID {
				return nil
			}
			return []models.NodeChange{{Field: "properties.root_device", At: now.Add(-time.Minute)}}
		}
		changed := models.Row{Node: node}
		if got := s.stepCell(&changed).Text; got != "hints changed; try again" {
			t.Errorf("after: %q", got)
		}
		if changed.Changes != nil {
			t.Error("the Store's row was changed")
		}
	})
}

// TestMaintenanceIsVisible checks that a row shows maintenance at 80 columns, even if its glyph shows that the node
// failed.
func TestMaintenanceIsVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := some()
		for i := range list {
			list[i].Maintenance = true
		}
		list[0].MaintenanceReason = "replace DIMM A3"
		list[2].ProvisionState = models.StateDeployWait
		_, s, _ := opened(t, screen.Defaults{}, list...)
		screentest.Shows(t, s, 80, 20, "✖ deploy failed ▲", "▲ wait call-back", "▲ active", "replace DIMM A3", "▲ available", "in maintenance")
	})
}

// TestDiscovered checks that auto-discovered nodes are marked, and that inventories are read only for nodes that may
// have been auto-discovered.
func TestDiscovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := append(some(), models.Node{UUID: screentest.UUID(5), ProvisionState: models.StateEnroll}, models.Node{UUID: screentest.UUID(6), Name: "n6", ProvisionState: models.StateEnroll})
		r := screentest.New(t, nodes...)
		r.API.Found = []byte(`{"inventory": {}, "plugin_data": {"auto_discovered": true}}`)
		r.Sync()
		s := New(r.Env)
		r.Open(s)
		r.Deliver(s, r.Sync())
		text := screentest.Text(s, 120, 20)
		if strings.Count(text, "enroll "+theme.GlyphFound) != 1 || !strings.Contains(text, "00000005") {
			t.Errorf("%s", text)
		}
		if asked := slices.DeleteFunc(slices.Clone(r.API.Asked), func(what string) bool { return what != "inventory" }); len(asked) != 1 {
			t.Errorf("asked %v", asked)
		}
		r.Deliver(s, UseFilter("is:discovered"))
		r.Deliver(s, r.Sync())
		if got := len(names(s)); got != 6 { // the fake returns the same inventory for all nodes
			t.Errorf("%d nodes, want 6 (%s)", got, s.unknownText())
		}
	})
}

func TestFilterReadsInventories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := some()
		for i := range nodes {
			nodes[i].Properties = map[string]any{"cpus": i + 1}
		}
		r, s, _ := opened(t, screen.Defaults{}, nodes...)
		r.API.Found = []byte(`{"inventory": {"disks": [{}, {}], "memory": {"physical_mb": 65536}, "cpu": {"count": 64}}}`)
		filter := func(text string, want int) {
			t.Helper()
			r.Deliver(s, UseFilter(text))
			r.Deliver(s, r.Sync())
			if got := len(names(s)); got != want {
				t.Errorf("%s: %d nodes, want %d (%s)", text, got, want, s.unknownText())
			}
		}
		filter("cpus:>2", 2)
		asked := len(r.API.Asked)
		filter("disks:2", 4)
		if got := r.API.Asked[asked:]; len(got) != 4 {
			t.Errorf("asked %v", got)
		}
		asked = len(r.API.Asked)
		filter("disks:>2 | ram:>=64g", 4)
		if got := r.API.Asked[asked:]; len(got) != 0 {
			t.Errorf("asked again: %v", got)
		}
	})
}

func TestFilterSaysWhatIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, needed := opened(t, screen.Defaults{}, some()...)
		r.API.Lacks = []string{"raid_config"}
		r.Deliver(s, UseFilter("field:raid_config.a=1"))
		if got := s.unknownText(); got != "not available: raid_config " || !slices.Contains(*needed, "raid_config") {
			t.Errorf("%q, asked for %v", got, *needed)
		}
		r.API.Lacks, r.API.Err = nil, &models.Fault{Kind: models.FaultRefused, Op: "read", Message: "refused"}
		r.Deliver(s, UseFilter("disks:2"))
		if got := s.unknownText(); !strings.Contains(got, "4 nodes not read: ") {
			t.Errorf("%q", got)
		}
		asked := len(r.API.Asked)
		r.Deliver(s, screen.Reload{})
		if len(r.API.Asked) != asked {
			t.Error("what failed is asked again and again")
		}
	})
}

func TestFilterCompletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{}, some()...)
		r.Env.Session.Filters, _ = filter.NewSaved(map[string]string{"small": "class:small | class:tiny"})
		for typed, want := range map[string]string{
			"cla": "class:", "state:depl": "state:deploying", "x !@s": "x !@small", "class:sm": "class:small", "n1|po": "n1|power:", "zz": "zz",
		} {
			r.Do(s, s.Do(action.Filter))
			r.Deliver(s, tea.PasteMsg{Content: typed})
			r.Deliver(s, tea.KeyPressMsg{Code: tea.KeyTab})
			if got := s.input.Value(); got != want {
				t.Errorf("%s: %s, want %s", typed, got, want)
			}
			r.Deliver(s, tea.KeyPressMsg{Code: tea.KeyEscape})
		}
		r.Deliver(s, UseFilter("@small"))
		if got := names(s); !slices.Equal(got, []string{"n2", "n10"}) {
			t.Errorf("%v", got)
		}
	})
}

func TestSortKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s, _ := opened(t, screen.Defaults{Columns: []string{"name", "state", "class"}, Sort: "name"}, some()...)
		s.Draw(theme.New(theme.Options{}), 80, 24)
		for i, step := range []struct {
			do         action.ID
			by         string
			descending bool
		}{
			{action.SortRight, "state", false},
			{action.SortRight, "class", false},
			{action.SortReverse, "class", true},
			{action.SortReverse, "class", false},
			{action.SortRight, "name", false},
			{action.SortLeft, "class", false},
			{action.SortLeft, "state", false},
		} {
			r.Do(s, s.Do(step.do))
			if s.sortColumn.Key != step.by || s.descending != step.descending {
				t.Errorf("%d: %s, descending %v", i, s.sortColumn.Key, s.descending)
			}
		}
		if got := names(s); !slices.Equal(got, []string{"n2", "n3", "n1", "n10"}) {
			t.Errorf("%v", got)
		}
	})
}

func TestStatesWithoutRoomAreCounted(t *testing.T) {
	t.Parallel()
	counts := []count{{"x", "failed", 0, 1}, {"x", "busy", 0, 10}, {"x", "available", 0, 3}}
	for room, want := range map[int]int{0: 0, 9: 0, 19: 0, 20: 1, 31: 1, 32: 2, 37: 2, 38: 3, 100: 3} {
		if got := fitting(counts, room); got != want {
			t.Errorf("%d cells: %d, want %d", room, got, want)
		}
	}
}
