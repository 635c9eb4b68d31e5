package screen

import (
	"time"

	"ironworks/provision"
)

// Task is one action on some nodes that was begun from here.
type Task struct {
	Number  int
	Context string
	Plan    provision.Batch
	// Runner is the one that it began with: it goes on when another context is gone to.
	Runner provision.Runner
	Began  time.Time
	Ended  time.Time
	// Progress is the last word of each node, by uuid.
	Progress map[string]provision.Progress
	// Results are there when it has ended, in the plan's order.
	Results []provision.Result
	// Left says that following was stopped.
	Left bool
	// Cancel stops following; what was sent goes on.
	Cancel func()
	// Command is the command line that does the same.
	Command string
}

// Running says that it has not ended yet.
func (t *Task) Running() bool { return t.Results == nil }

// Tally counts how it went.
func (t *Task) Tally() map[provision.Outcome]int {
	tally := map[provision.Outcome]int{}
	for _, r := range t.Results {
		tally[r.Outcome]++
	}
	return tally
}

// Failed are the items for another try.
func (t *Task) Failed() []provision.Item {
	if t.Running() {
		return nil
	}
	return t.Plan.Failed(t.Results)
}

// TaskList is what was done from here, oldest first.
type TaskList struct {
	tasks []*Task
	last  int
}

// Add appends a task and gives it its number.
func (l *TaskList) Add(t *Task) {
	l.last++
	t.Number = l.last
	l.tasks = append(l.tasks, t)
}

// All lists them.
func (l *TaskList) All() []*Task { return l.tasks }

// Get gives the task with a number.
func (l *TaskList) Get(number int) (*Task, bool) {
	for _, t := range l.tasks {
		if t.Number == number {
			return t, true
		}
	}
	return nil, false
}

// Running counts those that have not ended.
func (l *TaskList) Running() int {
	n := 0
	for _, t := range l.tasks {
		if t.Running() {
			n++
		}
	}
	return n
}
