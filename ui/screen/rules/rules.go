// Package rules implements the screen that lists inspection rules and tests them on stored inventories.
package rules

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/declared"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

const (
	rulesTab = iota
	testTab
	tabCount
)

var titles = []string{"Rules", "Test"}

// Screen lists the inspection rules and the results of a test.
type Screen struct {
	screen.Base
	declared.List
	env  *screen.Env
	api  provision.RulesAPI // nil if there is no live Ironic
	tab  int
	tabs body.TabLine

	source *fetch.Source[[]*rules.Rule]
	rules  *table.Table[*rules.Rule]

	// test is the last test. testing is the number of nodes on which a test is running, or 0 if none is running.
	test    tested
	testing int
	// summary says on how many nodes the rules were tested, and how many inspections would fail. It is computed once
	// per test, not whenever the screen is drawn.
	summary body.Span
	results *table.Table[*resultRow]
	shown   any

	changes *declared.Changer

	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

// New returns the screen for inspection rules.
func New(env *screen.Env) *Screen {
	s := &Screen{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindRules}, "rules", action.Rules, action.List),
		env:  env, rules: ruleTable(), results: resultTable(),
	}
	s.life, s.finish = context.WithCancel(context.Background())
	s.Details.SetWrap(true)
	s.changes = declared.NewChanger(s.life, env, s, s.Start, declared.Texts{
		Title: textApplyTitle, FileHelp: textApplyFile, HiddenHelp: textApplyHidden, NothingToDo: textNothingToDo,
	}, s.plan)
	if env.Session == nil || env.Session.Rules == nil {
		return s
	}
	s.api = env.Session.Rules
	s.source = fetch.New(func(ctx context.Context) ([]*rules.Rule, error) { return provision.Rules(ctx, s.api) })
	s.source.Then(func(list []*rules.Rule) {
		s.rules.SetRows(rules.Sorted(list))
		s.shown = nil
	})
	return s
}

func ruleTable() *table.Table[*rules.Rule] {
	t := table.New(func(r *rules.Rule) string { return r.UUID })
	t.SetColumns([]table.Column[*rules.Rule]{
		{Key: "priority", Title: "PRIORITY", Min: 8, Max: 8, Text: func(r *rules.Rule) string { return fmt.Sprint(r.Priority) }},
		{Key: "description", Title: "RULE", Min: 16, Max: 60, Role: theme.Strong, Text: func(r *rules.Rule) string { return r.Label() }},
		{Key: "conditions", Title: "CONDITIONS", Min: 10, Grow: 1, Text: func(r *rules.Rule) string {
			if r.Hidden {
				return "hidden"
			}
			return cmp.Or(rules.Names(r.Conditions), "always")
		}},
		{Key: "actions", Title: "ACTIONS", Min: 10, Grow: 2, Text: func(r *rules.Rule) string {
			if r.Hidden {
				return "hidden"
			}
			return rules.Names(r.Actions)
		}},
	})
	return t
}

// Start fetches the rules.
func (s *Screen) Start() tea.Cmd { return s.source.Get() }

// Shown fetches the rules again if they are old.
func (s *Screen) Shown() tea.Cmd { return s.source.Renew() }

// Close cancels all running requests.
func (s *Screen) Close() {
	s.finish()
	s.source.Close()
}

// Update handles a message from the root or the result of a command.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Reload:
		return s.source.Get()
	case screen.Later:
		return msg.Run(s)
	}
	return fetch.Handle(msg, s.source)
}

func (s *Screen) rows() body.Table {
	if s.tab == testTab {
		return s.results
	}
	return s.rules
}

// Targets returns the node at the cursor if the Test tab is shown.
func (s *Screen) Targets() []models.NodeRef {
	if row, ok := s.results.Cursor(); ok && s.tab == testTab {
		return []models.NodeRef{row.node}
	}
	return nil
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.RulesTest, action.RulesApply, action.RulesDelete:
		if s.api == nil {
			return strings.TrimSpace(declared.WhyEmpty(s.env, "inspection rules"))
		}
		if _, ok := s.rules.Cursor(); id == action.RulesDelete && (!ok || s.tab != rulesTab) {
			return "no rule selected"
		}
	case action.Open:
		if s.tab == rulesTab || s.results.Len() == 0 {
			return "the rule is shown below"
		}
	default:
	}
	return ""
}

// Do runs the screen's action with the given ID.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.NextTab, action.PrevTab:
		s.tab = (s.tab + 1) % tabCount
	case action.RulesTest:
		return s.askTest()
	case action.RulesApply:
		return s.changes.AskApply()
	case action.RulesDelete:
		return s.askDelete()
	case action.Open:
		if targets := s.Targets(); len(targets) == 1 {
			return screen.Send(screen.Open{Ref: screen.Ref{Kind: screen.KindNode, ID: targets[0].UUID}})
		}
	default:
		s.List.Do(id, s.rows())
	}
	return nil
}

// Click selects the tab or the row at the given position. open reports whether the row was already selected.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	if s.tabs.Click(x, y, &s.tab) {
		return false, nil
	}
	return s.List.Click(x, y, s.rows()).WasCurrent && s.tab == testTab, nil
}

// Copies returns the UUID of the rule at the cursor, the rule in file format, and the request and the command line
// that list all rules. On the Test tab, it returns the row at the cursor in place of the rule.
func (s *Screen) Copies() []screen.Copyable {
	if s.api == nil {
		return nil
	}
	var copies []screen.Copyable
	if rule, ok := s.rules.Cursor(); ok && s.tab == rulesTab {
		copies = append(copies, screen.Copyable{Name: "UUID", Text: rule.UUID})
		if text, err := rules.YAML([]*rules.Rule{rule}); err == nil {
			copies = append(copies, screen.Copyable{Name: "rule", Text: string(text), Shape: screen.Lines})
		}
	}
	if row, ok := s.results.Cursor(); ok && s.tab == testTab {
		copies = append(copies, screen.Copyable{Name: "row", Text: strings.Join(slices.Concat([]string{row.node.Label(), row.rule, row.result}, row.lines), "\t"), Shape: screen.Row})
	}
	return append(copies, screen.Copyable{Name: "request", Text: s.env.Request("/v1/inspection_rules?detail=true")},
		screen.Copyable{Name: "command", Text: s.env.CommandLine("rules", "list")})
}

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

func (s *Screen) askDelete() tea.Cmd {
	rule, ok := s.rules.Cursor()
	if !ok {
		return nil
	}
	steps := provision.DeleteRules([]*rules.Rule{rule})
	lines := []overlay.Text{{Role: theme.Plain, Text: rule.UUID}}
	return s.changes.Ask("Delete inspection rule", lines, fmt.Sprintf(textDeleteAsk, rule.Label()), steps)
}
