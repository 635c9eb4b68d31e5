package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"ironworks/atomicfile"
)

func TestReplace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"first", "second, longer", ""} {
		if err := atomicfile.Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(got) != content || info.Mode() != 0o600 {
			t.Errorf("%q, %v, %v %v; want %q", got, info.Mode(), err, statErr, content)
		}
	}
}

// TestReplaceFails checks that a failed Replace leaves the target unchanged and removes its temporary file.
func TestReplaceFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "folder", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Replace(filepath.Join(dir, "folder"), []byte("x")); err == nil {
		t.Error("a folder is replaced")
	}
	if err := atomicfile.Replace(filepath.Join(dir, "missing", "file"), []byte("x")); err == nil {
		t.Error("a file without a folder is written")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left: %v %v", left, err)
	}
}
