package enroll

import (
	"context"
	"errors"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"ironworks/enroll"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
)

// Do runs the given action.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab:
		s.turnTo(s.tab + 1)
		return nil
	case action.PrevTab:
		s.turnTo(s.tab - 1)
		return nil
	case action.ChecksDown:
		s.details.Page(1)
		return nil
	case action.ChecksUp:
		s.details.Page(-1)
		return nil
	case action.EnrollCompare, action.EnrollGo, action.Open, action.Explain:
		if s.DisabledReason(id) != "" {
			return nil
		}
		return s.act(id)
	default:
	}
	if s.tab == tabForm {
		s.fill(id)
		return nil
	}
	body.Steer(s.mover(), id, 1)
	return nil
}

// Click selects the tab, the field or the row that was clicked.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if y == 1 {
		if at := s.tabs.At(x); at >= 0 {
			s.turnTo(tab(at))
		}
		return false, nil
	}
	if list := s.lists[s.tab]; list != nil {
		return list.Click(x, y-s.listAt).WasCurrent, nil
	}
	if s.form.Click(x, y-body.PageTop) {
		s.fill(action.EditField)
	}
	s.changed()
	return false, nil
}

func (s *Screen) act(id action.ID) tea.Cmd {
	switch id {
	case action.EnrollCompare:
		return s.compare()
	case action.EnrollGo:
		return s.start()
	default:
	}
	ref, _ := s.atCursor()
	return screen.SendOpen(id, ref)
}

func (s *Screen) turnTo(to tab) {
	n := tab(len(titles))
	s.tab = (to + n) % n
	s.shown = ""
}

func (s *Screen) fill(id action.ID) {
	switch id {
	case action.EditField:
		s.form.Edit()
	case action.ResetField:
		s.form.Set("")
	default:
		body.Steer(s.form, id, 1)
	}
	s.changed()
}

// DisabledReason returns the reason why the action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.EnrollCompare:
		return s.whyNotCompare()
	case action.EnrollGo:
		if why := s.whyNotCompare(); why != "" {
			return why
		}
		return s.whyNotEnroll()
	case action.Open, action.Explain:
		ref, ok := s.atCursor()
		switch {
		case !ok:
			return "no node selected"
		case s.session == nil:
			return textNotThere
		}
		if _, _, there := s.session.Store.Get(ref.UUID); !there {
			return textNotThere
		}
	default:
	}
	return ""
}

func (s *Screen) whyNotCompare() string {
	switch {
	case s.session == nil:
		return "no context is open"
	case s.session.Enroll == nil:
		return "not available while a recording plays"
	case s.reading != nil:
		return "reading the input; esc cancels"
	case s.task != nil && s.task.Running():
		return "the nodes are being enrolled"
	}
	return ""
}

func (s *Screen) whyNotEnroll() string {
	plan := s.result.plan
	refused := plan.Refused()
	switch {
	case !s.read:
		return s.env.Keys.Text("compare first ({enroll-compare})")
	case s.stale:
		return s.env.Keys.Text("the form changed: compare again ({enroll-compare})")
	case s.task != nil:
		return s.env.Keys.Text("already run: compare again ({enroll-compare}) to continue")
	case refused == len(plan):
		return "no node can be enrolled: all are in conflict or invalid"
	case plan.Count(enroll.Create)+plan.Count(enroll.Change) == 0 && s.goal() == provision.GoalEnroll:
		return "nothing to do: no node differs, and the goal is enroll"
	}
	return ""
}

// comparison holds the nodes that were entered and the result of comparing them with Ironic.
type comparison struct {
	in    provision.EnrollSource
	found provision.EnrollFound
	plan  enroll.Plan
	err   error
}

// reading is the state of a comparison that is still running.
type reading struct {
	cancel context.CancelFunc
	// These counters hold the number of BMCs that have been queried so far and the total number of BMCs. The
	// comparison updates both. To show them, tick copies them to shown, done first.
	done, of atomic.Int64
	shown    [2]int64
}

// compare returns a command that compares the input with Ironic, or shows what is wrong in the form.
func (s *Screen) compare() tea.Cmd {
	in, login, field, problem := inputOf(s.values, s.served())
	if problem != "" {
		s.tab = tabForm
		s.form.SetProblems(map[string]string{field: problem})
		s.form.SetFocus(field)
		return nil
	}
	s.form.SetProblems(nil)
	ctx, cancel := context.WithCancel(s.life)
	r := &reading{cancel: cancel}
	s.turn++
	s.reading, s.stale, s.read = r, false, false
	s.started, s.task = nil, nil
	if s.tab == tabForm {
		s.tab = tabNodes
	}
	s.result = comparison{in: in}
	s.setRows()
	turn, enrolling := s.turn, s.session.Enroll
	return func() tea.Msg {
		defer cancel()
		found, plan, err := enrolling.Compare(ctx, &in, login, func(done, of int) {
			r.of.Store(int64(of))
			r.done.Store(int64(done))
		})
		return screen.NewLater(s, func() tea.Cmd {
			s.takeCompared(turn, comparison{in: in, found: found, plan: plan, err: err})
			return nil
		})
	}
}

// takeCompared stores a result, unless a newer comparison was started or this one was canceled.
func (s *Screen) takeCompared(turn int, result comparison) {
	if turn != s.turn || s.reading == nil {
		return
	}
	s.reading = nil
	s.read = result.err == nil
	s.result = result
	if field, problem := problemOf(result.err); problem != "" {
		s.form.SetProblems(map[string]string{field: problem})
		s.form.SetFocus(field)
	}
	s.setRows()
	switch {
	case errors.Is(result.err, context.Canceled):
		s.result.err = nil
	case len(s.result.plan) == 0 && len(s.result.found.BMCs) > 0:
		s.tab = tabBMCs
	}
}

// tick updates the progress of a running comparison or task.
func (s *Screen) tick() {
	if r := s.reading; r != nil {
		r.shown = [2]int64{r.done.Load(), r.of.Load()}
	}
	if s.task != nil && s.task.Running() {
		s.follow()
	}
}

// start asks the root to confirm and start the enrollment of the nodes.
func (s *Screen) start() tea.Cmd {
	act := &provision.EnrollAction{
		API: s.session.Enroll.API(), Plan: s.result.plan, Goal: s.goal(), NoInspect: s.withoutInspection(),
	}
	s.started, s.task, s.items = act, nil, map[string]*enroll.Item{}
	for i := range act.Plan {
		if it := &act.Plan[i]; !it.Kind.Refused() {
			s.items[it.UUID] = it
		}
	}
	return screen.Send(screen.StartEnroll{Action: act, Command: s.result.in.CommandLine(act.Goal, act.NoInspect)})
}
