package task

import (
	"errors"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/review"
)

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
	s := screen.Say{Level: screen.Success, Text: name}
	worstFirst := []provision.Outcome{ // as on the Tasks screen
		provision.OutcomeFailed, provision.OutcomeUnknown, provision.OutcomeRefused, provision.OutcomeCanceled, provision.OutcomeAccepted, provision.OutcomeDone,
	}
	if counts := models.Tally(tally, worstFirst); counts != "" {
		s.Text += ": " + counts
	}
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
