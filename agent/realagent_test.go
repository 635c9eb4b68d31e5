package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ironworks/models/hints"
)

var update = flag.Bool("update", false, "write the cases of testdata/rootdisk.jsonl anew, without answers")

// diskCase describes a node and disks from which the root disk is selected.
type diskCase struct {
	name, node string
	disks      []Disk
}

// result holds the results of an agent for a diskCase: the name of the root disk and the disks to erase, or the class
// and the text of an error.
type result struct {
	Device string   `json:"device"`
	Erased []string `json:"erased"`
	Class  string   `json:"class"`
	Error  string   `json:"error"`
}

// diskCases returns a case for each element of hintCases, and further cases for other settings that affect the
// selection of disks.
func diskCases() []diskCase {
	node := func(properties, instance string) string {
		return `{"uuid": "u", "properties": ` + properties + `, "instance_info": ` + instance + `}`
	}
	var cases []diskCase
	for _, c := range hintCases {
		cases = append(cases, diskCase{c.name, node(`{"root_device": `+c.hints+`}`, `{}`), shelf()})
	}
	small := shelf()[:1]
	small[0].Size = 2 * gib
	skip := func(hints string) string { return node(`{"skip_block_devices": `+hints+`}`, `{}`) }
	return append(
		cases,
		diskCase{"no hints", node(`{}`, `{}`), shelf()},
		diskCase{"empty hints", node(`{"root_device": {}}`, `{"root_device": {}}`), shelf()},
		diskCase{"null hints", node(`{"root_device": null}`, `{}`), shelf()},
		diskCase{"hints of the instance come first", node(`{"root_device": {"name": "/dev/sda"}}`, `{"root_device": {"name": "/dev/sdb"}}`), shelf()},
		diskCase{"empty hints of the instance do not count", node(`{"root_device": {"name": "/dev/sdb"}}`, `{"root_device": {}}`), shelf()},
		diskCase{"no disk is large enough", node(`{}`, `{}`), small},
		diskCase{"no disks", node(`{}`, `{}`), []Disk{}},
		diskCase{"no disks and hints", node(`{"root_device": {"name": "/dev/sda"}}`, `{}`), []Disk{}},
		diskCase{"two disks match", node(`{"root_device": {"size": "> 900"}}`, `{}`), shelf()},
		diskCase{"one is skipped", skip(`[{"name": "/dev/sda"}]`), shelf()},
		diskCase{"two are skipped", skip(`[{"name": "/dev/sda"}, {"vendor": "ata"}]`), shelf()},
		diskCase{"all are skipped", skip(`[{"size": "> 1"}]`), shelf()},
		diskCase{"the one that the hints want is skipped", node(`{"skip_block_devices": [{"name": "/dev/sda"}], "root_device": {"name": "/dev/sda"}}`, `{}`), shelf()},
		diskCase{"nothing is skipped", skip(`[]`), shelf()},
		diskCase{"what is to be skipped is not there", skip(`[{"name": "/dev/vda"}]`), shelf()},
		diskCase{"the first serial is skipped", skip(`[{"serial": "s5gx-1"}]`), shelf()},
		diskCase{"the second serial is skipped, but erased", skip(`[{"serial": "samsung_s5gx-1"}]`), shelf()},
		diskCase{"a wrong hint to skip", skip(`[{"bogus": 1}]`), shelf()},
		diskCase{"a wrong size to skip", skip(`[{"size": "big"}]`), shelf()},
	)
}

// ours runs this agent with the given version on c and returns the result.
func ours(t *testing.T, version string, c diskCase) result {
	t.Helper()
	parsed, err := hints.ParsePythonJSON(c.node)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{options: Options{Version: version}, hardware: &metal{disks: c.disks}}
	a.node.Store(parsed.(*dict))
	a.log = newLogs(&journal{now: time.Now, sink: func(Entry) {}})
	name, err := a.rootDisk(t.Context(), false)
	var f *fault
	var e *exception
	switch {
	case errors.As(err, &f):
		return result{Class: f.Type.name, Error: f.Details}
	case errors.As(err, &e):
		return result{Class: e.Class, Error: e.Text}
	case err != nil:
		t.Fatal(err)
	}
	answer := result{Device: name}
	erased, err := a.erasable(t.Context(), a.node.Load())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range erased {
		answer.Erased = append(answer.Erased, d.Name)
	}
	return answer
}

// versions maps each release of Ironic to the version of the agent that belongs to it.
var versions = map[string]string{"newest": "13.0.0", "old": "9.4.2"}

// recorded is a line of testdata/rootdisk.jsonl. It holds a case and the results of the real agents of both releases.
// The tests in test/agent compare these results with those of the real agents, and can record them again.
type recorded struct {
	Name  string            `json:"name"`
	Node  json.RawMessage   `json:"node"`
	Disks json.RawMessage   `json:"disks"`
	Told  map[string]result `json:"told"`
}

// TestRootDiskLikeTheRealAgent checks that this agent selects the same disks as the real agents, and returns the same
// error messages.
func TestRootDiskLikeTheRealAgent(t *testing.T) {
	path := filepath.Join("testdata", "rootdisk.jsonl")
	cases := diskCases()
	if *update {
		writeCases(t, path, cases)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	if len(lines) != len(cases) {
		t.Fatalf("%d cases are recorded, want %d: go test ./agent -update && go test ./test/agent -run TestRootDisk -update", len(lines), len(cases))
	}
	for i, c := range cases {
		var r recorded
		if err := json.Unmarshal(lines[i], &r); err != nil {
			t.Fatal(err)
		}
		if r.Name != c.name || string(r.Node) != encode(t, json.RawMessage(c.node)) || string(r.Disks) != encode(t, c.disks) {
			t.Errorf("%s: another case is recorded: %s", c.name, lines[i])
		}
		for release, version := range versions {
			want, ok := r.Told[release]
			if got := ours(t, version, c); !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %s\n ours %+v\n real %+v", release, c.name, c.node, got, want)
			}
		}
	}
}

// writeCases writes the cases to path, without results.
func writeCases(t *testing.T, path string, cases []diskCase) {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	for _, c := range cases {
		if err := encoder.Encode(recorded{Name: c.name, Node: json.RawMessage(c.node), Disks: json.RawMessage(encode(t, c.disks))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// encode returns value as JSON in the format that writeCases uses.
func encode(t *testing.T, value any) string {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}
