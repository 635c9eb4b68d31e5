package rules

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/document"
	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/table"
)

// Keys of the form's fields.
const (
	fieldFile   = "file"
	fieldNodes  = "nodes"
	fieldActive = "active"
)

type resultRow struct {
	id           string
	node         models.NodeRef
	rule, result string
	role         theme.Role
	// lines holds the changes, notes and errors.
	lines []string
}

func resultTable() *table.Table[*resultRow] {
	t := table.New(func(r *resultRow) string { return r.id })
	t.SetColumns([]table.Column[*resultRow]{
		{Key: "node", Title: "NODE", Min: 10, Max: 30, Role: theme.Strong, Text: func(r *resultRow) string { return r.node.Label() }},
		{Key: "rule", Title: "RULE", Min: 12, Max: 40, Text: func(r *resultRow) string { return r.rule }},
		{Key: "result", Title: "RESULT", Min: 12, Max: 26, Cell: func(r *resultRow) table.Cell { return table.Cell{Text: r.result, Role: r.role} }},
		{Key: "changes", Title: "CHANGES AND NOTES", Min: 16, Grow: 1, Text: func(r *resultRow) string {
			switch len(r.lines) {
			case 0:
				return ""
			case 1:
				return r.lines[0]
			}
			return fmt.Sprintf("%s; %d more", r.lines[0], len(r.lines)-1)
		}},
	})
	return t
}

type tested struct {
	err      error
	warnings []document.Problem
	tests    []provision.RuleTest
}

func (s *Screen) askTest() tea.Cmd {
	chosen := s.chosen()
	options := []string{textAllNodes}
	if len(chosen) > 0 {
		options = []string{chosenText(chosen), textAllNodes}
	}
	fields := []form.Field{
		{Key: fieldFile, Label: "File", Value: s.changes.File, Files: screen.InFolder(""), Help: textTestFile},
		{Key: fieldActive, Label: "With active", Kind: form.Toggle, Value: "false", Help: textTestActive},
		{Key: fieldNodes, Label: "Nodes", Kind: form.Choice, Options: options},
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textTestTitle, fields, func(v map[string]string) (tea.Cmd, string, string) {
		s.changes.File = strings.TrimSpace(v[fieldFile])
		nodes := chosen
		if v[fieldNodes] == textAllNodes {
			nodes = s.everyNode()
		}
		if len(nodes) == 0 {
			return nil, fieldNodes, "no nodes"
		}
		s.tab, s.testing = testTab, len(nodes)
		path, withActive := s.changes.File, v[fieldActive] == "true"
		return s.changes.After(func() tea.Cmd { return s.runTest(path, withActive, nodes) }), "", ""
	})})
}

func (s *Screen) chosen() []models.NodeRef {
	if s.env.Chosen == nil {
		return nil
	}
	return s.env.Chosen()
}

func chosenText(nodes []models.NodeRef) string {
	if len(nodes) == 1 {
		return nodes[0].Label()
	}
	return models.Counted(len(nodes), "chosen node")
}

func (s *Screen) everyNode() []models.NodeRef {
	var nodes []models.NodeRef
	for _, row := range s.env.Session.Store.Rows(filter.Filter{}, models.Column{}, false) {
		nodes = append(nodes, row.Node.Ref())
	}
	return nodes
}

// runTest returns a command that reads the rules and tests them on the nodes.
func (s *Screen) runTest(path string, withActive bool, nodes []models.NodeRef) tea.Cmd {
	ctx, api := s.life, s.api
	return func() tea.Msg {
		var result tested
		var list []*rules.Rule
		if path != "" {
			list, result.warnings, result.err = provision.ReadRules(path)
		}
		if result.err == nil {
			list, result.err = provision.RulesToTest(ctx, api, list, withActive)
		}
		if result.err == nil {
			result.tests = provision.TestRules(ctx, api, list, nodes, rules.MaskAlways, func() {})
		}
		return screen.NewLater(s, func() tea.Cmd {
			s.showResults(result)
			return nil
		})
	}
}

func (s *Screen) showResults(t tested) {
	s.test, s.testing, s.shown = t, 0, nil
	var rows []*resultRow
	for i := range t.tests {
		rows = append(rows, rowsOf(&t.tests[i])...)
	}
	s.results.SetRows(rows)
	s.summary = summaryOf(t.tests)
}

// rowsOf returns the rows of a node: one for each rule that was evaluated, or one that shows the error.
func rowsOf(t *provision.RuleTest) []*resultRow {
	if t.Err != nil {
		return []*resultRow{{id: t.Node.UUID, node: t.Node, result: "error", role: theme.Bad, lines: []string{models.OnScreen(t.Err)}}}
	}
	var rows []*resultRow
	for i, v := range t.Verdicts() {
		row := &resultRow{id: fmt.Sprintf("%s %d", t.Node.UUID, i), node: t.Node, rule: v.Outcome.Rule.Label(), result: v.Text(), lines: v.Lines()}
		switch v.Kind {
		case provision.RuleMatches:
			row.role = theme.Good
		case provision.RuleFails:
			row.role = theme.Bad
		case provision.RuleUnclear:
			row.role = theme.Warn
		case provision.RuleDiffers:
			row.role = theme.Muted
		}
		rows = append(rows, row)
	}
	return rows
}
