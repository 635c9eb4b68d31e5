package enroll

import (
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
	switch s.tab {
	case tabForm:
		if s.form.Click(x, y-body.PageTop) {
			s.fill(action.EditField)
		}
		s.changed()
	case tabNodes:
		return s.nodes.Click(x, y-s.listAt).WasCurrent, nil
	case tabBMCs:
		return s.bmcs.Click(x, y-s.listAt).WasCurrent, nil
	case tabResult:
		return s.results.Click(x, y-s.listAt).WasCurrent, nil
	}
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
	kind := screen.KindNode
	if id == action.Explain {
		kind = screen.KindExplain
	}
	return screen.Send(screen.Open{Ref: screen.Ref{Kind: kind, ID: ref.UUID}})
}

func (s *Screen) turnTo(to tab) {
	n := tab(len(titles))
	s.tab = (to + n) % n
	s.shown = ""
}

// fill runs an action on the form and applies the form's values.
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
			return textNoNode
		case !s.exists(ref.UUID):
			return textNotThere
		}
	default:
	}
	return ""
}

func (s *Screen) whyNotCompare() string {
	switch {
	case s.session == nil:
		return textNoContext
	case s.session.Enroll == nil:
		return textNotHere
	case s.reading != nil:
		return textBusy
	case s.task != nil && s.task.Running():
		return textRunning
	}
	return ""
}

func (s *Screen) whyNotEnroll() string {
	plan := s.plan()
	refused := plan.Refused()
	switch {
	case !s.read:
		return s.env.Keys.Text(textCompareFirst)
	case s.stale:
		return s.env.Keys.Text(textCompareAgain)
	case s.task != nil:
		return s.env.Keys.Text(textRunAgain)
	case refused == len(plan):
		return textNoneLegal
	case plan.Count(enroll.Create)+plan.Count(enroll.Change) == 0 && goalOf(s.values) == provision.GoalEnroll:
		return textNothingToDo
	}
	return ""
}
