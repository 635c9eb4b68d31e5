package screen

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/provision"
)

// TaskList holds the tasks of a console, oldest first. Consoles on one server share their tasks, which outlive the
// consoles. Each console has its own list, which shows the tasks that its user can see.
type TaskList struct {
	*tasks
	user    string
	visible func(uuid string) bool
}

// tasks holds the state that all lists on one server share.
type tasks struct {
	// When ctx is canceled, the tasks are no longer followed. running counts their goroutines.
	ctx     context.Context //nolint:containedctx // the life of the tasks, not of a call
	running *sync.WaitGroup
	keeper  TaskKeeper // may be nil

	mu sync.Mutex
	// entries holds the tasks that are kept, by increasing number. last is the number of the last task.
	entries []*taskEntry
	last    int
	// most and age limit the number and the age of the ended tasks that are kept, unless most is 0.
	most int
	age  time.Duration
	// changed holds the functions registered with OnChange, which are called after every change.
	changed map[*func()]struct{}
}

// taskEntry is an entry of a list. If changed is true, progress and known contain reports that have not been copied to
// the task yet; they are copied when the task is read.
type taskEntry struct {
	task     *Task
	cancel   func()
	done     chan struct{}
	progress map[string]provision.Progress
	known    map[string]provision.Result
	changed  bool
}

// NewTaskList returns a list whose tasks are followed until ctx is canceled, by goroutines that running counts.
func NewTaskList(ctx context.Context, running *sync.WaitGroup) *TaskList {
	return &TaskList{tasks: &tasks{ctx: ctx, running: running, changed: map[*func()]struct{}{}}}
}

// A list with a keeper holds at most endedMost ended tasks, each for at most endedAge. Without these limits, a
// server's list would grow as long as the server runs.
const (
	endedMost = 200
	endedAge  = 24 * time.Hour
)

// KeepWith makes the list store running tasks with k, and prune ended ones. It must be called before Add.
func (l *TaskList) KeepWith(k TaskKeeper) { l.keeper, l.most, l.age = k, endedMost, endedAge }

// prune removes the ended tasks that exceed the limits, oldest first.
func (l *tasks) prune() {
	if l.most == 0 {
		return
	}
	ended := 0
	for _, e := range l.entries {
		if !e.task.Running() {
			ended++
		}
	}
	l.entries = slices.DeleteFunc(l.entries, func(e *taskEntry) bool {
		if e.task.Running() || ended <= l.most && time.Since(e.task.Ended) <= l.age {
			return false
		}
		ended--
		return true
	})
}

// entry returns the entry of the task with the given number, or nil if the task is not kept.
func (l *tasks) entry(number int) *taskEntry {
	i, found := slices.BinarySearchFunc(l.entries, number, func(e *taskEntry, n int) int { return cmp.Compare(e.task.Number, n) })
	if !found {
		return nil
	}
	return l.entries[i]
}

// For returns a list for the given user. It shows the user's own tasks, and the tasks whose nodes are all visible to
// the user. If sees is nil, the user can see every node.
func (l *TaskList) For(user string, sees func(uuid string) bool) *TaskList {
	return &TaskList{tasks: l.tasks, user: user, visible: sees}
}

// OnChange registers a function, which must not block, for every change until stop is called.
func (l *TaskList) OnChange(changed func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.changed[&changed] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.changed, &changed)
	}
}

// change passes the entry of a task to the given function, and then calls the functions registered with OnChange. If
// the task is not kept, it does nothing.
func (l *tasks) change(number int, change func(e *taskEntry)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entry(number); e != nil {
		change(e)
		l.report()
	}
}

func (l *tasks) report() {
	for changed := range l.changed {
		(*changed)()
	}
}

// edit replaces the task with a changed copy.
func (e *taskEntry) edit(change func(t *Task)) {
	t := *e.task
	change(&t)
	e.task = &t
}

// current returns the task after adding all reports to it.
func (e *taskEntry) current() *Task {
	if e.changed {
		e.changed = false
		e.edit(func(t *Task) { t.Progress, t.Known = maps.Clone(e.progress), maps.Clone(e.known) })
	}
	return e.task
}

// Add appends a task to the list and sets its number and owner. The task ends when End is called.
func (l *TaskList) Add(t *Task) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	l.last++
	t.Number, t.Owner = l.last, l.user
	e := &taskEntry{
		task: t, cancel: func() {}, done: make(chan struct{}),
		progress: map[string]provision.Progress{}, known: map[string]provision.Result{},
	}
	maps.Copy(e.progress, t.Progress)
	maps.Copy(e.known, t.Known)
	l.entries = append(l.entries, e)
	l.report()
}

// TaskReports holds the functions that a running task calls to report progress and results. They do not block.
type TaskReports struct {
	Progress func(p provision.Progress)
	Done     func(r provision.Result)
}

// Start runs a task in the background. The task must have been added to the list with Add.
func (l *TaskList) Start(number int, run func(ctx context.Context, report TaskReports) []provision.Result) {
	ctx, cancel := context.WithCancel(l.ctx)
	var t *Task
	l.change(number, func(e *taskEntry) { t, e.cancel = e.task, cancel })
	report := TaskReports{
		Progress: func(p provision.Progress) { l.change(number, func(e *taskEntry) { e.add(p) }) },
		Done:     func(r provision.Result) { l.change(number, func(e *taskEntry) { e.finish(r) }) },
	}
	l.running.Go(func() {
		defer cancel()
		if l.keeper != nil {
			l.keeper.Began(t)
		}
		results := run(ctx, report)
		if l.keeper != nil && l.ctx.Err() == nil { // a task that is interrupted by the end of the program is resumed later
			l.keeper.Ended(t)
		}
		l.End(number, results)
	})
}

func (e *taskEntry) add(p provision.Progress) {
	e.progress[p.Node.UUID], e.changed = p, true
	if p.Enrolled != nil {
		e.finish(p.Enrolled.Result)
	}
}

func (e *taskEntry) finish(r provision.Result) {
	e.known[r.Node.UUID], e.changed = r, true
}

// End stores the results of the task with the given number, which ends it.
func (l *TaskList) End(number int, results []provision.Result) {
	if results == nil {
		results = []provision.Result{}
	}
	l.change(number, func(e *taskEntry) {
		e.edit(func(t *Task) { t.Results, t.Ended = results, time.Now() })
		close(e.done)
	})
}

// Wait waits for the end of a task and returns it, or false if ctx is done first or there is no such task.
func (l *TaskList) Wait(ctx context.Context, number int) (*Task, bool) {
	l.mu.Lock()
	e := l.entry(number)
	l.mu.Unlock()
	if e == nil {
		return nil, false
	}
	select {
	case <-e.done:
		l.mu.Lock()
		defer l.mu.Unlock()
		return e.current(), true
	case <-ctx.Done():
		return nil, false
	}
}

// MarkRetried records that items of a task are retried by the task with the number by.
func (l *TaskList) MarkRetried(number int, items []provision.Item, by int) {
	l.change(number, func(e *taskEntry) {
		e.edit(func(t *Task) {
			retried := map[string]int{}
			maps.Copy(retried, t.Retried)
			t.Retried = retried
			for i := range items {
				t.Retried[items[i].Node.UUID] = by
			}
		})
	})
}

// StopFollowing stops following a running task. Ironic continues to process the requests already sent.
func (l *TaskList) StopFollowing(number int) {
	l.change(number, func(e *taskEntry) {
		if e.task.Running() {
			e.edit(func(t *Task) { t.Unfollowed = true })
			e.cancel()
		}
	})
}

// CancelNode removes a node from a running task: nothing more is sent for it, and it is not followed.
func (l *TaskList) CancelNode(number int, uuid string) {
	l.change(number, func(e *taskEntry) {
		if e.task.Running() && e.task.Cancels != nil {
			e.task.Cancels.Cancel(uuid)
		}
	})
}

// All returns all tasks that the user can see.
func (l *TaskList) All() []*Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.prune()
	return l.where(func(t *Task) bool { return l.shows(t) })
}

// where returns the tasks for which wanted returns true. l.mu must be locked.
func (l *tasks) where(wanted func(t *Task) bool) []*Task {
	var found []*Task
	for _, e := range l.entries {
		if wanted(e.task) {
			found = append(found, e.current())
		}
	}
	return found
}

// Get returns the task with the given number, if the user can see it.
func (l *TaskList) Get(number int) (*Task, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.entry(number)
	if e == nil || !l.shows(e.task) {
		return nil, false
	}
	return e.current(), true
}

// shows reports whether the user can see a task: it is the user's own task, or the user can see all its nodes. Other
// tasks would reveal the names of hidden nodes.
func (l *TaskList) shows(t *Task) bool {
	return l.visible == nil || l.Owns(t) || !slices.ContainsFunc(t.Plan.Items, func(i provision.Item) bool { return !l.visible(i.Node.UUID) })
}

// ofOthers returns the running tasks of other users, including tasks that this user cannot see.
func (l *TaskList) ofOthers() []*Task {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.where(func(t *Task) bool { return t.Running() && !l.Owns(t) })
}

// Owns reports whether the user of this list started the task.
func (l *TaskList) Owns(t *Task) bool { return t.Owner == l.user }

// Running returns the number of visible running tasks. It copies no tasks, because drawing calls it.
func (l *TaskList) Running() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, e := range l.entries {
		if e.task.Running() && l.shows(e.task) {
			n++
		}
	}
	return n
}

// Acting describes the running tasks of other users that act on the given nodes. It names one node per task.
func (l *TaskList) Acting(nodes []models.NodeRef) []string {
	var found []string
	for _, t := range l.ofOthers() {
		for _, n := range nodes {
			i := t.Plan.Index(n.UUID)
			if i < 0 || t.Plan.Items[i].Refusal != nil {
				continue
			}
			if _, over := t.ResultOf(i); !over {
				text := fmt.Sprintf("%s is acting on %s: %s, task %d", t.Owner, n.Label(), t.Plan.Action.Name(), t.Number)
				found = append(found, text)
				break
			}
		}
	}
	return slices.Compact(found)
}
