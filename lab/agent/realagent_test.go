package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"ironworks/lab/python"
	released "ironworks/test/ironic"

	realagent "ironworks/test/agent"
)

// diskCase is a node whose root disk is looked for.
type diskCase struct {
	name, node string
	disks      []Disk
}

// told is what an agent says to a diskCase: it picks a disk and lists what it
// would erase, or it fails.
type told struct {
	Device string   `json:"device"`
	Erased []string `json:"erased"`
	Class  string   `json:"class"`
	Error  string   `json:"error"`
}

// diskCases are the hints of hintCases, and what else decides on the disk.
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

// ours is what this agent says.
func ours(t *testing.T, version string, c diskCase) told {
	t.Helper()
	parsed, err := python.ParseJSON(c.node)
	if err != nil {
		t.Fatal(err)
	}
	a := &agent{options: Options{Version: version}, hardware: &metal{disks: c.disks}, node: parsed.(*dict)}
	a.log = newLogs(&journal{now: time.Now, sink: func(Entry) {}})
	name, err := a.rootDisk(t.Context(), false)
	var f *fault
	var e *exception
	switch {
	case errors.As(err, &f):
		return told{Class: string(f.Type), Error: f.Details}
	case errors.As(err, &e):
		return told{Class: e.Class, Error: e.Text}
	case err != nil:
		t.Fatal(err)
	}
	answer := told{Device: name}
	erased, err := a.erasable(t.Context(), a.node)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range erased {
		answer.Erased = append(answer.Erased, d.Name)
	}
	return answer
}

// versions are those of the agents of the releases of Ironic.
var versions = map[string]string{"newest": "13.0.0", "old": "9.4.2"}

// The real agents of both releases say the same, word for word.
func TestRootDiskLikeTheRealAgent(t *testing.T) {
	cases := diskCases()
	var input bytes.Buffer
	for _, c := range cases {
		encoder := json.NewEncoder(&input)
		if err := encoder.Encode(map[string]any{"node": json.RawMessage(c.node), "disks": c.disks}); err != nil {
			t.Fatal(err)
		}
	}
	for _, release := range released.Releases(t) {
		t.Run(release.Name(), func(t *testing.T) {
			answers := json.NewDecoder(bytes.NewReader(realagent.Run(t, release, "root-disk", input.Bytes())))
			for _, c := range cases {
				var want told
				if err := answers.Decode(&want); err != nil {
					t.Fatal(err)
				}
				got := ours(t, versions[release.Name()], c)
				if got.Device != want.Device || got.Class != want.Class || got.Error != want.Error || !slices.Equal(got.Erased, want.Erased) {
					t.Errorf("%s: %s\n ours %+v\n real %+v", c.name, c.node, got, want)
				}
			}
			if answers.More() {
				t.Error("the real agent says more than it was asked")
			}
		})
	}
}
