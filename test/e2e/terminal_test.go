package e2e

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"ironworks/test/ironic"
	"ironworks/test/weather"
)

// terminalRun is a run of the program at an 80×24 terminal.
type terminalRun struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	seen lockedBuffer
	// read is closed when the terminal is closed.
	read chan struct{}
}

// atTerminal starts the program at a terminal. The program is killed when the test ends.
func (c *console) atTerminal(args ...string) *terminalRun {
	c.t.Helper()
	p := &terminalRun{t: c.t, cmd: c.command(context.Background(), args...), read: make(chan struct{})}
	tty, err := pty.StartWithSize(p.cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		c.t.Fatal(err)
	}
	p.tty = tty
	go func() {
		defer close(p.read)
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf) // EIO after the program exits
			_, _ = p.seen.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	c.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
		<-p.read
		_ = tty.Close()
	})
	return p
}

var sequences = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// text returns the output so far, without escape sequences.
func (p *terminalRun) text() string {
	return strings.ReplaceAll(sequences.ReplaceAllString(p.seen.String(), ""), "\r\n", "\n")
}

// until waits up to two minutes until the output contains text.
func (p *terminalRun) until(text string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	err := ironic.Poll(ctx, 10*time.Millisecond, func(context.Context) (bool, error) {
		return strings.Contains(p.text(), text), nil
	})
	if err != nil {
		p.t.Fatalf("no %q on the terminal:\n%s", text, p.text())
	}
}

func (p *terminalRun) typeKeys(keys string) {
	p.t.Helper()
	if _, err := p.tty.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// exits waits for the program to exit with the given code.
func (p *terminalRun) exits(code int) {
	p.t.Helper()
	select {
	case <-p.read:
	case <-time.After(time.Minute):
		p.t.Fatalf("timed out waiting for exit:\n%s", p.text())
	}
	_ = p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d\n%s", got, code, p.text())
	}
	outcome{stderr: strings.ReplaceAll(p.text(), "\r", "")}.clean(p.t)
}

const ctrlC = "\x03"

// setOwner sets the owner of an existing node.
func setOwner(t *testing.T, s *ironic.Server, node, owner string) {
	t.Helper()
	patch := []map[string]any{{"op": "add", "path": "/owner", "value": owner}}
	if status, body, err := s.Do(t.Context(), http.MethodPatch, "/v1/nodes/"+node, patch); err != nil || status != http.StatusOK {
		t.Fatal(status, err, string(body))
	}
}

// adoptedNode creates a node with the additional fields in more, makes it active by adopting it, and returns its
// name.
func adoptedNode(t *testing.T, s *ironic.Server, more map[string]any) (name string) {
	t.Helper()
	name = unique("active")
	node := map[string]any{"name": name, "deploy_interface": "fake"}
	for key, value := range more {
		node[key] = value
	}
	s.CreateNode(t, node)
	c := consoleAt(t, s)
	c.ok("manage", name, "--wait")
	c.ok("adopt", name, "--wait")
	return name
}

func TestConfirmationAtATerminal(t *testing.T) {
	t.Parallel()
	eachStorm(t, testConfirmationAtATerminal)
}

func testConfirmationAtATerminal(t *testing.T, s *ironic.Server) {
	t.Parallel()
	t.Run("one node", func(t *testing.T) {
		t.Parallel()
		name := adoptedNode(t, s, map[string]any{
			"resource_class": "gp-2x", "description": "the \x1b[31mred one",
			"driver_info": map[string]any{"redfish_address": "https://bmc7.example"},
		})
		uuid := apiNode(t, s, name)["uuid"].(string)
		setOwner(t, s, uuid, "rack7")
		for answer, code := range map[string]int{"n\n": 3, "y\n": 3, "\n": 3, "undeploy\n": 3, "1\n": 3, "\x04": 3, ctrlC: 1} {
			c := consoleAt(t, s)
			p := c.atTerminal("undeploy", name)
			p.until("undeploy " + name + "? Type the node name " + name + " to confirm: ")
			card := strings.Join(strings.Fields(p.text()), " ") // long lines are wrapped
			for _, text := range []string{
				name, uuid, "active", "https://bmc7.example", "gp-2x", "rack7", `the \x1b[31mred one`,
				"automated cleaning", "every disk may be erased", "not inspected",
			} {
				if !strings.Contains(card, text) {
					t.Errorf("no %q on the card:\n%s", text, p.text())
				}
			}
			p.typeKeys(answer)
			p.exits(code)
			if want := map[int]string{3: "nothing was sent", 1: "interrupted"}[code]; !strings.Contains(p.text(), want) {
				t.Errorf("%q: no %q in %s", answer, want, p.text())
			}
			if got := c.auditResults(); got != "" {
				t.Errorf("%q: audit: %s", answer, got)
			}
			if state := apiNode(t, s, name)["provision_state"]; state != "active" {
				t.Fatalf("%q: the node is %v", answer, state)
			}
		}
	})
	t.Run("yes", func(t *testing.T) {
		t.Parallel()
		name := adoptedNode(t, s, nil)
		c := consoleAt(t, s)
		p := c.atTerminal("undeploy", name, "--wait")
		p.until("Type the node name " + name + " to confirm: ")
		p.typeKeys(name + "\n")
		p.exits(0)
		if got := c.auditResults(); got != "sending accepted" || apiNode(t, s, name)["provision_state"] != "available" {
			t.Errorf("audit: %s\n%s", got, p.text())
		}
	})
	t.Run("several nodes", func(t *testing.T) {
		t.Parallel()
		names := []string{adoptedNode(t, s, nil), adoptedNode(t, s, nil), adoptedNode(t, s, nil)}
		for _, answer := range []string{"y\n", "2\n", "yes\n", "4\n", "03\n", "\n"} {
			c := consoleAt(t, s)
			p := c.atTerminal(append([]string{"undeploy"}, names...)...)
			p.until("undeploy 3 nodes? Type the number of nodes to confirm: ")
			for _, name := range names {
				if !strings.Contains(p.text(), name) {
					t.Errorf("no %s in\n%s", name, p.text())
				}
			}
			p.typeKeys(answer)
			p.exits(3)
			if got := c.auditResults(); got != "" {
				t.Errorf("%q: audit: %s", answer, got)
			}
		}
		c := consoleAt(t, s)
		p := c.atTerminal(append([]string{"undeploy", "--wait"}, names...)...)
		p.until("to confirm: ")
		p.typeKeys("3\n")
		p.exits(0)
		for _, name := range names {
			if state := apiNode(t, s, name)["provision_state"]; state != "available" {
				t.Errorf("%s is %v", name, state)
			}
		}
	})
}

func TestProgressAtATerminal(t *testing.T) {
	t.Parallel()
	eachStorm(t, testProgressAtATerminal)
}

func testProgressAtATerminal(t *testing.T, s *ironic.Server) {
	t.Parallel()
	t.Run("a locked node", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		name := unique("locked")
		s.CreateNode(t, map[string]any{"name": name})
		locked := weather.Ironic(409, "Node "+name+" is locked by host cond7, please retry after the current operation is completed.")
		p.Set(weather.On(weather.Method(http.MethodPut), locked).Times(2))
		term := c.atTerminal("manage", name, "--wait")
		term.until("locked by cond7, attempt 2 of 6 in ")
		term.until("locked by cond7, attempt 3 of 6 in ")
		term.exits(0)
		seconds := map[string]bool{}
		for _, m := range regexp.MustCompile(`attempt 2 of 6 in (\d)s`).FindAllStringSubmatch(term.text(), -1) {
			seconds[m[1]] = true
		}
		if len(seconds) < 2 {
			t.Errorf("no countdown:\n%s", term.text())
		}
		if !strings.Contains(term.text(), "manageable") || p.Count(http.MethodPut) != 3 {
			t.Errorf("%d requests\n%s", p.Count(http.MethodPut), term.text())
		}
		if got := c.auditResults(); got != "sending accepted" {
			t.Errorf("audit: %s", got)
		}
		// The progress line was never wider than the terminal.
		for _, line := range strings.FieldsFunc(term.text(), func(r rune) bool { return r == '\r' || r == '\n' }) {
			if len([]rune(line)) > 80 {
				t.Errorf("wider than the terminal: %q", line)
			}
		}
	})
	t.Run("connection lost while waiting", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		name := unique("n")
		s.CreateNode(t, map[string]any{"name": name})
		p.Set(weather.On(func(r *http.Request) bool { return r.Method == http.MethodGet && p.Count(http.MethodPut) > 0 }, weather.HTML(502)))
		term := c.atTerminal("manage", name, "--wait")
		term.until("HTTP 502")
		p.Clear()
		term.exits(0)
	})
	t.Run("accepted", func(t *testing.T) {
		t.Parallel()
		c := consoleAt(t, s)
		name := unique("accepted")
		s.CreateNode(t, map[string]any{"name": name})
		term := c.atTerminal("manage", name)
		term.exits(0)
		if !strings.Contains(term.text(), "accepted, not done yet") {
			t.Error(term.text())
		}
	})
	t.Run("Ctrl-C while listing", func(t *testing.T) {
		t.Parallel()
		c, p := behindProxy(t, s)
		p.Set(weather.All(weather.Stalled()))
		term := c.atTerminal("nodes")
		await(t, p, "a request", isMethod(http.MethodGet))
		term.typeKeys(ctrlC)
		term.exits(1)
		if !strings.Contains(term.text(), "interrupted") {
			t.Error(term.text())
		}
	})
	t.Run("a table is cut to the terminal", func(t *testing.T) {
		t.Parallel()
		c := consoleAt(t, s)
		name := unique("wide")
		setOwner(t, s, s.CreateNode(t, map[string]any{"name": name, "resource_class": strings.Repeat("機器", 30)}), strings.Repeat("x", 200))
		term := c.atTerminal("nodes", "-o", "wide", "name:="+name)
		term.exits(0)
		for line := range strings.Lines(term.text()) {
			if len([]rune(line)) > 81 {
				t.Errorf("wider than the terminal: %q", line)
			}
		}
	})
}
