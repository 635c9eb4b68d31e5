package stepfiles

import (
	"fmt"
	"strconv"
	"strings"

	"ironworks/models"
	"ironworks/stepfile"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/declared"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

const namesAtMost = 20

func (s *Screen) newTable() *table.Table[*stepfile.Item] {
	t := table.New(func(item *stepfile.Item) string { return item.UUID })
	columns := []table.Column[*stepfile.Item]{
		{Key: "name", Title: "NAME", Min: 16, Max: 40, Role: theme.Strong, Text: func(item *stepfile.Item) string { return item.Name }},
		{Key: "nodes", Title: "NODES", Min: 5, Max: 7, Right: true, Text: s.nodesText},
	}
	if s.kind == stepfile.Runbook {
		columns = append(columns,
			table.Column[*stepfile.Item]{Key: "traits", Title: "TRAITS", Min: 10, Max: 40, Text: func(item *stepfile.Item) string { return strings.Join(item.NeedsTraits(), ", ") }},
			table.Column[*stepfile.Item]{Key: "ramdisk", Title: "RAMDISK", Min: 7, Max: 7, Drop: 1, Text: func(item *stepfile.Item) string { return models.YesNo(!item.Flag("disable_ramdisk")) }},
			table.Column[*stepfile.Item]{Key: "public", Title: "PUBLIC", Min: 6, Max: 6, Drop: 2, Text: func(item *stepfile.Item) string { return models.YesNo(item.Flag("public")) }},
			table.Column[*stepfile.Item]{Key: "owner", Title: "OWNER", Min: 8, Max: 32, Drop: 3, Text: func(item *stepfile.Item) string { return item.Fields.Text("owner") }},
		)
	}
	columns = append(columns, table.Column[*stepfile.Item]{
		Key: "steps", Title: "STEPS", Min: 16, Grow: 1, Text: func(item *stepfile.Item) string { return strings.Join(item.StepNames(), ", ") },
	})
	t.SetColumns(columns)
	return t
}

// nodesWithTrait returns the nodes that have at least one of the traits that a deploy template or runbook needs.
func (s *Screen) nodesWithTrait(item *stepfile.Item) []models.NodeRef {
	var nodes []models.NodeRef
	seen := map[string]bool{}
	for _, trait := range item.NeedsTraits() {
		for _, n := range s.having[trait] {
			if !seen[n.UUID] {
				seen[n.UUID] = true
				nodes = append(nodes, n)
			}
		}
	}
	return nodes
}

func (s *Screen) nodesText(item *stepfile.Item) string {
	if s.having == nil {
		return "…"
	}
	return strconv.Itoa(len(s.nodesWithTrait(item)))
}

// Draw draws the table and, below it, the details of the object at the cursor.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	left := []body.Span{body.S(theme.Strong, " "+title(s.kind))}
	if s.source == nil {
		return body.Page(t, w, h, body.Line(t, w, left, nil), t.Rule(w), func(h int) string {
			return cell.Block([]string{"", t.Paint(theme.Muted, declared.WhyEmpty(s.env, s.kind.Noun()+"s"))}, w, h)
		})
	}
	heading := body.Line(t, w, left, []body.Span{body.FreshnessOf(s.source)})
	return body.Page(t, w, h, heading, t.Rule(w), func(h int) string { return s.content(t, w, h) })
}

func title(kind stepfile.Kind) string {
	return map[stepfile.Kind]string{stepfile.Template: "Deploy templates", stepfile.Runbook: "Runbooks"}[kind]
}

func (s *Screen) content(t *theme.Theme, w, h int) string {
	s.items.Empty = body.EmptyText(s.source, s.withNoun("Loading %ss…"), s.env.Keys.Text(s.withNoun(textNone)))
	return s.List.Draw(t, body.FaultAbove(t, s.source.Err(), w), s.items, s.fill, w, h)
}

func (s *Screen) fill() {
	item, _ := s.items.Cursor()
	if item == s.shown {
		return
	}
	s.shown = item
	if item == nil {
		s.Details.SetLines(nil)
		return
	}
	text, err := stepfile.YAML([]stepfile.Item{*item})
	if err != nil {
		text = []byte(models.OnScreen(err))
	}
	lines := []pane.Line{s.carriersLine(item), nil}
	for line := range strings.Lines(string(text)) {
		lines = append(lines, pane.Text(theme.Plain, " "+strings.TrimRight(line, "\n")))
	}
	s.Details.SetLines(lines)
}

// carriersLine returns a line that names the nodes on which the object can be used.
func (s *Screen) carriersLine(item *stepfile.Item) pane.Line {
	traits := item.NeedsTraits()
	nodes := s.nodesWithTrait(item)
	joined := strings.Join(traits, " or ")
	switch {
	case len(traits) == 0:
		return pane.Text(theme.Warn, " The runbook has no traits: Ironic will not run it on any node.")
	case s.having == nil:
		return pane.Text(theme.Muted, " Nodes with the trait: loading…")
	case len(nodes) == 0:
		return pane.Text(theme.Muted, " "+fmt.Sprintf("No node has %s.", joined))
	}
	names := make([]string, 0, namesAtMost)
	for _, n := range nodes[:min(len(nodes), namesAtMost)] {
		names = append(names, n.Label())
	}
	list := strings.Join(names, " ")
	if more := len(nodes) - len(names); more > 0 {
		list = fmt.Sprintf("%s and %d more", list, more)
	}
	return pane.Text(theme.Plain, " "+fmt.Sprintf("%s with %s: %s", models.Counted(len(nodes), "node"), joined, list))
}
