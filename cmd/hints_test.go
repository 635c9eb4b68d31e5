package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/cmd/cli"
	"ironworks/config"
)

const hintInventory = `{"inventory": {"disks": [
	{"name": "/dev/sda", "size": 480103981056, "model": "Samsung 980 PRO", "wwn": "0x1", "rotational": false},
	{"name": "/dev/sdb", "size": 4000787030016, "model": "WDC\u202e", "wwn": "0x2", "rotational": true}]}}`

// piped runs a command line with standard input.
func piped(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = run(context.Background(), cli.Process{
		Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &complaints,
		Options: config.Options{Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir()},
	})
	return code, out.String(), complaints.String()
}

func TestHintsMatch(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "inventory.json")
	if err := os.WriteFile(file, []byte(hintInventory), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		hints, output, stdout, stderr string
	}{
		"the picked name": {`{"size": ">= 500"}`, "name", "/dev/sdb\n", ""},
		"a table":         {`{"model": "980"}`, "table", "to match a part of the value, use <in>", "ramdisk: No suitable device"},
		"text that harms": {`{"model": "<in> wdc"}`, "table", `WDC\u202e`, ""},
		"both verdicts":   {`{"size": "<range-in> [ 1 9999 ]"}`, "json", `"valid": true`, ""},
		"and the reason":  {`{"size": "<range-in> [ 1 9999 ]"}`, "yaml", "disagree: 'Ironic accepts the hints, but", ""},
		"invalid":         {`{"serial": 5}`, "table", "", "Ironic: invalid: Root device hint \"serial\""},
		"no hints":        {`null`, "name", "/dev/sda\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := piped(t, hintInventory, "hints", "match", "--hints", tt.hints, "--inventory", "-", "-o", tt.output)
			if code != cli.ExitOK || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
			}
			_, again, _ := piped(t, "", "hints", "match", "--hints", tt.hints, "--inventory", file, "-o", tt.output)
			if again != stdout {
				t.Errorf("from a file:\n%s", again)
			}
		})
	}
}

func TestHintsMatchBatch(t *testing.T) {
	t.Parallel()
	cases := `{"hints": {"wwn": "0X2"}, "disks": [{"name": "/dev/sda", "wwn": "0x2"}]}` + "\n\n" +
		`{"hints": {"tran": "sata"}, "disks": [{"name": "/dev/sda", "tran": "sata"}]}` + "\n" +
		`{"hints": {"name": "a&<x>"}, "disks": []}`
	want := `{"valid":true,"invalid_because":null,"agent":{"picks":"/dev/sda","error":null}}
{"valid":false,"invalid_because":"The hints \"tran\" are invalid. Valid hints are: \"size, model, wwn, serial, vendor, wwn_with_extension, wwn_vendor_extension, name, rotational, hctl, by_path\"","agent":{"picks":"/dev/sda","error":null}}
{"valid":true,"invalid_because":null,"agent":{"picks":null,"error":"No suitable device was found for deployment using these hints {'name': 'a&<x>'}"}}
`
	if code, stdout, stderr := piped(t, cases, "hints", "match", "--batch", "-"); code != cli.ExitOK || stdout != want {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
	file := filepath.Join(t.TempDir(), "cases.jsonl")
	if err := os.WriteFile(file, []byte(cases), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := piped(t, "", "hints", "match", "--batch", file, "--release", "old")
	var second struct {
		Agent struct{ Picks, Error *string }
	}
	if err := json.Unmarshal([]byte(strings.Split(stdout, "\n")[1]), &second); code != cli.ExitOK || err != nil || second.Agent.Picks != nil {
		t.Errorf("the old agent knows no tran: exit code %d, %v\n%s", code, err, stdout)
	}
	code, stdout, stderr := piped(t, cases+"\n{\n", "hints", "match", "--batch", "-")
	if code != cli.ExitUsage || stdout != want || !strings.Contains(stderr, "line 5") {
		t.Errorf("a line that is no case: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestHintsMatchReadsDisks checks that hints match accepts the output of disks -o json. Input without usable disks
// must be a usage error, rather than a result without a match.
func TestHintsMatchReadsDisks(t *testing.T) {
	t.Parallel()
	const printed = `{"node": {"uuid": "u", "name": "n1"}, "picks": "", "disks": [
	{"disk": {"name": "/dev/sda", "size": 480103981056, "serial": "S1"}, "picked": false, "matches": false, "why": ""},
	{"disk": {"name": "/dev/sdb", "size": 960197124096, "serial": "S2"}, "picked": false, "matches": false, "why": ""}]}`
	code, stdout, stderr := piped(t, printed, "hints", "match", "--hints", `{"serial": "S2"}`, "--inventory", "-", "-o", "json")
	if code != cli.ExitOK || !strings.Contains(stdout, `"picks": "/dev/sdb"`) {
		t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
	}
	for _, odd := range []string{`[{"node": "n1"}]`, `{"disks": [{"disk": {"size": 5}}]}`, `[{"name": "/dev/sda"}]`, `[{"name": "/dev/sda", "size": 0}]`} {
		if code, stdout, stderr := piped(t, odd, "hints", "match", "--hints", "{}", "--inventory", "-"); code != cli.ExitUsage || !strings.Contains(stderr, "disk 1 has no name or no size") {
			t.Errorf("%s: exit code %d:\n%s%s", odd, code, stdout, stderr)
		}
	}
}

func TestHintsUsage(t *testing.T) {
	t.Parallel()
	for says, args := range map[string][]string{
		"usage: hints match|set":                  {"hints"},
		`unknown command "fly"`:                   {"hints", "fly"},
		"give --hints and":                        {"hints", "match", "--hints", "{}"},
		"--batch cannot be combined with --hints": {"hints", "match", "--batch", "-", "--hints", "{}"},
		"must be newest or old":                   {"hints", "match", "--batch", "-", "--release", "new"},
		"/nowhere":                                {"hints", "match", "--batch", "/nowhere"},
		"--inventory":                             {"hints", "match", "--hints", "{}", "--inventory", "/nowhere"},
		"--hints: ":                               {"hints", "match", "--hints", "{", "--inventory", "-"},
		"--disk NAME is required":                 {"hints", "set", "n1"},
		"must be properties or instanc":           {"hints", "set", "n1", "--disk", "sda", "--to", "extra"},
		"disks --help":                            {"disks"},
	} {
		t.Run(says, func(t *testing.T) {
			t.Parallel()
			if code, stdout, stderr := piped(t, "", args...); code != cli.ExitUsage || !strings.Contains(stderr, says) {
				t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
			}
		})
	}
}
