package hints_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"ironworks/models/hints"
	"ironworks/test/ironic"
	"ironworks/test/seeds"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

//go:embed python/ironic_validates.py
var ironicProgram string

//go:embed python/agent_picks.py
var agentProgram string

// verdict is the result of one of the original programs for a case.
type verdict struct {
	Valid *bool   `json:"valid"`
	Picks *string `json:"picks"`
	Class string  `json:"class"`
	Error string  `json:"error"`
}

// run runs a Python program once in the given environment, with all cases as its input, and returns one verdict for
// each case. count is the number of cases.
func run(t *testing.T, environment, program string, cases []byte, count int) []verdict {
	t.Helper()
	python := filepath.Join(ironic.Environment(t, environment), "bin", "python")
	cmd := exec.CommandContext(t.Context(), python, "-B", "-c", program) //nolint:gosec // our own program
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "PYTHONWARNINGS=ignore")
	cmd.Stdin = bytes.NewReader(cases)
	var output, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaints
	if err := cmd.Run(); err != nil {
		t.Errorf("%s: %v\n%s", environment, err, complaints.String())
		return nil
	}
	answers := make([]verdict, 0, count)
	decoder := json.NewDecoder(&output)
	for decoder.More() {
		var a verdict
		if err := decoder.Decode(&a); err != nil {
			t.Errorf("%s: %v", environment, err)
			return nil
		}
		answers = append(answers, a)
	}
	if len(answers) != count {
		t.Errorf("%s: %d results for %d cases", environment, len(answers), count)
		return nil
	}
	return answers
}

// TestMatchesIronicAndTheAgent checks that package hints agrees with Ironic and its agent on which hints are valid,
// which disk is picked, and which errors are reported. IRONWORKS_TEST_SEED and IRONWORKS_HINTS_CASES change the seed
// and the number of cases.
func TestMatchesIronicAndTheAgent(t *testing.T) {
	count, seed := 10_000, seeds.First(t, 1)
	if ironic.Long() {
		count = 100_000
	}
	if n, err := strconv.Atoi(os.Getenv("IRONWORKS_HINTS_CASES")); err == nil {
		count = n
	}
	m := newMaker(seed)
	lines := make([][]byte, count)
	for i := range lines {
		lines[i] = m.question()
	}
	cases := append(bytes.Join(lines, []byte("\n")), '\n')
	for _, by := range []hints.Generation{hints.GenerationNewest, hints.GenerationOld} {
		t.Run(by.String(), func(t *testing.T) {
			var validated, picked []verdict
			var both sync.WaitGroup
			both.Go(func() { validated = run(t, by.String(), ironicProgram, cases, count) })
			both.Go(func() { picked = run(t, "agent-"+by.String(), agentProgram, cases, count) })
			both.Wait()
			if validated == nil || picked == nil {
				return
			}
			tally := map[string]int{}
			for i, line := range lines {
				compare(t, by, line, validated[i], picked[i], tally)
			}
			t.Logf("%d cases of seed %d: %v", count, seed, tally)
			if tally["different"] > 0 {
				t.Errorf("%d of %d cases differ", tally["different"], count)
			}
			for _, kind := range []string{"invalid", "picks", "DeviceNotFound", "TypeError", "ValueError", "SyntaxError", "ParseException"} {
				if tally[kind] == 0 {
					t.Errorf("no case of the kind %s", kind)
				}
			}
		})
	}
}

func compare(t *testing.T, by hints.Generation, line []byte, validated, picked verdict, tally map[string]int) {
	t.Helper()
	c, err := hints.DecodeCase(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	got := c.Judge(by)
	problem := ""
	var ours *hints.Error
	if err := c.Hints.Validate(by); err != nil {
		ours = err.(*hints.Error) //nolint:errorlint // never wrapped
		tally["invalid"]++
	}
	if !*validated.Valid && (ours == nil || *got.Because != ours.Text) || got.Valid != *validated.Valid || !same(c, ours, validated) {
		problem = "Ironic"
	}
	ours = nil
	name, pickErr := c.Search(by).Pick(c.Disks)
	if pickErr != nil {
		ours = pickErr.(*hints.Error) //nolint:errorlint // never wrapped
		tally[ours.Class]++
	} else {
		tally["picks"]++
	}
	switch {
	case value(picked.Picks) != value(got.Agent.Picks), value(picked.Picks) != name:
		problem += " pick"
	case !same(c, ours, picked):
		problem += " agent"
	}
	if problem == "" {
		return
	}
	tally["different"]++
	if tally["different"] <= 10 {
		shown, _ := json.Marshal(got)
		theirs, _ := json.Marshal([]verdict{validated, picked})
		t.Errorf("%s differs: %s\n ours %s (%+v)\n real %s", problem, line, shown, ours, theirs)
	}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

var (
	address   = regexp.MustCompile(` on line 1: <ast\.[^>]*>`)
	quotation = regexp.MustCompile(`The hints "(.*)" are invalid`)
)

// same compares two errors: their classes and, where the text comes from the compared code, their texts. The texts of
// parsers (pyparsing, Python's own) differ between versions, and the order of a Python set differs between runs.
func same(c hints.Case, ours *hints.Error, theirs verdict) bool {
	if ours == nil {
		return theirs.Class == ""
	}
	if ours.Class != theirs.Class {
		return false
	}
	text := address.ReplaceAllString(theirs.Error, " on line 1")
	switch {
	case ours.Class == "ParseException" || ours.Class == "SyntaxError", ours.Text == text:
		return true
	case ours.Class == "TypeError" && (strings.HasPrefix(text, "unhashable type") || strings.HasPrefix(text, "sequence item 0")):
		return true
	case ours.Class == "TypeError" && !c.Hints.IsSet() && strings.HasPrefix(text, "'<' not supported"):
		return true // the sort decides which two sizes are compared first
	}
	a, b := quotation.FindStringSubmatch(ours.Text), quotation.FindStringSubmatch(text)
	if a == nil || b == nil {
		return false
	}
	return strings.Replace(ours.Text, a[1], "", 1) == strings.Replace(text, b[1], "", 1) && slices.Equal(parts(a[1]), parts(b[1]))
}

func parts(list string) []string {
	names := strings.Split(list, ", ")
	slices.Sort(names)
	return names
}
