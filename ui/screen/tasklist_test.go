package screen

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// taskOn returns a task on the nodes with the given UUIDs.
func taskOn(uuids ...string) *Task {
	t := &Task{Cancels: &provision.Cancels{}}
	for _, uuid := range uuids {
		t.Plan.Items = append(t.Plan.Items, provision.Item{Node: models.Node{UUID: uuid}})
	}
	return t
}

func numbersOf(l *TaskList) string {
	var numbers []int
	for _, t := range l.All() {
		numbers = append(numbers, t.Number)
	}
	return fmt.Sprint(numbers)
}

// TestTasksOfUsers checks that a user's list shows the user's own tasks and the tasks whose nodes are all visible to
// the user. The list must also distinguish the owners of tasks.
func TestTasksOfUsers(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	all := NewTaskList(t.Context(), &running)
	anna := all.For("anna", nil)
	otto := all.For("otto", func(uuid string) bool { return uuid == "a" || uuid == "b" })
	anna.Add(taskOn("a", "x"))
	anna.Add(taskOn("x"))
	otto.Add(taskOn("b"))
	anna.Add(taskOn("a", "b"))
	if a, o := numbersOf(anna), numbersOf(otto); a != "[1 2 3 4]" || o != "[3 4]" {
		t.Errorf("anna sees %s, otto %s", a, o)
	}
	for _, number := range []int{1, 2} {
		if _, there := otto.Get(number); there {
			t.Errorf("otto gets task %d, with a hidden node", number)
		}
	}
	if others := otto.ofOthers(); len(others) != 3 || others[0].Number != 1 {
		t.Errorf("%d tasks of others", len(others))
	}
	if a, o := anna.Running(), otto.Running(); a != 4 || o != 2 {
		t.Errorf("anna counts %d running tasks, otto %d", a, o)
	}
	for number, owner := range map[int]string{4: "anna", 3: "otto"} {
		task, there := otto.Get(number)
		if !there || task.Owner != owner || otto.Owns(task) != (owner == "otto") {
			t.Errorf("task %d: %+v", number, task)
		}
	}
	for _, number := range []int{0, -1, 5} {
		if _, there := anna.Get(number); there {
			t.Errorf("there is a task %d", number)
		}
	}
}

// TestTaskReports checks that a task obtained from the list does not change. Reports appear in tasks that are
// obtained later.
func TestTaskReports(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running sync.WaitGroup
		list := NewTaskList(t.Context(), &running)
		changes := 0
		stop := list.OnChange(func() { changes++ })
		list.Add(taskOn("a", "b"))
		next := make(chan struct{})
		a, b := models.NodeRef{UUID: "a"}, models.NodeRef{UUID: "b"}
		list.Start(1, func(_ context.Context, report TaskReports) []provision.Result {
			<-next
			report.Progress(provision.Progress{Node: a})
			report.Done(provision.Result{Node: a, Outcome: provision.OutcomeDone})
			<-next
			return []provision.Result{{Node: a, Outcome: provision.OutcomeDone}, {Node: b, Outcome: provision.OutcomeFailed}}
		})
		first, _ := list.Get(1)
		next <- struct{}{}
		synctest.Wait()
		second, _ := list.Get(1)
		if len(first.Known) != 0 || len(second.Known) != 1 || len(second.Progress) != 1 || !second.Running() {
			t.Errorf("known: %v, then %v", first.Known, second.Known)
		}
		before := changes
		stop()
		next <- struct{}{}
		ended, over := list.Wait(t.Context(), 1)
		if !over || ended.Running() || ended.Tally()[provision.OutcomeFailed] != 1 || second.Results != nil {
			t.Errorf("at the end: %v, %+v", over, ended)
		}
		if before < 4 || changes != before {
			t.Errorf("%d changes were reported, then %d", before, changes)
		}
		list.MarkRetried(1, ended.Plan.Items[1:], 7)
		if last, _ := list.Get(1); last.Retried["b"] != 7 || ended.Retried != nil {
			t.Errorf("retried: %v", last.Retried)
		}
		running.Wait()
	})
}

// TestTasksAreLeft checks that a task ends when the user stops following it and when the list's context is canceled,
// but not when a caller of Wait gives up.
func TestTasksAreLeft(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	var running sync.WaitGroup
	list := NewTaskList(ctx, &running)
	until := func(ctx context.Context, _ TaskReports) []provision.Result {
		<-ctx.Done()
		return nil
	}
	list.Add(taskOn("a"))
	list.Start(1, until)
	list.CancelNode(1, "a")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, over := list.Wait(gone, 1); over {
		t.Error("the task has ended")
	}
	list.StopFollowing(1)
	if left, over := list.Wait(t.Context(), 1); !over || !left.Unfollowed {
		t.Errorf("left: %v, %v", left, over)
	}
	list.Add(taskOn("b"))
	list.Start(2, until)
	end()
	running.Wait()
	if last, _ := list.Get(2); last.Running() || last.Unfollowed {
		t.Errorf("at the end of the list: %+v", last)
	}
}

// TestEndedTasksAreRemoved checks that the oldest ended tasks are removed when there are too many, that running tasks
// stay, and that no number is used twice.
func TestEndedTasksAreRemoved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var running sync.WaitGroup
		list := NewTaskList(t.Context(), &running)
		list.KeepWith(nil)
		if list.most != endedMost || list.age != endedAge {
			t.Errorf("limits: %d, %s", list.most, list.age)
		}
		list.most, list.age = 3, time.Hour
		for i := range 8 {
			list.Add(taskOn("a"))
			if i != 1 { // task 2 keeps running
				list.End(i+1, nil)
			}
		}
		if got := numbersOf(list); got != "[2 6 7 8]" {
			t.Errorf("kept %s", got)
		}
		list.StopFollowing(1) // the task was removed, so nothing happens
		if _, over := list.Wait(t.Context(), 1); over {
			t.Error("a removed task was waited for")
		}
		<-time.After(time.Hour + time.Second)
		if got := numbersOf(list); got != "[2]" {
			t.Errorf("an hour later %s", got)
		}
		list.End(2, []provision.Result{{Outcome: provision.OutcomeDone}})
		list.Add(taskOn("a"))
		if got := numbersOf(list); got != "[2 9]" {
			t.Errorf("at last %s", got)
		}
	})
}
