package cmd

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ironworks/config"
)

// withEditor is a run in an environment with variables.
func withEditor(env map[string]string) *app {
	return newApp(process{options: config.Options{Env: func(name string) string { return env[name] }}})
}

func TestEditor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "the plan.yaml")
	program := filepath.Join(dir, "my editor")
	script := "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // it has to be run
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, "ed")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for name, c := range map[string]struct {
		env  map[string]string
		says string // what it was called with, or the error
	}{
		"VISUAL comes first":    {map[string]string{"VISUAL": "ed", "EDITOR": "nobody"}, "<" + path + ">"},
		"EDITOR":                {map[string]string{"EDITOR": "ed"}, "<" + path + ">"},
		"blanks are none":       {map[string]string{"VISUAL": "  ", "EDITOR": "ed"}, "<" + path + ">"},
		"with words":            {map[string]string{"EDITOR": "ed --wait -n"}, "<--wait><-n><" + path + ">"},
		"a name with a blank":   {map[string]string{"EDITOR": "'" + program + "' -c 'set tw=0'"}, "<-c><set tw=0><" + path + ">"},
		"it is missing":         {map[string]string{"EDITOR": "nobody"}, "$EDITOR names nobody, which cannot be started"},
		"the shell finds none":  {map[string]string{"VISUAL": "nobody '-n'"}, "$VISUAL names nobody '-n', which there is not"},
		"it fails":              {map[string]string{"EDITOR": "false"}, "the editor false: exit status 1"},
		"hostile":               {map[string]string{"EDITOR": "no\x1b[2Jbody"}, `$EDITOR names no\x1b[2Jbody`},
		"what cannot be called": {map[string]string{"EDITOR": dir}, "$EDITOR names " + dir},
	} {
		t.Run(name, func(t *testing.T) {
			var out, complaints bytes.Buffer
			editor, err := withEditor(c.env).newEditor(t.Context(), path)
			if err == nil {
				editor.SetStdin(strings.NewReader(""))
				editor.SetStdout(&out)
				editor.SetStderr(&complaints)
				err = editor.Run()
			}
			said := out.String()
			if err != nil {
				said = err.Error()
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("%q, want %q", said, c.says)
			}
		})
	}
}

func TestNoEditor(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := withEditor(nil).newEditor(t.Context(), "plan.yaml"); err == nil || !strings.Contains(err.Error(), "there is no vi") {
		t.Errorf("%v", err)
	}
}

// heard is where an editor writes; something is done each time.
type heard func()

func (h heard) Write(text []byte) (int, error) {
	h()
	return len(text), nil
}

// An editor ends with the console.
func TestEditorEndsWithTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	editor, err := withEditor(map[string]string{"EDITOR": "sh -c 'echo ready; exec sleep 60'"}).newEditor(ctx, "plan.yaml")
	if err != nil {
		t.Fatal(err)
	}
	editor.SetStdout(heard(cancel))
	began := time.Now()
	if err := editor.Run(); err == nil || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

// Ctrl-C is the editor's while that has the terminal, also one that is still on its way
// when the editor ends, and ours before and after.
func TestInterrupts(t *testing.T) {
	send := func(signal syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), signal); err != nil {
			t.Fatal(err)
		}
	}
	ended := func(ctx context.Context, why string) {
		t.Helper()
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("%s ends nothing", why)
		}
	}
	var signals interrupts
	ctx, stop := signals.catch(t.Context())
	for range 50 {
		back := signals.leave()
		if err := exec.CommandContext(t.Context(), "sh", "-c", "kill -INT $PPID").Run(); err != nil {
			t.Fatal(err)
		}
		back()
		select {
		case <-ctx.Done():
			t.Fatal("an editor's SIGINT ends the run")
		case <-time.After(time.Millisecond):
		}
	}
	for signals.away.Load() > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-time.After(late / 50):
		}
	}
	send(syscall.SIGINT)
	ended(ctx, "SIGINT after an editor")
	stop()
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		ctx, stop := signals.catch(t.Context())
		send(signal)
		ended(ctx, signal.String())
		stop()
	}
	ctx, stop = signals.catch(t.Context())
	defer stop()
	defer signals.leave()()
	send(syscall.SIGTERM)
	ended(ctx, "SIGTERM while an editor has the terminal")
}
