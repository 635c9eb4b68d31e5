package asciinema_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/cast"
	"ironworks/cmd"
	"ironworks/test/ironic"
	"ironworks/test/program"
	"ironworks/test/terminal"
)

func TestMain(m *testing.M) {
	program.TestMain(func() { os.Exit(cmd.Main()) }, func() (code int) {
		goleak.VerifyTestMain(m, goleak.Cleanup(func(c int) { code = c }))
		return code
	})
}

// TestRecordedConsole records the lab's console. It checks that asciinema and "ironworks replay" show the same last
// screen of the recording.
func TestRecordedConsole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "session.cast")
	env := program.Env("HOME="+dir, "TMPDIR="+dir, "PATH="+os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8")
	start := func(name string, args ...string) *terminal.Screen {
		command := exec.CommandContext(t.Context(), name, args...)
		command.Env = env
		return terminal.StartT(t, terminal.Options{Command: command, Width: 80, Height: 24})
	}
	console := start(program.Path(), "--lab", "--record", file)
	console.Until(t, "IN STATE", "r7-n01")
	console.Type(":events", terminal.Enter)
	console.Until(t, "› events")
	// The console is killed, because a normal exit would leave an empty screen at the end of the recording.
	if err := console.Signal(os.Kill); err != nil {
		t.Fatal(err)
	}
	if _, err := console.Wait(t.Context()); err == nil {
		t.Error("the console was not killed")
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := cast.NewReader(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Width != 80 || r.Header.Height != 24 {
		t.Errorf("%+v", r.Header)
	}
	// Both players reset the terminal at the end of the recording. One more event, an hour later, keeps the last
	// screen until it has been compared.
	held := append(data, []byte("[3600, \"o\", \"\"]\n")...)
	if err := os.WriteFile(file, held, 0o600); err != nil {
		t.Fatal(err)
	}
	python := filepath.Join(ironic.Environment(t, "asciinema"), "bin", "python")
	theirs := start(python, "-m", "asciinema", "play", "--speed", "100", file)
	theirs.Until(t, "› events")
	ours := start(program.Path(), "replay", "--speed", "100", file)
	ours.Until(t, "› events")
	if a, b := theirs.Text(), ours.Text(); a != b {
		t.Errorf("asciinema shows\n%s\nironworks shows\n%s", a, b)
	}
	theirs.Type("\x03")
	ours.Type("q")
	ours.Ends(t, 0)
}

// TestReplayKeys checks that a replay that starts paused moves forward or backward only when a key is pressed.
func TestReplayKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "keys.cast")
	recording := `{"version":2,"width":80,"height":24}` + "\n" + `[0,"o","start "]` + "\n" + `[1,"o","first "]` + "\n" + `[100,"o","second"]` + "\n" + `[3600,"o","third"]` + "\n"
	if err := os.WriteFile(file, []byte(recording), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program.Path(), "replay", "--paused", file)
	command.Env = program.Env("HOME="+dir, "TMPDIR="+dir, "TERM=xterm-256color", "LANG=C.UTF-8")
	played := terminal.StartT(t, terminal.Options{Command: command, Width: 80, Height: 24})
	for _, step := range []struct{ key, shows string }{
		{"", "start"}, {".", "start first"}, {".", "start first second"}, {"{", "start first"}, {"}", "start first second"}, {"}{{{{{", "start"},
	} {
		played.Type(step.key)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := ironic.Poll(ctx, 20*time.Millisecond, func(context.Context) (bool, error) { return strings.TrimSpace(played.Text()) == step.shows, nil }); err != nil {
			t.Errorf("after %q, not %q:\n%s", step.key, step.shows, played.Text())
		}
		cancel()
	}
	played.Type("q")
	played.Ends(t, 0)
}
