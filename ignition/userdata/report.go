package userdata

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Report is what [Check] found. Printed in whatever way, it shows no secrets.
type Report struct {
	// Kind is what the user data is, on the outside: Summary.Layers tells what
	// is inside.
	Kind Kind
	// Problems are in the order of their places.
	Problems []Problem
	Summary  Summary

	config []byte
	sent   []byte
	errors int
}

// OK says that the user data can be sent: there may be warnings.
func (r Report) OK() bool { return r.config != nil && r.errors == 0 }

// Ignition is the configuration that was checked, as JSON: the given one, or
// the translation. It has all the secrets. It is nil if there is none.
func (r Report) Ignition() []byte { return bytes.Clone(r.config) }

// MarshalJSON writes what `ironworks ignition check -o json` prints.
func (r Report) MarshalJSON() ([]byte, error) {
	fill(&r.Problems)
	r.Summary.filled()
	return json.Marshal(struct {
		Kind     Kind      `json:"kind"`
		OK       bool      `json:"ok"`
		Problems []Problem `json:"problems"`
		Summary  Summary   `json:"summary"`
	}{r.Kind, r.OK(), r.Problems, r.Summary})
}

// String is one line.
func (r Report) String() string {
	verdict := "valid"
	if !r.OK() {
		verdict = "invalid"
	}
	return fmt.Sprintf("%s, %s, %d problems", r.Kind, verdict, len(r.Problems))
}

// GoString keeps %#v from showing the configuration.
func (r Report) GoString() string { return "ignition.Report(" + r.String() + ")" }
