package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/program"
	"ironworks/test/terminal"
)

// copyEntry picks an entry from the Copy list and returns what the terminal's clipboard received.
func (s *screenConsole) copyEntry(what string) string {
	s.t.Helper()
	had := len(s.Clipboard())
	s.pick("y", "Copy", what)
	s.until("copied the " + what + ": ")
	s.when("the clipboard", func() bool { return len(s.Clipboard()) > had })
	all := s.Clipboard()
	return all[len(all)-1]
}

// runs runs a copied line in bash with ironworks in the PATH and returns the standard output.
func (c *console) runs(line string) string {
	c.t.Helper()
	bin := c.t.TempDir()
	if err := os.Symlink(program.Path(), filepath.Join(bin, "ironworks")); err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), "bash", "-c", line)
	cmd.Env = append(append([]string{}, c.env...), "PATH="+bin+":"+os.Getenv("PATH"))
	cmd.Dir = c.home
	out, err := cmd.Output()
	if err != nil {
		c.t.Errorf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

func TestScreenCopy(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		name, uuid := screenNode(t, server, "copied")
		c := configured(t, "context: o'brien\ncontexts:\n  o'brien: {url: '"+server.URL+"'}\n")
		s := c.fleet(roomy)
		s.filterFor(name)
		if got := s.copyEntry("uuid"); got != uuid {
			t.Errorf("uuid: %q, want %q", got, uuid)
		}
		if got := s.copyEntry("name"); got != name {
			t.Errorf("name: %q, want %q", got, name)
		}
		if got := s.copyEntry("row"); !strings.HasPrefix(got, name+"\tenroll\t") || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("row: %q", got)
		}
		works := func(where string) {
			t.Helper()
			if out := c.runs(s.copyEntry("command")); !strings.Contains(out, uuid) || !strings.Contains(out, "enroll") {
				t.Errorf("%s: the command printed %q", where, out)
			}
			request := s.copyEntry("request")
			if !strings.HasPrefix(request, "curl ") {
				t.Fatalf("%s: request %q", where, request)
			}
			if _, err := exec.LookPath("curl"); err != nil {
				t.Log("curl is not installed; request not tried")
			} else if out := c.runs(request + " -sf"); !strings.Contains(out, `"uuid": "`+uuid+`"`) && !strings.Contains(out, `"uuid":"`+uuid+`"`) {
				t.Errorf("%s: the request printed %q", where, out)
			}
		}
		works("fleet")
		s.press(terminal.Enter)
		s.until("› "+name, "updated just now")
		works("node")
		s.press(terminal.ShiftTab)
		s.until("[Raw]", "driver: fake-hardware")
		if got := s.copyEntry("yaml"); !strings.Contains(got, "uuid: "+uuid) || !strings.Contains(got, "\ndriver: fake-hardware\n") {
			t.Errorf("yaml: %q", got)
		}

		// The command copied from a task repeats the task in a shell.
		s.press("M")
		s.until("manage " + name + ": done")
		s.press("5")
		s.until("✓ done")
		if got := s.copyEntry("command"); !strings.HasPrefix(got, "ironworks manage "+name+" --context ") {
			t.Errorf("the task's command: %q", got)
		} else if out := c.runs(got + " 2>&1; true"); !strings.Contains(out, "not possible in state") && !strings.Contains(out, "already") {
			t.Errorf("the task's command printed %q", out)
		}
		s.press("4")
		s.until("› connect")
		if out := c.runs(s.copyEntry("command")); !strings.Contains(out, name) {
			t.Errorf("the context's command printed %q", out)
		}
		s.quits()
	})
}
