package task

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
	"ironworks/ui/screen/review"
)

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

// storeLag is the time for which the store may still be outdated after a task has ended.
const storeLag = 3 * time.Second

// changing returns the UUIDs of nodes that a task changes or has just changed, so that the store may be outdated.
func (w *Workflow) changing() map[string]bool {
	now := time.Now()
	nodes := map[string]bool{}
	for _, t := range w.env.Tasks.All() {
		if !t.Running() && now.Sub(t.Ended) >= storeLag {
			continue
		}
		for i := range t.Plan.Items {
			nodes[t.Plan.Items[i].Node.UUID] = true
		}
	}
	return nodes
}

// summary returns the toast for the end of a task: a single node's result, or the nodes by outcome.
func summary(t *screen.Task, keys *action.Keymap) screen.Say {
	name := t.Plan.Action.Name()
	tally := t.Tally()
	bad := tally[provision.OutcomeFailed] + tally[provision.OutcomeUnknown]
	if len(t.Results) == 1 {
		r := t.Results[0]
		s := screen.Say{Level: screen.Success, RequestID: r.RequestID}
		if r.Err == nil {
			s.Text = fmt.Sprintf("%s %s: %s, now %s", name, r.Node.Label(), r.Outcome, r.State)
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
		// The worst results come first, as on the Tasks screen.
		provision.OutcomeFailed, provision.OutcomeUnknown, provision.OutcomeRefused, provision.OutcomeCanceled, provision.OutcomeAccepted, provision.OutcomeDone,
	} {
		if tally[o] > 0 {
			s.Text += fmt.Sprintf(" %d %s,", tally[o], o)
		}
	}
	s.Text = s.Text[:len(s.Text)-1]
	if bad > 0 {
		s.Level = screen.Failure
		s.Text += fmt.Sprintf(keys.Text(" ({tasks} shows task %d and the reasons)"), t.Number)
	}
	return s
}

// Running describes the running tasks, one per line.
func (w *Workflow) Running() []overlay.Text {
	var lines []overlay.Text
	for _, t := range w.env.Tasks.All() {
		if t.Running() {
			lines = append(lines, overlay.Text{Text: fmt.Sprintf("%d  %s %s", t.Number, t.Plan.Action.Name(), review.Names(t.Plan.Legal()))})
		}
	}
	return lines
}
