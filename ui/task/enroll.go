package task

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

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

func (f *flow) enrolls() bool {
	_, is := f.action.(*provision.EnrollAction)
	return is
}

const enrollListed = 20

// enrollQuestion asks before nodes are enrolled. It is never skipped, because an input may contain many nodes.
func (f *flow) enrollQuestion() *overlay.Question {
	act, _ := f.action.(*provision.EnrollAction)
	n := len(f.batch.Items)
	nodes := models.Counted(n, "node")
	q := &overlay.Question{Title: "Enroll " + nodes, Ask: "Enroll " + nodes + "?"}
	if act.Goal != provision.GoalEnroll {
		them := "them"
		if n == 1 {
			them = "it"
		}
		q.Ask = fmt.Sprintf("Enroll %s and bring %s to %s?", nodes, them, act.Goal)
	}
	add := func(role theme.Role, text string) {
		q.Lines = append(q.Lines, overlay.Text{Role: role, Text: text, Indent: 2})
	}
	if act.Goal == provision.GoalAvailable {
		add(theme.Danger, "Automated cleaning may erase the disks of machines that become available.")
	}
	if prepared := provision.EnrollPrepared(act.Plan, act.Goal); len(prepared) > 0 {
		add(theme.Danger, fmt.Sprintf(textPreparing, listed(prepared)))
	}
	wantConsent(q, f.batch)
	if owned := provision.EnrollWarned(act.Plan, act.Goal, act.NoInspect); len(owned) > 0 {
		add(theme.Warn, fmt.Sprintf("Metal3 manages %s and may undo the changes.", listed(owned)))
	}
	if f.retryOf == 0 {
		add(theme.Plain, act.Plan.String())
		if skipped := len(act.Plan) - n; skipped > 0 {
			add(theme.Warn, fmt.Sprintf("Skipped: %s in conflict or invalid", models.Counted(skipped, "node")))
		}
	}
	add(theme.Plain, listed(names(f.batch.Items)))
	return q
}

// listed joins the names with commas. It replaces those beyond enrollListed with their number.
func listed(names []string) string {
	if more := len(names) - enrollListed; more > 0 {
		names = append(names[:enrollListed:enrollListed], fmt.Sprintf("… and %d more", more))
	}
	return strings.Join(names, ", ")
}
