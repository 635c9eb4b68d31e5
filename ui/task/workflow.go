// Package task runs a task from the key that starts it to its end. All tasks have the same states: verbs, quick
// deployments, the wizard's deployments, retries, and interrupted deployments.
//
//	find → arguments → check → confirm → run
//	                     ↕
//	             refused → override
package task

import (
	"context"
	"fmt"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/compare"
	"ironworks/ui/screen/deploy"
	"ironworks/ui/screen/hardware"
	"ironworks/ui/screen/review"
	"ironworks/ui/widget/form"
)

// Console is the interface of the console for tasks.
type Console interface {
	// Say shows a toast.
	Say(toast screen.Say)
	// Notify tells an operator who looks elsewhere that a long task has ended.
	Notify(text string) tea.Cmd
	// Show opens a dialog, Dismiss closes it.
	Show(dialog screen.Overlay) tea.Cmd
	Dismiss(dialog screen.Overlay)
	// Open opens a screen. Home returns to a main screen.
	Open(ref screen.Ref) tea.Cmd
	Home(kind screen.Kind) tea.Cmd
	// Exec runs a program that takes over the terminal; done makes the message after its end.
	Exec(program tea.ExecCommand, done tea.ExecCallback) tea.Cmd
	// SendToScreen sends a message to the screen in front.
	SendToScreen(msg tea.Msg) tea.Cmd
}

// Workflow starts tasks and advances them.
type Workflow struct {
	// ctx ends with the console. running counts the goroutines of tasks.
	ctx     context.Context //nolint:containedctx // the life of the program, not of a call
	env     *screen.Env
	console Console
	running *sync.WaitGroup
}

// New returns a workflow whose tasks stop being watched when ctx ends. running counts their goroutines.
func New(ctx context.Context, env *screen.Env, console Console, running *sync.WaitGroup) *Workflow {
	return &Workflow{ctx: ctx, env: env, console: console, running: running}
}

// state is the stage that a flow has reached.
type state int

const (
	stateFinding    state = iota // looking for interrupted deployments
	statePicking                 // the list of steps is open
	stateArguments               // the form is open
	stateChecking                // reading the nodes and checking them
	stateRefused                 // the dialog with the refusals is open
	stateOverriding              // the question about an override is open
	stateConfirming              // the confirmation is open
	stateRunning                 // sending, then watching
	stateCanceled                // left while the checks ran
)

// flow is one task from the action that starts it to its end.
type flow struct {
	state state
	// name is the operation's name, for messages.
	name    string
	nodes   []models.NodeRef
	session *screen.Session
	runner  provision.Runner

	// build makes the action. It may read files.
	build func() (provision.Action, error)
	// command returns the equivalent command line for nodes, without the program.
	command func(nodes []string) []string
	// form is the operator's input, without secrets; nil if the action cannot be recreated from it.
	form *screen.TaskForm
	// checked means that the flow runs the checks of a deployment. exact means that the operator confirms the requests
	// themselves, not only the effect.
	checked, exact bool
	// retryOf is the number of the task that this one repeats for its failed nodes, or 0.
	retryOf int

	// pick is the list of steps, and offered the steps that the nodes offer.
	pick    *overlay.Pick
	offered []steps.Known
	// only is the node of the flow if it is the only one, with all fields.
	only *models.Node

	// overrides are the overridden checks by the UUIDs of nodes.
	overrides map[string][]plan.CheckID
	wait      *overlay.Wait
	// action and batch are the results of the last check. Before the first check, action is nil and batch is empty.
	action provision.Action
	batch  provision.Batch
	// disks are the disks of the first nodes whose disks may be erased, by UUID.
	disks map[string][]models.Detail
	task  *screen.Task
}

// newFlow returns a flow in the given session.
func (w *Workflow) newFlow(name string, s *screen.Session, nodes []models.NodeRef) *flow {
	f := &flow{name: name, nodes: nodes, session: s, runner: s.Runner}
	f.runner.ReadOnly = f.runner.ReadOnly || w.env.ReadOnly
	return f
}

// deployment returns the action if it is a deployment, or nil.
func (f *flow) deployment() *provision.DeployAction {
	d, _ := f.action.(*provision.DeployAction)
	return d
}

// Msg is an event of a flow. The console passes it to [Workflow.Update].
type Msg struct {
	flow  *flow
	event event
}

// event advances a flow. Each event belongs to one state; in other states it is late, and dropped.
type event interface{ in() state }

type (
	// interruptedFound is the answer to a search for interrupted deployments.
	interruptedFound struct {
		nodes []models.NodeRef
		// missing are the labels of nodes that Ironic does not have or does not show.
		missing []string
		err     error
	}
	// stepsFound are the steps that the nodes offer; first are the items before them.
	stepsFound struct {
		first []overlay.Item
		list  []steps.Known
		only  *models.Node
		err   error
	}
	// argumentsGiven is a completed form.
	argumentsGiven struct{}
	// nodesChecked reports progress of the checks.
	nodesChecked struct {
		count int
		box   checksBox
	}
	// checksDone ends the checks.
	checksDone struct {
		action provision.Action
		batch  provision.Batch
		disks  map[string][]models.Detail
		err    error
	}
	// refusedSkipped continues with the nodes that passed their checks.
	refusedSkipped    struct{}
	overrideChosen    struct{ override }
	overrideConfirmed struct{ override }
	overrideDeclined  struct{}
	confirmed         struct{}
	// taskEnded reports that the task has the results of all nodes.
	taskEnded struct{}
)

func (interruptedFound) in() state  { return stateFinding }
func (stepsFound) in() state        { return statePicking }
func (argumentsGiven) in() state    { return stateArguments }
func (nodesChecked) in() state      { return stateChecking }
func (checksDone) in() state        { return stateChecking }
func (refusedSkipped) in() state    { return stateRefused }
func (overrideChosen) in() state    { return stateRefused }
func (overrideConfirmed) in() state { return stateOverriding }
func (overrideDeclined) in() state  { return stateOverriding }
func (confirmed) in() state         { return stateConfirming }
func (taskEnded) in() state         { return stateRunning }

// send returns the command that reports an event of the flow.
func (f *flow) send(e event) tea.Cmd { return screen.Send(Msg{f, e}) }

// Update passes an event to its flow. It drops events that do not belong to the flow's current state.
func (w *Workflow) Update(msg Msg) tea.Cmd {
	f := msg.flow
	if msg.event.in() != f.state {
		return nil
	}
	switch e := msg.event.(type) {
	case interruptedFound:
		return w.resumeFound(f, e)
	case stepsFound:
		return w.stepsFound(f, e)
	case argumentsGiven, overrideConfirmed:
		if o, is := e.(overrideConfirmed); is {
			f.addOverride(o.override)
		}
		return w.check(f)
	case nodesChecked:
		f.wait.Done += e.count
		return w.listenChecks(f, e.box)
	case checksDone:
		return w.checksDone(f, e)
	case refusedSkipped:
		return w.confirm(f)
	case overrideChosen:
		return w.askOverride(f, e.override)
	case overrideDeclined:
		return w.showRefused(f)
	case confirmed:
		return w.run(f)
	case taskEnded:
		return w.ended(f)
	}
	return nil
}

// Begin starts an action on nodes. If the action has arguments, Begin opens their form with the given values filled in.
func (w *Workflow) Begin(id action.ID, nodes []models.NodeRef, filled Arguments) tea.Cmd {
	switch {
	case len(nodes) == 0 || w.env.Session == nil:
		w.warn(string(id) + ": no node selected")
		return nil
	case w.env.Plugins[id] != nil:
		return w.beginPlugin(w.env.Plugins[id], nodes)
	case id == action.Validate:
		return w.validate(nodes[0])
	case id == action.Shell:
		return w.openShell(nodes[0])
	case id == action.WebConsole:
		return w.openWebConsole(nodes[0])
	case id == action.DeployWizard:
		return w.console.Open(screen.Ref{Kind: screen.KindDeploy, ID: deploy.ID(nodes)})
	case id == action.ShowCompare:
		return w.console.Open(screen.Ref{Kind: screen.KindCompare, ID: compare.ID(nodes)})
	case hardware.Shows(id):
		return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindHardware, ID: nodes[0].UUID}, Then: id})
	}
	if kind, has := stepKindOf(id); has {
		return w.pickStep(id, kind, nodes)
	}
	return w.beginForm(id, nodes, filled)
}

// beginForm starts an action on nodes, after its form if it has arguments.
func (w *Workflow) beginForm(id action.ID, nodes []models.NodeRef, filled Arguments) tea.Cmd {
	f := w.newFlow(string(id), w.env.Session, nodes)
	f.checked = deploys(id)
	args := Arguments{}
	f.build = func() (provision.Action, error) {
		if verb, is := action.AsVerb(id); is && args[fieldRunbook] != "" && f.session.StepFiles != nil {
			req, _, err := buildRequest(verb, args)
			return provision.RunRunbook(f.session.StepFiles, req), err
		}
		return Build(id, args, f.session.Checks)
	}
	if id == action.BringUp || id == action.MakeAvailable {
		enrolling := w.env.Session.Enroll
		if enrolling == nil {
			w.warn(string(id) + ": " + textNothingSends)
			return nil
		}
		f.build, f.exact = func() (provision.Action, error) { return bringUp(id, enrolling.API()), nil }, true
	}
	f.command = func(names []string) []string {
		return append(commandWords(id, args, names), review.OverrideWords(nodes, f.overrides)...)
	}
	fields := formFields(id)
	if !f.exact && !f.checked && !slices.ContainsFunc(fields, func(f form.Field) bool { return f.Kind == form.Secret || f.Secrets != nil }) {
		f.form = &screen.TaskForm{Action: id}
	}
	if fields == nil {
		return w.check(f)
	}
	for i := range fields {
		if value := filled[fields[i].Key]; value != "" {
			fields[i].Value = value
		}
	}
	f.state = stateArguments
	return w.console.Show(overlay.NewForm(fmt.Sprintf("%s %s", id, nodesText(nodes)), fields, func(v map[string]string) (tea.Cmd, string, string) {
		args = v
		if f.form != nil {
			f.form.Values = v
		}
		// The form stays open for errors that can be found without reading a file.
		if field, err := args.check(id); err != nil {
			return nil, field, models.OnScreen(err)
		}
		return f.send(argumentsGiven{}), "", ""
	}))
}

// Apply starts to write the ramdisk settings of nodes.
func (w *Workflow) Apply(msg screen.ApplyRamdisks) tea.Cmd {
	return w.beginWith("apply", action.IgnitionApply, msg.Nodes, provision.ApplyRamdisk(msg.For), msg.CommandLine, true)
}

// Pin starts to write the root device hint of a disk.
func (w *Workflow) Pin(msg screen.PinDisk) tea.Cmd {
	return w.beginWith("pin", action.PinDisk, []models.NodeRef{msg.Node}, msg.Pin, msg.CommandLine, true)
}

// ChangePorts starts to change ports, port groups or VIFs.
func (w *Workflow) ChangePorts(msg screen.ChangePorts) tea.Cmd {
	if why := w.whyNoChange(); why != "" {
		w.warn(string(msg.ID) + ": " + why)
		return nil
	}
	f := w.newFlow(string(msg.ID), w.env.Session, []models.NodeRef{msg.Node})
	f.exact = true
	ctx := w.ctx
	f.build = func() (provision.Action, error) { return msg.Make(ctx) }
	f.command = func([]string) []string { return msg.CommandLine }
	return w.check(f)
}

// ChangeHardware starts to change settings, firmware or RAID of nodes, or to run a runbook.
func (w *Workflow) ChangeHardware(msg screen.ChangeHardware) tea.Cmd {
	return w.beginWith(msg.Action.Name(), msg.ID, msg.Nodes, msg.Action, msg.CommandLine, false)
}

// OrderBMC starts an action on a BMC.
func (w *Workflow) OrderBMC(msg screen.OrderBMC) tea.Cmd {
	return w.beginWith("BMC", action.ShowBMC, []models.NodeRef{msg.Node}, msg.Action, msg.CommandLine, false)
}

// beginWith starts an action that a screen has made; what names it in warnings.
func (w *Workflow) beginWith(what string, id action.ID, nodes []models.NodeRef, act provision.Action, command []string, exact bool) tea.Cmd {
	if why := w.whyNoChange(); why != "" {
		w.warn(what + ": " + why)
		return nil
	}
	f := w.newFlow(string(id), w.env.Session, nodes)
	f.exact = exact
	f.build = func() (provision.Action, error) { return act, nil }
	f.command = func([]string) []string { return command }
	return w.check(f)
}

// Deploy starts a deployment that a screen has checked and shown. The action sends nothing to a node that it did not
// check, whatever the batch says.
func (w *Workflow) Deploy(msg screen.StartDeployment) tea.Cmd {
	why := w.whyNoChange()
	switch {
	case why != "":
	case msg.Action != nil && !msg.Action.CheckedBy(w.env.Session.Checks):
		why = textOtherIronic
	case msg.Action == nil || len(msg.Plan.Legal()) == 0:
		why = textNoNodePassed
	}
	if why != "" {
		w.warn("deploy: " + why)
		return nil
	}
	f := w.newFlow(msg.Action.Name(), w.env.Session, msg.Nodes)
	f.checked = true
	f.action, f.batch = msg.Action, msg.Plan
	f.batch.Action = msg.Action
	f.command = func([]string) []string { return msg.Command }
	return w.confirm(f)
}

// Retry starts a task again for the nodes that failed.
func (w *Workflow) Retry(number int) tea.Cmd {
	t, ok := w.env.Tasks.Get(number)
	if !ok || len(t.Failed()) == 0 {
		return nil
	}
	runner, act := t.Runner, t.Plan.Action
	if t.Owner != "" {
		// A task on a server is repeated with the user's current permissions: another user may have started it, or the
		// same user with another role.
		if why := w.whyNoChange(); why != "" {
			w.warn("retry: " + why)
			return nil
		}
		runner = w.env.Session.Runner
		if d, is := act.(*provision.DeployAction); is {
			act = d.WithChecks(w.env.Session.Checks.Fresh())
		}
	}
	f := w.newFlow(act.Name(), &screen.Session{Runner: runner}, nil)
	for _, item := range t.Failed() {
		f.nodes = append(f.nodes, item.Node.Ref())
	}
	f.retryOf = number
	if _, is := t.Plan.Action.(*provision.EnrollAction); is {
		// Nodes that do not exist yet cannot be read again: enrolling repeats only the missing changes.
		f.action, f.batch = act, provision.Batch{Action: act, Items: t.Failed()}
		return w.confirm(f)
	}
	_, f.checked = act.(*provision.DeployAction)
	f.build = func() (provision.Action, error) { return act, nil }
	return w.check(f)
}

// whyNoChange returns why nothing can be sent now, "" if it can.
func (w *Workflow) whyNoChange() string {
	if w.env.Session == nil {
		return textNoContext
	}
	return w.env.WhyReadOnly()
}

func (w *Workflow) warn(text string) {
	w.console.Say(screen.Say{Level: screen.Warning, Text: text})
}

func nodesText(nodes []models.NodeRef) string {
	if len(nodes) == 1 {
		return nodes[0].Label()
	}
	return fmt.Sprintf("%d nodes", len(nodes))
}
