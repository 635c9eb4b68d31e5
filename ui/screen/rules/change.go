package rules

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/document"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/declared"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// planned is what a file would change.
type planned struct {
	of       *Screen
	err      error
	warnings []document.Problem
	steps    []provision.Declared
}

// sent reports the result of a change.
type sent struct {
	of   *Screen
	said screen.Say
}

// askApply asks for a file, and then for the consent to what it changes.
func (s *Screen) askApply() tea.Cmd {
	fields := []form.Field{
		{Key: fieldFile, Label: "File", Value: s.file, Required: true, Files: screen.InFolder(""), Help: textApplyFile},
		{Key: fieldHidden, Label: "Rewrite sensitive", Kind: form.Toggle, Value: "false", Help: textApplyHidden},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textApplyTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		s.file = strings.TrimSpace(v[fieldFile])
		return screen.Send(begin{of: s, cmd: s.plan(s.file, v[fieldHidden] == "true")}), "", ""
	})})
}

func (s *Screen) plan(path string, rewrite bool) tea.Cmd {
	ctx, api := s.life, s.api
	return func() tea.Msg {
		p := planned{of: s}
		wanted, warnings, err := provision.ReadRules(path)
		if p.warnings, p.err = warnings, err; err != nil {
			return p
		}
		now, err := provision.Rules(ctx, api)
		if err == nil {
			p.steps, err = provision.PlanRules(now, wanted, rewrite)
		}
		p.err = err
		return p
	}
}

// confirm shows what a plan changes, and asks.
func (s *Screen) confirm(p planned) tea.Cmd {
	counts := provision.DeclaredCounts(p.steps)
	switch {
	case p.err != nil:
		return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(p.err)})
	case counts == "":
		return screen.Send(screen.Say{Text: textNothingToDo})
	}
	var lines []overlay.Text
	for _, w := range p.warnings {
		lines = append(lines, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf("line %d: %s", w.Line, w.Why), Indent: 2})
	}
	lines = append(lines, declared.Differences(p.steps)...)
	return s.ask(textApplyTitle, lines, counts+"?", p.steps)
}

// askDelete asks for the consent to delete the rule at the cursor.
func (s *Screen) askDelete() tea.Cmd {
	rule, ok := s.list.Cursor()
	if !ok {
		return nil
	}
	steps := provision.DeleteRules([]*rules.Rule{rule})
	return s.ask(textDeleteTitle, []overlay.Text{{Role: theme.Plain, Text: rule.UUID}}, fmt.Sprintf(textDeleteAsk, rule.Label()), steps)
}

func (s *Screen) ask(title string, lines []overlay.Text, question string, steps []provision.Declared) tea.Cmd {
	return screen.Send(screen.Ask{Overlay: overlay.NewConfirm(overlay.Question{
		Title: title, Lines: lines, Ask: question, Yes: screen.Send(begin{of: s, cmd: s.send(steps)}),
	})})
}

// send sends a plan.
func (s *Screen) send(steps []provision.Declared) tea.Cmd {
	send := declared.Send(s.life, s.env, steps)
	return func() tea.Msg { return sent{of: s, said: send()} }
}
