package action

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/keys.md anew")

// TestDocumentation fails when the list of keys has changed and the page has not.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	const page = "../../docs/keys.md"
	want := Markdown()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/keys.md is not what the actions are: go test ./ui/action -update writes it anew")
	}
	for _, a := range All() {
		if !strings.Contains(want, "| "+string(a.ID)+" |") {
			t.Errorf("%s is on no page", a.ID)
		}
	}
}
