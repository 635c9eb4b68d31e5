package rules

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/provision"
	"ironworks/rules"
	"ironworks/ui/overlay"
	"ironworks/ui/screen/declared"
	"ironworks/ui/theme"
)

// plan compares the rules in the file at path with the rules in Ironic. It runs outside of Update.
func (s *Screen) plan(path string, rewrite bool) (p declared.Planned) {
	wanted, warnings, err := provision.ReadRules(path)
	if p.Warnings, p.Err = warnings, err; err != nil {
		return p
	}
	now, err := provision.Rules(s.life, s.api)
	if err == nil {
		p.Steps, err = provision.PlanRules(now, wanted, rewrite)
	}
	p.Err = err
	return p
}

// askDelete asks for confirmation before the rule at the cursor is deleted.
func (s *Screen) askDelete() tea.Cmd {
	rule, ok := s.list.Cursor()
	if !ok {
		return nil
	}
	steps := provision.DeleteRules([]*rules.Rule{rule})
	return s.changes.Ask(textDeleteTitle, []overlay.Text{{Role: theme.Plain, Text: rule.UUID}}, fmt.Sprintf(textDeleteAsk, rule.Label()), steps)
}
