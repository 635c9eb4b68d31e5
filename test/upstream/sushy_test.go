package upstream_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// TestSushy drives a machine with sushy, Ironic's Redfish library.
func TestSushy(t *testing.T) {
	python := ironic.Program(t, "python")
	for _, test := range []struct {
		name   string
		secure bool
		auth   []string
	}{
		{"HTTP", false, []string{"BasicAuth", "SessionAuth"}},
		{"HTTPS", true, []string{"SessionOrBasicAuth"}}, // slow: a connection for each request
	} {
		t.Run(test.name, func(t *testing.T) {
			m := newMachine(t, machine.Options{})
			address := serveMachine(t, m, test.secure)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			arguments := append([]string{filepath.Join("testdata", "drive.py"), address, m.SystemPath(), "http://conductor.example/boot.iso"}, test.auth...)
			cmd := exec.CommandContext(ctx, python, arguments...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
