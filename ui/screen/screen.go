// Package screen is the interface between the root of the console, its screens and its dialogs: the methods that a
// screen implements, the state that it receives, and the messages between them.
//
// A screen has only the state of its view (cursor, marks, filter, sort). Nodes are in the session's Store, which the
// poller writes. Update never does I/O: commands fetch data, and their results arrive as messages. A command never
// changes a screen.
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

// The kinds; their values are words of the palette.
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

// Ref identifies a screen for history and links. ID is a node's UUID, several joined by commas, or a task's
// number.
type Ref struct {
	Kind Kind
	ID   string
}

// Screen is a full screen between the header and the footer.
type Screen interface {
	// Ref identifies the screen. Title is its text in the header.
	Ref() Ref
	Title() string
	// Start is called once, when the screen is opened. Shown is called whenever the screen becomes the current one, the
	// first time after Start. Both return commands that fetch data.
	Start() tea.Cmd
	Shown() tea.Cmd
	// Update handles a message: a fleet change, a tick, a result of its own command. Keys arrive here only while
	// Typing.
	Update(msg tea.Msg) tea.Cmd
	// Draw returns exactly w by h cells.
	Draw(t *theme.Theme, w, h int) string
	// Scopes are the screen's groups of actions. Do runs an action. DisabledReason returns why an action of the screen
	// or on its nodes is disabled, "" if it is not.
	Scopes() []action.Scope
	Do(id action.ID) tea.Cmd
	DisabledReason(id action.ID) string
	// Targets returns the nodes for node actions: the marked nodes, or the node at the cursor.
	Targets() []models.NodeRef
	// Typing reports whether keys are text input; they then go to Update and run no action.
	Typing() bool
	// Copies lists the texts that can be copied.
	Copies() []Copyable
	// Close cancels running commands.
	Close()
}

// Narrowed is a screen for which the key back first has another meaning: Widen undoes one thing, such as a filter or a
// search. did reports whether there was anything to undo.
type Narrowed interface {
	Widen() (cmd tea.Cmd, did bool)
}

// Pointing is a screen whose Targets can be other nodes than the one at the cursor, which NodeAtCursor returns.
type Pointing interface {
	NodeAtCursor() (n models.NodeRef, ok bool)
}

// Clickable is a screen that the mouse can act on. Click handles a click at one of its cells; open means that the row
// at the cursor was clicked, which opens it.
type Clickable interface {
	Click(x, y int) (open bool, cmd tea.Cmd)
}

// ClickableOverlay is a dialog that the mouse can act on. done reports that the click closes the dialog.
type ClickableOverlay interface {
	Click(x, y int) (done bool, cmd tea.Cmd)
}

// Scrolling is a dialog that the wheel scrolls.
type Scrolling interface{ Scroll(by int) }

// Hinted is a screen with its own key hints while Typing.
type Hinted interface{ Hints() []Hint }

// Copyable is a text for the clipboard.
type Copyable struct {
	Name  string
	Text  string
	Shape Shape
}

// Shape says which control characters a copied text keeps. A shell runs pasted text at a line break and completes
// it at a tab.
type Shape int

// The shapes.
const (
	OneLine Shape = iota // keeps none
	Row                  // keeps tabs, which separate columns
	Lines                // keeps line breaks
)

// Printable returns the text for the clipboard.
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

// Overlay is a dialog in front of a screen; it receives every key.
type Overlay interface {
	// Update handles a message; done closes the dialog.
	Update(msg tea.Msg) (done bool, cmd tea.Cmd)
	// Draw returns a block of at most w by h cells.
	Draw(t *theme.Theme, w, h int) string
	// Keys are the hints for the footer.
	Keys() []Hint
}

// Hint is a key and its effect.
type Hint struct{ Key, Text string }

// FormHints returns the key hints of a text input, or of a text field in a form.
func FormHints(field bool) []Hint {
	hints := []Hint{{Key: "enter", Text: "save"}, {Key: "esc", Text: "cancel"}}
	if field {
		hints = slices.Insert(hints, 1, Hint{Key: "tab", Text: "save, next field"})
	}
	return hints
}
