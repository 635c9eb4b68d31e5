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

// The ways to begin writing where a text was left that is no plan.
const (
	goOnWriting = "go on"
	beginAnew   = "anew"
)

// editPlan has the whole plan written by hand. A text that was left because it is no plan
// is not lost: it may be gone on with.
func (s *Screen) editPlan() tea.Cmd {
	if s.draft.Text == "" {
		return s.layOutPlan()
	}
	left := s.draft.Text
	items := []overlay.Item{
		{ID: goOnWriting, Title: "go on with what was written", Detail: "it is no plan yet"},
		{ID: beginAnew, Title: "write on the plan as it is", Detail: "what was written is dropped"},
	}
	return screen.Wish(screen.Ask{Overlay: overlay.NewPick("Edit the plan", items, func(id string) tea.Cmd {
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
		return say(screen.Failure, "edit: "+models.Printable(err.Error()))
	}
	return s.layOut(string(text))
}

// planLaid is a text that lies ready for the editor.
type planLaid struct {
	of   *Screen
	file provision.PlanText
	text string
	err  error
}

func (s *Screen) layOut(text string) tea.Cmd {
	return func() tea.Msg {
		file, err := provision.LayOutPlan([]byte(text))
		return planLaid{of: s, file: file, text: text, err: err}
	}
}

// planTyped is what the editor has made of a text: a plan, or why it is none.
type planTyped struct {
	of        *Screen
	was, text string
	plan      *plan.Plan
	err       error
	// wrong says that the text was read and is no plan.
	wrong *plan.Error
}

func (s *Screen) takeLaid(msg planLaid) tea.Cmd {
	if msg.err != nil {
		return say(screen.Failure, "edit: "+models.Printable(msg.err.Error()))
	}
	return screen.Wish(screen.EditFile{Path: msg.file.Path, Done: func(failed error) tea.Msg {
		text, err := msg.file.Take()
		typed := planTyped{of: s, was: msg.text, text: string(text), err: errors.Join(failed, err)}
		if typed.err == nil {
			typed.plan, err = plan.Decode(text)
			if !errors.As(err, &typed.wrong) {
				typed.err = err
			}
		}
		return typed
	}})
}

// takeTyped takes a plan over, and keeps what is none, so that nothing is lost.
func (s *Screen) takeTyped(msg planTyped) tea.Cmd {
	changed := strings.TrimSpace(msg.text) != "" && msg.text != msg.was
	switch {
	case msg.err != nil && changed:
		s.draft.Text = msg.text
		return say(screen.Failure, "edit: "+models.Printable(msg.err.Error())+"; the plan stays as it was, E goes on with what was written")
	case msg.err != nil:
		return say(screen.Failure, "edit: "+models.Printable(msg.err.Error())+"; the plan stays as it was")
	case msg.wrong != nil:
		s.draft.Text = msg.text
		return s.askAgain(msg.wrong)
	case msg.text == msg.was && s.draft.Text == "":
		return say(screen.Info, "the plan is as it was")
	}
	s.draft.Text = ""
	missing, others := s.replace(provision.PlanFile{Plan: msg.plan, Dir: s.draft.Dir})
	s.draft.Saved = false
	return tea.Batch(s.recheck(0, askNothing), s.readFile(true), say(screen.Success, "the plan is as it was written"+namedText(missing, others)))
}

// askAgain tells what is wrong with a text, and gives it back to be written on.
func (s *Screen) askAgain(wrong *plan.Error) tea.Cmd {
	var lines []overlay.Text
	for _, p := range wrong.Problems {
		lines = append(lines, overlay.Text{Role: theme.Bad, Text: p.String(), Indent: 2})
	}
	text := s.draft.Text
	lines = append(lines, overlay.Text{}, overlay.Text{Text: "The plan stays as it was. What was written is kept: E goes on with it."})
	note := overlay.NewNote("This is no plan yet (line:column)", lines).With(overlay.Choice{
		Key: "E", Text: "go on writing", Then: s.decide(func() tea.Cmd { return s.layOut(text) }),
	})
	return screen.Wish(screen.Ask{Overlay: note})
}
