package provision_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
)

func TestPlanFile(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(dir, "host.bu"), "common")
	put(filepath.Join(dir, "own.bu"), "own")
	put(filepath.Join(dir, "plan.yaml"),
		"# kept\nnodes:\n  - n1\n  - {name: uuid-2, configdrive: {user_data_file: own.bu}}\n  - {name: n3, configdrive: {user_data: inline}}\n  - {name: n4, configdrive: {user_data_file: nowhere.bu}}\nconfigdrive: {user_data_file: host.bu}\n")
	file, err := provision.ReadPlan(filepath.Join(dir, "plan.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	check := func(file provision.PlanFile) {
		t.Helper()
		for _, test := range []struct {
			node models.Node
			text string
			err  error
		}{
			{models.Node{UUID: "uuid-1", Name: "n1"}, "common", nil},
			{models.Node{UUID: "uuid-2", Name: "n2"}, "own", nil},
			{models.Node{UUID: "uuid-3", Name: "n3"}, "", nil},
			{models.Node{UUID: "uuid-4", Name: "n4"}, "", fs.ErrNotExist},
			{models.Node{UUID: "uuid-5", Name: "n5"}, "common", nil},
		} {
			if d, err := file.For(&test.node); string(d.UserData) != test.text || !errors.Is(err, test.err) {
				t.Errorf("%s: %q, %v", test.node.Name, d.UserData, err)
			}
		}
	}
	check(file)
	// Elsewhere it finds the same files, and does not take another file's place unasked.
	moved, err := file.Write(t.Context(), filepath.Join(other, "plan.yaml"), false)
	if err != nil {
		t.Fatal(err)
	}
	check(moved)
	if _, err := file.Write(t.Context(), filepath.Join(other, "plan.yaml"), false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if moved, err = moved.Write(t.Context(), filepath.Join(dir, "again.yaml"), true); err != nil {
		t.Fatal(err)
	}
	check(moved)
	if text, err := os.ReadFile(filepath.Join(dir, "again.yaml")); err != nil || !strings.HasPrefix(string(text), "# kept\n") || !strings.Contains(string(text), "user_data_file: host.bu") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestReadPlanSaysWhere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(path, []byte("kind: nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := provision.ReadPlan(path); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "1:7") {
		t.Errorf("%v", err)
	}
	if _, err := provision.ReadPlan(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
