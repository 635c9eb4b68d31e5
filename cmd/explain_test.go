package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/lab/db"
	"ironworks/models"
	"ironworks/test/embedded"
)

const explainedNoDisk = "Deploy step deploy.install_coreos failed on node 1be2. Error finding the disk or partition device to deploy the image onto: No suitable device was found for deployment using these hints {'wwn': '0xdead'}"

const explainedNoDiskText = `verdict     No disk in the machine matches the root device hints
confidence  high (rule no-hinted-device)
evidence    error = Deploy step deploy.install_coreos failed on node 1be2. Error
            finding the disk or partition device to deploy the image onto: No
            suitable device was found for deployment using these hints {'wwn':
            '0xdead'}
ruled out   the image: nothing was written
next        Compare the hints with each disk, and pin the right disk.
            ironworks disks NODE
`

func TestExplainText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args  []string
		stdin string
		code  int
		out   string
	}{
		"as text":            {[]string{"--error", explainedNoDisk}, "", cli.ExitOK, explainedNoDiskText},
		"standard input":     {[]string{"--error", "-", "--state", "deploy failed"}, explainedNoDisk + "\n", cli.ExitOK, explainedNoDiskText},
		"the rule's name":    {[]string{"--error", explainedNoDisk, "-o", "name"}, "", cli.ExitOK, "no-hinted-device\n"},
		"with a node":        {[]string{"--error", "x", "n1"}, "", cli.ExitUsage, ""},
		"of no text":         {[]string{"--error", "-"}, " \n", cli.ExitUsage, ""},
		"of a strange state": {[]string{"--error", "x", "--state", "flying"}, "", cli.ExitUsage, ""},
		"of nothing":         {nil, "", cli.ExitUsage, ""},
		"a state alone":      {[]string{"n1", "--state", "active"}, "", cli.ExitUsage, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, complaints bytes.Buffer
			code := run(context.Background(), cli.Process{
				Args: append([]string{"explain"}, tt.args...), Stdin: strings.NewReader(tt.stdin), Stdout: &out, Stderr: &complaints,
				Options: config.Options{Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir()},
			})
			if code != tt.code || out.String() != tt.out {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, out.String(), complaints.String())
			}
		})
	}
}

// explainedIronic returns an Ironic with a failed node, a node without problems, and a dead conductor.
func explainedIronic(t *testing.T) *httptest.Server {
	t.Helper()
	ironic := embedded.New(t, time.Now)
	for _, n := range []*db.Node{
		{UUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "bad", ProvisionState: "deploy failed", PowerState: "power off", Properties: db.Dict{"root_device": db.Dict{"wwn": "0xdead"}}},
		{UUID: "2be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "good", ProvisionState: "active", PowerState: "power on"},
	} {
		n.Driver = "fake-hardware"
		if _, err := ironic.Tables.Nodes.Create(n); err != nil {
			t.Fatal(err)
		}
	}
	ironic.Tables.AddHistory(db.History{NodeUUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", Severity: "ERROR", Event: explainedNoDisk})
	for _, c := range ironic.Tables.Conductors() {
		c.Alive = false
		ironic.Tables.SetConductor(c)
	}
	s := httptest.NewServer(ironic.Handler)
	t.Cleanup(s.Close)
	return s
}

func TestExplainNodes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"failed, by its history": {[]string{"bad"}, cli.ExitOK, []string{"bad  deploy failed\nverdict     No disk in the machine matches", "history = Deploy step", "root_device = {\"wwn\":\"0xdead\"} (properties)", "ironworks disks bad"}},
		"nothing is wrong":       {[]string{"good"}, cli.ExitOK, []string{"verdict     No problem found"}},
		"both":                   {[]string{"bad", "good"}, cli.ExitOK, []string{"No disk in the machine", "No problem found"}},
		"one is not there":       {[]string{"bad", "nobody"}, cli.ExitFailed, []string{"No disk in the machine"}},
		"nobody is there":        {[]string{"nobody"}, cli.ExitFailed, nil},
		"as JSON":                {[]string{"bad", "-o", "json"}, cli.ExitOK, []string{`"rule": "no-hinted-device"`, `"confidence": "high"`, `"next": {`, `"command": "ironworks disks bad"`}},
		"as YAML":                {[]string{"bad", "-o", "yaml"}, cli.ExitOK, []string{"rule: no-hinted-device\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, complaints bytes.Buffer
			code := run(context.Background(), cli.Process{
				Args: append([]string{"explain", "--url", explainedIronic(t).URL}, tt.args...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
				Options: config.Options{Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir()},
			})
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			for _, want := range tt.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("does not say %q:\n%s%s", want, out.String(), complaints.String())
				}
			}
			for line := range strings.SplitSeq(out.String(), "\n") {
				if len([]rune(line)) > 80 && !strings.Contains(strings.Join(tt.args, " "), "-o") {
					t.Errorf("wider than 80: %q", line)
				}
			}
		})
	}
}

// TestExplainShape checks the JSON names that scripts rely on.
func TestExplainShape(t *testing.T) {
	t.Parallel()
	code, out, complaints := offline(t, "explain", "--error", explainedNoDisk, "-o", "json")
	var shape struct {
		Rule, Verdict, Confidence string
		Evidence                  []models.Observation
		Not                       []string
		Next                      struct{ Text, Command string }
	}
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&shape); code != cli.ExitOK || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, complaints)
	}
	if shape.Rule != "no-hinted-device" || shape.Confidence != "high" || len(shape.Evidence) != 1 || len(shape.Not) != 1 || shape.Next.Command == "" {
		t.Errorf("%+v", shape)
	}
}
