// Package fsm contains Ironic's provisioning state machine (ironic/common/state_machine.py in 39.0.0).
package fsm

import (
	_ "embed"
	"strings"
)

//go:embed states.txt
var states string

// State is a state of the state machine. Target is its target state, which is empty for a stable state. On maps each
// event to the next state.
type State struct {
	Target string
	On     map[string]string
}

// States returns all states by name. A line of states.txt has the form STATE|TARGET|EVENT=STATE|….
func States() map[string]State {
	all := map[string]State{}
	for line := range strings.Lines(states) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		s := State{Target: fields[1], On: map[string]string{}}
		for _, field := range fields[2:] {
			event, next, _ := strings.Cut(field, "=")
			s.On[event] = next
		}
		all[fields[0]] = s
	}
	return all
}
