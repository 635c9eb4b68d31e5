package models

import (
	"strings"
	"testing"
)

// classWords lists the states of each class, separated by commas. They are taken from Ironic (ironic/common/states.py
// and "State machine" in its documentation), not from the code under test.
var classWords = map[StateClass]string{
	ClassStable:       "enroll, manageable, available, active, rescue",
	ClassTransitional: "verifying, deploying, cleaning, deleting, inspecting, adopting, rescuing, unrescuing, servicing",
	ClassWait:         "wait call-back, clean wait, inspect wait, rescue wait, service wait",
	ClassHold:         "deploy hold, clean hold, service hold",
	ClassFailed: "error, deploy failed, clean failed, inspect failed, adopt failed, rescue failed, " +
		"unrescue failed, service failed",
}

func TestStateClasses(t *testing.T) {
	t.Parallel()
	listed := map[ProvisionState]StateClass{}
	for class, words := range classWords {
		for w := range strings.SplitSeq(words, ", ") {
			listed[ProvisionState(w)] = class
		}
	}
	if len(listed) != len(States()) {
		t.Errorf("States() has %d states, want %d", len(States()), len(listed))
	}
	for _, s := range States() {
		want, ok := listed[s]
		switch {
		case !ok:
			t.Errorf("%q is not a state of Ironic", s)
		case s.Class() != want:
			t.Errorf("class of %q = %s, want %s", s, s.Class(), want)
		case s.Failed() != (want == ClassFailed):
			t.Errorf("%q: Failed() = %v", s, s.Failed())
		case s.Busy() != (want == ClassTransitional || want == ClassWait):
			t.Errorf("%q: Busy() = %v", s, s.Busy())
		case s.Busy() == s.Resting():
			t.Errorf("%q is busy and at rest", s)
		case !s.Known():
			t.Errorf("%q is not known", s)
		}
	}
}

func TestUnknownStateIsWatched(t *testing.T) {
	t.Parallel()
	s := ProvisionState("pondering")
	if s.Known() || !s.Busy() || s.Resting() || s.Failed() || s.Phase() != s {
		t.Errorf("a state of a newer Ironic has to count as busy: known %v busy %v", s.Known(), s.Busy())
	}
}

func TestPhase(t *testing.T) {
	t.Parallel()
	folds := map[ProvisionState]ProvisionState{
		"wait call-back": "deploying", "clean wait": "cleaning", "inspect wait": "inspecting",
		"rescue wait": "rescuing", "service wait": "servicing",
	}
	for _, s := range States() {
		want, ok := folds[s]
		if !ok {
			want = s
		}
		if got := s.Phase(); got != want {
			t.Errorf("phase of %q = %q, want %q", s, got, want)
		}
	}
}

func TestPowerShort(t *testing.T) {
	t.Parallel()
	for state, want := range map[PowerState]string{
		PowerOn: "on", PowerOff: "off", PowerError: "error", "": "?", "rebooting": "rebooting",
	} {
		if got := state.Short(); got != want {
			t.Errorf("%q: %q, want %q", state, got, want)
		}
	}
	for target, want := range map[PowerTarget]PowerState{
		TargetOn: PowerOn, TargetReboot: PowerOn, TargetSoftReboot: PowerOn,
		TargetOff: PowerOff, TargetSoftOff: PowerOff, "nonsense": "",
	} {
		if got := target.Ends(); got != want {
			t.Errorf("%q ends in %q, want %q", target, got, want)
		}
	}
}

func TestValidation(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := map[string]struct {
		v    Validation
		want bool
	}{
		"no such interface": {Validation{}, true},
		"works":             {Validation{Result: &yes}, false},
		"fails":             {Validation{Result: &no, Reason: "no image_source"}, false},
		"not implemented": {Validation{
			Result: &no, Reason: "Driver redfish does not support rescue (disabled or not implemented).",
		}, true},
	}
	for name, tt := range tests {
		if got := tt.v.Unsupported(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	if !NeededToDeploy("boot") || NeededToDeploy("console") {
		t.Error("a console is not needed to deploy, a boot interface is")
	}
}
