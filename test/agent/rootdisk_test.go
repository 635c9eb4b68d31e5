package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ironworks/test/agent"
	"ironworks/test/ironic"
)

var update = flag.Bool("update", false, "write the real agents' responses to agent/testdata/rootdisk.jsonl")

// recordedCase is a line of agent/testdata/rootdisk.jsonl; see the recorded type in the tests of package agent.
type recordedCase struct {
	Name  string                     `json:"name"`
	Node  json.RawMessage            `json:"node"`
	Disks json.RawMessage            `json:"disks"`
	Told  map[string]json.RawMessage `json:"told"`
}

// TestRootDisk checks that the real agents pick the same root disks as in the recording that the lab's agent is
// tested against.
func TestRootDisk(t *testing.T) {
	path := filepath.Join("..", "..", "agent", "testdata", "rootdisk.jsonl")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []*recordedCase
	var input bytes.Buffer
	encoder := json.NewEncoder(&input)
	for line := range bytes.Lines(content) {
		c := &recordedCase{}
		if err := json.Unmarshal(line, c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
		if err := encoder.Encode(map[string]any{"node": c.Node, "disks": c.Disks}); err != nil {
			t.Fatal(err)
		}
	}
	for _, release := range ironic.Releases(t) {
		answers := json.NewDecoder(bytes.NewReader(agent.Run(t, release, "root-disk", input.Bytes())))
		for _, c := range cases {
			var answer json.RawMessage
			if err := answers.Decode(&answer); err != nil {
				t.Fatal(err)
			}
			var output bytes.Buffer
			if err := json.Compact(&output, answer); err != nil {
				t.Fatal(err)
			}
			switch {
			case *update:
				if c.Told == nil {
					c.Told = map[string]json.RawMessage{}
				}
				c.Told[release.Name()] = output.Bytes()
			case output.String() != string(c.Told[release.Name()]):
				t.Errorf("%s, %s: the agent responds %s, recorded %s", release.Name(), c.Name, output.String(), c.Told[release.Name()])
			}
		}
		if answers.More() {
			t.Error("more responses than cases")
		}
	}
	if *update {
		write(t, path, cases)
	}
}

func write(t *testing.T, path string, cases []*recordedCase) {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, c := range cases {
		if err := encoder.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
