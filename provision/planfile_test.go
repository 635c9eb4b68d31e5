package provision_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/plan"
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
			if d, err := file.DeploymentOf(&test.node); string(d.UserData) != test.text || !errors.Is(err, test.err) {
				t.Errorf("%s: %q, %v", test.node.Name, d.UserData, err)
			}
		}
	}
	check(file)
	// A plan written to another folder refers to the same files. Write does not replace an existing file without
	// force.
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

func TestReadPlanNamesTheFile(t *testing.T) {
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

func TestPlanText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		edit func(t *testing.T, path string) error
		want string
		err  error
	}{
		"left as it is": {func(*testing.T, string) error { return nil }, "kind: direct\n", nil},
		"written":       {func(_ *testing.T, path string) error { return os.WriteFile(path, []byte("kind: ramdisk\n"), 0o600) }, "kind: ramdisk\n", nil},
		"another file in its place, and one beside it": {func(_ *testing.T, path string) error {
			return errors.Join(os.WriteFile(path+".swp", nil, 0o600), os.WriteFile(path+"~", []byte("new"), 0o600), os.Rename(path+"~", path))
		}, "new", nil},
		"gone":     {func(_ *testing.T, path string) error { return os.Remove(path) }, "", fs.ErrNotExist},
		"all gone": {func(_ *testing.T, path string) error { return os.RemoveAll(filepath.Dir(path)) }, "", fs.ErrNotExist},
		"far too long": {func(_ *testing.T, path string) error {
			return os.WriteFile(path, []byte(strings.Repeat("#", plan.MaxSize+10)), 0o600)
		}, strings.Repeat("#", plan.MaxSize+1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			laid, err := provision.NewPlanText([]byte("kind: direct\n"))
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Dir(laid.Path)
			for path, want := range map[string]fs.FileMode{dir: fs.ModeDir | 0o700, laid.Path: 0o600} {
				if info, err := os.Stat(path); err != nil || info.Mode() != want {
					t.Errorf("%s: %v, want %v", path, info.Mode(), want)
				}
			}
			if err := c.edit(t, laid.Path); err != nil {
				t.Fatal(err)
			}
			text, err := laid.Read()
			if string(text) != c.want || !errors.Is(err, c.err) {
				t.Errorf("%d bytes, %v", len(text), err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", dir, err)
			}
		})
	}
}
