package provision_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ironworks/models/plan"
	"ironworks/provision"
)

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
			laid, err := provision.LayOutPlan([]byte("kind: direct\n"))
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
			text, err := laid.Take()
			if string(text) != c.want || !errors.Is(err, c.err) {
				t.Errorf("%d bytes, %v", len(text), err)
			}
			if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", dir, err)
			}
		})
	}
}
