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
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/mailbox"
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
		if f.build == nil {
			f.build = func() (provision.Action, error) { return Build(id, nil, f.session.Checks) }
		}
		return w.check(f)
	}
	for i := range fields {
		if value := filled[fields[i].Key]; value != "" {
			fields[i].Value = value
		}
	}
	f.state = stateArguments
	return w.console.Show(overlay.NewForm(fmt.Sprintf("%s %s", id, nodesText(nodes)), fields, func(v map[string]string) (tea.Cmd, string, string) {
		b, field, err := parse(id, v, f.session)
		if err != nil {
			return nil, field, models.OnScreen(err) // the form stays open
		}
		args, f.build = v, b
		if f.form != nil {
			f.form.Values = v
		}
		return w.sendCheck(f), "", ""
	}))
}

// sendCheck returns a command that starts the checks when the form has been completed.
func (w *Workflow) sendCheck(f *flow) tea.Cmd {
	return f.send(stateArguments, func() tea.Cmd { return w.check(f) })
}

type checksDone struct {
	action provision.Action
	batch  provision.Batch
	disks  map[string][]models.Detail
	err    error
}

// check reads the nodes again and plans the requests. For a deployment, it runs all checks. Nothing is kept from
// earlier checks except the overrides of this flow.
func (w *Workflow) check(f *flow) tea.Cmd {
	f.state = stateChecking
	ctx, cancel := context.WithCancel(w.ctx)
	box := mailbox.New[int]()
	act, build, overrides := f.action, f.build, f.overrides
	session, runner, checked := f.session, f.runner, f.checked
	ids := uuids(f.nodes)
	w.running.Add(1)
	ended := func(done checksDone) tea.Msg {
		return f.event(stateChecking, func() tea.Cmd { return w.checksDone(f, done) })
	}
	work := func() tea.Msg {
		defer w.running.Done()
		defer cancel()
		defer box.Close()
		if act == nil { // the action of an earlier check is reused, because it knows the instances that it assigned to nodes
			var err error
			if act, err = build(); err != nil {
				return ended(checksDone{err: err})
			}
		}
		if d, is := act.(*provision.DeployAction); is {
			d = d.WithOverrides(overrides)
			d.OnChecked(func(models.NodeRef) { box.Put(func(n *int) { *n++ }) })
			act = d
		}
		runner.ReadOnly = runner.ReadOnly && changes(act)
		done := checksDone{action: act}
		done.batch, done.err = runner.Prepare(ctx, act, ids)
		if done.err == nil && !checked { // the review of a deployment shows the disks
			done.disks = disksOf(ctx, session.API, done.batch)
		}
		return ended(done)
	}
	if !f.checked {
		if len(f.nodes) > 1 {
			w.console.Say(screen.Say{Text: fmt.Sprintf("%s: reading %d nodes…", f.name, len(f.nodes))})
		}
		return work
	}
	f.wait = overlay.NewWait(f.name+" "+nodesText(f.nodes), textRunningChecks, len(f.nodes), func() {
		cancel()
		f.state = stateCanceled
	})
	return tea.Batch(w.console.Show(f.wait), work, w.listenChecks(f, box))
}

// listenChecks shows the progress of the checks. box counts the nodes that have been checked since it was last read.
func (w *Workflow) listenChecks(f *flow, box *mailbox.Box[int]) tea.Cmd {
	ctx := w.ctx
	return func() tea.Msg {
		n, ok := box.Take(ctx)
		if !ok {
			return nil
		}
		return f.event(stateChecking, func() tea.Cmd { //nolint:contextcheck // Update calls it
			f.wait.Done += n
			return w.listenChecks(f, box)
		})
	}
}

// checksDone shows why nodes were refused, or asks for confirmation.
func (w *Workflow) checksDone(f *flow, done checksDone) tea.Cmd {
	if f.wait != nil {
		w.console.Dismiss(f.wait)
		f.wait = nil
	}
	if done.err != nil {
		w.console.Say(failure(f.name, done.err))
		return nil
	}
	f.action, f.batch, f.disks = done.action, done.batch, done.disks
	refused := f.batch.Refused()
	switch {
	case f.checked && len(refused) > 0:
		return w.showRefused(f)
	case len(f.batch.Legal()) > 0:
		return w.confirm(f)
	case len(refused) == 1:
		w.warn(refused[0].Refusal.OnScreen())
		return nil
	}
	lines := []overlay.Text{{Text: "Nothing was sent:"}, {}}
	return w.console.Show(overlay.NewNote(f.name+": refused", append(lines, refusals(refused)...)))
}

// confirm asks for confirmation before anything is sent. A harmless action on a single node is sent without asking.
func (w *Workflow) confirm(f *flow) tea.Cmd {
	f.state = stateConfirming
	var q *overlay.Question
	switch {
	case f.exact:
		lines, requests := requestLines(f.batch)
		if requests == 0 {
			return w.console.Show(overlay.NewNote("Nothing to send", lines))
		}
		q = requestsQuestion(f.batch, lines, requests)
	case f.onlyFollows():
		q = f.followQuestion()
	case f.deployment() != nil:
		q = f.deployQuestion()
	case f.enrolls():
		q = f.enrollQuestion()
	case f.plugin() != nil:
		q = f.pluginQuestion()
	default:
		q = f.verbQuestion()
	}
	if more := w.env.Others(refs(f.batch.Legal())); len(more) > 0 {
		q = warnOfOthers(q, f, more)
	}
	if q == nil {
		return w.run(f)
	}
	q.Yes = f.send(stateConfirming, func() tea.Cmd { return w.run(f) })
	return w.console.Show(overlay.NewConfirm(*q))
}

// run starts the task, unless read-only mode has been switched on since the operator confirmed.
func (w *Workflow) run(f *flow) tea.Cmd {
	if why := w.env.WhyReadOnly(); why != "" && changes(f.action) {
		w.warn(f.action.Name() + ": " + why)
		return nil
	}
	f.state = stateRunning
	legal := f.batch.Legal()
	t := &screen.Task{Context: f.runner.Context, Plan: f.batch, Runner: f.runner, Began: time.Now(), Cancels: &provision.Cancels{}, Form: f.form}
	first, again := w.env.Tasks.Get(f.retryOf)
	if again {
		t.Command = first.Command
	} else {
		t.Command = w.env.CommandLine(f.command(names(legal))...)
	}
	f.task = t
	w.env.Tasks.Add(t)
	if again { // a retry is a separate task, so that the first results remain visible
		w.env.Tasks.MarkRetried(first.Number, legal, t.Number)
		return tea.Batch(w.follow(f), w.console.Open(screen.Ref{Kind: screen.KindTask, ID: fmt.Sprint(t.Number)}))
	}
	does := "sending"
	switch {
	case f.plugin() != nil:
		does = "running"
	case f.onlyFollows():
		does = "following"
	}
	w.console.Say(screen.Say{Text: fmt.Sprintf(w.env.Keys.Text(textSending), f.action.Name(), review.Names(legal), does)})
	return tea.Batch(w.follow(f), w.watch(f))
}

// watch opens the Watch screen if the task is a deployment in the current context.
func (w *Workflow) watch(f *flow) tea.Cmd {
	if f.deployment() == nil || w.env.Session == nil || f.task.Context != w.env.Session.Context.Name {
		return nil
	}
	return w.console.Home(screen.KindWatch)
}

// follow sends the requests and follows each node until its operation has ended.
func (w *Workflow) follow(f *flow) tea.Cmd {
	if p := f.plugin(); p != nil && !p.Plugin.Background {
		return w.takeTerminal(f)
	}
	batch, runner, cancels, hurry := f.batch, f.runner, f.task.Cancels, func() {}
	if w.env.Session != nil {
		hurry = w.env.Session.PollNow // makes the poller read the changed nodes immediately
	}
	run := runner.Run
	if enrolls, is := f.action.(*provision.EnrollAction); is {
		run = func(ctx context.Context, b provision.Batch, opts provision.RunOptions) []provision.Result {
			return enrolls.Run(ctx, &runner, b, opts)
		}
	}
	if p := f.plugin(); p != nil {
		run = func(ctx context.Context, b provision.Batch, opts provision.RunOptions) []provision.Result {
			return p.Run(ctx, &runner, b, nil, opts)
		}
	}
	w.env.Tasks.Start(f.task.Number, func(ctx context.Context, report screen.TaskReports) []provision.Result {
		return run(ctx, batch, provision.RunOptions{Wait: true, Cancels: cancels, Done: report.Done, Progress: func(p provision.Progress) {
			report.Progress(p)
			hurry()
		}})
	})
	ctx, list, number := w.ctx, w.env.Tasks, f.task.Number
	return func() tea.Msg {
		if _, over := list.Wait(ctx, number); !over {
			return nil
		}
		return f.event(stateRunning, func() tea.Cmd { return w.ended(f) })
	}
}

// lookAtMost is the number of nodes that are read individually after a task. The next poll reads the others.
const lookAtMost = 20

// ended shows the results of a task, has the poller read some nodes again, and announces a long task's end.
func (w *Workflow) ended(f *flow) tea.Cmd {
	t, seen := w.env.Tasks.Get(f.task.Number)
	if !seen {
		return nil
	}
	for i, r := range t.Results {
		if w.env.Session != nil && i < lookAtMost && r.Outcome != provision.OutcomeRefused {
			w.env.Session.PollNode(r.Node.UUID)
		}
	}
	toast := summary(t, w.env.Keys)
	w.console.Say(toast)
	if t.Ended.Sub(t.Began) >= longTask && !t.Unfollowed {
		return w.console.Notify(toast.Text)
	}
	return nil
}

// longTask is the minimum duration of a task whose end the terminal announces too.
const longTask = 30 * time.Second

// builder is a function that returns an action. It may read files.
type builder func() (provision.Action, error)

func always(act provision.Action) builder {
	return func() (provision.Action, error) { return act, nil }
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

func failure(what string, err error) screen.Say {
	s := screen.Say{Level: screen.Failure, Text: models.OnScreen(err)}
	if !strings.Contains(s.Text, what) {
		s.Text = what + ": " + s.Text
	}
	return s
}
