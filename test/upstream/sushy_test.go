package upstream_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ironworks/lab/machine"
	"ironworks/test/ironic"
)

// TestSushy checks that sushy, Ironic's Redfish library, can operate a machine.
func TestSushy(t *testing.T) {
	python := ironic.Program(t, "python")
	for _, test := range []struct {
		name   string
		secure bool
		auth   []string
	}{
		{"HTTP", false, []string{"BasicAuth", "SessionAuth"}},
		{"HTTPS", true, []string{"SessionOrBasicAuth"}}, // slow, because each request needs a connection
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

// TestSushyReadsEverything checks that sushy can read everything that it supports, on a machine with and without a
// RAID controller.
func TestSushyReadsEverything(t *testing.T) {
	python := ironic.Program(t, "python")
	for name, controller := range map[string]*machine.RAIDController{"disks": nil, "RAID": {}} {
		t.Run(name, func(t *testing.T) {
			m := machineWith(t, controller, machine.Options{})
			if controller != nil {
				if _, _, err := m.CreateVolume(machine.Volume{Name: "v1", Type: "RAID0", Drives: []string{"1"}}, false); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, python, filepath.Join("testdata", "walk.py"), serveMachine(t, m, false))
			cmd.Env = append(os.Environ(), "BMC_USER=admin", "BMC_PASSWORD=secret")
			out, err := cmd.CombinedOutput()
			var resources, values, failures int
			last := out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:]
			if _, scan := fmt.Sscanf(string(last), "%d resources, %d values, %d failures", &resources, &values, &failures); err != nil || scan != nil {
				t.Fatalf("%v, %v\n%s", err, scan, out)
			}
			t.Logf("%s", last) // the output is for docs/reference/lab.md
			// A walk that stops early reads less.
			if resources < 60 || values < 800 {
				t.Errorf("only %s", last)
			}
		})
	}
}
