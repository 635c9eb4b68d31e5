package machine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sushyPython is the Python of the newest Ironic's environment, made on first
// use. Where that is not possible the test is left out, except in continuous
// integration (CI set), where nobody would read that.
func sushyPython(t *testing.T) string {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.CommandContext(t.Context(), "python3", filepath.Join("..", "..", "test", "ironic", "venv.py"), "newest")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	_, path, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	switch {
	case err == nil && ok:
		return filepath.Join(path, "bin", "python")
	case os.Getenv("CI") != "":
		t.Fatalf("no Python environment with sushy: %v\n%s%s", err, out, stderr.String())
	default:
		t.Skipf("no Python environment with sushy: %v\n%s%s", err, out, stderr.String())
	}
	return ""
}

// The library by which Ironic talks to BMCs finds nothing to complain about.
func TestSushy(t *testing.T) {
	python := sushyPython(t)
	for _, test := range []struct {
		name   string
		secure bool
		auth   []string
	}{
		{"HTTP", false, []string{"BasicAuth", "SessionAuth"}},
		{"HTTPS", true, []string{"SessionOrBasicAuth"}}, // slow: a connection for each request
	} {
		t.Run(test.name, func(t *testing.T) {
			m := machineT(t, spec(), Options{})
			address, _ := serveT(t, rackT(t, m), test.secure)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			arguments := append([]string{filepath.Join("testdata", "drive.py"), address, m.SystemPath(), imageURL}, test.auth...)
			cmd := exec.CommandContext(ctx, python, arguments...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
