package task

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/provision"
	"ironworks/ui/screen"
)

// Start starts an action that a screen has prepared.
func (w *Workflow) Start(msg screen.StartAction) tea.Cmd {
	if why := w.whyNoChange(); why != "" {
		w.warn(string(msg.ID) + ": " + why)
		return nil
	}
	f := w.newFlow(string(msg.ID), w.env.Session, msg.Nodes)
	f.exact, f.build = msg.Exact, always(msg.Action)
	if msg.Make != nil {
		ctx := w.ctx
		f.build = func() (provision.Action, error) { return msg.Make(ctx) }
	}
	f.command = func([]string) []string { return msg.CommandLine }
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

// Enroll starts a task that enrolls the nodes of a finished comparison. It first asks for confirmation.
func (w *Workflow) Enroll(msg screen.StartEnroll) tea.Cmd {
	why := w.whyNoChange()
	batch := msg.Action.Batch()
	if why == "" && len(batch.Items) == 0 {
		why = "no node can be enrolled: all are in conflict or invalid"
	}
	if why != "" {
		w.warn(msg.Action.Name() + ": " + why)
		return nil
	}
	f := w.newFlow(msg.Action.Name(), w.env.Session, nil)
	f.action, f.batch = msg.Action, batch
	f.command = func([]string) []string { return msg.Command }
	return w.confirm(f)
}

func (w *Workflow) whyNoChange() string {
	if w.env.Session == nil {
		return textNoContext
	}
	return w.env.WhyReadOnly()
}
