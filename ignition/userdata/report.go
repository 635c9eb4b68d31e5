package userdata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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

// Errors returns the problems that are errors.
func (r Report) Errors() []Problem {
	return slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return p.Severity != SeverityError })
}

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

// Kind is the format of user data, as reports and JSON name it.
type Kind string

// The formats that [Check] distinguishes.
const (
	KindText          Kind = "text"           // any other text
	KindEmpty         Kind = "empty"          // empty, or only white space
	KindIgnition      Kind = "ignition"       // Ignition, spec 3
	KindButane        Kind = "butane"         // Butane, which is translated to Ignition
	KindMachineConfig Kind = "machine-config" // OpenShift's MachineConfig, of which spec.config is used
	KindIgnition2     Kind = "ignition-2"     // Ignition, spec 2
	KindIgnition1     Kind = "ignition-1"     // Ignition, spec 1
	KindCloudConfig   Kind = "cloud-config"   // cloud-init's #cloud-config format
	KindCloudInit     Kind = "cloud-init"     // other formats of cloud-init: #include, boothooks, Jinja templates
	KindShellScript   Kind = "shell-script"   // a script that starts with #!
	KindMIME          Kind = "mime"           // MIME, usually multipart, for cloud-init
	KindGzip          Kind = "gzip"           // gzip, whose content is checked
	KindBase64        Kind = "base64"         // base64, whose content is checked
	KindJSONString    Kind = "json-string"    // one JSON string, whose content is checked
	KindConfigDrive   Kind = "configdrive"    // a whole configdrive instead of user data
	KindJSON          Kind = "json"           // any other JSON
	KindYAML          Kind = "yaml"           // any other YAML
	KindBinary        Kind = "binary"         // binary data other than gzip
)
