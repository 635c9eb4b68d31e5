package journal_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"ironworks/agentlog"
	"ironworks/shell"
	"ironworks/test/sshd"
)

// openShell opens a shell on a machine with the real sshd.
func openShell(t *testing.T, m *sshd.Machine) *agentlog.Shell {
	t.Helper()
	s, err := agentlog.OpenShell(t.Context(), agentlog.ShellOptions{SSH: sshOptions(m), Trust: agentlog.NewTrust(), Address: "https://127.0.0.1:9999"}, node)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestShellCommands(t *testing.T) {
	t.Parallel()
	s := openShell(t, sshd.New(t))
	for name, test := range map[string]struct {
		command, input string
		status         int
		out, err       string
	}{
		"output":   {"echo one; echo two >&2", "", 0, "one\n", "two\n"},
		"status":   {"exit 7", "", 7, "", ""},
		"input":    {"tr a-z A-Z", "text", 0, "TEXT", ""},
		"a shell":  {"", "echo $((6*7)); exit 3\n", 3, "42\n", ""},
		"killed":   {"kill -TERM $$", "", 143, "", ""},
		"no such":  {"no-such-program 2>/dev/null", "", 127, "", ""},
		"terminal": {"test -t 0", "", 1, "", ""},
	} {
		var out, complaints bytes.Buffer
		status, err := s.Run(t.Context(), agentlog.ShellSession{Command: test.command, In: strings.NewReader(test.input), Out: &out, Err: &complaints})
		if err != nil || status != test.status || out.String() != test.out || complaints.String() != test.err {
			t.Errorf("%s: %d %v %q %q", name, status, err, out.String(), complaints.String())
		}
	}
}

// atTerminal is a shell on an operator's terminal.
type atTerminal struct {
	t        *testing.T
	keyboard *os.File
	before   *term.State
	tty      *os.File
	ended    chan struct{}
	status   int
	err      error
	cancel   context.CancelFunc

	mu  sync.Mutex
	out []byte
}

func shellAtTerminal(t *testing.T, s *agentlog.Shell, command string) *atTerminal {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	a := &atTerminal{t: t, keyboard: keyboard, tty: tty, ended: make(chan struct{})}
	if a.before, err = term.GetState(int(tty.Fd())); err != nil {
		t.Fatal(err)
	}
	a.resize(97, 31)
	ctx, cancel := context.WithCancel(t.Context())
	a.cancel = cancel
	go func() {
		defer close(a.ended)
		a.status, a.err = shell.Run(ctx, s, tty, tty, "vt220", command)
	}()
	var reading sync.WaitGroup
	reading.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buf)
			a.mu.Lock()
			a.out = append(a.out, buf[:n]...)
			a.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		<-a.ended
		_ = tty.Close()
		reading.Wait()
		_ = keyboard.Close()
	})
	return a
}

func (a *atTerminal) resize(width, height uint16) {
	a.t.Helper()
	if err := pty.Setsize(a.keyboard, &pty.Winsize{Cols: width, Rows: height}); err != nil {
		a.t.Fatal(err)
	}
}

func (a *atTerminal) press(keys string) {
	a.t.Helper()
	if _, err := io.WriteString(a.keyboard, keys); err != nil {
		a.t.Fatal(err)
	}
}

func (a *atTerminal) text() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return string(a.out)
}

func (a *atTerminal) until(want string) {
	a.t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(90 * time.Second)
	for !strings.Contains(a.text(), want) {
		select {
		case <-poll.C:
		case <-late:
			a.t.Fatalf("no %q in %q", want, a.text())
		}
	}
}

// ends waits until the shell ends, and checks that the terminal's line settings are restored.
func (a *atTerminal) ends() (status int, err error) {
	a.t.Helper()
	select {
	case <-a.ended:
	case <-time.After(90 * time.Second):
		a.t.Fatalf("the shell does not end: %q", a.text())
	}
	if after, err := term.GetState(int(a.tty.Fd())); err != nil || *after != *a.before {
		a.t.Errorf("the line settings are not restored: %v", err)
	}
	return a.status, a.err
}

// TestShellAtTerminal checks a real shell on a terminal: TERM, the terminal's size and its change, Ctrl-C, and the
// exit status.
func TestShellAtTerminal(t *testing.T) {
	t.Parallel()
	a := shellAtTerminal(t, openShell(t, sshd.New(t)), "")
	a.press("PS1='rea''dy> '\r")
	a.until("ready> ")
	a.press("echo $TERM $(stty size)\r")
	a.until("\r\nvt220 31 97\r\n")
	a.press("echo wai''ting; until [ \"$(stty size)\" = '40 120' ]; do sleep 0.1; done; echo re''sized\r")
	a.until("waiting")
	// The kernel sends no signal, because the test's terminal controls no session.
	a.resize(120, 40)
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		t.Fatal(err)
	}
	a.until("resized")
	a.press("echo rea''ding; cat > /dev/null\r")
	a.until("reading")
	a.press("\x03")
	a.until("^C")
	a.press("echo after $((1+1))\r")
	a.until("after 2")
	a.press("printf '\\033[?1049h\\033]0;owned\\007'; exit 5\r")
	if status, err := a.ends(); status != 5 || err != nil {
		t.Errorf("%d %v", status, err)
	}
	a.until("\x1b[?1049l\x1b]2;\x07")
}

func isLost(err error) bool {
	lost, is := errors.AsType[*agentlog.ShellError](err)
	return is && lost.Reason == "connection lost"
}

// TestShellIsLeft checks that a shell whose command does not end can be left with ~., and that it ends when the
// context is canceled or the machine stops responding.
func TestShellIsLeft(t *testing.T) {
	t.Parallel()
	const command = "printf '\\033[?1049h\\033[?1000h'; echo star''ted; sleep 1000"
	for name, test := range map[string]struct {
		leave func(a *atTerminal, m *sshd.Machine)
		err   func(error) bool
	}{
		"keys":           {func(a *atTerminal, _ *sshd.Machine) { a.press("x\r~.") }, func(err error) bool { return errors.Is(err, shell.ErrLeft) }},
		"context":        {func(a *atTerminal, _ *sshd.Machine) { a.cancel() }, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"connection cut": {func(_ *atTerminal, m *sshd.Machine) { m.Break() }, isLost},
		"frozen":         {func(_ *atTerminal, m *sshd.Machine) { m.Freeze() }, isLost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := sshd.New(t)
			a := shellAtTerminal(t, openShell(t, m), command)
			a.until("started")
			test.leave(a, m)
			if _, err := a.ends(); !test.err(err) {
				t.Errorf("it ends with %v", err)
			}
			a.until("\x1b[?1000l\x1b[?1049l")
		})
	}
}
