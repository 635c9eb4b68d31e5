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
	// FleetChanged reports changes from the poller. This message and the following ones go from the root to the current
	// screen.
	FleetChanged struct{ Update fleet.Update }
	// Tick arrives every second, for screens that show ages.
	Tick struct{ Now time.Time }
	// TasksChanged reports progress of a task.
	TasksChanged struct{}
	// PeopleChanged reports that other users have connected, disconnected or changed screens.
	PeopleChanged struct{}
	// Rewound reports that a recording was rewound; logs restart.
	Rewound struct{}
	// Reload makes the screen fetch its data again.
	Reload struct{}
)

type (
	// Open shows a screen, and runs the action Then there or gives it a Message, if set. This message and the following ones go from screens
	// and dialogs to the root.
	Open struct {
		Ref     Ref
		Then    action.ID
		Message any
	}
	// Say shows a toast.
	Say struct {
		Level Level
		Text  string
		// RequestID is the ID of the request in Ironic's log.
		RequestID string
	}
	// Ask opens a dialog.
	Ask struct{ Overlay Overlay }
	// CopyText copies text to the terminal's clipboard.
	CopyText struct{ Copyable Copyable }
	// Press runs an action as if its key was pressed. Settings prefill the form of the action.
	Press struct {
		ID       action.ID
		Settings string
	}
	// Switch changes the context.
	Switch struct{ Context string }
	// RetryTask repeats a task for its failed nodes.
	RetryTask struct{ Task int }
	// ApplyRamdisks sets the ramdisk of nodes after the operator has confirmed the requests. CommandLine is the
	// equivalent command line without the program.
	ApplyRamdisks struct {
		Nodes       []models.NodeRef
		For         func(n *models.Node) (provision.Ramdisk, error)
		CommandLine []string
	}
	// PinDisk sets the root device hint for a disk after the operator has confirmed the request. CommandLine is the
	// equivalent command line without the program.
	PinDisk struct {
		Node        models.NodeRef
		Pin         *provision.PinAction
		CommandLine []string
	}
	// ChangePorts changes ports, port groups or VIFs of a node after the operator has confirmed the requests. Make
	// reads Ironic's current data. CommandLine is the equivalent command line without the program.
	ChangePorts struct {
		ID          action.ID
		Node        models.NodeRef
		Make        func(ctx context.Context) (*provision.PortAction, error)
		CommandLine []string
	}
	// ChangeHardware changes settings, firmware or RAID of nodes by steps, or runs a runbook, after checks and a
	// confirmation. CommandLine is the equivalent command line without the program.
	ChangeHardware struct {
		ID          action.ID
		Nodes       []models.NodeRef
		Action      provision.Action
		CommandLine []string
	}
	// OrderBMC sends a command to the BMC of a node, after a confirmation if it is disruptive. CommandLine is the
	// equivalent command line without the program.
	OrderBMC struct {
		Node        models.NodeRef
		Action      provision.Action
		CommandLine []string
	}
	// StartDeployment runs a reviewed deployment after a confirmation. Plan comes from the runner and has the
	// results of Preflight: nothing is sent to unchecked nodes. Command is the equivalent command line without the
	// program.
	StartDeployment struct {
		Nodes   []models.NodeRef
		Action  *provision.DeployAction
		Plan    provision.Batch
		Command []string
	}
	// EditFile opens a file in the user's editor, which takes over the terminal. Done is called outside of Update
	// when the editor has ended or failed to start, and returns the message for the sender.
	EditFile struct {
		Path string
		Done func(err error) tea.Msg
	}
	// LeaveTask stops following a task.
	LeaveTask struct{ Task int }
	// CancelNode removes a node from a running task.
	CancelNode struct {
		Task int
		UUID string
	}
)

// Level is the severity of a toast.
type Level int

// The levels.
const (
	Info Level = iota
	Success
	Warning
	Failure
)

// Send returns a command that sends msg to the root.
func Send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
