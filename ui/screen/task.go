package screen

import (
	"time"

	"ironworks/provision"
	"ironworks/ui/action"
)

// Task is an action on nodes that was started from a console. A task obtained from a [TaskList] does not change; to
// see progress, get the task from the list again.
type Task struct {
	Number  int
	Context string
	// Owner is the user who started the task; it is "" if the console has no users.
	Owner string
	Plan  provision.Batch
	// Runner belongs to this task only, so the task continues when the console switches to another context.
	Runner provision.Runner
	Began  time.Time
	Ended  time.Time
	// Progress holds the last progress of each node, by UUID.
	Progress map[string]provision.Progress
	// Known holds the results of the nodes that have finished, by UUID. Results replaces it when the task has ended.
	Known map[string]provision.Result
	// Results holds the results of the nodes, in the plan's order. It is set when the task has ended.
	Results []provision.Result
	// Retried maps the UUIDs of nodes that are retried to the number of the task that retries them.
	Retried map[string]int
	// Cancels can remove individual nodes from the task while it runs.
	Cancels *provision.Cancels
	// Unfollowed is true if the operator has stopped following the task.
	Unfollowed bool
	// Command is the equivalent command line.
	Command string
	// Form holds the operator's input from which the action can be recreated. It is nil if that is not possible.
	Form *TaskForm
}

// TaskForm consists of an action and the values of its form. It contains no secrets.
type TaskForm struct {
	Action action.ID         `json:"action"`
	Values map[string]string `json:"values,omitempty"`
}

// TaskKeeper stores tasks while they run, so that they can be resumed after a crash. Its methods do I/O.
type TaskKeeper interface {
	Began(t *Task)
	Ended(t *Task)
}

// Running reports whether the task has not ended yet.
func (t *Task) Running() bool { return t.Results == nil }

// Tally counts the results of the task by outcome.
func (t *Task) Tally() map[provision.Outcome]int {
	tally := map[provision.Outcome]int{}
	for _, r := range t.Results {
		tally[r.Outcome]++
	}
	return tally
}

// ResultOf returns the result of the plan's item with index i. It can return one even if the task is still running on
// other nodes.
func (t *Task) ResultOf(i int) (provision.Result, bool) {
	if i < len(t.Results) {
		return t.Results[i], true
	}
	r, known := t.Known[t.Plan.Items[i].Node.UUID]
	return r, known
}

// Failed returns the items that can be retried: they have failed, and no later task retries them.
func (t *Task) Failed() []provision.Item {
	var items []provision.Item
	for i := range t.Plan.Items {
		r, known := t.ResultOf(i)
		if known && r.Retryable() && t.Retried[t.Plan.Items[i].Node.UUID] == 0 {
			items = append(items, t.Plan.Items[i])
		}
	}
	return items
}
