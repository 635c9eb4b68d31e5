package screen

import (
	"time"

	"ironworks/provision"
)

// Task is an action on nodes that was started from this console.
type Task struct {
	Number  int
	Context string
	Plan    provision.Batch
	// Runner is the task's own; the task continues when the context changes.
	Runner provision.Runner
	Began  time.Time
	Ended  time.Time
	// Progress is the last progress of each node, by UUID.
	Progress map[string]provision.Progress
	// Results are set when the task has ended, in the plan's order.
	Results []provision.Result
	// Left is true if the operator stopped following.
	Left bool
	// Cancel stops following; requests already sent continue.
	Cancel func()
	// Command is the equivalent command line.
	Command string
}

// Running reports whether the task has not ended yet.
func (t *Task) Running() bool { return t.Results == nil }

// Tally counts the outcomes.
func (t *Task) Tally() map[provision.Outcome]int {
	tally := map[provision.Outcome]int{}
	for _, r := range t.Results {
		tally[r.Outcome]++
	}
	return tally
}

// Failed returns the items to retry.
func (t *Task) Failed() []provision.Item {
	if t.Running() {
		return nil
	}
	return t.Plan.Failed(t.Results)
}

// TaskList has the tasks of this console, oldest first.
type TaskList struct {
	tasks []*Task
	last  int
}

// Add appends a task and sets its number.
func (l *TaskList) Add(t *Task) {
	l.last++
	t.Number = l.last
	l.tasks = append(l.tasks, t)
}

// All returns all tasks.
func (l *TaskList) All() []*Task { return l.tasks }

// Get returns the task with a number.
func (l *TaskList) Get(number int) (*Task, bool) {
	for _, t := range l.tasks {
		if t.Number == number {
			return t, true
		}
	}
	return nil, false
}

// Running counts the tasks that have not ended.
func (l *TaskList) Running() int {
	n := 0
	for _, t := range l.tasks {
		if t.Running() {
			n++
		}
	}
	return n
}
