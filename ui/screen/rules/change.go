package rules

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/document"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
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
		{Key: fieldFile, Label: "File", Value: s.file, Required: true, Complete: screen.InFolder(""), Help: textApplyFile},
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
	for i := range p.steps {
		if len(p.steps[i].Requests) == 0 {
			continue
		}
		for line := range strings.Lines(p.steps[i].Difference()) {
			lines = append(lines, overlay.Text{Role: differenceRole(line), Text: strings.TrimRight(line, "\n"), Indent: 2})
		}
	}
	return s.ask(textApplyTitle, lines, counts+"?", p.steps)
}

func differenceRole(line string) theme.Role {
	switch {
	case strings.HasPrefix(line, "+"):
		return theme.Good
	case strings.HasPrefix(line, "-"):
		return theme.Bad
	case strings.HasPrefix(line, " "), strings.HasPrefix(line, "@"):
		return theme.Muted
	}
	return theme.Strong
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

// send sends a plan. The context is not that of the screen: what was confirmed is sent, also if the screen closes.
func (s *Screen) send(steps []provision.Declared) tea.Cmd {
	runner := s.env.Session.Runner
	runner.ReadOnly = runner.ReadOnly || s.env.ReadOnly
	ctx := context.WithoutCancel(s.life)
	return func() tea.Msg {
		said := screen.Say{Level: screen.Success, Text: fmt.Sprintf(textDone, provision.DeclaredCounts(steps))}
		failed := 0
		for i, err := range runner.SendDeclared(ctx, steps) {
			if err == nil {
				continue
			}
			if failed++; failed == 1 {
				said = screen.Say{Level: screen.Failure, Text: fmt.Sprintf("%s %s: %s", steps[i].Verb, steps[i].Label, models.OnScreen(err))}
			}
		}
		if failed > 1 {
			said.Text = fmt.Sprintf("%s; %d more failed", said.Text, failed-1)
		}
		return sent{of: s, said: said}
	}
}
