// Package golden compares texts with golden files, and rewrites them with -update.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Compare compares a text with the golden file at path. A difference fails the test.
func Compare(tb testing.TB, path, got string) {
	tb.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			tb.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if got != string(want) {
		tb.Errorf("%s differs; -update rewrites it\n%s", path, Diff(string(want), got))
	}
}

// Diff returns the difference between two texts as a unified diff, or "" if they are equal.
func Diff(want, got string) string {
	// Writing to memory does not fail.
	text, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(want), B: difflib.SplitLines(got), FromFile: "golden", ToFile: "got", Context: 2,
	})
	return text
}
