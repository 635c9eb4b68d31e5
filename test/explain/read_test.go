package explain_test

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ironworks/models"
	"ironworks/test/ironic"
)

//go:embed python/messages.py
var lister string

// format is a message as it is written in the source, with names instead of values.
type format struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Kind     string `json:"kind"`
	Class    string `json:"class"`
	Function string `json:"function"`
	Format   string `json:"format"`
}

// message is a message as an operator sees it, with the state of its node.
type message struct {
	format
	text  string
	state models.ProvisionState
}

// release describes a version of Ironic or of the agent. environment is its Python environment; kind is "ironic" or
// "agent".
type release struct{ name, environment, kind string }

var releases = []release{
	{"Ironic 39.0.0", "newest", "ironic"},
	{"Ironic 21.4.4", "old", "ironic"},
	{"ironic-python-agent 13.0.0", "agent-newest", "agent"},
	{"ironic-python-agent 9.4.2", "agent-old", "agent"},
}

// formats returns the messages of a release, sorted by file and line.
func formats(t *testing.T, r release) []format {
	t.Helper()
	python := filepath.Join(ironic.Environment(t, r.environment), "bin", "python")
	cmd := exec.CommandContext(t.Context(), python, "-B", "-c", lister, r.kind) //nolint:gosec // our own program
	var output, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", r.name, err, complaints.String())
	}
	var all []format
	for decoder := json.NewDecoder(&output); decoder.More(); {
		var f format
		if err := decoder.Decode(&f); err != nil {
			t.Fatalf("%s: %v", r.name, err)
		}
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b format) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Format, b.Format))
	})
	return all
}

// messages returns one message for each format, without duplicates.
func messages(t *testing.T, r release) []message {
	t.Helper()
	var all []message
	seen := map[string]bool{}
	for _, f := range formats(t, r) {
		m := wrapMessage(f, r.kind)
		if !seen[m.text] {
			seen[m.text] = true
			all = append(all, m)
		}
	}
	return all
}
