package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/test/ironic"
	"ironworks/test/terminal"
)

// sshNode creates a node whose deployment stays in a step because its agent has exited. The ramdisk still runs and
// accepts SSH connections.
func sshNode(t *testing.T, s *ironic.Server) (c *console, name string) {
	t.Helper()
	c, name, m := sshLogNode(t, s, "agent-dies-mid-step")
	c.ok("manage", name, "--wait", "--timeout", "6m")
	c.ok("provide", name, "--wait", "--timeout", "6m")
	c.ok("deploy", name, "--yes", "--override", "inventory", "--confirm", name, "--root-device", `{"serial": "`+m.Disks()[0].Serial+`"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Minute)
	defer cancel()
	if err := ironic.Poll(ctx, 200*time.Millisecond, func(context.Context) (bool, error) {
		internal, _ := apiNode(t, s, name)["driver_internal_info"].(map[string]any)
		return internal["agent_url"] != nil, nil
	}); err != nil {
		t.Fatal(err)
	}
	return c, name
}

// logins returns the SSH entries of the audit log, one per line, as "verb: result".
func (c *console) logins() string {
	c.t.Helper()
	var lines []string
	for _, l := range c.auditLines() {
		if verb, _ := l["verb"].(string); strings.HasPrefix(verb, "ssh ") {
			lines = append(lines, fmt.Sprint(verb, ": ", l["result"]))
		}
	}
	return strings.Join(lines, "\n")
}

// TestSSHCommand runs commands on a ramdisk, and checks exit codes, streams, refusals and the audit log.
func TestSSHCommand(t *testing.T) {
	t.Parallel()
	eachRelease(t, func(t *testing.T, server *ironic.Server) {
		c, name := sshNode(t, server)
		o := c.ok("ssh", name, "--", "hostname")
		if o.stdout != name+"\n" || !strings.Contains(o.stderr, "is trusted for this boot (first seen)") {
			t.Errorf("%q %q", o.stdout, o.stderr)
		}
		if o := c.ok("ssh", name, "--", "journalctl", "-o", "json", "-n", "1"); !strings.HasPrefix(o.stdout, "{") {
			t.Errorf("%q %q", o.stdout, o.stderr)
		}
		if o := c.fails(127, "ssh", name, "no-such-program"); !strings.Contains(o.stderr, "no-such-program: command not found") {
			t.Errorf("%q", o.stderr)
		}
		if o := c.runInput("echo from stdin\nexit 9\n", "ssh", name); o.code != 9 || o.stdout != "from stdin\n" {
			t.Errorf("%d %q %q", o.code, o.stdout, o.stderr)
		}
		address := strings.TrimPrefix(strings.SplitN(c.logins(), ": ", 2)[0], "ssh core@")
		if want := "ssh core@" + address; c.logins() != strings.TrimSuffix(strings.Repeat(want+": sending\n"+want+": accepted\n", 4), "\n") {
			t.Errorf("the audit has %s", c.logins())
		}
		for _, line := range c.auditLines() {
			if text := fmt.Sprint(line); strings.Contains(text, "from stdin") || strings.Contains(text, "hostname") {
				t.Errorf("the audit has what was typed: %s", text)
			}
		}
		// These commands are refused before any machine is contacted.
		if o := c.fails(3, "--read-only", "ssh", name, "hostname"); !strings.Contains(o.stderr, "ssh "+name+": this context is read-only; pass --read-only=false to allow changes") {
			t.Errorf("%q", o.stderr)
		}
		if o := c.fails(2, "ssh", name, "-t", "hostname"); !strings.Contains(o.stderr, "--tty: stdin and stdout are not a terminal") {
			t.Errorf("%q", o.stderr)
		}
		if o := c.fails(2, "ssh"); !strings.Contains(o.stderr, "see ironworks ssh --help") {
			t.Errorf("%q", o.stderr)
		}
		// If the connection fails, the error is the same as when the log is read.
		if o := c.fails(255, "ssh", name, "--address", "127.18.255.250", "hostname"); !strings.Contains(o.stderr, "SSH connection refused (check that the ramdisk runs sshd and that this is still its address)") {
			t.Errorf("%q", o.stderr)
		}
		host, port, _ := strings.Cut(address, ":")
		other, _ := newSSHKey(t)
		if err := os.Mkdir(filepath.Join(c.home, ".ssh"), 0o700); err != nil {
			t.Fatal(err)
		}
		c.file(filepath.Join(".ssh", "known_hosts"), []byte("["+host+"]:"+port+" "+other+"\n"))
		if o := c.fails(255, "ssh", name, "hostname"); !strings.Contains(o.stderr, "it differs from the key in known_hosts (ramdisks generate new keys at each boot: run ssh-keygen -R "+host) {
			t.Errorf("%q", o.stderr)
		}
		if !strings.HasSuffix(c.logins(), ": refused") {
			t.Errorf("the audit has %s", c.logins())
		}
		// The ramdisk of this node never ran.
		fresh, _ := screenNode(t, server, "fresh")
		if o := c.fails(3, "ssh", fresh, "hostname"); !strings.Contains(o.stderr, "ramdisk not running: Ironic has no address for its agent; wait for the ramdisk, or pass --address HOST") {
			t.Errorf("%q", o.stderr)
		}
	})
}

var sizeLine = regexp.MustCompile(`(?m)^\d+ \d+ *$`)

// machineHas runs stty on the machine until the output contains want, the terminal's rows and columns. A size change
// may reach the machine later than a key.
func (s *screenConsole) machineHas(want string) {
	s.t.Helper()
	for range 20 {
		answers := len(sizeLine.FindAllString(s.Text(), -1))
		s.press("stty size", terminal.Enter)
		s.when("the size of the terminal", func() bool { return len(sizeLine.FindAllString(s.Text(), -1)) > answers })
		if s.Contains(want) {
			return
		}
	}
	s.t.Fatalf("the machine does not have %s:\n%s", want, s.Describe())
}

// TestSSHAtTerminal opens shells at a terminal, and checks the size, the exit code, the ~. escape, signals, and that
// the terminal is restored.
func TestSSHAtTerminal(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		c, name := sshNode(t, server)
		prompt := "core@" + name + ":~$"
		s := c.shell(`stty -g | md5sum; "$0" ssh ` + name + `; echo "left with $?"; stty -g | md5sum`)
		s.until("is trusted for this boot", prompt)
		s.press("stty size", terminal.Enter)
		s.until("40 120")
		if err := s.Resize(100, 30); err != nil {
			t.Fatal(err)
		}
		s.press("x", terminal.CtrlC)
		s.machineHas("30 100")
		s.press("exit 5", terminal.Enter)
		s.until("left with 5")
		s.ends(0)
		sums := map[string]bool{}
		for _, line := range s.Lines() {
			if sum, isSum := strings.CutSuffix(line, "  -"); isSum {
				sums[sum] = true
			}
		}
		if len(sums) != 1 {
			t.Errorf("the terminal's settings changed:\n%s", s.Describe())
		}
		for _, end := range []struct {
			code int
			by   func(s *screenConsole)
		}{
			{255, func(s *screenConsole) { s.press("~", ".") }},
			{143, func(s *screenConsole) { _ = s.Signal(syscall.SIGTERM) }},
			{129, func(s *screenConsole) { _ = s.Signal(syscall.SIGHUP) }},
			{0, func(s *screenConsole) { s.press(terminal.CtrlD) }},
		} {
			s := c.screen(roomy, "ssh", name)
			s.until(prompt)
			end.by(s)
			s.ends(end.code)
		}
		s = c.screen(roomy, "ssh", name, "-t", "--", "stty", "size")
		s.until("40 120")
		s.ends(0)
	})
}

// TestScreenShell opens shells from the console, and checks that the console returns to the same screen.
func TestScreenShell(t *testing.T) {
	t.Parallel()
	inTheNewest(t, func(t *testing.T, server *ironic.Server) {
		c, name := sshNode(t, server)
		fresh, _ := screenNode(t, server, "fresh")
		s := c.fleet(roomy)
		s.filterFor(fresh)
		s.press("S")
		s.until("ramdisk not running: Ironic has no address for its agent")
		s.filterFor(name)
		prompt := "core@" + name + ":~$"
		s.press("S")
		s.until("shell on "+name+". exit returns to the console", "is trusted for this boot", prompt)
		if s.AltScreen() {
			t.Errorf("the shell is in the alternate screen of the console:\n%s", s.Describe())
		}
		s.press("stty size", terminal.Enter)
		s.until("40 120")
		// In the console, q quits, but here it is sent to the shell.
		s.press("q", terminal.Enter)
		s.until("q: command not found")
		if err := s.Resize(100, 30); err != nil {
			t.Fatal(err)
		}
		s.machineHas("30 100")
		s.press("exit 3", terminal.Enter)
		s.until("› fleet", " / name:="+name+" ", "shell "+name+": exit status 3")
		s.whole("? keys")
		// The first key after a shell goes to the console.
		s.press("?")
		s.until(helpTitle)
		s.press(terminal.Esc)
		s.gone(helpTitle)
		// The host key is known in this console. The terminal still shows the output of the earlier shells.
		opens := func(nth int) {
			t.Helper()
			s.press("S")
			s.when("another shell", func() bool {
				return strings.Count(s.Text(), "Simulated ramdisk of") == nth && strings.HasSuffix(strings.TrimSpace(s.Text()), prompt)
			})
		}
		opens(2)
		s.press("~", ".")
		s.until("› fleet", "disconnected (~. at the start of a line)")
		opens(3)
		s.press(terminal.CtrlD)
		s.until("› fleet", "shell "+name+": closed")
		if n := strings.Count(c.logins(), ": accepted"); n != 3 {
			t.Errorf("the audit has %d logins: %s", n, c.logins())
		}
		// In read-only mode, no shell can be opened.
		s.press("\x0f")
		s.until("[read-only]")
		s.press("S")
		s.until("shell: read-only mode")
		s.quits()
		for _, end := range []struct {
			code   int
			signal syscall.Signal
		}{{143, syscall.SIGTERM}, {0, syscall.SIGHUP}} {
			s := c.fleet(roomy)
			s.filterFor(name)
			s.press("S")
			s.until(prompt)
			_ = s.Signal(end.signal)
			s.ends(end.code)
		}
	})
}
