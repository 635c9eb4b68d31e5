package models

import (
	"slices"
	"testing"
)

func TestBetween(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		from, to ProvisionState
		want     []ProvisionState
	}{
		"nothing happened":                {StateActive, StateActive, nil},
		"next door":                       {StateAvailable, StateDeploying, nil},
		"wait and work are one phase":     {StateDeployWait, StateDeploying, nil},
		"enroll to available":             {StateEnroll, StateAvailable, []ProvisionState{StateManageable}},
		"enroll to cleaning":              {StateEnroll, StateCleaning, []ProvisionState{StateManageable}},
		"provided and deployed":           {StateManageable, StateDeploying, []ProvisionState{StateAvailable}},
		"rebuilt out of the error":        {StateDeleting, StateDeployFailed, nil},
		"adopted and serviced":            {StateManageable, StateServicing, []ProvisionState{StateActive}},
		"a rebuild could be in between":   {StateActive, StateDeployFailed, nil},
		"no way leads back":               {StateAvailable, StateEnroll, nil},
		"verifying to an instance":        {StateVerifying, StateRescue, []ProvisionState{StateManageable, StateActive}},
		"from a state of a newer Ironic":  {"pondering", StateActive, nil},
		"to a state of a newer Ironic":    {StateActive, "pondering", nil},
		"an instance is adopted or built": {StateManageable, StateActive, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Between(tt.from, tt.to); !slices.Equal(got, tt.want) {
				t.Errorf("Between(%q, %q) = %q, want %q", tt.from, tt.to, got, tt.want)
			}
		})
	}
}

// TestBetweenIsCertain checks Between against Ironic's state machine: if an inferred state is removed from the
// machine, the target state must be unreachable from the initial state.
func TestBetweenIsCertain(t *testing.T) {
	t.Parallel()
	claims := 0
	for _, from := range States() {
		m := readMachine(t, "39.0.0")
		for _, to := range States() {
			for _, s := range Between(from, to) {
				claims++
				if s == from || s == to || !s.Resting() {
					t.Errorf("Between(%q, %q) has %q", from, to, s)
				}
				if m.from(string(from), string(s))[string(to)] {
					t.Errorf("from %q to %q there is a way without %q", from, to, s)
				}
			}
			if !m.from(string(from), "")[string(to)] {
				continue
			}
			if !slices.Contains(reach(from.Phase(), ""), to.Phase()) {
				t.Errorf("Ironic goes from %q to %q, we see no way", from, to)
			}
		}
	}
	if claims < 50 {
		t.Errorf("only %d certain states over all pairs", claims)
	}
}

func TestBetweenIsInOrder(t *testing.T) {
	t.Parallel()
	got := Between(StateEnroll, StateRescue)
	if want := []ProvisionState{StateManageable, StateActive}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
