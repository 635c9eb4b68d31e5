package enroll

import (
	"context"
	"errors"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"ironworks/enroll"
	"ironworks/provision"
	"ironworks/ui/screen"
)

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

// compared is the message with the result of a comparison.
type compared struct {
	of   *Screen
	turn int
	comparison
}

// compare checks the form and returns a command that compares the input with Ironic. If a field is invalid, it shows
// the problem in the form and returns nil.
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
		return compared{of: s, turn: turn, comparison: comparison{in: in, found: found, plan: plan, err: err}}
	}
}

// takeCompared stores a result, unless a newer comparison was started or this one was canceled.
func (s *Screen) takeCompared(msg compared) {
	if msg.of != s || msg.turn != s.turn || s.reading == nil {
		return
	}
	s.reading = nil
	s.read = msg.err == nil
	s.result = msg.comparison
	if field, problem := problemOf(msg.err); problem != "" {
		s.form.SetProblems(map[string]string{field: problem})
		s.form.SetFocus(field)
	}
	s.setRows()
	switch {
	case errors.Is(msg.err, context.Canceled):
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
		API: s.session.Enroll.API(), Plan: s.result.plan, Goal: goalOf(s.values), NoInspect: s.values[keyNoInspect] == switchedOn,
	}
	s.started, s.task, s.items = act, nil, map[string]*enroll.Item{}
	for i := range act.Plan {
		if it := &act.Plan[i]; !it.Kind.Refused() {
			s.items[it.UUID] = it
		}
	}
	return screen.Send(screen.StartEnroll{Action: act, Command: s.result.in.CommandLine(act.Goal, act.NoInspect)})
}
