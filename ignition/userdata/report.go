package userdata

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Report is the result of [Check]. No format verb prints its secrets.
type Report struct {
	// Kind is the outer format. Summary.Layers has the inner ones.
	Kind Kind
	// Problems are sorted by position.
	Problems []Problem
	Summary  Summary

	config []byte
	sent   []byte
	errors int
}

// OK reports whether the user data has no errors. It may have warnings.
func (r Report) OK() bool { return r.config != nil && r.errors == 0 }

// Ignition returns the checked configuration as JSON, original or translated, with all secrets.
// It is nil if there is no configuration.
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

// String returns a summary on one line.
func (r Report) String() string {
	verdict := "valid"
	if !r.OK() {
		verdict = "invalid"
	}
	return fmt.Sprintf("%s, %s, %d problems", r.Kind, verdict, len(r.Problems))
}

// GoString hides the configuration from %#v.
func (r Report) GoString() string { return "ignition.Report(" + r.String() + ")" }
