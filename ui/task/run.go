package task

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/mailbox"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/review"
)

// progress has the latest progress and the results of nodes by UUID.
type progress struct {
	latest map[string]provision.Progress
	known  map[string]provision.Result
}

type progressBox = *mailbox.Box[progress]

// run starts the task. Read-only mode may have been switched on since the operator confirmed.
func (w *Workflow) run(f *flow) tea.Cmd {
	if why := w.env.WhyReadOnly(); why != "" && changes(f.action) {
		w.warn(f.action.Name() + ": " + why)
		return nil
	}
	f.state = stateRunning
	legal := f.batch.Legal()
	names := make([]string, len(legal))
	for i, item := range legal {
		names[i] = item.Node.Label()
	}
	t := &screen.Task{Context: f.runner.Context, Plan: f.batch, Runner: f.runner, Began: time.Now()}
	f.task = t
	w.env.Tasks.Add(t)
	if first, again := w.env.Tasks.Get(f.retryOf); again {
		// A retry is a separate task, so that the first results stay visible.
		t.Command = first.Command
		first.MarkRetried(legal, t.Number)
		return tea.Batch(w.follow(f), w.console.Open(screen.Ref{Kind: screen.KindTask, ID: fmt.Sprint(t.Number)}))
	}
	t.Command = w.env.CommandLine(f.command(names)...)
	does := "sending"
	switch {
	case f.plugin() != nil:
		does = "running"
	case f.onlyFollows():
		does = "following"
	}
	w.console.Say(screen.Say{Text: fmt.Sprintf(w.env.Keys.Text(textSending), f.action.Name(), review.Names(legal), does)})
	return tea.Batch(w.follow(f), w.watch(f), w.console.SendToScreen(screen.TasksChanged{}))
}

// watch opens the Watch screen for a deployment.
func (w *Workflow) watch(f *flow) tea.Cmd {
	if f.deployment() == nil || w.env.Session == nil || f.task.Context != w.env.Session.Context.Name {
		return nil
	}
	return w.console.Home(screen.KindWatch)
}

// follow sends, and follows each node to the end of the operation.
func (w *Workflow) follow(f *flow) tea.Cmd {
	if p := f.plugin(); p != nil && !p.Plugin.Background {
		return w.takeTerminal(f)
	}
	ctx, cancel := context.WithCancel(w.ctx)
	f.task.Cancel, f.task.Progress, f.task.Known = cancel, map[string]provision.Progress{}, map[string]provision.Result{}
	f.task.Cancels = &provision.Cancels{}
	cancels := f.task.Cancels
	box := mailbox.New[progress]()
	batch, runner, hurry := f.batch, f.runner, func() {}
	if w.env.Session != nil {
		hurry = w.env.Session.PollNow // the poller looks at once at what was sent
	}
	w.running.Add(1)
	work := func() tea.Msg {
		defer w.running.Done()
		defer cancel()
		defer box.Close()
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
		results := run(ctx, batch, provision.RunOptions{Wait: true, Cancels: cancels, Progress: func(p provision.Progress) {
			box.Put(func(all *progress) { all.add(p) })
			hurry()
		}, Done: func(r provision.Result) {
			box.Put(func(all *progress) { all.finish(r) })
		}})
		return Msg{f, ended{results}}
	}
	return tea.Batch(work, w.listenProgress(f, box))
}

func (p *progress) add(latest provision.Progress) {
	if p.latest == nil {
		p.latest = map[string]provision.Progress{}
	}
	p.latest[latest.Node.UUID] = latest
	if latest.Enrolled != nil {
		p.finish(latest.Enrolled.Result)
	}
}

func (p *progress) finish(r provision.Result) {
	if p.known == nil {
		p.known = map[string]provision.Result{}
	}
	p.known[r.Node.UUID] = r
}

func (w *Workflow) listenProgress(f *flow, box progressBox) tea.Cmd {
	ctx := w.ctx
	return func() tea.Msg {
		news, ok := box.Take(ctx)
		if !ok {
			return nil
		}
		return Msg{f, progressed{progress: news, box: box}}
	}
}

func (w *Workflow) progressed(f *flow, p progressed) tea.Cmd {
	maps.Copy(f.task.Progress, p.latest)
	maps.Copy(f.task.Known, p.known)
	return tea.Batch(w.listenProgress(f, p.box), w.console.SendToScreen(screen.TasksChanged{}))
}

// lookAtMost bounds the nodes that are read individually after a task; the next poll has the others.
const lookAtMost = 20

// ended stores the results and summarizes them in a toast.
func (w *Workflow) ended(f *flow, results []provision.Result) tea.Cmd {
	t := f.task
	t.Results, t.Ended = results, time.Now()
	if t.Results == nil {
		t.Results = []provision.Result{}
	}
	for i, r := range t.Results {
		if w.env.Session != nil && i < lookAtMost && r.Outcome != provision.OutcomeRefused {
			w.env.Session.PollNode(r.Node.UUID)
		}
	}
	toast := summary(t, w.env.Keys)
	w.console.Say(toast)
	var notice tea.Cmd
	if t.Ended.Sub(t.Began) >= longTask && !t.Left {
		notice = w.console.Notify(toast.Text)
	}
	return tea.Batch(notice, w.console.SendToScreen(screen.TasksChanged{}))
}

// longTask is how long a task runs at least for the operator to be notified of its end.
const longTask = 30 * time.Second

// settles is how long the store may lag behind a task that has ended.
const settles = 3 * time.Second

// changing returns the UUIDs of nodes that a task is changing or has just changed; the store may be outdated for
// these.
func (w *Workflow) changing() map[string]bool {
	now := time.Now()
	nodes := map[string]bool{}
	for _, t := range w.env.Tasks.All() {
		if !t.Running() && now.Sub(t.Ended) >= settles {
			continue
		}
		for i := range t.Plan.Items {
			nodes[t.Plan.Items[i].Node.UUID] = true
		}
	}
	return nodes
}

// summary is the toast of a task that has ended.
func summary(t *screen.Task, keys *action.Keymap) screen.Say {
	name := t.Plan.Action.Name()
	tally := t.Tally()
	bad := tally[provision.OutcomeFailed] + tally[provision.OutcomeUnknown]
	if len(t.Results) == 1 {
		r := t.Results[0]
		s := screen.Say{Level: screen.Success, RequestID: r.RequestID}
		if r.Err == nil {
			s.Text = fmt.Sprintf(textNodeDone, name, r.Node.Label(), r.Outcome, r.State)
			if _, is := t.Plan.Action.(*provision.PluginAction); is && r.Note != "" {
				s.Text = fmt.Sprintf("%s %s: %s", name, r.Node.Label(), r.Note)
			}
			return s
		}
		s.Level, s.Text = screen.Failure, models.OnScreen(r.Err)
		if errors.Is(r.Err, provision.ErrLeft) || r.Outcome == provision.OutcomeCanceled {
			s.Level, s.Text = screen.Info, fmt.Sprintf("%s %s: %v", name, r.Node.Label(), r.Err)
		}
		return s
	}
	s := screen.Say{Level: screen.Success, Text: name + ":"}
	for _, o := range []provision.Outcome{
		// The worst comes first, as on the tasks screen.
		provision.OutcomeFailed, provision.OutcomeUnknown, provision.OutcomeRefused, provision.OutcomeCanceled, provision.OutcomeAccepted, provision.OutcomeDone,
	} {
		if tally[o] > 0 {
			s.Text += fmt.Sprintf(" %d %s,", tally[o], o)
		}
	}
	s.Text = s.Text[:len(s.Text)-1]
	if bad > 0 {
		s.Level = screen.Failure
		s.Text += fmt.Sprintf(keys.Text(textTaskReasons), t.Number)
	}
	return s
}

// Leave stops following a task; requests already sent continue.
func (w *Workflow) Leave(number int) {
	if t, ok := w.env.Tasks.Get(number); ok && t.Running() {
		t.Left = true
		t.Cancel()
	}
}

// CancelNode takes a node out of a running task: nothing more is sent to it, and it is no longer followed.
func (w *Workflow) CancelNode(number int, uuid string) {
	if t, ok := w.env.Tasks.Get(number); ok && t.Running() && t.Cancels != nil {
		t.Cancels.Cancel(uuid)
	}
}

// Running lists the running tasks, one a line.
func (w *Workflow) Running() []overlay.Text {
	var lines []overlay.Text
	for _, t := range w.env.Tasks.All() {
		if t.Running() {
			lines = append(lines, overlay.Text{Text: fmt.Sprintf("%d  %s %s", t.Number, t.Plan.Action.Name(), review.Names(t.Plan.Legal()))})
		}
	}
	return lines
}
