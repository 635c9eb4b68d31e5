package screen

import (
	"slices"

	"ironworks/models"
)

// WatchList is the nodes of the Watch screen. It lives as long as the session: the screen
// is found as it was left, whatever was visited meanwhile.
type WatchList struct {
	nodes []models.NodeRef
	known map[string]bool
	// tasks is the number of the last task whose nodes were taken in.
	tasks int
}

// Add takes nodes in that are not there yet.
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

// AddTasks takes the nodes in of what was begun in a context since the last time: of
// what moves nodes through states, and not of what only switches them on.
func (l *WatchList) AddTasks(tasks *TaskList, context string) {
	for _, t := range tasks.All() {
		if t.Number <= l.tasks {
			continue
		}
		l.tasks = t.Number
		if t.Context != context || t.Plan.Action == nil || !moves(t.Plan.Action.Name()) {
			continue
		}
		for _, i := range t.Plan.Legal() {
			l.Add(i.Node.Ref())
		}
	}
}

// moves says that an action is a provision verb which begins work.
func moves(name string) bool {
	v := models.Verb(name)
	return slices.Contains(models.Verbs(), v) && v != models.VerbAbort && v != models.VerbUnhold
}

// Drop leaves out the nodes of which gone says so.
func (l *WatchList) Drop(gone func(n models.NodeRef) bool) {
	l.nodes = slices.DeleteFunc(l.nodes, func(n models.NodeRef) bool {
		out := gone(n)
		if out {
			delete(l.known, n.UUID)
		}
		return out
	})
}

// Nodes lists them in the order in which they came.
func (l *WatchList) Nodes() []models.NodeRef { return l.nodes }

// Has says that a node is watched.
func (l *WatchList) Has(uuid string) bool { return l.known[uuid] }
