// Package action is the one list of everything that can be pressed or named in the
// console. The footer, the help, the palette, the documentation and the check for
// conflicting keys are all made from it, so that none of them can be wrong alone.
package action

import (
	"slices"

	"ironworks/models"
)

// ID names an action; it is also its word in the palette.
type ID string

// Scope is where an action can be done.
type Scope string

// The scopes, from what is everywhere to what one screen alone has. Two actions of
// scopes that meet on a screen never share a key.
const (
	Everywhere Scope = "everywhere"
	Replay     Scope = "replay" // wherever a recording plays
	List       Scope = "lists"  // anything with rows and a cursor
	Reading    Scope = "text"   // anything with text that scrolls
	Filtered   Scope = "filter" // lists that can be filtered
	Nodes      Scope = "nodes"  // wherever nodes can be acted on
	Fleet      Scope = "fleet"
	Node       Scope = "node"
	NodeDisks  Scope = "node: disks"
	NodeBMC    Scope = "node: BMC"
	Events     Scope = "events"
	Conductors Scope = "conductors & drivers"
	Connect    Scope = "connect"
	Tasks      Scope = "tasks"
	Task       Scope = "task"
	Ignition   Scope = "ignition"
	Watch      Scope = "watch"
	Log        Scope = "log"
	Filling    Scope = "form" // fields that are filled in on the screen itself
	Deploy     Scope = "deploy"
	DeployDisk Scope = "deploy: root disk"
	DeployStep Scope = "deploy: steps"
	Review     Scope = "deploy: review"
	Explaining Scope = "explain"
)

// Action is one thing an operator can do.
type Action struct {
	ID    ID
	Scope Scope
	// Keys press it, the first is shown; none means palette and help only.
	Keys []string
	// Name is a word or two for the footer; Help a clause that says what it does.
	Name string
	Help string
	// Foot orders the footer: 1 comes first, 0 is not in it.
	Foot int
	// Changes says that it sends something to Ironic: off when the context is read-only.
	Changes bool
	// Form says that it asks for arguments first.
	Form bool
	// Danger is the most that it can cost; what it costs a given node is the plan's to
	// say. What erases is on a shifted letter or in the palette alone.
	Danger models.Danger
}

// Key is the key that is shown for the action, or "".
func (a *Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}

// Find gives the action with the id.
func Find(id ID) (*Action, bool) {
	for i := range all {
		if all[i].ID == id {
			return &all[i], true
		}
	}
	return nil, false
}

// In lists the actions of some scopes, in the order of the list. Where two of them have the
// same one, as lists have and a list that calls it something else, the last counts.
func In(scopes ...Scope) []*Action {
	at := map[ID]int{}
	var in []*Action
	for i := range all {
		if !slices.Contains(scopes, all[i].Scope) {
			continue
		}
		if before, there := at[all[i].ID]; there {
			in[before] = &all[i]
			continue
		}
		at[all[i].ID] = len(in)
		in = append(in, &all[i])
	}
	return in
}

// ForKey gives the action that a key presses in some scopes.
func ForKey(key string, scopes ...Scope) (*Action, bool) {
	for _, a := range In(scopes...) {
		for _, k := range a.Keys {
			if k == key {
				return a, true
			}
		}
	}
	return nil, false
}

// All lists every action; nobody may change them.
func All() []Action { return all }
