// Package linuxhost provides recordings of machines that ran Linux. A recording contains the files, programs and
// interfaces that ironworks/agent/linux uses, and the report that ironic-python-agent 13.0.0 made of the machine
// during the same boot.
package linuxhost

import (
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/agent"
	"ironworks/agent/linux"
)

// recordings contains what record.py recorded in virtual machines.
//
//go:embed testdata/*.json
var recordings embed.FS

// Recording holds the data that was recorded on one machine.
type Recording struct {
	// Files maps the paths of files to their contents, each of which is a string, or an object with the key base64.
	Files   map[string]json.RawMessage `json:"files"`
	Links   map[string]string          `json:"links"`
	Folders []string                   `json:"folders"`
	// Programs maps command lines to the outputs of the programs.
	Programs map[string]agent.Output `json:"programs"`
	Kernel   map[string]Interface    `json:"kernel"`

	// Inventory, Disks and Collected come from ironic-python-agent: the inventory, all disks with every serial and WWN,
	// and the data of its collectors.
	Inventory json.RawMessage `json:"inventory"`
	Disks     json.RawMessage `json:"disks"`
	Collected map[string]any  `json:"collected"`
}

// Interface is the kernel's data about a network interface.
type Interface struct {
	IPs   []string `json:"addresses"`
	MAC   string   `json:"mac"`
	Mbits int      `json:"speed"`
}

// Names returns the names of all recordings.
func Names(tb testing.TB) []string {
	tb.Helper()
	entries, err := fs.ReadDir(recordings, "testdata")
	if err != nil {
		tb.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// Load reads a recording.
func Load(tb testing.TB, name string) *Recording {
	tb.Helper()
	raw, err := recordings.ReadFile("testdata/" + name + ".json")
	if err != nil {
		tb.Fatal(err)
	}
	r := &Recording{}
	if err := json.Unmarshal(raw, r); err != nil {
		tb.Fatal(err)
	}
	return r
}

// Host unpacks the recording into a folder and returns a host that works on it.
func (r *Recording) Host(tb testing.TB) linux.Host {
	tb.Helper()
	root := tb.TempDir()
	for _, name := range r.Folders {
		must(tb, os.MkdirAll(filepath.Join(root, name), 0o755))
	}
	for name, content := range r.Files {
		write(tb, filepath.Join(root, name), r.content(tb, content))
	}
	for name, target := range r.Links {
		full := filepath.Join(root, name)
		must(tb, os.MkdirAll(filepath.Dir(full), 0o755))
		must(tb, os.Symlink(target, full))
	}
	return linux.Host{Root: root, Run: r.run, Links: kernel(r.Kernel), Warn: tb.Logf}
}

func (r *Recording) content(tb testing.TB, raw json.RawMessage) []byte {
	tb.Helper()
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []byte(text)
	}
	var packed struct{ Base64 string }
	must(tb, json.Unmarshal(raw, &packed))
	content, err := base64.StdEncoding.DecodeString(packed.Base64)
	must(tb, err)
	return content
}

// run returns the recorded output of a command. If there is none, the program counts as missing on the machine.
func (r *Recording) run(_ context.Context, command linux.Command) (agent.Output, error) {
	out, known := r.Programs[strings.Join(command.Argv, " ")]
	if !known {
		return agent.Output{}, agent.ErrNoProgram
	}
	return out, nil
}

func write(tb testing.TB, name string, content []byte) {
	tb.Helper()
	must(tb, os.MkdirAll(filepath.Dir(name), 0o755))
	must(tb, os.WriteFile(name, content, 0o600))
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// kernel answers queries about network interfaces with the recorded data.
type kernel map[string]Interface

func (k kernel) Addresses(name string) []string  { return k[name].IPs }
func (k kernel) PermanentMAC(name string) string { return k[name].MAC }
func (k kernel) Speed(name string) int           { return k[name].Mbits }

func (kernel) LLDP(context.Context, []string) (map[string][]byte, error) {
	return nil, errors.ErrUnsupported
}
