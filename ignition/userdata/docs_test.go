package userdata

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestProblemsAreDocumented checks that the documentation contains a row for each problem, with the correct severity
// and strictness.
func TestProblemsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/reference/user-data.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\| (\\w+) \\| (yes|–) \\| (.+) \\| (.+) \\|$").FindAllStringSubmatch(string(text), -1) {
		if documented[row[1]] != "" {
			t.Errorf("%s is there twice", row[1])
		}
		documented[row[1]] = row[2] + " " + row[3]
	}
	source, err := os.ReadFile("problemids.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`(?m)^\tID\w+ +ProblemID = "([a-z0-9-]+)"$`).FindAllStringSubmatch(string(source), -1) {
		id, stricter := ProblemID(name[1]), "–"
		if id.StricterThanIgnition() {
			stricter = "yes"
		}
		if want := fmt.Sprintf("%s %s", id.Severity(), stricter); documented[name[1]] != want {
			t.Errorf("%s: documented as %q, want %q", id, documented[name[1]], want)
		}
		delete(documented, name[1])
	}
	if len(documented) > 0 {
		t.Errorf("documented, and not known: %v", documented)
	}
}

func TestQuotedIsShortAndPrintable(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a":                           `"a"`,
		"\x1b[2J":                     `"\x1b[2J"`,
		strings.Repeat("x", 100):      `"` + strings.Repeat("x", 80) + `"…`,
		strings.Repeat("ä", 41):       `"` + strings.Repeat("ä", 40) + `"…`,
		"x" + strings.Repeat("ä", 41): `"x` + strings.Repeat("ä", 39) + `"…`,
		"\xff":                        `"\xff"`,
	} {
		if got := quoted(in); got != want {
			t.Errorf("%q is shown as %s, want %s", in, got, want)
		}
	}
	if got := short("a\u202e\x00\xff\nb", 100); got != `a\u202e\x00\xff b` {
		t.Error(got)
	}
}
