// Package screen is the interface between the root of the console, its screens and its dialogs. It defines the
// methods that a screen implements, the state that it receives, and the messages that all of them exchange.
//
// A screen stores only the state of its view, such as the cursor, marks, filter and sort order. Nodes are in the
// session's Store, which the poller updates. Update never does I/O: commands fetch data, and their results arrive as
// messages. A command never changes a screen.
package screen

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/theme"
)

// Kind identifies a type of screen.
type Kind string

// The kinds of screens. The kind of a main screen is also the ID of the action that opens the screen.
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
	KindEnroll     Kind = "enroll"
	KindRules      Kind = "rules"
	KindTemplates  Kind = "templates"
	KindRunbooks   Kind = "runbooks"
	KindCompare    Kind = "compare"
	KindHardware   Kind = "hardware"
)

// Ref identifies a screen in the history and in links. ID is the UUID of a node, several UUIDs joined by commas, or
// the number of a task.
type Ref struct {
	Kind Kind
	ID   string
}

// Screen is a full-size screen that is shown between the header and the footer.
type Screen interface {
	// Ref identifies the screen. Title is shown in the header.
	Ref() Ref
	Title() string
	// Start is called once, when the screen is opened. Shown is called whenever the screen becomes the current one,
	// for the first time after Start. Both return commands that fetch data.
	Start() tea.Cmd
	Shown() tea.Cmd
	// Update handles a message, such as a fleet change, a tick, or the result of one of its commands. It receives
	// keys only while Typing returns true.
	Update(msg tea.Msg) tea.Cmd
	// Draw returns a block of exactly w by h cells.
	Draw(t *theme.Theme, w, h int) string
	// Scopes returns the scopes of the actions that the screen offers. Do runs an action. DisabledReason returns the
	// reason why an action is disabled, or "" if it is enabled. The action is one of the screen's actions or an
	// action on its nodes.
	Scopes() []action.Scope
	Do(id action.ID) tea.Cmd
	DisabledReason(id action.ID) string
	// Targets returns the nodes that node actions apply to: the marked nodes, or the node at the cursor.
	Targets() []models.NodeRef
	// Typing reports whether keys are text input. If so, they are sent to Update and run no action.
	Typing() bool
	// Copies returns the items that the operator can copy to the clipboard.
	Copies() []Copyable
	// Close cancels all running commands.
	Close()
}

// Base implements the methods of a screen that has a constant title and scopes, fetches nothing, has no text input, and
// offers no actions on nodes. A screen embeds it and overrides the methods that differ.
type Base struct {
	ref    Ref
	title  string
	scopes []action.Scope
}

// NewBase returns the base of a screen.
func NewBase(ref Ref, title string, scopes ...action.Scope) Base {
	return Base{ref: ref, title: title, scopes: scopes}
}

// Ref returns the reference that identifies the screen.
func (b *Base) Ref() Ref { return b.ref }

// Title returns the screen's title.
func (b *Base) Title() string { return b.title }

// Start fetches nothing.
func (*Base) Start() tea.Cmd { return nil }

// Shown fetches nothing.
func (*Base) Shown() tea.Cmd { return nil }

// Scopes returns the scopes of the actions that the screen offers.
func (b *Base) Scopes() []action.Scope { return b.scopes }

// Targets returns no nodes.
func (*Base) Targets() []models.NodeRef { return nil }

// Typing reports that keys are not text input.
func (*Base) Typing() bool { return false }

// Close cancels nothing.
func (*Base) Close() {}

// Narrowed is a screen on which the back key first calls Widen. Widen undoes one restriction of the view, such as a
// filter or a search; did reports whether there was one.
type Narrowed interface {
	Widen() (cmd tea.Cmd, did bool)
}

// Pointing is a screen whose Targets may not include the node at the cursor. NodeAtCursor returns that node.
type Pointing interface {
	NodeAtCursor() (n models.NodeRef, ok bool)
}

// Clickable is a screen that responds to mouse clicks. Click handles a click on one of its cells. open reports
// whether the row at the cursor was clicked and must be opened.
type Clickable interface {
	Click(x, y int) (open bool, cmd tea.Cmd)
}

// ClickableOverlay is a dialog that responds to mouse clicks. done reports whether the click closes the dialog.
type ClickableOverlay interface {
	Click(x, y int) (done bool, cmd tea.Cmd)
}

// Scrolling is a dialog that the mouse wheel can scroll.
type Scrolling interface{ Scroll(by int) }

// Hinted is a screen that provides special key hints while keys are text input.
type Hinted interface{ Hints() []Hint }

// Copyable is a text that can be copied to the clipboard.
type Copyable struct {
	Name  string
	Text  string
	Shape Shape
}

// Shape determines which control characters a copied text keeps. They are restricted because a shell runs pasted text
// at a line break and completes it at a tab.
type Shape int

// The shapes of copied texts.
const (
	OneLine Shape = iota // keeps no control characters
	Row                  // keeps tabs, which separate columns
	Lines                // keeps line breaks
)

// Printable returns the text to copy, without the control characters that its shape does not keep.
func (c Copyable) Printable() string {
	switch c.Shape {
	case OneLine:
	case Lines:
		return printable.Lines(c.Text)
	case Row:
		columns := strings.Split(c.Text, "\t")
		for i := range columns {
			columns[i] = printable.Line(columns[i])
		}
		return strings.Join(columns, "\t")
	}
	return printable.Line(c.Text)
}

// Overlay is a dialog that is drawn in front of a screen. It receives every key.
type Overlay interface {
	// Update handles a message. done reports whether the dialog closes.
	Update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// Draw returns a block of at most w by h cells.
	Draw(t *theme.Theme, w, h int) string
	// Keys returns the key hints for the footer.
	Keys() []Hint
}

// Hint describes a key and its effect.
type Hint struct{ Key, Text string }

// FormHints returns the key hints for a text input. field reports whether it is a text field in a form.
func FormHints(field bool) []Hint {
	hints := []Hint{{Key: "enter", Text: "save"}, {Key: "esc", Text: "cancel"}}
	if field {
		hints = slices.Insert(hints, 1, Hint{Key: "tab", Text: "save, next field"})
	}
	return hints
}
