package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

const boundKeys = `keys:
  fleet: 1
  wide: [w, "f5"]
  undeploy: []
`

// TestKeysOfTheConsole checks that key bindings and their line numbers are read, both together with the contexts and
// without them.
func TestKeysOfTheConsole(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	path := filepath.Join(home, ".config/ironworks/config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opts := Options{Home: home, WorkDir: home, SystemDir: home}
	if hands, err := LoadConsoleSettings(opts); err != nil || len(hands.Keys) > 0 {
		t.Errorf("without a file: %v %v", hands, err)
	}
	write(boundKeys + "contexts:\n  x: {url: 'http://h'}\n")
	c, err := Load(opts)
	if err != nil {
		t.Fatal(err)
	}
	hands, err := LoadConsoleSettings(opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]KeyBinding{c.Console.Keys, hands.Keys} {
		want := map[string][]string{"fleet": {"1"}, "wide": {"w", "f5"}, "undeploy": {}}
		if len(got) != len(want) {
			t.Fatalf("%+v", got)
		}
		for i, b := range got {
			if !reflect.DeepEqual(b.Keys, want[b.Action]) {
				t.Errorf("%s has %q", b.Action, b.Keys)
			}
			fault := b.At.Fault("is wrong", "fix it").Error()
			if want := path + ":" + string(rune('2'+i)) + ":3: keys." + b.Action + ": is wrong (fix it)"; fault != want {
				t.Errorf("%q, want %q", fault, want)
			}
		}
	}
	// Labs and recordings do not depend on the contexts.
	write(boundKeys + "contexts:\n  x: {url: 7}\n")
	if hands, err := LoadConsoleSettings(opts); err != nil || len(hands.Keys) != 3 {
		t.Errorf("with a broken context: %v %v", hands, err)
	}
	write("keys: 7\n")
	if _, err := LoadConsoleSettings(opts); err == nil || !strings.Contains(err.Error(), "config.yaml:1:7: keys: must be a mapping") {
		t.Errorf("with broken keys: %v", err)
	}
	write("keys: {\n")
	if _, err := LoadConsoleSettings(opts); err == nil || !strings.Contains(err.Error(), "not valid YAML") {
		t.Errorf("with broken YAML: %v", err)
	}
	opts.Flags.ConfigFile = filepath.Join(home, "missing.yaml")
	if _, err := LoadConsoleSettings(opts); err == nil || !strings.Contains(err.Error(), "missing.yaml") {
		t.Errorf("with a missing --config: %v", err)
	}
}
