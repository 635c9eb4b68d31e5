package editor_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ironworks/editor"
)

// start returns an editor for the file at path. The editor command comes from env.
func start(ctx context.Context, env map[string]string, path string) (*editor.Editor, error) {
	return editor.New(ctx, path, func(name string) string { return env[name] })
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
		says string // the arguments, or the error
	}{
		"VISUAL comes first":    {map[string]string{"VISUAL": "ed", "EDITOR": "nobody"}, "<" + path + ">"},
		"EDITOR":                {map[string]string{"EDITOR": "ed"}, "<" + path + ">"},
		"blanks are none":       {map[string]string{"VISUAL": "  ", "EDITOR": "ed"}, "<" + path + ">"},
		"with words":            {map[string]string{"EDITOR": "ed --wait -n"}, "<--wait><-n><" + path + ">"},
		"a name with a blank":   {map[string]string{"EDITOR": "'" + program + "' -c 'set tw=0'"}, "<-c><set tw=0><" + path + ">"},
		"it is missing":         {map[string]string{"EDITOR": "nobody"}, "cannot start the editor set in $EDITOR, nobody"},
		"the shell finds none":  {map[string]string{"VISUAL": "nobody '-n'"}, "editor set in $VISUAL not found: nobody '-n'"},
		"it fails":              {map[string]string{"EDITOR": "false"}, "the editor false: exit status 1"},
		"hostile":               {map[string]string{"EDITOR": "no\x1b[2Jbody"}, `editor set in $EDITOR not found: no\x1b[2Jbody`},
		"what cannot be called": {map[string]string{"EDITOR": dir}, "cannot start the editor set in $EDITOR, " + dir},
	} {
		t.Run(name, func(t *testing.T) {
			var out, complaints bytes.Buffer
			e, err := start(t.Context(), c.env, path)
			if err == nil {
				e.SetStdin(strings.NewReader(""))
				e.SetStdout(&out)
				e.SetStderr(&complaints)
				err = e.Run()
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
	if _, err := start(t.Context(), nil, "plan.yaml"); err == nil || !strings.Contains(err.Error(), "no editor found") {
		t.Errorf("%v", err)
	}
}

// heard is a writer that calls a function for each write.
type heard func()

func (h heard) Write(text []byte) (int, error) {
	h()
	return len(text), nil
}

// TestEditorEndsWithTheRun checks that the editor ends when the console ends.
func TestEditorEndsWithTheRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e, err := start(ctx, map[string]string{"EDITOR": "sh -c 'echo ready; exec sleep 60'"}, "plan.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e.SetStdout(heard(cancel))
	began := time.Now()
	if err := e.Run(); err == nil || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
