package upstream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ironworks/models/hints"
	"ironworks/rules"
	"ironworks/test/ironic"
	"ironworks/test/seeds"
)

// ruleCase is an input of testdata/rules.py. It consists of rules and the data that they apply to.
type ruleCase struct {
	Rules      []any             `json:"rules"`
	Node       json.RawMessage   `json:"node"`
	Ports      []json.RawMessage `json:"ports"`
	Traits     []string          `json:"traits"`
	Inventory  json.RawMessage   `json:"inventory"`
	PluginData json.RawMessage   `json:"plugin_data"`
	Masking    rules.Masking     `json:"masking"`
}

type ruleResult struct {
	Failure *struct {
		Class string `json:"class"`
		Text  string `json:"text"`
	} `json:"failure"`
	Node       json.RawMessage   `json:"node"`
	Ports      []json.RawMessage `json:"ports"`
	Traits     []string          `json:"traits"`
	PluginData json.RawMessage   `json:"plugin_data"`
}

// askPython runs a program in testdata with the newest release's Python. The program reads the request from its
// standard input and writes the answer to its standard output.
func askPython(t *testing.T, program string, request, answer any) {
	t.Helper()
	input, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, ironic.Program(t, "python"), filepath.Join("testdata", program))
	var complaints bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("%v\n%s", err, complaints.String())
	}
}

// TestRulesRunAsInIronic checks that random rules have the same effect on random inventories as in Ironic's engine.
func TestRulesRunAsInIronic(t *testing.T) {
	t.Parallel()
	const count = 10_000
	random := rand.New(rand.NewPCG(22, seeds.First(t, 1))) //nolint:gosec // repeatable
	g := generator{random}
	cases := make([]ruleCase, count)
	for i := range cases {
		cases[i] = g.ruleCase()
	}
	var answer struct {
		Results []ruleResult `json:"results"`
	}
	askPython(t, "rules.py", map[string]any{"cases": cases}, &answer)
	if len(answer.Results) != count {
		t.Fatalf("%d results", len(answer.Results))
	}
	counts := map[string]int{}
	for i := range cases {
		compareRules(t, &cases[i], &answer.Results[i], counts)
	}
	t.Logf("outcomes: %v", counts)
	if counts["unclear"] > count/10 || counts["done"] < count/4 || counts["failed"] < count/10 || counts["matched"] < count/4 {
		t.Errorf("too many or too few of a kind: %v", counts)
	}
}

func compareRules(t *testing.T, c *ruleCase, want *ruleResult, counts map[string]int) {
	t.Helper()
	var list []*rules.Rule
	for _, r := range c.Rules {
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		rule, err := rules.Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rule)
	}
	subject := rules.Subject{
		Node: parsed(string(c.Node)).(*hints.PythonDict), Traits: c.Traits, //nolint:forcetypeassert // an object
		Inventory: parsed(string(c.Inventory)).(*hints.PythonDict), PluginData: parsed(string(c.PluginData)).(*hints.PythonDict), //nolint:forcetypeassert // objects
	}
	for _, port := range c.Ports {
		subject.Ports = append(subject.Ports, parsed(string(port)).(*hints.PythonDict)) //nolint:forcetypeassert // an object
	}
	got := rules.Run(list, subject, c.Masking)
	for _, o := range got.Outcomes {
		if o.Matched {
			counts["matched"]++
		}
	}
	if got.Failure != nil && got.Failure.Unclear() {
		counts["unclear"]++
		return
	}
	problem := ""
	switch {
	case got.Failure == nil && want.Failure == nil:
		counts["done"]++
	case got.Failure == nil:
		problem = fmt.Sprintf("Ironic fails: %s: %s", want.Failure.Class, want.Failure.Text)
	case want.Failure == nil:
		problem = fmt.Sprintf("only here: %s: %s", got.Failure.Class, got.Failure.Text)
	case got.Failure.Class != want.Failure.Class || got.Failure.Text != want.Failure.Text && !got.Failure.About:
		problem = fmt.Sprintf("failure\n%s: %s\nIronic's\n%s: %s", got.Failure.Class, got.Failure.Text, want.Failure.Class, want.Failure.Text)
	default:
		counts["failed"]++
	}
	same := func(what string, got any, want json.RawMessage) {
		ours, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := canonical(t, ours), canonical(t, want); a != b && problem == "" {
			problem = fmt.Sprintf("%s\n%s\nIronic's\n%s", what, a, b)
		}
	}
	same("node", got.After.Node, want.Node)
	for i, port := range got.After.Ports {
		same("port", port, want.Ports[i])
	}
	// A failed inspection stores no plugin data.
	if want.Failure == nil {
		same("plugin data", got.After.PluginData, want.PluginData)
	}
	traits, _ := json.Marshal(want.Traits)
	same("traits", append([]string{}, got.After.Traits...), traits)
	if problem != "" && counts["different"] < 10 {
		counts["different"]++
		text, _ := json.Marshal(c)
		t.Errorf("%s\n%s", problem, text)
	}
}

// canonical returns raw with sorted keys and without created_at.
func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	if fields, ok := v.(map[string]any); ok {
		delete(fields, "created_at") // the value is a time in Ironic
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRulesAreCheckedAsInIronic checks that rules that Ironic rejects are rejected here, too. Other rules may be
// rejected only for known reasons: they would fail, or have no effect, when they run.
func TestRulesAreCheckedAsInIronic(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(23, seeds.First(t, 1))) //nolint:gosec // repeatable
	g := generator{random}
	list := make([]any, 800)
	for i := range list {
		list[i] = g.brokenRule()
	}
	var answer struct {
		Validations []*struct{ Class, Text string } `json:"validations"`
	}
	askPython(t, "rules.py", map[string]any{"rules": list}, &answer)
	if len(answer.Validations) != len(list) {
		t.Fatalf("%d results", len(answer.Validations))
	}
	ours := []string{
		"is not a regular expression", "regex is", "is not a network", "level ", "path is", "values is", "unknown key \"multiple\" of the actions",
	}
	counts := map[string]int{}
	for i, rule := range list {
		raw, err := json.Marshal(rule)
		if err != nil {
			t.Fatal(err)
		}
		_, _, refused := rules.Parse(raw, "rule.json")
		want := answer.Validations[i]
		stricter := refused != nil && slices.ContainsFunc(ours, func(s string) bool { return strings.Contains(refused.Error(), s) })
		switch {
		case refused == nil && want != nil:
			t.Errorf("Ironic refuses: %s: %s\n%s", want.Class, want.Text, raw)
		case refused != nil && want == nil && !stricter:
			t.Errorf("refused only here: %v\n%s", refused, raw)
		case refused != nil && want == nil:
			counts["stricter"]++
		case refused != nil:
			counts["refused"]++
		default:
			counts["accepted"]++
		}
	}
	t.Logf("%v", counts)
	if counts["refused"] < 200 || counts["accepted"] < 200 {
		t.Errorf("too few of a kind: %v", counts)
	}
}
