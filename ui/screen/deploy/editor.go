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

// planForEditor is the message that says that a temporary file with the plan is ready for the editor, or why the file
// could not be created.
type planForEditor struct {
	of   *Screen
	file provision.PlanText
	text string
	err  error
}

func (s *Screen) layOut(text string) tea.Cmd {
	return func() tea.Msg {
		file, err := provision.NewPlanText([]byte(text))
		return planForEditor{of: s, file: file, text: text, err: err}
	}
}

// planEdited is the result of an edit: a plan, or the reason why there is none.
type planEdited struct {
	of        *Screen
	was, text string
	plan      *plan.Plan
	err       error
	// wrong is the list of problems in the plan if the file could be read but does not contain a valid plan.
	// Otherwise it is nil.
	wrong *plan.Error
}

func (s *Screen) handlePlanForEditor(msg planForEditor) tea.Cmd {
	if msg.err != nil {
		return toast(screen.Failure, "edit: "+models.OnScreen(msg.err))
	}
	return screen.Send(screen.EditFile{Path: msg.file.Path, Done: func(failed error) tea.Msg {
		text, err := msg.file.Read()
		typed := planEdited{of: s, was: msg.text, text: string(text), err: errors.Join(failed, err)}
		if typed.err == nil {
			typed.plan, err = plan.Decode(text)
			if !errors.As(err, &typed.wrong) {
				typed.err = err
			}
		}
		return typed
	}})
}

// handlePlanEdited applies an edited plan, or keeps the rejected text.
func (s *Screen) handlePlanEdited(msg planEdited) tea.Cmd {
	changed := strings.TrimSpace(msg.text) != "" && msg.text != msg.was
	switch {
	case msg.err != nil && changed:
		s.draft.Text = msg.text
		return toast(screen.Failure, "edit: "+models.OnScreen(msg.err)+s.env.Keys.Text(textEditKept))
	case msg.err != nil:
		return toast(screen.Failure, "edit: "+models.OnScreen(msg.err)+textEditUnchanged)
	case msg.wrong != nil:
		s.draft.Text = msg.text
		return s.askAgain(msg.wrong)
	case msg.text == msg.was && s.draft.Text == "":
		return toast(screen.Info, textNoEdit)
	}
	s.draft.Text = ""
	missing, others := s.replace(provision.PlanFile{Plan: msg.plan, Dir: s.draft.Dir})
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
