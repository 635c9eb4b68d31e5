package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
)

type (
	// FleetChanged reports changes found by the poller. The root sends it and the next messages to the current screen.
	FleetChanged struct{ Update fleet.Update }
	// Tick is sent every second, for screens that show ages.
	Tick struct{ Now time.Time }
	// TasksChanged reports that a task has made progress.
	TasksChanged struct{}
	// PeopleChanged reports that other users have connected, disconnected or changed screens.
	PeopleChanged struct{}
	// Rewound reports that the operator has jumped back in a recording, so logs must restart.
	Rewound struct{}
	// Reload makes the screen fetch its data again.
	Reload struct{}
)

type (
	// Open shows a screen. If Then or Message is set, the screen then runs that action or receives that message. Open
	// and the following messages are sent from screens and dialogs to the root.
	Open struct {
		Ref     Ref
		Then    action.ID
		Message any
	}
	// Say shows a toast.
	Say struct {
		Level Level
		Text  string
		// RequestID identifies the request in Ironic's log.
		RequestID string
	}
	// Ask opens a dialog.
	Ask struct{ Overlay Overlay }
	// CopyText copies text to the terminal's clipboard.
	CopyText struct{ Copyable Copyable }
	// Press runs an action as if its key had been pressed. Settings holds the initial values of the action's form.
	Press struct {
		ID       action.ID
		Settings string
	}
	// Switch switches to another context.
	Switch struct{ Context string }
	// RetryTask repeats a task for the nodes that failed.
	RetryTask struct{ Task int }
	// StartAction starts an action on nodes, which are read again, after a confirmation. CommandLine is the command line
	// that does the same, without the program name.
	StartAction struct {
		// ID is the action of the screen.
		ID     action.ID
		Nodes  []models.NodeRef
		Action provision.Action
		// Make, if not nil, returns the action instead. It may read from Ironic.
		Make func(ctx context.Context) (provision.Action, error)
		// Exact means that the operator confirms the exact requests.
		Exact       bool
		CommandLine []string
	}
	// StartDeployment runs a reviewed deployment after a confirmation. Plan was created by the runner and contains
	// the results of the preflight checks: nothing is sent to unchecked nodes. Command is the command line that runs
	// the same deployment, without the program name.
	StartDeployment struct {
		Nodes   []models.NodeRef
		Action  *provision.DeployAction
		Plan    provision.Batch
		Command []string
	}
	// StartEnroll enrolls nodes after a confirmation. Command is the equivalent command line, without the program.
	StartEnroll struct {
		Action  *provision.EnrollAction
		Command []string
	}
	// EditFile opens a file in the user's editor, which takes over the terminal. When the editor has ended or failed
	// to start, Done is called outside of Update. Done returns a message for the screen that sent EditFile.
	EditFile struct {
		Path string
		Done func(err error) tea.Msg
	}
	// LeaveTask makes the console stop following a task.
	LeaveTask struct{ Task int }
	// CancelNode removes a node from a running task.
	CancelNode struct {
		Task int
		UUID string
	}
)

// Level is the severity of a toast.
type Level int

// The severities of toasts.
const (
	Info Level = iota
	Success
	Warning
	Failure
)

// Later is a message with which a command or a dialog continues in the Update method of the screen that started it.
type Later struct {
	of any
	do func() tea.Cmd
}

// NewLater returns a message for of, a screen or a part of one, which calls do.
func NewLater(of any, do func() tea.Cmd) Later { return Later{of: of, do: do} }

// SendLater returns a command that sends such a message. Dialogs use it, because they must not change the screen.
func SendLater(of any, do func() tea.Cmd) tea.Cmd { return Send(NewLater(of, do)) }

// For reports whether the message is for the given recipient.
func (l Later) For(recipient any) bool { return l.of == recipient }

// Run calls the function of the message and returns its command, if the message is for the given recipient.
func (l Later) Run(recipient any) tea.Cmd {
	if !l.For(recipient) {
		return nil
	}
	return l.do()
}

// Send returns a command that sends msg to the root.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }

// SendOpen returns a command that opens the screen of a node: the explain screen for the action to explain the node,
// or the node screen for any other action.
func SendOpen(id action.ID, node models.NodeRef) tea.Cmd {
	kind := KindNode
	if id == action.Explain {
		kind = KindExplain
	}
	return Send(Open{Ref: Ref{Kind: kind, ID: node.UUID}})
}
