package screen

import (
	"slices"

	"ironworks/models/plan"
)

// Draft is a deployment that is being prepared: it is found as it was left, whatever was
// visited meanwhile.
type Draft struct {
	// Plan is never written into: a change puts another one in its place, because commands
	// read it. Its relative paths are those of the folder Dir.
	Plan *plan.Plan
	Dir  string
	// File is where the plan was read from or written to, or ""; Saved says that it is
	// there as it is here.
	File  string
	Saved bool
	// Text is what was written by hand and is no plan yet, or "".
	Text string
	// Page is the page in front, Node the node in hand.
	Page, Node int
	// Asked are the values of the dialogs, by the dialogs' names.
	Asked map[string]map[string]string
}

// draftsAtMost is how many are kept: of more the oldest goes.
const draftsAtMost = 50

// Drafts are those of the console, by context and nodes.
type Drafts struct {
	kept map[string]*Draft
	used []string // the one that was used last is the last
}

// Of is the draft of some nodes of a context, a new one for those that have none. Names
// are what the plan calls them.
func (d *Drafts) Of(context, id string, names []string) *Draft {
	key := context + "\x00" + id
	if d.kept == nil {
		d.kept = map[string]*Draft{}
	}
	if d.kept[key] == nil {
		deployPlan := &plan.Plan{}
		for _, name := range names {
			deployPlan.Nodes = append(deployPlan.Nodes, plan.Node{Name: name})
		}
		d.kept[key] = &Draft{Plan: deployPlan}
	}
	d.used = append(slices.DeleteFunc(d.used, func(u string) bool { return u == key }), key)
	if len(d.used) > draftsAtMost {
		delete(d.kept, d.used[0])
		d.used = d.used[1:]
	}
	return d.kept[key]
}
