package tasks_test

import (
	"errors"
	"fmt"
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
	"ironworks/ui/screen/tasks"
)

func TestMain(m *testing.M) { screentest.Main(m) }

func nodes(n int) []models.Node {
	list := make([]models.Node, n)
	for i := range list {
		list[i] = models.Node{UUID: screentest.UUID(i + 1), Name: fmt.Sprintf("r7-n%02d", i+1), ProvisionState: models.StateManageable}
	}
	return list
}

// clean returns a running task that cleans the given nodes.
func clean(list []models.Node) *screen.Task {
	t := &screen.Task{
		Context: "rack7", Began: screentest.Began.Add(-72 * time.Second), Progress: map[string]provision.Progress{},
		Command: "ironworks clean r7-n01 r7-n02 --step deploy.erase_devices_metadata --context rack7",
		Plan:    provision.Batch{Action: provision.Provision(models.ProvisionRequest{Verb: models.VerbClean})},
	}
	for _, n := range list {
		t.Plan.Items = append(t.Plan.Items, provision.Item{Node: n})
	}
	return t
}

func locked() *models.Fault {
	return &models.Fault{Kind: models.FaultLocked, Op: "clean r7-n03", Message: "Node is locked", LockedBy: "conductor-2", Status: 409, RequestID: "req-3"}
}

func running() *screen.Task {
	t := clean(nodes(6))
	report := func(i int, p provision.Progress) {
		p.Node = t.Plan.Items[i].Node.Ref()
		t.Progress[p.Node.UUID] = p
	}
	report(0, provision.Progress{State: models.StateCleanWait, Step: "2/3 erase_devices_metadata"})
	report(1, provision.Progress{State: models.StateManageable})
	report(2, provision.Progress{State: models.StateManageable, Retry: &ironicclient.Retry{Fault: locked(), Attempt: 2, Tries: 6, Delay: 9 * time.Second}})
	report(3, provision.Progress{State: models.StateCleaning, Fault: &models.Fault{Kind: models.FaultTimeout, Op: "get node", Message: "no answer within 60s"}})
	t.Plan.Items[5].Refusal = &models.Refusal{
		Kind: models.RefusedMaintenance, Action: "clean", Node: "r7-n06", Why: "the node is in maintenance: fan 3", Hint: "ironworks maintenance off r7-n06",
	}
	return t
}

func finished() *screen.Task {
	t := clean(nodes(5))
	t.Ended = screentest.Began
	for i := range t.Plan.Items {
		ref := t.Plan.Items[i].Node.Ref()
		t.Results = append(t.Results, provision.Result{Node: ref, Outcome: provision.OutcomeDone, State: "manageable", RequestID: fmt.Sprint("req-", i)})
	}
	fail := func(i int, o provision.Outcome, err error) { t.Results[i].Outcome, t.Results[i].Err = o, err }
	fail(1, provision.OutcomeFailed, &provision.FailedError{
		Action: "clean", Node: t.Results[1].Node, State: "clean failed",
		Reason: "Agent returned error for clean step {'step': 'erase_devices_metadata'} on node r7-n02: Error erasing device: Failed to erase the metadata on /dev/sda: device is busy. It is held by md127, which is assembled from it and /dev/sdb.",
	})
	fail(2, provision.OutcomeRefused, &models.Refusal{Kind: models.RefusedState, Action: "clean", Node: "r7-n03", Why: `not possible in state "active", only in "manageable"`})
	t.Results[2].RequestID = ""
	fail(3, provision.OutcomeUnknown, provision.ErrLeft)
	return t
}

func rig(t *testing.T, list ...*screen.Task) *screentest.Rig {
	t.Helper()
	r := screentest.New(t, nodes(6)...)
	r.Sync()
	for _, task := range list {
		r.Env.Tasks.Add(task)
	}
	return r
}

func power(list []models.Node) *screen.Task {
	t := clean(list)
	t.Plan.Action = provision.Power(models.TargetReboot)
	t.Command = ""
	return t
}

func TestListGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := power(nodes(1))
		done.Ended = screentest.Began.Add(-70 * time.Second)
		done.Results = []provision.Result{{Node: nodes(1)[0].Ref(), Outcome: provision.OutcomeDone}}
		r := rig(t, done, finished(), running(), power(nodes(3)))
		s := tasks.New(r.Env)
		r.Open(s)
		screentest.Golden(t, s, "list")
		wishes := r.Do(s, s.Do(action.Open))
		if len(wishes) != 1 || wishes[0] != (screen.Open{Ref: screen.Ref{Kind: screen.KindTask, ID: "4"}}) {
			t.Errorf("%v", wishes)
		}
		r.Env.Tasks.Add(power(nodes(2)))
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "5 tasks", "3 running")

		empty := rig(t)
		s = tasks.New(empty.Env)
		empty.Open(s)
		screentest.Golden(t, s, "empty")
		if s.DisabledReason(action.Open) == "" || s.Do(action.Open) != nil || s.Copies() != nil {
			t.Error("something opens where there is nothing")
		}
	})
}

func TestTaskGoldens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rig(t, finished(), running())
		s := tasks.NewTask(r.Env, 1)
		r.Open(s)
		s.Do(action.Down)
		screentest.Golden(t, s, "ended")
		s = tasks.NewTask(r.Env, 2)
		r.Open(s)
		r.Pass(2 * time.Second)
		s.Do(action.Down)
		s.Do(action.Down)
		screentest.Golden(t, s, "running")
		s = tasks.NewTask(r.Env, 9)
		r.Open(s)
		screentest.Golden(t, s, "missing")
		for _, id := range []action.ID{action.Open, action.Retry, action.StopFollowing} {
			if s.DisabledReason(id) == "" || s.Do(id) != nil {
				t.Errorf("%s of a task that is not there", id)
			}
		}
	})
}

func TestCountdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rig(t, running())
		s := tasks.NewTask(r.Env, 1)
		r.Open(s)
		screentest.Shows(t, s, 120, 20, "locked by conductor-2, try 3 of 6 in 9s", "running 2/6")
		r.Pass(4 * time.Second)
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 120, 20, "in 5s")
		r.Pass(10 * time.Second)
		screentest.Shows(t, s, 120, 20, "try 3 of 6 now")
		task, _ := r.Env.Tasks.Get(1)
		ref := task.Plan.Items[2].Node.Ref()
		task.Progress[ref.UUID] = provision.Progress{Node: ref, Retry: &ironicclient.Retry{Fault: locked(), Attempt: 3, Tries: 6, Delay: 2 * time.Second}}
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 120, 20, "try 4 of 6 in 2s")
		task.Progress[ref.UUID] = provision.Progress{Node: ref, State: models.StateCleaning}
		r.Deliver(s, screen.TasksChanged{})
		screentest.Lacks(t, s, 120, 20, "locked")
	})
}

func TestDisabledActionsSayWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := finished()
		other.Context = "prod"
		left := running()
		left.Unfollowed = true
		well := power(nodes(1))
		well.Results = []provision.Result{{Node: nodes(1)[0].Ref(), Outcome: provision.OutcomeAccepted}}
		stranger := finished()
		stranger.Plan.Items[0].Node.UUID = "gone"
		stranger.Results[0].Node.UUID = "gone"
		r := rig(t, finished(), running(), other, left, well, stranger)
		for _, tc := range []struct {
			number int
			id     action.ID
			want   string
		}{
			{1, action.Retry, ""},
			{1, action.StopFollowing, "the task has ended"},
			{1, action.Open, ""},
			{2, action.Retry, "no node has failed yet"},
			{2, action.StopFollowing, ""},
			{3, action.Retry, "the task ran in context prod"},
			{3, action.Open, "the node is in context prod"},
			{4, action.StopFollowing, "no longer followed"},
			{5, action.Retry, "no node failed"},
			{6, action.Open, "the node no longer exists"},
			{1, action.Down, ""},
		} {
			s := tasks.NewTask(r.Env, tc.number)
			r.Open(s)
			if got := s.DisabledReason(tc.id); got != tc.want {
				t.Errorf("task %d: %s: %q, want %q", tc.number, tc.id, got, tc.want)
			}
		}
		r.Env.ReadOnly = true
		s := tasks.NewTask(r.Env, 1)
		r.Open(s)
		if s.DisabledReason(action.Retry) == "" {
			t.Error("tries again although the context is read-only")
		}
	})
}

func TestActionsSendMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rig(t, finished(), running())
		for id, want := range map[action.ID]any{
			action.Retry: screen.RetryTask{Task: 1},
			action.Open:  screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: screentest.UUID(1)}},
		} {
			s := tasks.NewTask(r.Env, 1)
			r.Open(s)
			if got := r.Do(s, s.Do(id)); len(got) != 1 || got[0] != want {
				t.Errorf("%s: %v", id, got)
			}
		}
		s := tasks.NewTask(r.Env, 2)
		r.Open(s)
		if got := r.Do(s, s.Do(action.StopFollowing)); len(got) != 1 || got[0] != (screen.LeaveTask{Task: 2}) {
			t.Errorf("%v", got)
		}
		if s.Do(action.Retry) != nil {
			t.Error("tries again what still runs")
		}
	})
}

func TestCopies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rig(t, finished())
		s := tasks.NewTask(r.Env, 1)
		r.Open(s)
		s.Do(action.Down)
		names := map[string]string{}
		for _, c := range s.Copies() {
			names[c.Name] = c.Text
		}
		if names["request id"] != "req-1" || !strings.Contains(names["reason"], "md127") || !strings.HasPrefix(names["command"], "ironworks clean") {
			t.Errorf("%v", names)
		}
		if s.Title() != "task 1 clean" {
			t.Errorf("title %q", s.Title())
		}
	})
}

func TestSizes(t *testing.T) {
	many := clean(nodes(10_000))
	for name, list := range map[string][]*screen.Task{"none": nil, "running": {running()}, "ended": {finished()}, "many nodes": {many}, "no nodes": {clean(nil)}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rig(t, list...)
				for _, s := range []screen.Screen{tasks.New(r.Env), tasks.NewTask(r.Env, 1)} {
					r.Open(s)
					for _, id := range []action.ID{action.Bottom, action.PageUp, action.ScrollRight} {
						s.Do(id)
						screentest.CheckSizes(t, s)
					}
				}
			})
		})
	}
}

func TestHostileNames(t *testing.T) {
	for name, text := range screentest.Hostile() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended, runs := finished(), running()
				for i := range ended.Plan.Items {
					ended.Plan.Items[i].Node.Name = text
					ended.Results[i].RequestID, ended.Results[i].State = text, text
				}
				ended.Results[1].Err = errors.New(text + "\n" + text)
				ended.Context, ended.Command = text, text
				runs.Plan.Items[0].Node.Name = text
				for uuid, p := range runs.Progress {
					p.Step, p.State = text, models.ProvisionState(text)
					runs.Progress[uuid] = p
				}
				r := rig(t, ended, runs)
				for _, s := range []screen.Screen{tasks.New(r.Env), tasks.NewTask(r.Env, 1), tasks.NewTask(r.Env, 2)} {
					r.Open(s)
					for range 4 {
						screentest.CheckSizes(t, s)
						s.Do(action.Down)
					}
				}
			})
		})
	}
}

func TestNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rig(t, finished())
		r.Env.Session = nil
		s := tasks.NewTask(r.Env, 1)
		r.Open(s)
		screentest.CheckSizes(t, s)
		if s.DisabledReason(action.Retry) == "" || s.DisabledReason(action.Open) == "" {
			t.Error("without a connection")
		}
	})
}

// TestEnrolling checks that the changes made to finished nodes are shown while the task is running on other nodes.
func TestEnrolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := screentest.New(t)
		task := clean(nodes(3))
		task.Plan.Action = &provision.EnrollAction{Goal: provision.GoalManageable}
		report := func(i int, p provision.Progress) {
			p.Node = task.Plan.Items[i].Node.Ref()
			task.Progress[p.Node.UUID] = p
		}
		one := provision.Result{Node: task.Plan.Items[0].Node.Ref(), Outcome: provision.OutcomeDone, State: "manageable"}
		report(0, provision.Progress{Enrolled: &provision.Enrolled{Result: one, Changes: []string{"created", "2 ports", "verified"}}})
		report(1, provision.Progress{State: models.StateVerifying})
		r.Env.Tasks.Add(task)
		list, s := tasks.New(r.Env), tasks.NewTask(r.Env, 1)
		r.Open(list)
		r.Open(s)
		screentest.Shows(t, list, 80, 20, "running 1/3")
		screentest.Shows(t, s, 80, 20, "running 1/3", "created, 2 ports, verified; manageable", "verifying", "queued")
		failed := provision.Result{
			Node: task.Plan.Items[1].Node.Ref(), Outcome: provision.OutcomeFailed, State: "enroll",
			Err: &provision.FailedError{Action: "manage", State: "enroll", Reason: "no route"},
		}
		report(1, provision.Progress{Enrolled: &provision.Enrolled{Result: failed, Changes: []string{"created"}}})
		task.Results = []provision.Result{one, failed, {Node: task.Plan.Items[2].Node.Ref(), Outcome: provision.OutcomeUnknown, Err: provision.ErrLeft}}
		task.Ended = time.Now()
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "created, 2 ports, verified; manageable", "created; no route", "interrupted while waiting")
	})
}

// TestFailedWhileOthersRun checks a task that is still running. A node that has failed is shown as failed and can be
// retried, and a single node can be canceled.
func TestFailedWhileOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		task := running()
		task.Cancels = &provision.Cancels{}
		r := rig(t, task)
		list, s := tasks.New(r.Env), tasks.NewTask(r.Env, 1)
		r.Open(list)
		r.Open(s)
		if s.DisabledReason(action.Retry) != "no node has failed yet" || s.DisabledReason(action.CancelNode) != "" {
			t.Errorf("retry: %q, cancel: %q", s.DisabledReason(action.Retry), s.DisabledReason(action.CancelNode))
		}
		item := task.Plan.Items[0].Node
		task.Known = map[string]provision.Result{item.UUID: {
			Node: item.Ref(), Outcome: provision.OutcomeFailed, State: "clean failed", Err: &provision.FailedError{Action: "clean", Reason: "no disk"},
		}}
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, list, 80, 20, "running 3/6, 1 failed")
		screentest.Shows(t, s, 80, 20, "running 3/6, 1 failed", "✖ failed", "no disk", "retrying")
		if got := s.DisabledReason(action.CancelNode); got != "the node has finished" {
			t.Errorf("cancels a failed node: %q", got)
		}
		if got := r.Do(s, s.Do(action.Retry)); len(got) != 1 || got[0] != (screen.RetryTask{Task: 1}) {
			t.Errorf("%v", got)
		}
		r.Env.Tasks.MarkRetried(1, task.Plan.Items[:1], 2)
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "retried in task 2; no disk")
		if s.DisabledReason(action.Retry) == "" {
			t.Error("retries a node twice")
		}
		s.Do(action.Down)
		s.Do(action.Down)
		node := task.Plan.Items[2].Node
		if got := r.Do(s, s.Do(action.CancelNode)); len(got) != 1 || got[0] != (screen.CancelNode{Task: 1, UUID: node.UUID}) {
			t.Errorf("%v", got)
		}
		task.Cancels.Cancel(node.UUID)
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "canceling")
		if got := s.DisabledReason(action.CancelNode); got != "already canceled" {
			t.Error(got)
		}
		task.Known[node.UUID] = provision.Result{Node: node.Ref(), Outcome: provision.OutcomeCanceled, Err: provision.ErrCanceled}
		r.Deliver(s, screen.TasksChanged{})
		screentest.Shows(t, s, 80, 20, "canceled", "nothing was sent")
		screentest.CheckSizes(t, s)
	})
}
