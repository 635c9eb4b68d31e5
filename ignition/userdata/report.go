package userdata

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Report is the result of [Check]. Printing it with any format verb does not reveal its secrets.
type Report struct {
	// Kind is the format of the outermost layer. Summary.Layers also lists the inner layers.
	Kind Kind
	// Problems lists the problems, sorted by position.
	Problems []Problem
	Summary  Summary

	config []byte
	sent   []byte
	errors int
}

// OK reports whether the user data contains no errors. There may still be warnings.
func (r Report) OK() bool { return r.config != nil && r.errors == 0 }

// Ignition returns the checked configuration as JSON, including all its secrets. This is either the user's own JSON
// or JSON translated from another format. If there is no configuration, Ignition returns nil.
func (r Report) Ignition() []byte { return bytes.Clone(r.config) }

// MarshalJSON returns the output of `ironworks ignition check -o json`.
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

// String returns a summary of the report in a single line.
func (r Report) String() string {
	verdict := "valid"
	if !r.OK() {
		verdict = "invalid"
	}
	return fmt.Sprintf("%s, %s, %d problems", r.Kind, verdict, len(r.Problems))
}

// GoString returns the same summary as String, so that %#v does not print the configuration.
func (r Report) GoString() string { return "ignition.Report(" + r.String() + ")" }
