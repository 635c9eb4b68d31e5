package action

import (
	"slices"
	"strings"
	"testing"
)

// meaning describes the effect that keys have on every screen that uses them.
type meaning struct {
	keys, does string
	// actions lists the IDs of the actions that the keys run, in the order of All.
	actions string
}

// meanings describes every key that runs more than one action. In scrolling text, n, N and / mean the same as in less
// and vi.
func meanings() []meaning {
	return []meaning{
		{"enter", "open, edit or choose what is at the cursor; read it again", "open bmc-read log-sources edit"},
		{"space", "mark, or change a value", "mark edit"},
		{"/", "find: filter rows, search text", "search filter"},
		{"-", "take finished or marked rows out", "clear-marks drop-ended"},
		{"+", "add what is missing or extra", "port-missing step-traits"},
		{"( )", "previous and next one: change of a recording, node of a deployment", "replay-previous replay-next deploy-next-node deploy-previous-node"},
		{"c", "check or compare; changes nothing", "check ignition-check enroll-compare rules-test hardware-golden"},
		{"D", "deploy", "deploy-start deploy"},
		{"C", "clean, or run a runbook", "runbook-run clean"},
		{"E", "apply: send what the screen has prepared, after confirmation", "ignition-apply enroll-start rules-apply steps-apply hardware-apply"},
		{"F", "pause or resume following", "pause log-follow"},
		{"h left l right", "scroll; in a form, previous and next value", "left right"},
		{"i", "put an ISO to use: insert it, embed a configuration in it", "bmc-insert ignition-embed"},
		{"n", "new; in text, next match", "next-match enroll port-create step-add steps-new hardware-add"},
		{"p", "preview: details of what is at the cursor", "preview"},
		{"Q", "query the BMC", "explain-bmc bmc-read hardware-drives"},
		{"r", "take up what failed: the next failed check (or Review), the failed nodes again", "retry-failed deploy-review"},
		{"w", "width: all columns, wrapped lines", "wrap wide"},
		{"x", "take one thing away here; no change is sent", "cancel-node ignition-stop hints-drop step-remove hardware-remove"},
		{"X", "delete, eject, reset or stop all, after confirmation if that changes anything", "stop-following bmc-eject port-delete rules-delete steps-delete hardware-reset"},
		{"z", "the other way round: order of rows, place of hints", "sort-reverse hints-to"},
		{"ctrl+s", "save to a file", "log-save ignition-save plan-save"},
	}
}

// TestKeysHaveOneMeaning checks that a key means the same on all screens, so that a habit from one screen does no
// damage on another. Every key that runs several actions must have an entry in meanings that names all of them.
func TestKeysHaveOneMeaning(t *testing.T) {
	t.Parallel()
	runs := map[string][]ID{}
	for _, a := range All() {
		for _, k := range a.Keys {
			if !slices.Contains(runs[k], a.ID) {
				runs[k] = append(runs[k], a.ID)
			}
		}
	}
	described := map[string]bool{}
	for _, m := range meanings() {
		var want []ID
		for _, k := range strings.Fields(m.keys) {
			described[k] = true
			for _, id := range runs[k] {
				if !slices.Contains(want, id) {
					want = append(want, id)
				}
			}
		}
		got := strings.Fields(m.actions)
		for _, id := range want {
			if !slices.Contains(got, string(id)) {
				t.Errorf("%s runs %s, too: does it mean %q?", m.keys, id, m.does)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s runs %v, the table has %v", m.keys, want, got)
		}
	}
	for k, ids := range runs {
		if len(ids) > 1 && !described[k] {
			t.Errorf("%s has no meaning: %v", k, ids)
		}
	}
	// Apart from C and D, a key that changes nodes does nothing else on any screen.
	for _, a := range In(Nodes) {
		for _, k := range a.Keys {
			if a.Changes && len(runs[k]) > 1 && k != "C" && k != "D" {
				t.Errorf("%s acts on nodes, and runs %v", k, runs[k])
			}
		}
	}
}
