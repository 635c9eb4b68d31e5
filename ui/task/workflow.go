// Package task runs each task from the key press that starts it to its end. Provision verbs, quick deployments,
// deployments of the wizard, retries, and interrupted deployments all pass through the same states:
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

// Console is the part of the console that tasks use.
type Console interface {
	// Say shows a toast.
	Say(toast screen.Say)
	// Notify announces the end of a long task to an operator who is not looking at the console.
	Notify(text string) tea.Cmd
	// Show opens a dialog, and Dismiss closes it.
	Show(dialog screen.Overlay) tea.Cmd
	Dismiss(dialog screen.Overlay)
	// Open opens a screen. Home returns to a main screen.
	Open(ref screen.Ref) tea.Cmd
	Home(kind screen.Kind) tea.Cmd
	// Exec runs a program that takes over the terminal. When it has ended, the message of done is sent.
	Exec(program tea.ExecCommand, done tea.ExecCallback) tea.Cmd
	// SendToScreen sends a message to the current screen.
	SendToScreen(msg tea.Msg) tea.Cmd
}

// Workflow starts tasks and takes them from state to state.
type Workflow struct {
	// ctx is canceled when the console ends. running counts the goroutines of tasks.
	ctx     context.Context //nolint:containedctx // the life of the program, not of a call
	env     *screen.Env
	console Console
	running *sync.WaitGroup
}

// New returns a workflow. Its tasks are followed until ctx is canceled. running counts the goroutines of the tasks.
func New(ctx context.Context, env *screen.Env, console Console, running *sync.WaitGroup) *Workflow {
	return &Workflow{ctx: ctx, env: env, console: console, running: running}
}

type state int

const (
	stateFinding    state = iota // looking for interrupted deployments
	statePicking                 // the list of steps is open
	stateArguments               // the form is open
	stateChecking                // reading the nodes and checking them
	stateRefused                 // the dialog with the refusals is open
	stateOverriding              // the question about an override is open
	stateConfirming              // the confirmation is open
	stateRunning                 // sending requests and following the nodes
	stateCanceled                // the operator left while the checks were running
)

type flow struct {
	state state
	// name is the name of the operation in messages.
	name    string
	nodes   []models.NodeRef
	session *screen.Session
	runner  provision.Runner

	build builder
	// command returns the command line with the same effect on the named nodes, without the program's name.
	command func(nodes []string) []string
	// form holds the operator's entries, without secrets. It is nil if the action cannot be recreated from them.
	form *screen.TaskForm
	// checked means that a deployment is checked. exact means that the operator confirms the exact requests.
	checked, exact bool
	// retryOf is the number of the task that this task repeats for the nodes that failed, or 0.
	retryOf int

	// pick is the dialog from which the operator chooses a step, and offered holds the steps that it lists.
	pick    *overlay.Pick
	offered []steps.Known
	// only is the node of the flow, with all fields. It is nil if the flow has several nodes.
	only *models.Node

	// overrides maps the UUIDs of nodes to the checks that are overridden.
	overrides map[string][]plan.CheckID
	wait      *overlay.Wait
	// action and batch are the results of the last check. Before the first check, action is nil and batch is empty,
	// unless they came from a screen.
	action provision.Action
	batch  provision.Batch
	// disks maps the UUIDs of the first few nodes whose disks may be erased to descriptions of these disks.
	disks map[string][]models.Detail
	task  *screen.Task
}

// newFlow returns a flow in the given session. It is read-only if the session or the console is.
func (w *Workflow) newFlow(name string, s *screen.Session, nodes []models.NodeRef) *flow {
	f := &flow{name: name, nodes: nodes, session: s, runner: s.Runner}
	f.runner.ReadOnly = f.runner.ReadOnly || w.env.ReadOnly
	return f
}

func (f *flow) deployment() *provision.DeployAction {
	d, _ := f.action.(*provision.DeployAction)
	return d
}

// Msg reports an event of a task. The console passes it to [Workflow.Update].
type Msg struct {
	flow *flow // nil if the event can be handled in any state
	// in is the state in which the flow expects the event. If the flow is in another state, the event is too late.
	in     state
	handle func() tea.Cmd
}

// event returns a message that calls handle if the flow is then in the given state.
func (f *flow) event(in state, handle func() tea.Cmd) Msg {
	return Msg{flow: f, in: in, handle: handle}
}

func (f *flow) send(in state, handle func() tea.Cmd) tea.Cmd { return screen.Send(f.event(in, handle)) }

// Update handles an event, unless it is too late.
func (w *Workflow) Update(msg Msg) tea.Cmd {
	if msg.flow != nil && msg.flow.state != msg.in {
		return nil
	}
	return msg.handle()
}

// Begin starts an action on the given nodes, or opens its form with the values in filled already entered.
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

// beginForm starts an action on the given nodes. If the action has arguments, a form asks for them first.
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
			w.warn(string(id) + ": not possible in this session")
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
		// The form stays open on errors that are found without reading a file.
		if field, err := args.check(id); err != nil {
			return nil, field, models.OnScreen(err)
		}
		return w.sendCheck(f), "", ""
	}))
}

// Apply starts a task that writes the ramdisk settings into nodes.
func (w *Workflow) Apply(msg screen.ApplyRamdisks) tea.Cmd {
	return w.beginWith("apply", action.IgnitionApply, msg.Nodes, always(provision.ApplyRamdisk(msg.For)), msg.CommandLine, true)
}

// Pin starts a task that writes a root device hint for the chosen disk.
func (w *Workflow) Pin(msg screen.PinDisk) tea.Cmd {
	return w.beginWith("pin", action.PinDisk, []models.NodeRef{msg.Node}, always(msg.Pin), msg.CommandLine, true)
}

// ChangePorts starts a task that changes ports, port groups or VIFs.
func (w *Workflow) ChangePorts(msg screen.ChangePorts) tea.Cmd {
	ctx := w.ctx
	build := func() (provision.Action, error) { return msg.Make(ctx) }
	return w.beginWith(string(msg.ID), msg.ID, []models.NodeRef{msg.Node}, build, msg.CommandLine, true)
}

// ChangeHardware starts a task that changes the settings, firmware or RAID of nodes, or that runs a runbook.
func (w *Workflow) ChangeHardware(msg screen.ChangeHardware) tea.Cmd {
	return w.beginWith(msg.Action.Name(), msg.ID, msg.Nodes, always(msg.Action), msg.CommandLine, false)
}

// OrderBMC starts a task that runs an action on a BMC.
func (w *Workflow) OrderBMC(msg screen.OrderBMC) tea.Cmd {
	return w.beginWith("BMC", action.ShowBMC, []models.NodeRef{msg.Node}, always(msg.Action), msg.CommandLine, false)
}

// builder is a function that returns an action. It may read files.
type builder func() (provision.Action, error)

func always(act provision.Action) builder {
	return func() (provision.Action, error) { return act, nil }
}

// beginWith starts an action that a screen has prepared. The argument what is the name of the action in warnings.
func (w *Workflow) beginWith(
	what string, id action.ID, nodes []models.NodeRef, build builder, command []string, exact bool,
) tea.Cmd {
	if why := w.whyNoChange(); why != "" {
		w.warn(what + ": " + why)
		return nil
	}
	f := w.newFlow(string(id), w.env.Session, nodes)
	f.exact, f.build = exact, build
	f.command = func([]string) []string { return command }
	return w.check(f)
}

// Deploy starts a deployment that a screen has already checked and shown. The action sends nothing to a node that it
// has not checked, even if the plan in msg says otherwise.
func (w *Workflow) Deploy(msg screen.StartDeployment) tea.Cmd {
	why := w.whyNoChange()
	switch {
	case why != "":
	case msg.Action != nil && !msg.Action.CheckedBy(w.env.Session.Checks):
		why = "the context changed since the checks; nothing was sent"
	case msg.Action == nil || len(msg.Plan.Legal()) == 0:
		why = "no node passed its checks"
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

// Retry repeats the task with the given number for the nodes that failed.
func (w *Workflow) Retry(number int) tea.Cmd {
	t, ok := w.env.Tasks.Get(number)
	if !ok || len(t.Failed()) == 0 {
		return nil
	}
	runner, act := t.Runner, t.Plan.Action
	if t.Owner != "" {
		// On a server, a task is repeated with the user's current permissions, because it may have been started by
		// another user, or by the same user in another role.
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
		// Nodes that do not exist yet cannot be read again. Enrolling repeats only the changes that are missing.
		f.action, f.batch = act, provision.Batch{Action: act, Items: t.Failed()}
		return w.confirm(f)
	}
	_, f.checked = act.(*provision.DeployAction)
	f.build = always(act)
	return w.check(f)
}

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
