package screen

import (
	"slices"

	"ironworks/models/plan"
)

// Draft is a deployment that is being prepared. It is kept while the operator visits other screens.
type Draft struct {
	// Plan is replaced on every change, because commands read it concurrently. Its paths are relative to Dir.
	Plan *plan.Plan
	Dir  string
	// File is the path of the plan, or "". Saved is true while the plan is identical to the file's content.
	File  string
	Saved bool
	// Text holds the YAML from the editor while it is not yet a valid plan; otherwise it is "".
	Text string
	// Page is the current page, and Node is the current node. PageChosen is true once the operator has pressed a key,
	// or once the checks have chosen the first page.
	Page, Node int
	PageChosen bool
	// Loaded is the path that was last entered in the dialog for loading a plan.
	Loaded string
}

// draftsAtMost is the maximum number of drafts that are kept. The least recently used one is dropped.
const draftsAtMost = 50

// Drafts holds all drafts of the console, keyed by context and nodes.
type Drafts struct {
	kept map[string]*Draft
	used []string // least recently used first
}

// Of returns the draft for the given nodes of a context, and creates it if it does not exist. id identifies the
// nodes. names lists the names that the plan of a new draft uses for them.
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
