// Package action defines all actions of the console. The footer, the help, the palette, the documentation and the
// check for conflicting keys are all derived from this list, so they cannot disagree.
package action

import (
	"slices"
	"strings"

	"ironworks/models"
)

// ID identifies an action. It is also the word that runs the action in the palette.
type ID string

// Scope is a part of the console in which an action is available, such as one screen or all lists.
type Scope string

// The scopes, from global ones to those of a single screen. Scopes active on the same screen share no key.
const (
	Everywhere Scope = "everywhere"
	Replay     Scope = "replay" // while a recording plays
	Team       Scope = "team"   // on a server shared by several users
	List       Scope = "lists"  // lists with a cursor
	Reading    Scope = "text"   // scrolling text
	Filtered   Scope = "filter" // lists with a filter
	Nodes      Scope = "nodes"  // screens with nodes that actions can be applied to
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

// Title returns the heading under which the help lists the scope's actions.
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

// Common returns the scope's sort key. It is 0 for a scope that belongs to a single screen, and grows with the number
// of screens that share the scope.
func (s Scope) Common() int {
	return slices.Index([]Scope{Nodes, Filtered, List, Reading, Filling, Replay, Team, Everywhere}, s) + 1
}

// Action describes something an operator can do.
type Action struct {
	ID    ID
	Scope Scope
	// Keys lists the action's keys, the displayed one first. Without keys, it is only in the palette and the help.
	Keys []string
	// Name is the action's label in the footer, at most two words. Help describes the action in the help.
	Name string
	Help string
	// Foot is the action's position in the footer, counted from 1. If 0, the footer does not show the action.
	Foot int
	// Changes means that the action sends changes to Ironic or to BMCs, and so is disabled in read-only mode.
	Changes bool
	// Form means that the action asks for arguments in a form before it runs.
	Form bool
	// Danger is the worst effect that the action can have on any node; for the effect on a particular node, see the
	// plan. An action that erases disks has a shifted key or none.
	Danger models.Danger
}

// Key returns the key to display, or "" if the action has none.
func (a *Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}
