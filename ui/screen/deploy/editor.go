package deploy

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// The choices that are offered if the last edit was rejected: continue that edit, or edit the current plan.
const (
	goOnWriting = "continue"
	beginAnew   = "anew"
)

// editPlan opens the whole plan in the editor. If the last edit was rejected, it first offers to continue that edit.
func (s *Screen) editPlan() tea.Cmd {
	if s.draft.Text == "" {
		return s.layOutPlan()
	}
	left := s.draft.Text
	items := []overlay.Item{
		{ID: goOnWriting, Title: textContinueEdit, Detail: "not a valid plan yet"},
		{ID: beginAnew, Title: textEditPlan, Detail: "discards the rejected edit"},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewPick(textEditTitle, items, func(id string) tea.Cmd {
		return s.decide(func() tea.Cmd {
			if id == goOnWriting {
				return s.layOut(left)
			}
			s.draft.Text = ""
			return s.layOutPlan()
		})
	})})
}

func (s *Screen) layOutPlan() tea.Cmd {
	text, err := s.draft.Plan.Encode()
	if err != nil {
		return toast(screen.Failure, "edit: "+models.OnScreen(err))
	}
	return s.layOut(string(text))
}

func (s *Screen) layOut(text string) tea.Cmd {
	return func() tea.Msg {
		file, err := provision.NewPlanText([]byte(text))
		return s.answer(func() tea.Cmd { return s.openEditor(file, text, err) })
	}
}

// openEditor opens the temporary file that contains the text of the plan. err is the reason why it was not created.
func (s *Screen) openEditor(file provision.PlanText, text string, err error) tea.Cmd {
	if err != nil {
		return toast(screen.Failure, "edit: "+models.OnScreen(err))
	}
	return screen.Send(screen.EditFile{Path: file.Path, Done: func(failed error) tea.Msg {
		typed, err := file.Read()
		var edited *plan.Plan
		if err = errors.Join(failed, err); err == nil {
			edited, err = plan.Decode(typed)
		}
		return s.answer(func() tea.Cmd { return s.handlePlanEdited(text, string(typed), edited, err) })
	}})
}

// handlePlanEdited applies an edited plan, or keeps the rejected text. was is the text before the edit.
func (s *Screen) handlePlanEdited(was, text string, edited *plan.Plan, err error) tea.Cmd {
	wrong, invalid := errors.AsType[*plan.Error](err)
	changed := strings.TrimSpace(text) != "" && text != was
	switch {
	case invalid:
		s.draft.Text = text
		return s.askAgain(wrong)
	case err != nil && changed:
		s.draft.Text = text
		return toast(screen.Failure, "edit: "+models.OnScreen(err)+s.env.Keys.Text(textEditKept))
	case err != nil:
		return toast(screen.Failure, "edit: "+models.OnScreen(err)+textEditUnchanged)
	case text == was && s.draft.Text == "":
		return toast(screen.Info, textNoEdit)
	}
	s.draft.Text = ""
	missing, others := s.replace(provision.PlanFile{Plan: edited, Dir: s.draft.Dir})
	s.draft.Saved = false
	return tea.Batch(s.recheck(0, askNothing), s.readFile(true), toast(screen.Success, textEdited+namedText(missing, others)))
}

// askAgain shows the errors of a rejected text and offers to continue editing.
func (s *Screen) askAgain(wrong *plan.Error) tea.Cmd {
	var lines []overlay.Text
	for _, p := range wrong.Problems {
		lines = append(lines, overlay.Text{Role: theme.Bad, Text: p.String(), Indent: 2})
	}
	text := s.draft.Text
	lines = append(lines, overlay.Text{}, overlay.Text{Text: s.env.Keys.Text(textEditRejected)})
	note := overlay.NewNote(textEditErrors, lines).With(overlay.Choice{
		Key: "Y", Text: "continue editing", Then: s.decide(func() tea.Cmd { return s.layOut(text) }),
	})
	return screen.Send(screen.Ask{Overlay: note})
}
