package action

import (
	"strings"
	"testing"

	"ironworks/test/golden"
)

// TestDocumentation fails when the list of keys has changed and the page has not.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	want := Markdown()
	golden.Compare(t, "../../docs/keys.md", want)
	for _, a := range All() {
		if !strings.Contains(want, "| "+string(a.ID)+" |") {
			t.Errorf("%s is on no page", a.ID)
		}
	}
}
