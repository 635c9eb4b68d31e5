package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"ironworks/test/ironic"
	"ironworks/test/program"
	"ironworks/test/terminal"
	"ironworks/test/weather"
)

// exitLimit limits the time that the program may take to exit.
const exitLimit = 5 * time.Second

// waitExit waits for the program to exit and returns its exit code.
func (s *screenConsole) waitExit() int {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), exitLimit)
	defer cancel()
	code, err := s.Wait(ctx)
	if ctx.Err() != nil {
		s.t.Fatalf("timed out waiting for exit: %v\n%s", err, s.Describe())
	}
	return code
}

func TestScreenSignals(t *testing.T) {
	t.Parallel()
	eachStorm(t, func(t *testing.T, server *ironic.Server) {
		t.Parallel()
		for _, test := range []struct {
			name string
			code int
			end  func(s *screenConsole)
		}{
			{"TERM", 143, func(s *screenConsole) { _ = s.Signal(syscall.SIGTERM) }},
			{"INT", 0, func(s *screenConsole) { _ = s.Signal(os.Interrupt) }},
			{"HUP", 0, func(s *screenConsole) { _ = s.Signal(syscall.SIGHUP) }},
			{"q", 0, func(s *screenConsole) { s.press("q") }},
			{"ctrl+c", 0, func(s *screenConsole) { s.press(terminal.CtrlC) }},
			{"ctrl+c in a list", 0, func(s *screenConsole) { s.press("?"); s.until(helpTitle); s.press(terminal.CtrlC) }},
			{"ctrl+c in the filter", 0, func(s *screenConsole) { s.press("/", "q"); s.until(" / q"); s.press(terminal.CtrlC) }},
		} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				s := consoleAt(t, server).fleet(size{80, 24})
				test.end(s)
				if code := s.waitExit(); code != test.code {
					t.Errorf("exit code %d, want %d", code, test.code)
				}
				s.restored()
			})
		}
		t.Run("while Ironic does not respond", func(t *testing.T) {
			t.Parallel()
			c, p := behindProxy(t, server)
			p.Set(weather.All(weather.Stalled()))
			s := c.screen(size{80, 24})
			s.until("no answer for")
			s.press("q")
			if code := s.waitExit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.restored()
		})
		t.Run("the terminal is closed", func(t *testing.T) {
			t.Parallel()
			cmd := consoleAt(t, server).command(context.Background())
			tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
			if err != nil {
				t.Fatal(err)
			}
			var seen []byte
			for buf := make([]byte, 4096); !bytes.Contains(seen, []byte("updated")); {
				n, err := tty.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				seen = append(seen, buf[:n]...)
			}
			_ = tty.Close()
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(ended)
			}()
			select {
			case <-ended:
			case <-time.After(exitLimit):
				t.Error("the program still runs without its terminal")
				_ = cmd.Process.Kill()
				<-ended
			}
		})
	})
}

// shell runs a bash command line at a terminal, with the program as $0.
func (c *console) shell(line string) *screenConsole {
	c.t.Helper()
	cmd := exec.CommandContext(context.Background(), "bash", "-c", line, program.Path())
	cmd.Env, cmd.Dir = c.env, c.home
	s := terminal.StartT(c.t, terminal.Options{
		Command: cmd, Width: roomy.w, Height: roomy.h, Modern: true,
	})
	return &screenConsole{Screen: s, t: c.t, c: c}
}

func TestScreenSuspend(t *testing.T) {
	t.Parallel()
	eachStorm(t, func(t *testing.T, server *ironic.Server) {
		t.Parallel()
		name, _ := screenNode(t, server, "asleep")
		s := consoleAt(t, server).shell(`stty -a | md5sum; set -m; "$0"; code=$?; echo; echo "left with $code"; stty -a | md5sum; read -r; fg; echo "ended with $?"; stty -a | md5sum`)
		s.until("updated ≤")
		s.filterFor(name)
		s.press(terminal.CtrlZ)
		s.until("left with 148")
		s.restored()
		s.press(terminal.Enter)
		s.until("› fleet", "updated ≤", " / name:="+name+" ")
		s.rowSays(name, "○ enroll")
		s.press("?")
		s.until(helpTitle)
		s.press(terminal.Esc)
		s.gone(helpTitle)
		s.press("q")
		s.until("ended with 0")
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
	})
}

func TestScreenNeedsATerminal(t *testing.T) {
	t.Parallel()
	c := newConsole(t, "IRONWORKS_URL=http://127.0.0.1:1")
	hint := []string{"ironworks nodes", "ironworks watch"}
	says := func(t *testing.T, code int, text string) {
		t.Helper()
		for _, want := range hint {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
		if code != 2 {
			t.Errorf("exit code %d", code)
		}
	}
	t.Run("no terminal at all", func(t *testing.T) {
		o := c.run()
		o.clean(t)
		says(t, o.code, o.stderr)
		if o.stdout != "" {
			t.Errorf("on stdout: %q", o.stdout)
		}
	})
	for name, line := range map[string]string{
		"stdout is a pipe":     `"$0" | cat; exit ${PIPESTATUS[0]}`,
		"stdin is no terminal": `"$0" </dev/null`,
		"stdin is a pipe":      `echo q | "$0"`,
		"stdout is a file":     `"$0" >out; code=$?; cat out; exit $code`,
		"a dumb terminal":      `TERM=dumb "$0"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := c.shell(line)
			code := s.waitExit()
			says(t, code, strings.ReplaceAll(s.Text(), "\n", ""))
			if strings.Contains(string(s.Raw()), "\x1b") {
				t.Errorf("escape sequences were written: %q", s.Raw())
			}
		})
	}
}

// TestScreenQuitWhileATaskRuns checks that the console asks for confirmation before it quits if it still follows a
// task.
func TestScreenQuitWhileATaskRuns(t *testing.T) {
	t.Parallel()
	newestRelease(t, func(t *testing.T, server *ironic.Server) {
		name, uuid := screenNode(t, server, "going")
		c, p := behindProxy(t, server)
		s := c.fleet(roomy)
		s.filterFor(name)
		p.Set(weather.On(weather.Method(http.MethodPut), weather.Stalled()))
		s.press("M")
		await(t, p, "the request", isMethod(http.MethodPut))
		s.until("1 task")
		s.press("q")
		s.until("Stop following 1 task?", "manage "+name, takesYes)
		s.press(terminal.Esc)
		s.gone(takesYes)
		s.press(terminal.CtrlC)
		s.until(takesYes)
		s.press("n")
		s.gone(takesYes)
		s.press("q")
		s.until(takesYes)
		s.press("y")
		if code := s.waitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		s.restored()
		if got := c.auditResults(); got != "sending unknown" {
			t.Errorf("audit: %s", got)
		}

		// A second Ctrl-C quits without an answer.
		p.Set(weather.On(weather.Method(http.MethodPut), weather.Stalled()))
		s = c.fleet(roomy)
		s.filterFor(name)
		s.press("M")
		s.until("1 task")
		s.press(terminal.CtrlC)
		s.until("Stop following 1 task?")
		s.press(terminal.CtrlC)
		if code := s.waitExit(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		s.restored()
		if state := apiNode(t, server, uuid)["provision_state"]; state != "enroll" {
			t.Errorf("the node is %v", state)
		}
	})
}
