package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/stepfile"
	"ironworks/test/golden"
	"ironworks/test/ironic"
)

// TestTemplatesAndRunbooks creates, changes and deletes deploy templates and runbooks from files. It also checks that
// the commands that a dry run shows create the same objects.
func TestTemplatesAndRunbooks(t *testing.T) {
	t.Parallel()
	for _, kind := range []stepfile.Kind{stepfile.Template, stepfile.Runbook} {
		t.Run(kind.Collection(), func(t *testing.T) {
			t.Parallel()
			eachRelease(t, func(t *testing.T, s *ironic.Server) {
				c := consoleAt(t, s)
				if kind == stepfile.Runbook && s.Release == ironic.Old {
					if o := c.fails(3, "runbooks", "list"); !strings.Contains(o.stderr, "runbooks needs API 1.92; this Ironic has 1.82") {
						t.Errorf("%s", o.stderr)
					}
					return
				}
				checkStepFiles(t, s, c, kind)
			})
		})
	}
}

func checkStepFiles(t *testing.T, s *ironic.Server, c *console, kind stepfile.Kind) {
	t.Helper()
	command, order := "templates", "priority"
	if kind == stepfile.Runbook {
		command, order = "runbooks", "order"
	}
	name := "CUSTOM_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(unique("steps")))
	file := func(more string, first int) string {
		return c.file(kind.Collection()+".yaml", fmt.Appendf(nil, `
- name: %s
  steps:
    - {interface: deploy, step: erase_devices_metadata, %s: %d}
    - {interface: deploy, step: erase_devices, %s: 20, args: {a: "it's", b: [1, null, true]}}
  extra: {team: a b}
%s`, name, order, first, order, more))
	}
	preview := c.ok(command, "apply", "-f", file("", 10), "--dry-run").stdout
	applied := func(want string, args ...string) {
		t.Helper()
		if o := c.ok(append([]string{command, "apply", "--yes"}, args...)...); !strings.Contains(o.stdout, want) {
			t.Errorf("apply %v: %s, want %s", args, o.stdout, want)
		}
	}
	applied(name+"  create  done", "-f", file("", 10))
	ours := stepRecord(t, s, kind, name)
	c.ok(command, "delete", name, "--yes")
	c.fails(1, command, "show", name)

	// The official client runs the command that the preview shows.
	_, line, found := strings.Cut(preview, "  $ ")
	line, _, _ = strings.Cut(line, "\n")
	if !found {
		t.Fatalf("no command in %s", preview)
	}
	version := "1.82"
	if s.Release == ironic.Newest {
		version = "1.115"
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", line)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(ironic.Environment(t, "newest"), "bin")+":"+os.Getenv("PATH"),
		"OS_AUTH_TYPE=none", "OS_ENDPOINT="+s.URL, "OS_BAREMETAL_API_VERSION="+version)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	if theirs := stepRecord(t, s, kind, name); theirs != ours {
		t.Errorf("%s creates another %s:\n%s", line, kind.Noun(), golden.Diff(theirs, ours))
	}
	applied("unchanged", "-f", file("", 10))
	applied("change  done    steps", "-f", file("", 11))
	shown := c.file("shown.yaml", []byte(c.ok(command, "show", name).stdout))
	applied("unchanged", "-f", shown)
	if o := c.ok(command, "list"); !strings.Contains(o.stdout, name) {
		t.Errorf("list: %s", o.stdout)
	}
	node, _ := screenNode(t, s, "steps")
	if o := c.ok(command, "list", "--node", node, "-o", "name"); strings.Contains(o.stdout, name) {
		t.Errorf("list --node without the trait: %s", o.stdout)
	}
	if kind == stepfile.Runbook {
		applied("change  done    traits", "-f", file("  traits: ["+name+"]\n", 11))
	}
	c.ok("set", node, "traits="+name)
	if o := c.ok(command, "list", "--node", node, "-o", "name"); o.stdout != name+"\n" {
		t.Errorf("list --node: %s", o.stdout)
	}
	if kind == stepfile.Runbook {
		checkRunbookTraits(t, c, file, applied, node, name)
	}
	c.ok(command, "delete", name, "--yes")
}

// checkRunbookTraits sets the traits of a runbook, for which the API has a separate path.
func checkRunbookTraits(t *testing.T, c *console, file func(more string, first int) string, applied func(want string, args ...string), node, name string) {
	t.Helper()
	const more = "  traits: [CUSTOM_X, HW_CPU_X86_VMX]\n  description: two traits\n"
	applied("change  done    description, traits", "-f", file(more, 11))
	applied("unchanged", "-f", file(more, 11))
	if o := c.ok("runbooks", "list"); !strings.Contains(o.stdout, "CUSTOM_X, HW_CPU_X86_VMX") {
		t.Errorf("traits: %s", o.stdout)
	}
	if o := c.ok("runbooks", "list", "--node", node, "-o", "name"); strings.Contains(o.stdout, name) {
		t.Errorf("the node has none of the traits: %s", o.stdout)
	}
	applied("change  done    traits", "-f", file("  traits: []\n", 11))
}

// stepRecord returns a template or runbook as Ironic stores it, without its UUID, times and links.
func stepRecord(t *testing.T, s *ironic.Server, kind stepfile.Kind, name string) string {
	t.Helper()
	status, body, err := s.Do(t.Context(), http.MethodGet, "/v1/"+kind.Collection()+"/"+name, nil)
	var object map[string]any
	if err != nil || status != http.StatusOK || json.Unmarshal(body, &object) != nil {
		t.Fatalf("%d %v %s", status, err, body)
	}
	for _, key := range []string{"uuid", "created_at", "updated_at", "links"} {
		delete(object, key)
	}
	text, err := json.MarshalIndent(object, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
