package builders

import (
	"encoding/json"
	"os"
	"testing"

	"ironworks/ignition"
)

// TestClassic checks that our configurations equal those that build.py creates from the same inputs.
func TestClassic(t *testing.T) {
	recorded := read(t, ClassicFile)
	for _, c := range ClassicCases() {
		checkCase(t, recorded, c.Name, c.Deviation, c.Input.Build)
	}
	if len(recorded.Cases) != len(ClassicCases()) {
		t.Errorf("%d recorded cases, want %d", len(recorded.Cases), len(ClassicCases()))
	}
}

// TestMetal3 checks that our configurations equal those that image-customization-controller creates from the same
// inputs.
func TestMetal3(t *testing.T) {
	recorded := read(t, Metal3File)
	for _, c := range Metal3Cases() {
		checkCase(t, recorded, c.Name, c.Deviation, c.Input.Build)
	}
	if len(recorded.Cases) != len(Metal3Cases()) {
		t.Errorf("%d recorded cases, want %d", len(recorded.Cases), len(Metal3Cases()))
	}
}

func checkCase(t *testing.T, recorded Record, name string, deviation Deviation, build func() (ignition.Document, error)) {
	t.Helper()
	want, ok := recorded.Cases[name]
	if !ok {
		t.Errorf("%s: not recorded; run the recorder again", name)
		return
	}
	if text := Compare(want, deviation, build); text != "" {
		t.Errorf("%s: %s", name, text)
	}
}

func read(t *testing.T, file string) Record {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var record Record
	if err := json.Unmarshal(raw, &record); err != nil {
		t.Fatal(err)
	}
	if record.Source == "" || len(record.Cases) < 300 {
		t.Fatalf("%s has %d cases of %q", file, len(record.Cases), record.Source)
	}
	return record
}

// TestDifferenceNamesTheParts checks that the comparison finds differences and names the parts that differ.
func TestDifferenceNamesTheParts(t *testing.T) {
	base := `{"ignition":{"version":"3.0.0"},"passwd":{"users":[{"name":"core"}]},` +
		`"storage":{"files":[{"path":"/a","mode":420,"user":{}}]},"systemd":{"units":[{"name":"u.service","contents":"x"}]}}`
	want := DigestOf([]byte(base))
	for _, test := range []struct{ name, config, part string }{
		{"the same in other words", `{"systemd":{"units":[{"contents":"x","name":"u.service"}]},"ignition":{"proxy":{},"version":"3.0.0"},` +
			`"passwd":{"users":[{"name":"core"}]},"storage":{"files":[{"path":"/a","mode":420}],"links":[]}}`, ""},
		{"broken", base + "x", "outcome error, want made"},
		{"another mode", `{"ignition":{"version":"3.0.0"},"passwd":{"users":[{"name":"core"}]},"storage":{"files":[{"path":"/a","mode":384}]},` +
			`"systemd":{"units":[{"name":"u.service","contents":"x"}]}}`, "file /a differs"},
		{"nothing", `{"ignition":{"version":"3.1.0"}}`, "version 3.1.0, want 3.0.0; files [], want [/a]; units [], want [u.service]; the users differ"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Difference(want, DigestOf([]byte(test.config))); got != test.part {
				t.Errorf("got %q, want %q", got, test.part)
			}
		})
	}
}
