package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
)

// taskEnded is a task's end.
type taskEnded struct {
	number  int
	results []provision.Result
	// err is why a second try could not begin.
	err error
}

// taskNews takes an order one step on.
func (c *Console) taskNews(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case ordered:
		return c.prepare(msg.order)
	case prepared:
		return c.ready(msg)
	case confirmed:
		return c.run(msg.prepared.order, msg.prepared.plan)
	case retryReady:
		return c.askRetry(msg)
	case progressNews:
		return c.progress(msg)
	case taskEnded:
		c.taskEnded(msg)
	}
	return c.tellScreen(screen.TasksChanged{})
}

// progress keeps the last word of each node of a task.
func (c *Console) progress(msg progressNews) tea.Cmd {
	if t, ok := c.env.Tasks.Get(msg.number); ok {
		for uuid, p := range msg.moved {
			t.Progress[uuid] = p
		}
	}
	return tea.Batch(c.listenTask(msg.number, msg.box), c.tellScreen(screen.TasksChanged{}))
}

// run begins a task: it sends, and follows every node to its end. Read-only mode may have
// been switched on since the order was given, or confirmed.
func (c *Console) run(o order, plan provision.Batch) tea.Cmd {
	if c.env.ReadOnly {
		c.say(screen.Say{Level: screen.Warning, Text: plan.Action.Name() + ": " + c.readOnlyText()})
		return nil
	}
	names := make([]string, 0, len(plan.Items))
	for _, i := range plan.Legal() {
		names = append(names, i.Node.Label())
	}
	t := &screen.Task{
		Context: o.runner.Context, Plan: plan, Runner: o.runner, Began: c.opts.Clock.Now(),
	}
	c.env.Tasks.Add(t)
	if first, again := c.env.Tasks.Get(o.retries); again {
		// A task of its own, so that what became of the first stays to be read.
		t.Command = first.Command
		return tea.Batch(c.follow(t, plan), c.open(screen.Ref{Kind: screen.KindTask, ID: fmt.Sprint(t.Number)}))
	}
	t.Command = c.env.CommandLine(o.words(names)...)
	does := "sending"
	if onlyFollows(o.deploy, plan) {
		does = "following"
	}
	c.say(screen.Say{Text: fmt.Sprintf("%s %s: %s (5 shows tasks)", plan.Action.Name(), planText(plan.Legal()), does)})
	return tea.Batch(c.follow(t, plan), c.watchStarted(t))
}

// follow carries a plan out. What each node says is joined until the screen takes it.
func (c *Console) follow(t *screen.Task, plan provision.Batch) tea.Cmd {
	ctx, cancel := context.WithCancel(c.ctx)
	t.Cancel = cancel
	t.Results, t.Left, t.Progress = nil, false, map[string]provision.Progress{}
	box := newMailbox[steps]()
	number, runner, running, hurry := t.Number, t.Runner, c.running, c.hurry()
	running.Add(1)
	work := func() tea.Msg {
		defer running.Done()
		defer cancel()
		defer box.close()
		results := runner.Run(ctx, plan, provision.RunOptions{Wait: true, Progress: func(p provision.Progress) {
			step(box, p)
			hurry()
		}})
		return taskEnded{number: number, results: results}
	}
	return tea.Batch(work, c.listenTask(number, box))
}

// hurry asks the poller for a look, so that what was sent shows at once.
func (c *Console) hurry() func() {
	if c.live == nil {
		return func() {}
	}
	return c.live.Hurry
}

// progressNews carries a task's box along, to be listened to again.
type progressNews struct {
	number int
	moved  steps
	box    *mailbox[steps]
}

func (c *Console) listenTask(number int, box *mailbox[steps]) tea.Cmd {
	ctx := c.ctx
	return func() tea.Msg {
		moved, ok := box.take(ctx)
		if !ok {
			return nil
		}
		return progressNews{number: number, moved: moved, box: box}
	}
}

// taskEnded keeps the results and says in a line how it went.
func (c *Console) taskEnded(msg taskEnded) {
	t, ok := c.env.Tasks.Get(msg.number)
	if !ok {
		return
	}
	if msg.err != nil {
		c.say(failure(t.Plan.Action.Name(), msg.err))
		return
	}
	t.Results, t.Ended = msg.results, c.opts.Clock.Now()
	if t.Results == nil {
		t.Results = []provision.Result{}
	}
	c.lookAt(t)
	c.say(ending(t))
}

// lookAtMost bounds the single nodes that are asked for after a task; the others are in
// the next page of what changed.
const lookAtMost = 20

// lookAt has the store catch up with what a task knows.
func (c *Console) lookAt(t *screen.Task) {
	if c.live == nil {
		return
	}
	for i, r := range t.Results {
		if i < lookAtMost && r.Outcome != provision.OutcomeRefused {
			c.live.Look(r.Node.UUID)
		}
	}
}

// settles is how long after a task the store may be behind it.
const settles = 3 * time.Second

// inHand are the nodes that a task acts on, or did until just now: what the store has of
// them may be old.
func (c *Console) inHand() map[string]bool {
	now := c.opts.Clock.Now()
	nodes := map[string]bool{}
	for _, t := range c.env.Tasks.All() {
		if !t.Running() && now.Sub(t.Ended) >= settles {
			continue
		}
		for i := range t.Plan.Items {
			nodes[t.Plan.Items[i].Node.UUID] = true
		}
	}
	return nodes
}

// ending is the toast of a task that has ended.
func ending(t *screen.Task) screen.Say {
	name := t.Plan.Action.Name()
	tally := t.Tally()
	bad := tally[provision.OutcomeFailed] + tally[provision.OutcomeUnknown]
	if len(t.Results) == 1 {
		r := t.Results[0]
		s := screen.Say{Level: screen.Success, RequestID: r.RequestID}
		if r.Err == nil {
			s.Text = fmt.Sprintf("%s %s: %s, now %s", name, models.Printable(r.Node.Label()), r.Outcome, models.Printable(r.State))
			return s
		}
		s.Level, s.Text = screen.Failure, r.Err.Error()
		if errors.Is(r.Err, provision.ErrLeft) {
			s.Level, s.Text = screen.Info, fmt.Sprintf("%s %s: %v", name, models.Printable(r.Node.Label()), r.Err)
		}
		return s
	}
	s := screen.Say{Level: screen.Success, Text: name + ":"}
	for _, o := range []provision.Outcome{
		// The worst first, as on the tasks' screen.
		provision.OutcomeFailed, provision.OutcomeUnknown, provision.OutcomeRefused, provision.OutcomeAccepted, provision.OutcomeDone,
	} {
		if tally[o] > 0 {
			s.Text += fmt.Sprintf(" %d %s,", tally[o], o)
		}
	}
	s.Text = s.Text[:len(s.Text)-1]
	if bad > 0 {
		s.Level = screen.Failure
		s.Text += fmt.Sprintf(" (task %d has the reasons; 5 shows tasks)", t.Number)
	}
	return s
}

// retryTask tries again for the nodes that failed: they are looked at anew.
func (c *Console) retryTask(number int) tea.Cmd {
	t, ok := c.env.Tasks.Get(number)
	if !ok || len(t.Failed()) == 0 {
		return nil
	}
	failed, ctx := t.Failed(), c.ctx
	o := order{id: "retry", runner: t.Runner, retries: number}
	o.runner.ReadOnly = o.runner.ReadOnly || c.env.ReadOnly
	ids := make([]string, len(failed))
	for i := range failed {
		ids[i] = failed[i].Node.UUID
		o.nodes = append(o.nodes, failed[i].Node.Ref())
	}
	act := t.Plan.Action
	if deployment, is := act.(*provision.DeployAction); is {
		// It has its checks and its review as the first try had, and no override of that.
		o.id, o.deploy = action.ID(act.Name()), deployment
		return c.check(o)
	}
	return func() tea.Msg {
		nodes, err := provision.FindNodes(ctx, o.runner.API, ids)
		if err != nil {
			return taskEnded{number: number, err: err}
		}
		return retryReady{prepared{order: o, plan: o.runner.Plan(act, nodes)}}
	}
}

// retryReady is a second try, ready to be asked about.
type retryReady struct{ prepared prepared }

// askRetry asks again before a second try that can cost something.
func (c *Console) askRetry(msg retryReady) tea.Cmd {
	p := msg.prepared
	legal, refused := p.plan.Legal(), p.plan.Refused()
	if len(legal) == 0 {
		return c.tellRefused(p, refused)
	}
	return c.show(overlay.NewConfirm(c.opts.Clock, overlay.Question{
		Title: "Try again", Lines: cards(p, legal, refused),
		Ask:    fmt.Sprintf("%s %s again?", p.plan.Action.Name(), planText(legal)),
		Danger: p.plan.Danger() >= models.DangerMayErase,
		Yes:    screen.Wish(confirmed{p}),
	}))
}

// leaveTask stops following: what was sent goes on by itself.
func (c *Console) leaveTask(number int) {
	if t, ok := c.env.Tasks.Get(number); ok && t.Running() {
		t.Left = true
		t.Cancel()
	}
}

// runningLines lists the tasks that run.
func (c *Console) runningLines() []overlay.Text {
	var lines []overlay.Text
	for _, t := range c.env.Tasks.All() {
		if t.Running() {
			lines = append(lines, overlay.Text{Text: fmt.Sprintf("%d  %s %s", t.Number, t.Plan.Action.Name(), planText(t.Plan.Legal()))})
		}
	}
	return lines
}
