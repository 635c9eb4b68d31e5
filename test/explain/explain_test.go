package explain_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ironworks/models"
	"ironworks/models/explain"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// least is the share of messages that the rules must explain.
const least = 0.95

// explained returns the best explanation of a message. If the message has a state, it is explained as the last error
// of a node in that state.
func explained(m message) explain.Explanation {
	if m.state == "" {
		return explain.Explain(&explain.Facts{Text: m.text})[0]
	}
	node := models.Node{UUID: nodeUUID, Name: "r7-n01", ProvisionState: m.state, LastError: m.text}
	return explain.Explain(&explain.Facts{Row: &models.Row{Node: node}})[0]
}

// TestMessages checks that the rules explain enough of the messages in the sources. With -v, it lists the messages
// without an explanation, grouped by file.
func TestMessages(t *testing.T) {
	t.Parallel()
	for _, r := range releases {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			all := messages(t, r)
			if len(all) < 150 {
				t.Fatalf("found only %d messages", len(all))
			}
			known, byPhase := 0, 0
			unknown, rules := map[string][]string{}, map[explain.RuleID]int{}
			for _, m := range all {
				e := explained(m)
				if e.Confidence == explain.ConfidenceLow {
					unknown[m.File] = append(unknown[m.File], fmt.Sprintf("%d %s: %.200q", m.Line, m.Class, m.text))
					continue
				}
				known++
				rules[e.Rule]++
				if explain.TellsPhaseOnly(e.Rule) {
					byPhase++
				}
			}
			share := float64(known) / float64(len(all))
			t.Logf("%s: %d messages, %d explained (%.1f %%), %d of them only by phase", r.name, len(all), known, 100*share, byPhase)
			for _, file := range slices.Sorted(maps.Keys(unknown)) {
				t.Logf("not explained in %s:\n  %s", file, strings.Join(unknown[file], "\n  "))
			}
			for _, id := range slices.Sorted(maps.Keys(rules)) {
				t.Logf("%4d %s", rules[id], id)
			}
			if share < least {
				t.Errorf("%.1f %% of the messages are explained, want %.0f %%", 100*share, 100*least)
			}
		})
	}
}

// TestMessagesAreTheSameEachTime checks that two extractions yield the same messages in the same order.
func TestMessagesAreTheSameEachTime(t *testing.T) {
	t.Parallel()
	if a, b := formats(t, releases[3]), formats(t, releases[3]); !slices.Equal(a, b) {
		t.Error("two readings differ")
	}
}

// TestValuesMatchNoRule checks that the rules match none of the values that replace names, because a message would
// then be explained by its value alone.
func TestValuesMatchNoRule(t *testing.T) {
	t.Parallel()
	for name, v := range values {
		if strings.Contains(v, " step ") {
			continue // a whole message
		}
		if e := explain.Explain(&explain.Facts{Text: "x " + v, State: models.StateDeployFailed})[0]; e.Confidence != explain.ConfidenceLow {
			t.Errorf("%s, the value of %s, is explained: %s", v, name, e.Rule)
		}
	}
}
