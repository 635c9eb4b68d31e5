package task

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
)

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
