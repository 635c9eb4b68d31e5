package cmd

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ironworks/cmd/cli"
	"ironworks/config"
	"ironworks/lab/db"
	"ironworks/test/embedded"
)

// TestWarningsOfCommands checks that commands print warnings about changes that are legal but may not work, even if
// they do not ask for confirmation.
func TestWarningsOfCommands(t *testing.T) {
	t.Parallel()
	const dropped = "Ironic drops hold, wait and power steps, so this step does not run"
	for name, tt := range map[string]struct {
		args   []string
		stderr string // "" for no warning
	}{
		"hold in cleaning":          {[]string{"clean", "one", "--step", "bios.factory_reset", "--step", "power.hold"}, "ironworks: warning: one: power.hold: " + dropped + "\n"},
		"wait in service":           {[]string{"service", "used", "--step", "power.wait seconds=5"}, "ironworks: warning: used: power.wait: " + dropped + "\n"},
		"several nodes":             {[]string{"clean", "one", "two", "--step", "deploy.hold"}, "ironworks: warning: 2 nodes: deploy.hold: " + dropped + "\n"},
		"a custom hardware manager": {[]string{"clean", "one", "--step", "deploy.upgrade_disks"}, "ironworks: warning: one: deploy.upgrade_disks is unknown"},
		"nothing to warn of":        {[]string{"clean", "one", "--step", "bios.factory_reset"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, complaints bytes.Buffer
			code := run(context.Background(), cli.Process{
				Args: append(tt.args, "--yes", "--url", warnedIronic(t).URL), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
				Options: config.Options{Home: t.TempDir(), WorkDir: t.TempDir(), SystemDir: t.TempDir()},
			})
			said := complaints.String()
			if code != cli.ExitOK || !strings.Contains(said, tt.stderr) || tt.stderr == "" && strings.Contains(said, "warning") || strings.Count(said, "warning") > 1 {
				t.Errorf("exit code %d, want %q:\n%s%s", code, tt.stderr, out.String(), said)
			}
		})
	}
}

// warnedIronic returns an Ironic with two manageable nodes and an active one.
func warnedIronic(t *testing.T) *httptest.Server {
	t.Helper()
	ironic := embedded.New(t, time.Now)
	for _, n := range []*db.Node{
		{UUID: "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "one", ProvisionState: "manageable"},
		{UUID: "2be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "two", ProvisionState: "manageable"},
		{UUID: "3be26c0b-03f2-4d2e-ae87-c02d7f33c123", Name: "used", ProvisionState: "active"},
	} {
		n.Driver, n.Interfaces = "fake-hardware", map[string]string{"deploy": "direct", "bios": "fake"}
		if _, err := ironic.Tables.Nodes.Create(n); err != nil {
			t.Fatal(err)
		}
	}
	s := httptest.NewServer(ironic.Handler)
	t.Cleanup(s.Close)
	return s
}
