// Package screen is what screens, overlays and the root of the console agree on: what
// a screen has to offer, what it is given, and the messages between them.
//
// A screen keeps only what concerns its view (cursor, marks, filter, sort); what is
// known of nodes is in the session's Store, which the poller writes. Update never does
// I/O: what has to be fetched is a command, and its result comes back as a message.
// A command never changes a screen.
package screen

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/theme"
)

// Kind is which screen it is.
type Kind string

// The kinds, by the words of the palette.
const (
	KindFleet      Kind = "fleet"
	KindNode       Kind = "node"
	KindEvents     Kind = "events"
	KindConductors Kind = "conductors"
	KindConnect    Kind = "connect"
	KindTasks      Kind = "tasks"
	KindTask       Kind = "task"
	KindIgnition   Kind = "ignition"
	KindWatch      Kind = "watch"
	KindDeploy     Kind = "deploy"
	KindExplain    Kind = "explain"
)

// Ref names a screen, for the history and for links from other screens: the ID is a
// node's uuid, several joined by commas, or a task's number.
type Ref struct {
	Kind Kind
	ID   string
}

// Screen is one full screen between the header and the footer.
type Screen interface {
	// Ref names it; Title is its crumb in the header, sanitised.
	Ref() Ref
	Title() string
	// Start is called once, before anything else; Shown each time that it comes to the
	// front. Both give what has to be fetched.
	Start() tea.Cmd
	Shown() tea.Cmd
	// Update takes a fact in: a fleet change, a tick, an answer to its own command.
	// Keys come here only while Typing.
	Update(msg tea.Msg) tea.Cmd
	// Draw paints exactly w by h cells.
	Draw(t *theme.Theme, w, h int) string
	// Scopes are the actions it has; Do carries one of them out, Why says why one of
	// them (or one on its nodes) cannot be done now: "" when it can.
	Scopes() []action.Scope
	Do(id action.ID) tea.Cmd
	Why(id action.ID) string
	// Targets are the nodes that actions on nodes are about: the marked ones, or the
	// one under the cursor.
	Targets() []models.NodeRef
	// Typing says that keys are text now: they go to Update before any action.
	Typing() bool
	// Copies is what can be copied here.
	Copies() []Copyable
	// Close ends what it still has under way.
	Close()
}

// Narrowed is a screen whose view can be narrowed, by a filter or a search. Going back
// first widens it again: did says that there was something to drop.
type Narrowed interface {
	Widen() (cmd tea.Cmd, did bool)
}

// Hinted is a screen that says by itself what keys do while it is Typing.
type Hinted interface{ Hints() []Hint }

// Copyable is something that can be put into the clipboard.
type Copyable struct {
	Name string
	Text string
}

// Overlay is a dialog in front of a screen; it gets every key.
type Overlay interface {
	// Update takes a message in; done takes the overlay away.
	Update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// Draw paints a block of at most w by h cells.
	Draw(t *theme.Theme, w, h int) string
	// Keys are the hints for the footer while it is in front.
	Keys() []Hint
}

// Hint is a key and what it does.
type Hint struct{ Key, Text string }
