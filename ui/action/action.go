// Package action is the list of all actions. The footer, the help, the palette, the documentation and the check
// for conflicting keys are made from it, so that they agree.
package action

import (
	"slices"
	"strings"

	"ironworks/models"
)

// ID names an action; it is also its word in the palette.
type ID string

// Scope is a place where an action is possible.
type Scope string

// The scopes, from global to those of one screen. Scopes that meet on a screen never share a key.
const (
	Everywhere Scope = "everywhere"
	Replay     Scope = "replay" // while a recording plays
	Team       Scope = "team"   // on a server with several users
	List       Scope = "lists"  // lists with a cursor
	Reading    Scope = "text"   // scrolling text
	Filtered   Scope = "filter" // lists with a filter
	Nodes      Scope = "nodes"  // screens with nodes to act on
	Fleet      Scope = "fleet"
	Node       Scope = "node"
	NodeDisks  Scope = "node: disks"
	NodeNet    Scope = "node: network"
	NodeBMC    Scope = "node: BMC"
	Events     Scope = "events"
	Conductors Scope = "conductors & drivers"
	Connect    Scope = "connect"
	Tasks      Scope = "tasks"
	Task       Scope = "task"
	Ignition   Scope = "ignition"
	Watch      Scope = "watch"
	Log        Scope = "log"
	Filling    Scope = "form" // forms that are part of a screen
	Deploy     Scope = "deploy"
	DeployDisk Scope = "deploy: root disk"
	DeployStep Scope = "deploy: steps"
	Review     Scope = "deploy: review"
	Explaining Scope = "explain"
	Enroll     Scope = "enroll"
	Rules      Scope = "rules"
	StepFiles  Scope = "templates and runbooks"
	Compare    Scope = "compare"
	Hardware   Scope = "hardware"
)

// Title returns the heading of the scope's actions in the help.
func (s Scope) Title() string {
	switch s {
	case Nodes:
		return "Acting on nodes"
	case Reading:
		return "Scrolling text"
	case Filtered:
		return "Filter and columns"
	default:
	}
	return strings.ToUpper(string(s[:1])) + string(s[1:])
}

// Common returns the sort key of a scope: 0 for a scope of one screen, and more for scopes of more screens.
func (s Scope) Common() int {
	return slices.Index([]Scope{Nodes, Filtered, List, Reading, Filling, Replay, Team, Everywhere}, s) + 1
}

// Action is something an operator can do.
type Action struct {
	ID    ID
	Scope Scope
	// Keys run the action; the first is shown. An action without keys is in the palette and the help only.
	Keys []string
	// Name is the footer's text, at most two words; Help is a clause for the help.
	Name string
	Help string
	// Foot is the action's position in the footer, from 1. An action with 0 is not in the footer.
	Foot int
	// Changes means that the action sends changes to Ironic or BMCs. It is disabled in read-only mode.
	Changes bool
	// Form means that the action asks for arguments first.
	Form bool
	// Danger is the worst effect on any node; the plan has the effect on a given node. Erasing actions have a shifted
	// key or none.
	Danger models.Danger
}

// Key returns the key to show, or "".
func (a *Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}
