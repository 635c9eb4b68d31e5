package boot

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// TestMachineReallyBoots checks the shortest path: an ISO built by ironworks boots under UEFI, the real Ignition
// applies its configuration, podman pulls the agent's image, and a real Ironic inspects the machine.
func TestMachineReallyBoots(t *testing.T) {
	b := newBench(t, ramdisk{})
	b.inspect()
}

// inspect lets Ironic inspect the machine and compares the inventory with the machine.
func (b *bench) inspect() {
	b.t.Helper()
	from := b.serial.Length()
	b.request(map[string]any{"target": "inspect"})
	b.followRamdiskBoot(from)
	b.waitFor("manageable")
	b.t.Log(b.phases.Done("agent's start, inventory, inspection"))
	b.checkInventory()
}

func (b *bench) checkInventory() {
	b.t.Helper()
	var found struct {
		Inventory struct {
			Disks []struct {
				Name, WWN, Serial string
				Size              int64
			} `json:"disks"`
			Interfaces []struct {
				MAC string `json:"mac_address"`
			} `json:"interfaces"`
			Boot struct {
				Mode string `json:"current_boot_mode"`
			} `json:"boot"`
		} `json:"inventory"`
	}
	if err := json.Unmarshal(b.call(http.MethodGet, b.node+"/inventory", nil, http.StatusOK), &found); err != nil {
		b.t.Fatal(err)
	}
	inventory := found.Inventory
	if inventory.Boot.Mode != "uefi" {
		b.t.Errorf("boot mode %q, want uefi", inventory.Boot.Mode)
	}
	if len(inventory.Interfaces) == 0 || !strings.EqualFold(inventory.Interfaces[0].MAC, b.machine.MACs()[0]) {
		b.t.Errorf("interfaces %v, want %v", inventory.Interfaces, b.machine.MACs())
	}
	sizes := map[string]int64{}
	for _, disk := range inventory.Disks {
		sizes[disk.WWN] = disk.Size
	}
	for _, disk := range b.machine.Disks() {
		if sizes[disk.WWN] != disk.SizeBytes {
			b.t.Errorf("disk %s with WWN %s is not in the inventory: %+v", disk.Name, disk.WWN, inventory.Disks)
		}
	}
}
