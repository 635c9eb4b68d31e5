package screen

import (
	"slices"

	"ironworks/models"
)

// WatchList holds the nodes of the Watch screen. It is kept until the session ends.
type WatchList struct {
	nodes []models.NodeRef
	known map[string]bool
	// tasks is the number of the last task whose nodes were added.
	tasks int
}

// Add adds the given nodes, except those that are already in the list.
func (l *WatchList) Add(nodes ...models.NodeRef) {
	if l.known == nil {
		l.known = map[string]bool{}
	}
	for _, n := range nodes {
		if !l.known[n.UUID] {
			l.known[n.UUID] = true
			l.nodes = append(l.nodes, n)
		}
	}
}

// AddTasks adds the nodes of the user's new tasks in the given context, if the tasks start operations.
func (l *WatchList) AddTasks(tasks *TaskList, context string) {
	for _, t := range tasks.All() {
		if t.Number <= l.tasks {
			continue
		}
		l.tasks = t.Number
		if t.Context != context || !tasks.Owns(t) || !Moves(t) {
			continue
		}
		for _, i := range t.Plan.Legal() {
			l.Add(i.Node.Ref())
		}
	}
}

// Moves reports whether the task's action is a provision verb that starts an operation.
func Moves(t *Task) bool {
	if t.Plan.Action == nil {
		return false
	}
	v := models.Verb(t.Plan.Action.Name())
	return slices.Contains(models.Verbs(), v) && v != models.VerbAbort && v != models.VerbUnhold
}

// Drop removes the nodes for which gone returns true.
func (l *WatchList) Drop(gone func(n models.NodeRef) bool) {
	l.nodes = slices.DeleteFunc(l.nodes, func(n models.NodeRef) bool {
		out := gone(n)
		if out {
			delete(l.known, n.UUID)
		}
		return out
	})
}

// Nodes returns the nodes in the order in which they were added.
func (l *WatchList) Nodes() []models.NodeRef { return l.nodes }

// Has reports whether a node is watched.
func (l *WatchList) Has(uuid string) bool { return l.known[uuid] }
