package checkup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ironworks/config"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/session"
)

func TestWritable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "audit.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		path, problem string
		isNew         bool
	}{
		"no path":              {"", "HOME or XDG_STATE_HOME", true},
		"a file":               {file, "", false},
		"a new file":           {filepath.Join(dir, "new"), "", true},
		"in new folders":       {filepath.Join(dir, "a/b/new"), "", true},
		"below what is a file": {filepath.Join(file, "new"), "not a directory", false},
	} {
		isNew, problem := writable(tt.path)
		if isNew != tt.isNew || (problem == "") != (tt.problem == "") || !strings.Contains(problem, tt.problem) {
			t.Errorf("%s: new %v, %q", name, isNew, problem)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// TestFactsWithoutIronic checks that no request is sent after a configuration error.
func TestFactsWithoutIronic(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	cfg, err := config.Load(config.Options{Home: home, WorkDir: home, SystemDir: home})
	if err != nil {
		t.Fatal(err)
	}
	wrong := errors.Join(errors.New("one"), fmt.Errorf("two: %w", errors.New("three")))
	host := &session.Host{Files: cfg.Files, Home: home, Mask: func(...models.Secret) {}}
	facts := Facts(t.Context(), host, cfg, wrong, nil, func(string) { t.Error("somebody is asked") })
	if !slices.Equal(facts.Config.Problems, []string{"one", "two: three"}) || !facts.Config.Guessed || len(facts.Config.Searched) == 0 {
		t.Errorf("%+v", facts.Config)
	}
	if facts.Asked || facts.Local.AuditError != "" || facts.Local.Terminal != doctor.TerminalOf(host.Variable) {
		t.Errorf("%+v", facts.Local)
	}
}
