package ui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ironworks/models"
)

// steppable puts r7-n04 into the given state, gives it interfaces that offer steps, and moves the cursor to it.
func (r *rig) steppable(state models.ProvisionState) {
	r.ironic.change(func() {
		n := r.ironic.nodes[3]
		n.ProvisionState = state
		n.more = map[string]any{"bios_interface": "redfish", "raid_interface": "redfish", "management_interface": "redfish", "target_raid_config": map[string]any{"logical_disks": []any{map[string]any{"raid_level": "1", "size_gb": 100, "is_root_volume": true}}}}
	})
	r.pass(6 * time.Second)
	r.choose("r7-n04")
}

func TestStepsToPick(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.steppable(models.StateManageable)
		r.press("C")
		r.golden("steps-to-clean")
		r.write("create_conf")
		r.press("enter")
		r.shows("target RAID of r7-n04: RAID 1 100 GiB (root)")
		r.press("tab", "right")
		r.golden("step-arguments")
		r.press("enter")
		r.pass(time.Second)
		r.shows("manual cleaning runs raid.create_configuration", "Type the node name")
		r.write("r7-n04")
		r.press("enter")
		r.sent("clean r7-n04")
	})
}

func TestStepWithoutArgumentsNeedsNoForm(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.steppable(models.StateManageable)
		r.press("C")
		r.write("erase_devices_meta")
		r.press("enter")
		r.pass(time.Second)
		r.shows("erase_devices_metadata", "Type the node name")
	})
}

func TestFilesToInject(t *testing.T) {
	path := filepath.Join(t.TempDir(), "motd")
	if err := os.WriteFile(path, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, rack(), nil, func(r *rig) {
		r.steppable(models.StateActive)
		r.press(":")
		r.write("service")
		r.press("enter")
		r.write("inject")
		r.press("enter")
		r.write("/motd")
		r.press("tab")
		r.write(path)
		r.press("tab")
		r.write("0644")
		r.press("enter")
		r.shows("for a file directly in /, enter the partition")
		r.write("2")
		r.press("enter")
		r.pass(time.Second)
		r.shows("deploy.inject_files")
		r.sent()
	})
}

func TestSeveralStepsAndRunbooks(t *testing.T) {
	inBubble(t, rack(), nil, func(r *rig) {
		r.steppable(models.StateManageable)
		r.press("C")
		r.press("enter")
		r.write("raid.delete_configuration raid.create_configuration delete_existing=yes")
		r.press("enter")
		r.pass(time.Second)
		r.shows("argument delete_existing must be a", "boolean (delete all volumes first)")
	})
}
