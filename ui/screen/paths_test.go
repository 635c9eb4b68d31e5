package screen_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ironworks/ui/screen"
)

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	for _, name := range []string{"plans/rack7.yaml", "plans/rack8.yaml", "plan.ign", ".hidden", "gerät-a", "gerät-b", "gerà", "bad\x1b[31m", "one/only.iso"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("plans", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, typed string
		want        []string
	}{
		{"one file", dir + "/one/", []string{dir + "/one/only.iso"}},
		{"what several have in common", dir + "/plans/", []string{dir + "/plans/rack", dir + "/plans/rack7.yaml", dir + "/plans/rack8.yaml"}},
		{"several, with nothing more in common", dir + "/plan", []string{dir + "/plan.ign", dir + "/plans/"}},
		{"a link to a folder", dir + "/l", []string{dir + "/link/"}},
		{"below home", "~/o", []string{"~/one/"}},
		{"relative", "one/o", []string{"one/only.iso"}},
		{"relative, without a folder", "one", []string{"one/"}},
		{"hidden files by their dot", dir + "/.", []string{dir + "/.hidden"}},
		{"no control characters", dir + "/b", nil},
		{"whole characters only", dir + "/ger", []string{dir + "/gerà", dir + "/gerät-a", dir + "/gerät-b"}},
		{"no such folder", dir + "/none/x", nil},
		{"not a folder", dir + "/plan.ign/", nil},
		{"nothing", "zzz", nil},
	} {
		if got := screen.Paths(dir, tc.typed); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
