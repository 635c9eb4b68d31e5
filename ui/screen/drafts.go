package screen

import (
	"slices"

	"ironworks/models/plan"
)

// Draft is a deployment in preparation. It survives visits to other screens.
type Draft struct {
	// Plan is replaced on every change and never modified, because commands read it concurrently. Relative paths
	// in it start at Dir.
	Plan *plan.Plan
	Dir  string
	// File is the path that the plan was loaded from or saved to, or "". Saved is true while the file has the same
	// content.
	File  string
	Saved bool
	// Text is YAML from the editor that is not a valid plan yet, or "".
	Text string
	// Page is the current page and Node the current node. PageChosen is true once the operator has pressed a key, or
	// the checks have chosen the first page.
	Page, Node int
	PageChosen bool
	// Asked has the last values of each dialog, by dialog name.
	Asked map[string]map[string]string
}

// draftsAtMost is the number of drafts to keep; the oldest is dropped.
const draftsAtMost = 50

// Drafts has all drafts of the console, by context and nodes.
type Drafts struct {
	kept map[string]*Draft
	used []string // least recently used first
}

// Of returns the draft for the nodes of a context and creates it if needed. names are the nodes as the plan calls
// them.
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
