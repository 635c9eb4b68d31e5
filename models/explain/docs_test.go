package explain

import (
	flags "flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateExplain = flags.Bool("update-explain", false, "write the list of rules in docs/reference/explain.md anew")

// explainMark marks the beginning of the generated table in explainPage. The table extends to the end of the page.
const (
	explainPage = "../../docs/reference/explain.md"
	explainMark = "<!-- Made from the rules: go test ./models/explain -run TestExplainDocumentation -update-explain -->\n"
)

// TestExplainDocumentation checks that the table in docs/reference/explain.md is up to date with the rules.
func TestExplainDocumentation(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(explainPage)
	if err != nil {
		t.Fatal(err)
	}
	before, have, found := strings.Cut(string(data), explainMark)
	if !found {
		t.Fatalf("%s has no %s", explainPage, explainMark)
	}
	want := rulesMarkdown()
	if *updateExplain {
		if err := os.WriteFile(explainPage, []byte(before+explainMark+want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have != want {
		t.Error(explainPage + " is out of date; run go test ./models/explain -run TestExplainDocumentation -update-explain")
	}
}

func rulesMarkdown() string {
	var b strings.Builder
	b.WriteString("\n| rule | confidence | verdict | matches | from |\n|---|---|---|---|---|\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Confidence, cell(r.Verdict), cell(matchesText(&r)), cell(r.Source))
	}
	return b.String()
}

// familyText describes how messages of a family are recognized. It shows no more than four openings and four words.
func familyText(f *Rule) string {
	quoted := func(list []string) string {
		parts := make([]string, 0, 5)
		for i, text := range list {
			if i == 4 {
				parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
				break
			}
			parts = append(parts, "`"+strings.TrimSpace(text)+"`")
		}
		return strings.Join(parts, ", ")
	}
	switch {
	case len(f.Words) == 0:
		return "begins with " + quoted(f.Openings)
	case len(f.Openings) == 0:
		return "Ironic's message with " + quoted(f.Words)
	}
	return "begins with " + quoted(f.Openings) + "; Ironic's message with " + quoted(f.Words)
}

func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(text)
}

// matchesText describes what a rule matches: its errors and its conditions.
func matchesText(r *Rule) string {
	var parts []string
	if messages[r.ID] {
		parts = append(parts, waysText(r.ID))
	}
	for _, is := range r.If {
		parts = append(parts, is.text)
	}
	if len(parts) == 0 {
		return "nothing else does"
	}
	return strings.Join(parts, "; ")
}

func waysText(id RuleID) string {
	if i := slices.IndexFunc(families, func(r Rule) bool { return r.ID == id }); i >= 0 {
		return familyText(&families[i])
	}
	for _, e := range allErrors {
		if e.id != id {
			continue
		}
		ways := make([]string, len(e.ways))
		for i, way := range e.ways {
			ways[i] = "`" + strings.TrimSpace(strings.Join(way, " … ")) + "`"
		}
		return strings.Join(ways, " or ")
	}
	return ""
}
