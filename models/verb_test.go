package models

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// machine is Ironic's state machine: it maps a state and an event to the next state. It is read from a file in
// testdata that was generated from the code of a release. Each line of the file has the form from|event|to.
type machine map[string]map[string]string

func readMachine(t *testing.T, release string) machine {
	t.Helper()
	data, err := os.ReadFile("testdata/fsm-" + release + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	m := machine{}
	for line := range strings.Lines(string(data)) {
		part := strings.Split(strings.TrimSpace(line), "|")
		if len(part) != 3 {
			t.Fatalf("line %q", line)
		}
		if m[part[0]] == nil {
			m[part[0]] = map[string]string{}
		}
		m[part[0]][part[1]] = part[2]
	}
	return m
}

// userEvents maps events of the state machine to verbs. It contains only the events that clients can request.
var userEvents = map[string]Verb{
	"manage": VerbManage, "provide": VerbProvide, "inspect": VerbInspect, "abort": VerbAbort,
	"clean": VerbClean, "adopt": VerbAdopt, "deploy": VerbDeploy, "rebuild": VerbRebuild,
	"delete": VerbUndeploy, "rescue": VerbRescue, "unrescue": VerbUnrescue, "unhold": VerbUnhold,
	"service": VerbService,
}

// quirks lists transitions that only the conductor uses, although their event is named like a verb. If a user
// requests them, the request fails because the node is locked.
var quirks = []string{"cleaning|manage|manageable", "deleting|clean|cleaning"}

func (m machine) forUsers() []string {
	var lines []string
	for from, events := range m {
		for event, to := range events {
			verb, ok := userEvents[event]
			if ok && !slices.Contains(quirks, from+"|"+event+"|"+to) {
				lines = append(lines, fmt.Sprintf("%s|%s|%s", from, verb, to))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func TestTransitionsAgainstIronic(t *testing.T) {
	t.Parallel()
	for release, minor := range map[string]int{"39.0.0": NewestMinor, "21.4.4": 82} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, tr := range transitions {
				if tr.allowed(APIVersion{minor}) {
					got = append(got, fmt.Sprintf("%s|%s|%s", tr.From, tr.Verb, tr.Enters))
				}
			}
			slices.Sort(got)
			want := readMachine(t, release).forUsers()
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("missing: %s", line)
				}
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Errorf("Ironic has no %s", line)
				}
			}
			if len(got) != len(slices.Compact(got)) {
				t.Error("a row is listed twice")
			}
		})
	}
}

func TestStatesAgainstIronic(t *testing.T) {
	t.Parallel()
	m := readMachine(t, "39.0.0")
	in := map[ProvisionState]bool{}
	for from, events := range m {
		in[ProvisionState(from)] = true
		for _, to := range events {
			in[ProvisionState(to)] = true
		}
	}
	if got, want := slices.Sorted(slices.Values(States())), slices.Sorted(maps.Keys(in)); !slices.Equal(got, want) {
		t.Errorf("States() = %q\nIronic has %q", got, want)
	}
}

// TestVerbsInStates checks that all functions agree with Ironic's state machine about every verb in every state.
func TestVerbsInStates(t *testing.T) {
	t.Parallel()
	m := readMachine(t, "39.0.0").forUsers()
	newest := APIVersion{NewestMinor}
	for _, s := range States() {
		for _, v := range Verbs() {
			want := slices.ContainsFunc(m, func(l string) bool { return strings.HasPrefix(l, string(s)+"|"+string(v)+"|") })
			_, found := FindTransition(s, v)
			answers := []bool{
				found,
				slices.Contains(LegalVerbs(s, newest), v),
				slices.Contains(LegalVerbs(s, APIVersion{}), v),
				slices.Contains(legalFrom(v, newest), s),
				WhyNot(v, &Node{Name: "n", ProvisionState: s}, newest) == nil,
			}
			if slices.Contains(answers, !want) {
				t.Errorf("%s in %q: find, verbs, verbs without version, from, why = %v, want all %v", v, s, answers, want)
			}
		}
	}
}

// TestSuccessIsReachable checks that each success state of a transition can be reached in Ironic's state machine from
// the state that the transition enters.
func TestSuccessIsReachable(t *testing.T) {
	t.Parallel()
	m := readMachine(t, "39.0.0")
	for _, row := range transitions {
		tr, _ := FindTransition(row.From, row.Verb)
		if len(tr.Success) == 0 {
			t.Errorf("%s from %q has no success", tr.Verb, tr.From)
		}
		seen := m.from(string(tr.Enters), "")
		for _, s := range tr.Success {
			if !s.Resting() || !seen[string(s)] {
				t.Errorf("%s from %q cannot end in %q", tr.Verb, tr.From, s)
			}
		}
	}
}

// from returns the states that can be reached from the first state without entering the second one. A node that is
// adopted on the way is not rebuilt later.
func (m machine) from(state, without string) map[string]bool {
	type place struct {
		state   string
		adopted bool
	}
	seen := map[place]bool{{state: state}: true}
	todo := []place{{state: state}}
	reached := map[string]bool{state: true}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for event, to := range m[at.state] {
			next := place{to, at.adopted || event == "adopt"}
			if to == without || seen[next] || at.adopted && event == "rebuild" {
				continue
			}
			seen[next], reached[to] = true, true
			todo = append(todo, next)
		}
	}
	return reached
}

func TestWidenedSuccess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		from ProvisionState
		verb Verb
		want []ProvisionState
	}{
		{StateCleanHold, VerbUnhold, []ProvisionState{StateManageable, StateAvailable}},
		{StateServiceWait, VerbAbort, []ProvisionState{StateServiceFailed, StateActive}},
		{StateServiceFailed, VerbAbort, []ProvisionState{StateActive}},
		{StateManageable, VerbProvide, []ProvisionState{StateAvailable}},
	}
	for _, tt := range tests {
		for range 2 { // the second round checks that widening did not change the shared table
			if tr, _ := FindTransition(tt.from, tt.verb); !slices.Equal(tr.Success, tt.want) {
				t.Errorf("%s from %q succeeds in %q, want %q", tt.verb, tt.from, tr.Success, tt.want)
			}
		}
	}
	if _, ok := FindTransition("pondering", VerbManage); ok {
		t.Error("a transition from an unknown state")
	}
}

// TestVersionGates checks the required versions against MIN_VERB_VERSIONS and check_allow_* in
// ironic/api/controllers/v1/utils.py.
func TestVersionGates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		verb  Verb
		from  ProvisionState
		minor int
	}{
		{VerbManage, StateEnroll, 4},
		{VerbProvide, StateManageable, 4},
		{VerbInspect, StateManageable, 6},
		{VerbAbort, StateCleanWait, 13},
		{VerbClean, StateManageable, 15},
		{VerbAdopt, StateManageable, 17},
		{VerbRescue, StateActive, 38},
		{VerbUnrescue, StateRescue, 38},
		{VerbAbort, StateInspectWait, 41},
		{VerbUnhold, StateDeployHold, 85},
		{VerbService, StateActive, 87},
		{VerbAbort, StateDeployWait, 110},
		{VerbDeploy, StateAvailable, 1},
		{VerbUndeploy, StateActive, 1},
	}
	for _, tt := range tests {
		if tr, ok := FindTransition(tt.from, tt.verb); !ok || tr.Minor != tt.minor {
			t.Errorf("%s from %q needs 1.%d, want 1.%d", tt.verb, tt.from, tr.Minor, tt.minor)
		}
		n := &Node{Name: "n", ProvisionState: tt.from}
		if WhyNot(tt.verb, n, APIVersion{tt.minor}) != nil {
			t.Errorf("%s from %q is refused with the version it needs", tt.verb, tt.from)
		}
		if tt.minor > 1 && WhyNot(tt.verb, n, APIVersion{tt.minor - 1}) == nil {
			t.Errorf("%s from %q is allowed with 1.%d", tt.verb, tt.from, tt.minor-1)
		}
	}
}

func TestVerbTargets(t *testing.T) {
	t.Parallel()
	if len(Verbs()) != len(userEvents) {
		t.Errorf("%d verbs, want %d", len(Verbs()), len(userEvents))
	}
	for _, v := range Verbs() {
		want := map[Verb]string{VerbDeploy: "active", VerbUndeploy: "deleted"}[v]
		if want == "" {
			want = string(v)
		}
		if v.Target() != want {
			t.Errorf("%s sends %q, want %q", v, v.Target(), want)
		}
	}
}
