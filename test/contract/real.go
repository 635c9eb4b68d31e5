package contract

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ironworks/test/ironic"
)

//go:embed testdata/column.py
var columnProgram string

// settings returns the configuration settings that the behaviors need in addition to those of the test harness.
func settings(release ironic.Release) map[string]map[string]string {
	s := map[string]map[string]string{
		"DEFAULT": {"enabled_bios_interfaces": "fake,no-bios,redfish"},
		// The power synchronization locks nodes; with it, calls would sometimes get a 409. Nodes that a test puts
		// into a state and leaves there count toward the limits on concurrent operations. Allocations are processed
		// when they are created, not by the periodic check.
		"conductor": {
			"sync_power_state_interval": "100000", "check_allocations_interval": "100000",
			"max_concurrent_clean": "100000", "max_concurrent_deploy": "100000",
		},
	}
	if release != ironic.Old {
		s["DEFAULT"]["enabled_firmware_interfaces"] = "no-firmware,fake,redfish"
	}
	return s
}

// StartReal starts a real Ironic that stops when the test ends.
func StartReal(t *testing.T, release ironic.Release) *Subject {
	t.Helper()
	server := ironic.StartT(t, ironic.Options{Release: release, Settings: settings(release)})
	database := openDatabase(t, filepath.Join(server.Dir, "ironic.sqlite"))
	s := &Subject{
		Name: release.Name(), Kind: Newest, URL: server.URL, MaxMinor: release.MaxMinor(), Client: server.Client(),
		SetState: func(tb testing.TB, uuid, provisionState, targetState string) {
			tb.Helper()
			database.set(tb, uuid, map[string]any{"provision_state": provisionState, "target_provision_state": orNull(targetState)})
		},
		Reserve: func(tb testing.TB, uuid, host string) {
			tb.Helper()
			database.set(tb, uuid, map[string]any{"reservation": orNull(host)})
		},
	}
	if release == ironic.Old {
		s.Kind = Old
	}
	return s
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// database writes to the database of a real Ironic, because no API call puts a node into most states. It uses a single
// Python process: one process per change would take longer than everything else.
type database struct {
	mu      sync.Mutex
	input   io.Writer
	answers *bufio.Scanner
}

func openDatabase(t *testing.T, path string) *database {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", "-c", columnProgram, path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("opening the database of Ironic: %v", err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait()
		if stderr.Len() > 0 {
			t.Errorf("writing to the database of Ironic: %s", stderr.String())
		}
	})
	d := &database{input: input, answers: bufio.NewScanner(output)}
	if !d.answers.Scan() {
		t.Fatalf("opening the database of Ironic: %v", d.answers.Err())
	}
	return d
}

// set sets columns of the node's row to the given values.
func (d *database) set(tb testing.TB, uuid string, columns map[string]any) {
	tb.Helper()
	line, err := json.Marshal(map[string]any{"uuid": uuid, "columns": columns})
	if err != nil {
		tb.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, err := d.input.Write(append(line, '\n')); err != nil {
		tb.Fatalf("writing to the database of Ironic: %v", err)
	}
	if !d.answers.Scan() || d.answers.Text() != "1" {
		tb.Fatalf("setting %s of node %s: %q rows changed, error %v", line, uuid, d.answers.Text(), d.answers.Err())
	}
}
