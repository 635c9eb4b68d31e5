package program

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestABrokenProgramFailsItsTests breaks the program with a compiler overlay and runs a test of each package that
// drives the program. It checks that each of these tests fails and that no result comes from the test cache.
func TestABrokenProgramFailsItsTests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, opens, tests, run string }{
		{"cmd/ironworks/main.go", "func main() {", "./cmd/ironworks", "^TestMainRuns$"},
		{"cmd/main.go", "func Main() int {", "./cmd/ironworks", "^TestMainRuns$"},
		{"cmd/main.go", "func Main() int {", "./test/e2e", "^TestScreenWithoutColor$/^embedded$"},
		{"cmd/main.go", "func Main() int {", "./test/screens", "^TestAScreenOfTheLab$"},
	} {
		t.Run(tt.tests+" with a broken "+tt.file, func(t *testing.T) {
			t.Parallel()
			args := []string{"test", "-vet=off", "-overlay", broken(t, tt.file, tt.opens), "-run", tt.run, tt.tests}
			if race {
				args = append(args[:1:1], append([]string{"-race"}, args[1:]...)...)
			}
			command := exec.CommandContext(t.Context(), "go", args...)
			command.Dir = root
			out, err := command.CombinedOutput()
			if err == nil || !strings.Contains(string(out), "--- FAIL") {
				t.Errorf("go %s: error %v, want failed tests:\n%s", strings.Join(args, " "), err, out)
			}
		})
	}
}

// root is the path of the module's folder.
const root = "../.."

// broken writes a compiler overlay that makes a function of file panic, and returns the overlay's path. opens is the
// function's first line.
func broken(t *testing.T, file, opens string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), opens) {
		t.Fatalf("%s has no %q", file, opens)
	}
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json")
	write(t, changed, strings.Replace(string(text), opens, opens+"\n\tpanic(\"broken for a test\")\n", 1))
	object, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, overlay, string(object))
	return overlay
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
