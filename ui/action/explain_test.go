package action

import (
	"slices"
	"testing"

	"ironworks/models/explain"
)

// TestExplainKeys checks that every action suggested by an explanation exists.
func TestExplainKeys(t *testing.T) {
	t.Parallel()
	for _, r := range explain.Rules() {
		if r.Next.Key == "" {
			continue
		}
		if !slices.ContainsFunc(All(), func(a Action) bool { return string(a.ID) == r.Next.Key }) {
			t.Errorf("rule %s: the console has no action %q", r.ID, r.Next.Key)
		}
	}
}
