package screen

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/fleet"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
)

type (
	// FleetChanged is the first of the facts that the root tells the screen in front. It is news of the poller.
	FleetChanged struct{ Update fleet.Update }
	// Tick comes each second, for whatever shows an age.
	Tick struct{ Now time.Time }
	// TasksChanged says that a task moved on.
	TasksChanged struct{}
	// Rewound says that a recording was wound back: what was shown of a log begins anew.
	Rewound struct{}
	// Reload asks the screen to fetch again what it has fetched itself.
	Reload struct{}
)

type (
	// Open is the first of the wishes that screens and overlays have of the root. It goes
	// to a screen, and does Then there; empty is nothing.
	Open struct {
		Ref  Ref
		Then action.ID
	}
	// Say shows a toast.
	Say struct {
		Level Level
		Text  string
		// RequestID is Ironic's, to find the request in its log.
		RequestID string
	}
	// Ask puts an overlay in front.
	Ask struct{ Overlay Overlay }
	// CopyText puts text into the terminal's clipboard.
	CopyText struct{ Copyable Copyable }
	// Press does an action as if its key had been pressed. Settings stand in the form where
	// the action asks for some.
	Press struct {
		ID       action.ID
		Settings string
	}
	// Switch goes to another context.
	Switch struct{ Context string }
	// RetryTask tries again for the nodes of a task that failed.
	RetryTask struct{ Task int }
	// ApplyRamdisks writes into nodes what they boot, after the operator has seen what is
	// sent. Words are the command line that does the same, without the program.
	ApplyRamdisks struct {
		Nodes []models.NodeRef
		For   func(n *models.Node) (provision.Ramdisk, error)
		Words []string
	}
	// PinDisk writes the hint for a disk of a node, after the operator has seen what is
	// sent. Words are the command line that does the same, without the program.
	PinDisk struct {
		Node  models.NodeRef
		Pin   *provision.PinAction
		Words []string
	}
	// OrderBMC tells the BMC of a node what to do, after the operator was asked where there
	// is something to lose. Words are the command line that does the same, without the
	// program.
	OrderBMC struct {
		Node   models.NodeRef
		Action provision.Action
		Words  []string
	}
	// StartDeployment carries out a deployment that was reviewed and confirmed. The plan is
	// a runner's of the action, after its Preflight: the action itself sends nothing to a
	// node that it did not check. Command is the command line that does the same, without
	// the program; nil where there is none.
	StartDeployment struct {
		Nodes   []models.NodeRef
		Action  *provision.DeployAction
		Plan    provision.Batch
		Command []string
	}
	// EditFile has the user's editor write on a file, in the place of the console. Done is
	// called outside of Update when that has ended, or could not begin, and gives the
	// answer to whoever wished for it.
	EditFile struct {
		Path string
		Done func(err error) tea.Msg
	}
	// LeaveTask stops following what a task has under way.
	LeaveTask struct{ Task int }
)

// Level is how much a toast matters.
type Level int

// The levels.
const (
	Info Level = iota
	Success
	Warning
	Failure
)

// Wish makes a command of a message.
func Wish(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
