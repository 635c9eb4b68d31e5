package watch_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
	"ironworks/ui/screen/watch"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func nodes(n int) []models.Node {
	list := make([]models.Node, n)
	for i := range list {
		list[i] = models.Node{
			UUID: screentest.UUID(i + 1), Name: fmt.Sprintf("r7-n%02d", i+1), ResourceClass: "gp-2x",
			ProvisionState: models.StateAvailable, PowerState: models.PowerOff, Internal: &models.Internal{},
		}
	}
	return list
}

// task returns a running task on the given nodes.
func task(list []models.Node) *screen.Task {
	t := &screen.Task{
		Context: "rack7", Began: screentest.Began, Progress: map[string]provision.Progress{},
		Plan: provision.Batch{Action: provision.Provision(models.ProvisionRequest{Verb: models.VerbInspect})},
	}
	for _, n := range list {
		t.Plan.Items = append(t.Plan.Items, provision.Item{Node: n})
	}
	return t
}

// journal is an in-memory screen.Journal.
type journal struct{ works []models.Work }

func (j *journal) OfNode(context.Context, string, int) ([]models.Work, error) { return nil, nil }

func (j *journal) Lines(context.Context, string, time.Time, time.Time) iter.Seq2[models.LogLine, error] {
	return func(func(models.LogLine, error) bool) {}
}

func (j *journal) Latest(context.Context, int) ([]models.Work, error) { return j.works, nil }

// past returns a journal with deployments of other nodes.
func past() *journal {
	var j journal
	for i := range 3 {
		w := models.Work{
			Node: models.NodeRef{UUID: screentest.UUID(90 + i)}, ResourceClass: "gp-2x", Kind: models.StateDeploying,
			Begin: screentest.Began.Add(-time.Hour), Whole: true, Outcome: models.OutcomeDone,
		}
		at := w.Begin
		for k, p := range []models.Phase{{Kind: models.PhasePower}, {Kind: models.PhaseBoot}, {Kind: models.PhaseStep, Step: "deploy.install_coreos"}, {Kind: models.PhaseReboot}} {
			p.Begin, p.End, p.Outcome = at, at.Add(time.Duration([]int{6, 104, 112, 24}[k]+i)*time.Second), models.OutcomeDone
			at = p.End
			w.Phases = append(w.Phases, p)
		}
		w.End = at
		j.works = append(j.works, w)
	}
	return &j
}

// rig opens the Watch screen in an environment with n nodes and the given tasks.
func rig(t *testing.T, n int, tasks ...*screen.Task) (*screentest.Rig, screen.Screen) {
	t.Helper()
	r := screentest.New(t, nodes(n)...)
	r.Env.Session.Journal = past()
	r.Sync()
	for _, one := range tasks {
		r.Env.Tasks.Add(one)
	}
	s := watch.New(r.Env)
	r.Open(s)
	return r, s
}

// step waits, changes the nodes with the given numbers, and runs one round of the poller. The waiting time is in
// seconds.
func step(r *screentest.Rig, s screen.Screen, after int, change func(n *models.Node), which ...int) {
	r.Pass(time.Duration(after) * time.Second)
	for _, i := range which {
		change(&r.API.Nodes[i-1])
	}
	r.Deliver(s, r.Sync())
}

func begins(n *models.Node) {
	n.ProvisionState, n.TargetProvisionState = models.StateDeploying, models.StateActive
}

func boots(n *models.Node) { n.ProvisionState, n.PowerState = models.StateDeployWait, models.PowerOn }

func installs(n *models.Node) {
	n.Internal = &models.Internal{AgentURL: "https://10.0.0.31:9999"}
	n.DeployStep = &models.Step{Interface: "deploy", Step: "install_coreos"}
}

func fails(n *models.Node) {
	n.ProvisionState, n.DeployStep, n.Internal = models.StateDeployFailed, nil, &models.Internal{}
	n.LastError = "Deploy step deploy.install_coreos failed on node: No suitable device was found for deployment using these hints {'wwn': '0xdead'}"
}

func ends(n *models.Node) {
	n.ProvisionState, n.TargetProvisionState, n.DeployStep, n.Internal = models.StateActive, "", nil, &models.Internal{}
}

// said records in the task that the nodes with the given numbers have made progress.
func said(t *screen.Task, which ...int) {
	for _, i := range which {
		ref := t.Plan.Items[i-1].Node.Ref()
		t.Progress[ref.UUID] = provision.Progress{Node: ref, State: models.StateDeploying}
	}
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := task(nodes(6))
		r, s := rig(t, 7, begun)
		said(begun, 1, 2, 3, 4)
		step(r, s, 1, begins, 1, 2, 3, 4)
		step(r, s, 6, boots, 1, 2, 3, 4)
		step(r, s, 101, installs, 1, 3)
		step(r, s, 5, installs, 2)
		step(r, s, 9, fails, 3)
		step(r, s, 85, ends, 2)
		ref := begun.Plan.Items[4].Node.Ref()
		begun.Progress[ref.UUID] = provision.Progress{Node: ref, Retry: &ironicclient.Retry{
			Fault: &models.Fault{Kind: models.FaultLocked, Message: "Node is locked", LockedBy: "conductor-2"}, Attempt: 2, Tries: 6,
		}}
		r.Deliver(s, screen.TasksChanged{})
		r.Deliver(s, r.Pass(20*time.Second))
		screentest.Golden(t, s, "watch")
		screentest.CheckSizes(t, s)
		if text := screentest.Text(s, 200, 46); strings.Contains(text, "r7-n07") {
			t.Errorf("a node that nothing was done to is there:\n%s", text)
		}
		r.Do(s, s.Do(action.Down))
		screentest.Shows(t, s, 80, 20, "slower than usual", "late")
	})
}

// TestRewound checks that events from after the moment to which a recording has jumped back are no longer shown.
func TestRewound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, s := rig(t, 1, task(nodes(1)))
		step(r, s, 1, begins, 1)
		const event = "available → deploying"
		screentest.Shows(t, s, 100, 40, event)
		r.Env.Events.Reset()
		r.Deliver(s, screen.Rewound{})
		if text := screentest.Text(s, 100, 40); strings.Contains(text, event) {
			t.Errorf("an event of the future is shown:\n%s", text)
		}
		step(r, s, 1, boots, 1)
		screentest.Shows(t, s, 100, 40, "power off → power on")
	})
}

func TestLeavingKeepsTheList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := task(nodes(3))
		r, s := rig(t, 4, begun)
		said(begun, 1, 2, 3)
		step(r, s, 1, begins, 1, 2, 3)
		s.Close()
		if len(r.Watched) != 0 {
			t.Errorf("still looks at %v", r.Watched)
		}
		// Another screen is shown, so this screen receives no messages.
		r.Pass(6 * time.Second)
		r.Change(screentest.UUID(1), boots)
		r.Change(screentest.UUID(2), fails)
		begun.Results = []provision.Result{}
		again := watch.New(r.Env)
		r.Open(again)
		screentest.Shows(t, again, 80, 20, "r7-n01", "r7-n02", "r7-n03", "1 failed", "2 running", "power on 6s", "boot to ramdisk 0s", "r7-n02            deploying → deploy failed")
		if len(r.Watched) != 2 {
			t.Errorf("looks at %v", r.Watched)
		}
		step(r, again, 9, ends, 1, 3)
		if got := again.DisabledReason(action.DropEnded); got != "" {
			t.Error(got)
		}
		r.Do(again, again.Do(action.DropEnded))
		screentest.Shows(t, again, 80, 20, "No running operations")
		screentest.CheckSizes(t, again)
		third := watch.New(r.Env)
		r.Open(third)
		screentest.Lacks(t, third, 80, 20, "r7-n01")
		if got := third.DisabledReason(action.DropEnded); got == "" {
			t.Error("there is nothing to drop")
		}
	})
}

// TestFailedVerification checks that a node that returned to the enroll state during verification is shown as failed.
func TestFailedVerification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := task(nodes(1))
		r, s := rig(t, 1, begun)
		step(r, s, 1, func(n *models.Node) { n.ProvisionState = models.StateVerifying }, 1)
		step(r, s, 4, func(n *models.Node) {
			n.ProvisionState, n.LastError = models.StateEnroll, "Failed to get power state: HTTP 401"
		}, 1)
		begun.Results = []provision.Result{{Outcome: provision.OutcomeFailed}}
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "✖ 1 failed", "✖ enroll", "Failed to get")
		screentest.Lacks(t, s, 80, 20, "done")
	})
}

// TestEarlierFailures checks that nodes that failed before the running task started are at the end of the list, do
// not extend the axis, and are not selected.
func TestEarlierFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := nodes(3)
		first := task(list[:2])
		r, s := rig(t, 3, first)
		step(r, s, 1, begins, 1, 2)
		step(r, s, 1800, fails, 1, 2)
		first.Results = []provision.Result{}
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "✖ 2 failed", "30m00")
		s.Close()
		r.Pass(time.Minute)
		second := task(list[2:])
		second.Began = time.Now()
		r.Env.Tasks.Add(second)
		again := watch.New(r.Env)
		r.Open(again)
		screentest.Shows(t, again, 80, 20, "1 queued  2 earlier")
		step(r, again, 1, begins, 3)
		screentest.Shows(t, again, 80, 20, "1 running  2 earlier", "❯  r7-n03")
		lines := strings.Split(screentest.Text(again, 80, 20), "\n")
		if strings.Contains(lines[2], "30m00") || !strings.Contains(lines[3], "r7-n03") || !strings.Contains(lines[4], "r7-n01") {
			t.Errorf("order:\n%s", strings.Join(lines, "\n"))
		}
	})
}

func TestSelectedNodesAreAdded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := nodes(5)
		ref := func(i int) models.NodeRef { return list[i-1].Ref() }
		var chosen []models.NodeRef
		r := screentest.New(t, list...)
		r.Sync()
		r.Env.Chosen = func() []models.NodeRef { return chosen }
		s := watch.New(r.Env)
		names := func() string {
			r.Do(s, s.Shown())
			var got []string
			for _, n := range r.Env.Watching.Nodes() {
				got = append(got, n.Name)
			}
			return strings.Join(got, " ")
		}
		r.Open(s)
		screentest.Golden(t, s, "empty")
		chosen = []models.NodeRef{ref(2)}
		if got := names(); got != "" {
			t.Errorf("one under the cursor that rests: %s", got)
		}
		r.Change(ref(2).UUID, begins)
		if got := names(); got != "r7-n02" {
			t.Errorf("one under the cursor that is on its way, and nothing else: %s", got)
		}
		chosen = []models.NodeRef{ref(3)}
		if got := names(); got != "r7-n02" {
			t.Errorf("one under the cursor: %s", got)
		}
		chosen = []models.NodeRef{ref(2), ref(4)}
		if got := names(); got != "r7-n02 r7-n04" {
			t.Errorf("marked ones: %s", got)
		}
		elsewhere, power, refused := task(list[4:]), task(list[4:]), task(list[4:])
		elsewhere.Context = "rack8"
		power.Plan.Action = provision.Power(models.PowerTarget("power on"))
		refused.Plan.Items[0].Refusal = &models.Refusal{}
		for _, one := range []*screen.Task{elsewhere, power, refused} {
			r.Env.Tasks.Add(one)
		}
		if got := names(); got != "r7-n02 r7-n04" {
			t.Errorf("of tasks elsewhere, of power, and refused: %s", got)
		}
		r.Env.Tasks.Add(task(list[:1]))
		if got := names(); got != "r7-n02 r7-n04 r7-n01" {
			t.Errorf("of a task: %s", got)
		}
	})
}

// TestManyNodes checks that 120 nodes can be scrolled, and that only a few of them are polled individually.
func TestManyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := task(nodes(120))
		r, s := rig(t, 120, begun)
		all := make([]int, 120)
		for i := range all {
			all[i] = i + 1
		}
		said(begun, all...)
		step(r, s, 1, begins, all...)
		if len(r.Watched) != 8 {
			t.Errorf("%d are looked at", len(r.Watched))
		}
		screentest.Shows(t, s, 80, 20, "120 running", "r7-n01")
		screentest.Lacks(t, s, 80, 20, "r7-n50")
		r.Do(s, s.Do(action.Bottom))
		screentest.Shows(t, s, 80, 20, "r7-n120")
		r.Do(s, s.Do(action.Up))
		if got := s.Targets(); len(got) != 1 || got[0].Name != "r7-n119" {
			t.Errorf("%v", got)
		}
		// The cursor stays at its node when a failed node moves to the top.
		step(r, s, 5, fails, 60)
		if got := s.Targets(); got[0].Name != "r7-n119" {
			t.Errorf("%v", got)
		}
		r.Do(s, s.Do(action.Top))
		if got := s.Targets(); got[0].Name != "r7-n60" {
			t.Errorf("what failed is not the first: %v", got)
		}
		if wishes := r.Do(s, s.Do(action.Open)); !slices.Contains(fmtAll(wishes), fmt.Sprint(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: screentest.UUID(60)}})) {
			t.Errorf("%v", wishes)
		}
	})
}

func fmtAll[T any](list []T) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, fmt.Sprint(v))
	}
	return texts
}

func TestHostile(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := task(nodes(2))
				r, s := rig(t, 2, begun)
				step(r, s, 1, func(n *models.Node) { n.Name = text; begins(n) }, 1)
				step(r, s, 1, func(n *models.Node) { n.DeployStep = &models.Step{Interface: "deploy", Step: text} }, 1)
				screentest.CheckSizes(t, s)
				step(r, s, 1, func(n *models.Node) { n.ProvisionState, n.LastError = models.StateDeployFailed, text }, 1)
				begun.Progress[screentest.UUID(2)] = provision.Progress{Fault: &models.Fault{Kind: models.FaultServer, Message: text, Err: errors.New(text)}}
				r.Deliver(s, screen.TasksChanged{})
				screentest.CheckSizes(t, s)
			})
		})
	}
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		r.Env.Session = nil
		s := watch.New(r.Env)
		r.Open(s)
		r.Deliver(s, r.Pass(time.Second))
		screentest.Shows(t, s, 80, 20, "No context is open")
		screentest.CheckSizes(t, s)
		for _, id := range []action.ID{action.Open, action.DropEnded, action.Down} {
			s.DisabledReason(id)
			s.Do(id)
		}
		if s.Copies() != nil || s.Targets() != nil {
			t.Error("something of nothing")
		}
	})
}

func TestGoneAndDeleted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := task(nodes(2))
		r, s := rig(t, 2, begun)
		step(r, s, 1, begins, 1, 2)
		begun.Results = []provision.Result{}
		r.API.Nodes = r.API.Nodes[:1]
		r.Pass(10 * time.Minute)
		for range 3 {
			r.Deliver(s, r.Sync())
			r.Pass(10 * time.Minute)
		}
		r.Do(s, s.Do(action.Bottom))
		screentest.Shows(t, s, 80, 20, "r7-n02", "? not found", "no longer exists")
		if got := s.DisabledReason(action.Open); got != "the node no longer exists" {
			t.Error(got)
		}
	})
}
