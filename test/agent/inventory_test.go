package agent_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	ours "ironworks/agent"
	"ironworks/agent/linux"
	"ironworks/test/agent"
	"ironworks/test/ironic"
)

// standIns maps programs that ironic-python-agent needs for an inventory to the scripts that replace them if this
// computer lacks them. The script for udevadm does not wait, and the script for lshw finds nothing.
var standIns = map[string]string{"udevadm": "", "lshw": "echo '{}'"}

// ofLSHW maps sections of the inventory to the fields that ironic-python-agent takes from lshw. These fields are not
// compared if lshw is a stand-in. The recordings in agent/linux contain the values from the real lshw.
var ofLSHW = map[string][]string{"memory": {"physical_mb"}, "system_vendor": {"product_name", "serial_number", "manufacturer", "firmware"}, "interfaces": {"speed_mbps"}}

// TestInventoryOfThisComputer lets ironic-python-agent and our agent take the inventory of the computer that runs the
// tests, and compares the two section by section.
func TestInventoryOfThisComputer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Logf("%s has no /sys and /proc", runtime.GOOS)
		return
	}
	folder := t.TempDir()
	lacks := installStandIns(t, folder)
	real := object(t, agent.RunFile(t, ironic.Releases(t)[0], "inventory.py", folder))

	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	host := linux.Local("/")
	host.Warn = t.Logf
	text, err := json.Marshal(inventoryOf(t, host))
	if err != nil {
		t.Fatal(err)
	}
	own := object(t, text)
	if slices.Contains(lacks, "lshw") {
		for section, fields := range ofLSHW {
			remove(own[section], fields)
			remove(real[section], fields)
		}
	}
	for section, want := range real {
		if got := own[section]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s differs:\nours %v\nreal %v", section, got, want)
		}
	}
	if len(own) != len(real) || len(real["disks"].([]any)) == 0 {
		t.Errorf("the inventories have %d and %d sections, and disks %v", len(own), len(real), real["disks"])
	}
}

func inventoryOf(t *testing.T, host linux.Host) ours.Inventory {
	t.Helper()
	inventory, err := linux.New(host, linux.Options{}).Inventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return inventory
}

// installStandIns writes stand-ins for programs missing on this computer, and returns their names.
func installStandIns(t *testing.T, folder string) []string {
	t.Helper()
	var lacks []string
	for name, script := range standIns {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		lacks = append(lacks, name)
		if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return lacks
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var decoded map[string]any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&decoded); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return decoded
}

// remove deletes fields of an object, or of each object in a list.
func remove(from any, fields []string) {
	switch from := from.(type) {
	case []any:
		for _, one := range from {
			remove(one, fields)
		}
	case map[string]any:
		for _, field := range fields {
			delete(from, field)
		}
	}
}
