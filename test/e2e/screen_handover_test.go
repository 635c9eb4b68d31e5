package e2e

import (
	"os/exec"
	"strings"
	"testing"

	"ironworks/test/ironic"
	"ironworks/test/program"
	"ironworks/test/terminal"
)

// TestScreenStops runs the console in a shell, stops it with Ctrl-Z, and continues it in a terminal of another size.
func TestScreenStops(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		c := consoleAt(t, server)
		shell := exec.CommandContext(t.Context(), "sh", "-i")
		shell.Env, shell.Dir = append(c.env, "PS1=prompt: ", "ENV="), c.home
		s := &screenConsole{Screen: terminal.StartT(t, terminal.Options{Command: shell, Width: 100, Height: 30, Modern: true}), t: t, c: c}
		s.until("prompt:")
		s.press("'"+program.Path()+"'", terminal.Enter)
		s.until("› fleet", "updated ≤", "? keys")
		s.press("\x1a")
		s.until("Stopped")
		s.gone("› fleet")
		s.restored()
		if err := s.Resize(120, 40); err != nil {
			t.Fatal(err)
		}
		s.press("echo $((40+2))", terminal.Enter)
		s.until("42") // lines are edited and echoed: the terminal is not raw
		s.press("fg", terminal.Enter)
		s.until("› fleet", "updated ≤")
		s.whole("? keys")
		s.press("?")
		s.until(helpTitle)
		s.press(terminal.Esc, "q")
		s.when("the prompt after the console", func() bool { return strings.Count(s.Text(), "prompt:") == 4 })
		s.restored()
		s.press("exit 7", terminal.Enter)
		s.ends(7)
	})
}

// TestScreenRecordedEditor checks that an editor gets the terminal itself, even while the console is recorded, and
// that the console draws its whole screen again afterwards.
func TestScreenRecordedEditor(t *testing.T) {
	t.Parallel()
	inTheLab(t, func(t *testing.T, server *ironic.Server) {
		c, edits := withEditor(t, server)
		edits(`test -t 0 && test -t 1 && test -t 2 && stty -a | grep -q ' icanon' && echo it is a terminal && read answer`)
		s := c.fleet(roomy, "--record", "session.cast")
		s.pick(":", paletteTitle, "templates")
		s.until("› templates")
		s.press("n")
		s.until("it is a terminal")
		s.gone("› templates")
		if left := s.Leftovers(); len(left) > 0 {
			t.Errorf("modes of the console during the editor: %q", left)
		}
		s.press("go", terminal.Enter)
		s.until("› templates")
		s.gone("it is a terminal")
		s.press(terminal.Esc)
		s.quits()
	})
}
