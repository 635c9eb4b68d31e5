package sshserver

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func TestCommands(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	c := r.connect(r.ben)
	for _, tt := range []struct {
		text, stdin, stdout, stderr string
		code                        int
	}{
		{"args one 'two three' \"four\"", "", `["one" "two three" "four"]`, "", 0},
		{`args $HOME ; rm -rf / | cat > x`, "", `["$HOME" ";" "rm" "-rf" "/" "|" "cat" ">" "x"]`, "", 0},
		{"args 'open", "", "", "unbalanced quotes", 2},
		{`args "a'b" 'c"d' e\'f`, "", `["a'b" "c\"d" "e'f"]`, "", 0},
		{`args "open\"`, "", "", "unbalanced quotes", 2},
		{"   ", "", "", "cannot read the command: empty", 2},
		{`args '' "" a''b`, "", `["" "" "ab"]`, "", 0},
		{`args "a\$b \x \\" c\ d`, "", `["a$b \\x \\" "c d"]`, "", 0},
		{"args \xff\xfe", "", "[\"\uFFFD\"]", "", 0},
		{"args a\\", "", "", "unbalanced quotes", 2},
		{"cat", "from standard input", "from standard input", "", 0},
		{"both", "", "out", "err", 0},
		{"exit 3", "", "", "", 3},
		{"exit 255", "", "", "", 255},
		{"panic", "", "", "", 1},
	} {
		stdout, stderr, code := r.run(c, tt.stdin, tt.text)
		if stdout != tt.stdout || !strings.Contains(stderr, tt.stderr) || tt.stderr == "" && stderr != "" || code != tt.code {
			t.Errorf("%s: %q, %q, %d", tt.text, stdout, stderr, code)
		}
	}
	r.until("no session is left", func() bool { return r.sessions() == 0 })
}

// TestLongCommand checks that a 200 kB command is read quickly, because a session must not keep a processor busy for
// minutes.
func TestLongCommand(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	began := time.Now()
	stdout, stderr, code := r.run(r.connect(r.ben), "", "args "+strings.Repeat("x", 200_000))
	if len(stdout) < 200_000 || stderr != "" || code != 0 {
		t.Errorf("%d bytes, %q, %d", len(stdout), stderr, code)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

// sessions returns the number of sessions that the server is running.
func (r *rig) sessions() int {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	return len(r.server.sessions)
}

// TestEnvironment checks that only the variables that describe the client's terminal are passed on.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	s := r.session(r.connect(r.anna))
	for name, passed := range map[string]bool{
		"COLORTERM": true, "LANG": true, "NO_COLOR": true, "PATH": false, "LD_PRELOAD": false, "IRONWORKS_CONTEXT": false, "OS_PASSWORD": false,
		"HOME": false, "LANG=x\nPATH": false, "": false,
	} {
		if err := s.Setenv(name, strings.Repeat("é", 100)); (err == nil) != passed {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Setenv("LANG", "again"); err == nil {
		t.Error("LANG was set twice")
	}
	out, err := s.Output("env")
	if err != nil {
		t.Fatal(err)
	}
	for _, never := range []string{"PATH", "IRONWORKS", "PRELOAD", "HOME", "OS_", `"TERM=`} {
		if strings.Contains(string(out), never) {
			t.Errorf("%s in %s", never, out)
		}
	}
	if !strings.Contains(string(out), `"LANG=`+strings.Repeat("é", 50)+`"`) || !strings.Contains(string(out), "SSH_TTY=ssh") {
		t.Errorf("%s", out)
	}
}

func TestSizesOfTerminals(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	c := r.connect(r.anna)
	for size, want := range map[[2]int]string{
		{0, 0}: "80x24", {0, 50}: "80x24", {100, 0}: "80x24", {120, 40}: "120x40", {1, 1}: "20x5", {1 << 30, 1 << 30}: "500x200",
	} {
		s := r.console(c, size[0], size[1])
		r.shows(s, "anna admin "+want)
		if err := s.WindowChange(size[1], size[0]); err != nil {
			t.Error(err)
		}
		r.shows(s, "now "+want)
		_ = s.Close()
	}
	s := r.session(c)
	// Sizes that are too short to be read are rejected.
	for _, payload := range [][]byte{nil, {1}, []byte(strings.Repeat("\xff", 7))} {
		if ok, err := s.SendRequest("window-change", true, payload); ok || err != nil {
			t.Errorf("%x: %v, %v", payload, ok, err)
		}
	}
}

// TestResizeFlood checks that, if a client sends more sizes than the console draws, at least the last one arrives.
func TestResizeFlood(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	c := r.connect(r.anna)
	s := r.console(c, 80, 24)
	for i := range 5000 {
		if err := s.WindowChange(30, 50+i%100); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WindowChange(77, 177); err != nil {
		t.Fatal(err)
	}
	r.shows(s, "now 177x77")
	// Sizes that a command does not read, or that arrive after the end of a session, must not block.
	for range 3 {
		at := r.session(c)
		if err := at.RequestPty("xterm", 24, 80, ssh.TerminalModes{}); err != nil {
			t.Fatal(err)
		}
		if err := at.Start("wait"); err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if err := at.WindowChange(30, 90); err != nil {
				t.Fatal(err)
			}
		}
		_ = at.Close()
	}
	if _, err := s.in.Write([]byte("q")); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("the end of the console: %v", err)
	}
	r.until("no session is left", func() bool { return r.sessions() == 0 })
}

func TestEndOfAConsole(t *testing.T) {
	t.Parallel()
	r := serve(t, Limits{})
	c := r.connect(r.anna)
	for keys, want := range map[string]struct {
		text string
		code int
	}{"xq": {`key 'x'`, 0}, "e": {"ironworks: the console failed\r\n", 1}} {
		s := r.console(c, 80, 24)
		_, _ = fmt.Fprint(s.in, keys)
		err := s.Wait()
		if exit, is := err.(*ssh.ExitError); (want.code == 0) != (err == nil) || is && exit.ExitStatus() != want.code || !strings.Contains(s.out.String(), want.text) { //nolint:errorlint // not wrapped
			t.Errorf("%q: %v, %s", keys, err, &s.out)
		}
	}
	// A closed input ends the console, as does a closed connection.
	s := r.console(c, 80, 24)
	_ = s.in.Close()
	if err := s.Wait(); err != nil {
		t.Error(err)
	}
	r.shows(r.console(c, 80, 24), "anna")
	_ = c.Close()
	r.until("no session is left", func() bool { return r.sessions() == 0 })
}
