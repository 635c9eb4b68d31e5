package rules

import (
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/rules"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/declared"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// Draw draws the table of the current tab and, below it, the details of the row at the cursor.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	content := s.content(t, w, max(h-body.PageTop, 0))
	rule := s.tabs.Draw(t, titles, s.tab, s.Details.Position(), w)
	return body.Page(t, w, h, s.heading(t, w), rule, func(int) string { return content })
}

func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " Inspection rules")}
	if s.source == nil {
		return body.Line(t, w, left, nil)
	}
	switch {
	case s.testing > 0:
		left = append(left, body.S(theme.Busy, "  "+theme.GlyphWorking+" "+fmt.Sprintf(textTesting, models.Counted(s.testing, "node"))))
	case len(s.test.tests) > 0:
		left = append(left, s.summary)
	}
	return body.Line(t, w, left, []body.Span{body.FreshnessOf(s.source)})
}

func summaryOf(tests []provision.RuleTest) body.Span {
	failing, unknown := 0, 0
	for i := range tests {
		test := &tests[i]
		switch result, _ := test.Inspection(); {
		case test.Err != nil:
			unknown++
		case result != inspectionSucceeds:
			failing++
		}
	}
	text := "  tested on " + models.Counted(len(tests), "node")
	role := theme.Good
	if unknown > 0 {
		role, text = theme.Warn, text+fmt.Sprintf(", %d without result", unknown)
	}
	if failing > 0 {
		role, text = theme.Bad, text+fmt.Sprintf(", %d would fail", failing)
	}
	return body.S(role, text)
}

const inspectionSucceeds = "succeeds"

func (s *Screen) content(t *theme.Theme, w, h int) string {
	if s.source == nil {
		return cell.Block([]string{"", t.Paint(theme.Muted, declared.WhyEmpty(s.env, "inspection rules"))}, w, h)
	}
	s.rules.Empty = body.EmptyText(s.source, "Loading inspection rules…", s.env.Keys.Text(textNone))
	err := s.source.Err()
	if s.tab == testTab {
		err = s.test.err
	}
	s.results.Empty = ""
	if s.test.err == nil {
		s.results.Empty = s.env.Keys.Text("{rules-test} tests rules on stored inventories, before they are active.")
	}
	return s.List.Draw(t, body.FaultAbove(t, err, w), s.rows(), s.fill, w, h)
}

func (s *Screen) fill() {
	var row any
	var lines []pane.Line
	if s.tab == testTab {
		r, _ := s.results.Cursor()
		row, lines = r, s.resultLines(r)
	} else {
		r, _ := s.rules.Cursor()
		row, lines = r, ruleLines(r)
	}
	if row == s.shown {
		return
	}
	s.shown = row
	s.Details.SetLines(lines)
}

func ruleLines(r *rules.Rule) []pane.Line {
	if r == nil {
		return nil
	}
	text, err := rules.YAML([]*rules.Rule{r})
	if err != nil {
		text = []byte(models.OnScreen(err))
	}
	var lines []pane.Line
	if r.Hidden {
		lines = append(lines, pane.Text(theme.Warn, textHidden), nil)
	}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, pane.Text(theme.Plain, strings.TrimRight(line, "\n")))
	}
	return lines
}

func (s *Screen) resultLines(r *resultRow) []pane.Line {
	var lines []pane.Line
	if r != nil {
		lines = append(lines, pane.Line{body.S(theme.Strong, r.node.Label()+"  "), body.S(theme.Plain, r.rule+"  "), body.S(r.role, r.result)})
		for _, line := range r.lines {
			lines = append(lines, pane.Text(theme.Plain, "  "+line))
		}
	}
	for i, w := range s.test.warnings {
		if i == 0 {
			lines = append(lines, nil, pane.Text(theme.Strong, "Warnings in the file"))
		}
		lines = append(lines, pane.Text(theme.Warn, fmt.Sprintf("  line %d: %s", w.Line, w.Why)))
	}
	return lines
}
