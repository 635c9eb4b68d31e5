package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ironworks/test/golden"
)

// failure records the message of a failed comparison.
type failure struct {
	testing.TB
	text string
}

func (f *failure) Helper() {}

func (f *failure) Errorf(format string, args ...any) { f.text += fmt.Sprintf(format, args...) }

func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.golden")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\nfour\nfive\nsix\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &failure{TB: t}
	golden.Compare(f, path, "one\ntwo\nthree\nfour\nfive\nsix\n")
	if f.text != "" {
		t.Errorf("equal texts differ: %s", f.text)
	}
	golden.Compare(f, path, "one\ntwo\nthree\n4\nfive\nsix\n")
	want := path + " differs; -update rewrites it\n--- golden\n+++ got\n@@ -2,5 +2,5 @@\n two\n three\n-four\n+4\n five\n six\n"
	if f.text != want {
		t.Errorf("got\n%s\nwant\n%s", f.text, want)
	}
}
