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
	"ironworks/lab"
	"ironworks/provision"
)

// inLab runs a command line against an embedded Ironic.
func inLab(t *testing.T, url, home string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, complaints bytes.Buffer
	code = run(context.Background(), cli.Process{
		Args: append(args, "--url", url), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &complaints,
		Options: config.Options{Home: home, WorkDir: home, SystemDir: home},
	})
	return code, out.String(), complaints.String()
}

func TestDeployUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no node":                   {nil, "no NODE given"},
		"an empty plan":             {[]string{"-f", file("empty.yaml", "")}, "no NODE given"},
		"no such plan":              {[]string{"-f", filepath.Join(dir, "nowhere")}, "no such file"},
		"a broken plan":             {[]string{"n1", "-f", file("broken.yaml", "kind: x\nnoodles: []\n")}, "1:7: kind: invalid value \"x\""},
		"all that is broken":        {[]string{"n1", "-f", file("both.yaml", "kind: x\nnoodles: []\n")}, "2:1: unknown key \"noodles\""},
		"no such user data":         {[]string{"n1", "--user-data", filepath.Join(dir, "nowhere")}, "--user-data: open"},
		"empty user data":           {[]string{"n1", "--user-data", file("nothing", " \n")}, "empty"},
		"a plan without its file":   {[]string{"-f", file("lacks.yaml", "nodes: [n1]\nconfigdrive: {user_data_file: nowhere.bu}\n")}, "user_data_file"},
		"hints that are none":       {[]string{"n1", "--root-device", "{}"}, "no hints"},
		"hints that are no JSON":    {[]string{"n1", "--root-device", "{"}, "--root-device"},
		"a bad step":                {[]string{"n1", "--step", "install"}, "INTERFACE.STEP"},
		"a bad step in JSON":        {[]string{"n1", "--step", `{"interface": "deploy", "stpe": "x"}`}, `unknown field "stpe"`},
		"an unknown check":          {[]string{"n1", "--override", "colour", "--confirm", "n1"}, `unknown check "colour"`},
		"an override without nodes": {[]string{"n1", "--override", "inventory"}, "for each node that it applies to"},
		"a name without override":   {[]string{"n1", "--confirm", "n1"}, "--override CHECK"},
		"the name of another":       {[]string{"n1", "--override", "inventory", "--confirm", "n2"}, "not among the nodes of this command"},
		"what always refuses":       {[]string{"n1", "--override", "maintenance", "--confirm", "n1"}, "cannot be turned off"},
		"a policy without a word":   {[]string{"n1", "--policy", "inventory"}, "must be refuse, warn or off"},
		"a configdrive of others":   {[]string{"n1", "--configdrive", `{"userdata": 1}`}, `unknown key "userdata"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := offline(t, append([]string{"deploy"}, c.args...)...)
			if code != cli.ExitUsage || !strings.Contains(stderr, c.says) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, cli.ExitUsage, c.says, stdout, stderr)
			}
		})
	}
}

// TestDeployDryRun checks that a dry run sends nothing, and that it shows checks, requests and commands as text or
// JSON.
func TestDeployDryRun(t *testing.T) {
	t.Parallel()
	site, err := lab.StartSite(t.Context(), lab.SiteOptions{Members: []lab.Member{{Name: "r7-n01"}, {Name: "r7-n02"}}, Speed: 60})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	home := t.TempDir()
	do := func(want int, args ...string) (string, string) {
		t.Helper()
		code, stdout, stderr := inLab(t, site.Ironic.URL, home, args...)
		if code != want {
			t.Fatalf("%q: exit code %d, want %d\n%s%s", args, code, want, stdout, stderr)
		}
		return stdout, stderr
	}
	do(cli.ExitOK, "manage", "r7-n01", "--wait")
	do(cli.ExitOK, "inspect", "r7-n01", "--wait")
	do(cli.ExitOK, "provide", "r7-n01", "--wait")

	stdout, _ := do(cli.ExitRefused, "deploy", "r7-n01", "r7-n02", "--dry-run", "-o", "json")
	var reports []provision.DeployReport
	if err := json.Unmarshal([]byte(stdout), &reports); err != nil {
		t.Fatal(err)
	}
	if len(reports) != 2 || !reports[0].Refused || !reports[1].Refused || len(reports[0].Requests) != 0 {
		t.Fatalf("%s", stdout)
	}
	data := filepath.Join(home, "c.ign")
	if err := os.WriteFile(data, []byte(`{"ignition": {"version": "3.3.0"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(home, "plan.yaml")
	if err := os.WriteFile(plan, []byte("nodes: [r7-n01]\nroot_device: {hints: {name: /dev/nowhere}}\npolicy: {stable-hint: refuse}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr := do(cli.ExitRefused, "deploy", "-f", plan, "--user-data", data, "--yes"); !strings.Contains(stderr, "[root-device] no disk matches") {
		t.Errorf("%s", stderr)
	}
	// Flags override the plan.
	if _, stderr := do(cli.ExitRefused, "deploy", "-f", plan, "--root-device", `{"name": "/dev/sda"}`, "--yes"); !strings.Contains(stderr, "[stable-hint] identified by name only") {
		t.Errorf("%s", stderr)
	}
	stdout, _ = do(cli.ExitOK, "deploy", "-f", plan, "--user-data", data, "--root-device", `{"name": "/dev/sda"}`, "--policy", "stable-hint=off", "--dry-run")
	for _, part := range []string{"ok       root-device: target disk /dev/sda", "step 2   deploy.install_coreos@80", "send     PUT /v1/nodes/", `"value":{"name":"/dev/sda"}`, "$ baremetal node deploy"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("%q is not said:\n%s", part, stdout)
		}
	}
	// A rebuild runs the same checks as a deployment, except for the allowed states.
	if stdout, _ := do(cli.ExitRefused, "rebuild", "r7-n01", "--dry-run", "--override", "inventory", "--confirm", "r7-n01"); !strings.Contains(
		stdout, `refuse   state: not possible in state "available", only in "active", "error", "deploy failed"`) || !strings.Contains(stdout, "root-device") {
		t.Errorf("a rebuild: %s", stdout)
	}
	if _, stderr := do(cli.ExitUsage, "rebuild"); !strings.Contains(stderr, "rebuild: no NODE given") {
		t.Errorf("a rebuild of nothing: %s", stderr)
	}
	if _, stderr := do(cli.ExitRefused, "deploy", "r7-n01", "--yes", "--read-only"); !strings.Contains(stderr, "read-only") {
		t.Errorf("%s", stderr)
	}
	stdout, _ = do(cli.ExitOK, "node", "r7-n01", "-o", "json")
	if !strings.Contains(stdout, `"available"`) || !strings.Contains(stdout, `"instance_uuid": null`) {
		t.Errorf("something was sent: %s", stdout)
	}
}
