package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines returns a trace as indented JSON with sorted keys, split into lines.
func lines(t *testing.T, seen trace) []string {
	t.Helper()
	text, err := json.MarshalIndent(seen, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// difference returns the lines that occur in only one of the texts, each marked with its origin.
func difference(ours, real []string) string {
	var b strings.Builder
	show := func(mark string, these, others []string) {
		left := map[string]int{}
		for _, line := range others {
			left[line]++
		}
		for _, line := range these {
			if left[line]--; left[line] < 0 {
				b.WriteString(mark + line + "\n")
			}
		}
	}
	show("ours ", ours, real)
	show("real ", real, ours)
	return b.String()
}
