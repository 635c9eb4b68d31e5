package hardware_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/screentest"
)

const inventory = `{"inventory": {"disks": [
	{"name": "/dev/sda", "size": 479559942144, "model": "PERC H755", "serial": "0011", "rotational": false},
	{"name": "/dev/sdb", "size": 4000787030016, "model": "PERC H755", "serial": "0012", "rotational": true}]}}`

// withRAID opens the RAID tab of a node that has the given RAID interface and target RAID. The node also has current
// volumes and an inventory.
func withRAID(t *testing.T, iface, target string) *rig {
	t.Helper()
	r := opened(t, nil)
	r.api.Found = json.RawMessage(inventory)
	r.api.Nodes[0].Raw = json.RawMessage(`{"uuid": "` + screentest.UUID(1) + `", "name": "r7-n01", "raid_interface": "` + iface + `",
		"raid_config": {"logical_disks": [{"raid_level": "1", "size_gb": 447, "volume_name": "os", "controller": "RAID.1", "root_device_hint": {"wwn": "0x5"}}]},
		"target_raid_config": ` + target + `}`)
	r.Do(r.s, r.s.Do(action.ShowRAID))
	return r
}

// bmcs is a fake whose BMC reports drives behind a RAID controller, or returns an error.
type bmcs struct {
	screen.BMCs
	err error
}

func (b bmcs) Query(context.Context, string) (*provision.BMCReport, error) {
	list := []models.BMCDrive{}
	for i := range 3 {
		list = append(list, models.BMCDrive{ID: fmt.Sprint("Disk.", i), Storage: "RAID.1", Bytes: 480_103_981_056, Media: "SSD", Protocol: "SATA", Model: "INTEL", Serial: fmt.Sprint("BTY", i)})
	}
	return &provision.BMCReport{BMC: &models.BMC{Drives: list}}, b.err
}

// TestDrivesOfTheBMC checks that the RAID tab shows the drives that the inventory lacks, and the drives that each
// target volume would get.
func TestDrivesOfTheBMC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withRAID(t, "redfish", `{"logical_disks": [{"raid_level": "1", "size_gb": 100, "volume_name": "os"}]}`)
		if why := r.s.DisabledReason(action.HardwareDrives); why != "not possible in this session" {
			t.Errorf("%q", why)
		}
		r.Env.Session.BMCs = bmcs{}
		r.Do(r.s, r.s.Do(action.HardwareDrives))
		screentest.Shows(t, r.s, 120, 40, "Drives reported by the BMC", "RAID.1  Disk.0  447 GiB  SSD  SATA  INTEL  BTY0", "Drives used by the target volumes", "RAID 1  100 GiB  os  Disk.0, Disk.1")
		r.Env.Session.BMCs = bmcs{err: errors.New("no answer")}
		wishes := r.Do(r.s, r.s.Do(action.HardwareDrives))
		if said, ok := wishes[len(wishes)-1].(screen.Say); !ok || said.Text != "no answer" {
			t.Errorf("%v", wishes)
		}
	})
}

func TestRAID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withRAID(t, "redfish", `{"logical_disks": [{"raid_level": "1", "size_gb": 100, "is_root_volume": true}, {"raid_level": "5", "size_gb": "MAX", "physical_disks": ["1", "2", "3"], "controller": "RAID.1"}]}`)
		screentest.Golden(t, r.s, "raid")
		screentest.CheckSizes(t, r.s)
		r.fill(t, action.HardwareAdd, "right", "enter") // RAID 2 exists in Ironic's API but not in Redfish
		r.s.Do(action.Bottom)
		screentest.Golden(t, r.s, "raid-added")
		r.s.Do(action.HardwareRemove)
		r.s.Do(action.Top)
		c := r.wanted(t, action.HardwareApply)
		if got := strings.Join(c.CommandLine, " "); got != `raid apply r7-n01 -f {"logical_disks":[{"is_root_volume":true,"raid_level":"1","size_gb":100},{"controller":"RAID.1","physical_disks":["1","2","3"],"raid_level":"5","size_gb":"MAX"}]}` {
			t.Error(got)
		}
		if c := r.wanted(t, action.HardwareReset); c.Action.Name() != "delete RAID" {
			t.Error(c.Action.Name())
		}
	})
}

// TestRAIDEditsStay checks that the edited target is kept until Ironic has it, because the operator may cancel the
// confirmation.
func TestRAIDEditsStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withRAID(t, "redfish", `{"logical_disks": [{"raid_level": "1", "size_gb": 100}, {"raid_level": "5", "size_gb": 200}]}`)
		r.s.Do(action.HardwareRemove)
		c := r.wanted(t, action.HardwareApply)
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Shows(t, r.s, 120, 40, "target not applied")
		screentest.Lacks(t, r.s, 120, 40, "100 GiB")
		r.api.Nodes[0].Raw = json.RawMessage(`{"uuid": "` + screentest.UUID(1) + `", "name": "r7-n01", "raid_interface": "redfish", "target_raid_config": ` + c.CommandLine[len(c.CommandLine)-1] + `}`)
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Lacks(t, r.s, 120, 40, "target not applied", "100 GiB")
	})
}

func TestRAIDOfTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withRAID(t, "agent", `{}`)
		if why := r.s.DisabledReason(action.HardwareApply); why != "" {
			t.Error(why)
		}
		r.s.Do(action.HardwareRemove)
		r.fill(t, action.HardwareAdd, "enter")
		screentest.Golden(t, r.s, "raid-software")
	})
}

func TestFormOfAVolumeRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withRAID(t, "redfish", `{}`)
		for _, msg := range r.Do(r.s, r.s.Do(action.HardwareAdd)) {
			ask, ok := msg.(screen.Ask)
			if !ok {
				continue
			}
			for _, key := range []string{"tab", "backspace", "backspace", "backspace", "m", "a", "n", "y", "enter"} {
				ask.Overlay.Update(screentest.Press(key))
			}
			text := screentest.OverlayText(ask.Overlay, 100, 24)
			if !strings.Contains(text, "size_gb: 'MANY'") {
				t.Errorf("no problem of the size:\n%s", text)
			}
		}
	})
}

func TestFirmware(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, nil)
		r.Do(r.s, r.s.Do(action.ShowFirmware))
		screentest.Golden(t, r.s, "firmware-none")
		r.api.firmware = []models.Firmware{
			{Component: "bios", CurrentVersion: "2.1.0", InitialVersion: "1.9.3", LastFlashed: "2.1.0"},
			{Component: "bmc", CurrentVersion: "7.00", InitialVersion: "7.00"},
		}
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Golden(t, r.s, "firmware")
		r.s.Do(action.Down)
		var change screen.StartAction
		for _, msg := range r.fill(t, action.Open, append(strings.Split("http://10.0.0.1/b", ""), "enter")...) {
			if c, ok := msg.(screen.StartAction); ok {
				change = c
			}
		}
		if got := strings.Join(change.CommandLine, " "); got != "firmware update r7-n01 bmc=http://10.0.0.1/b" {
			t.Error(got)
		}
	})
}

func TestInspection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, nil)
		r.Do(r.s, r.s.Do(action.ShowInspection))
		screentest.Golden(t, r.s, "inspection-none")
		r.api.Found = json.RawMessage(inventory)
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Golden(t, r.s, "inspection")
		screentest.CheckSizes(t, r.s)
		r.api.Storage = models.Volumes{
			Connectors: []models.VolumeConnector{{Type: "iqn", ID: "iqn.2026-11.example:r7-n01"}},
			Targets:    []models.VolumeTarget{{Type: "iscsi", VolumeID: "v1"}},
		}
		r.api.Vendor = []models.VendorMethod{{Name: "eject_vmedia", HTTPMethods: []string{"POST"}, Description: "Eject a virtual media device"}}
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Golden(t, r.s, "inspection-volumes")
		if why := r.s.DisabledReason(action.Open); why == "" {
			t.Error("what inspection found can be edited")
		}
	})
}

// TestRAIDWithoutDisks checks that a machine without disks is not shown as one that was not inspected. The machine
// has no disks because its RAID controller has no volumes.
func TestRAIDWithoutDisks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t, nil)
		r.Do(r.s, r.s.Do(action.ShowRAID))
		screentest.Shows(t, r.s, 80, 20, "unknown: not inspected")
		r.api.Found = json.RawMessage(`{"inventory": {"disks": []}}`)
		r.Do(r.s, r.s.Update(screen.Reload{}))
		screentest.Shows(t, r.s, 80, 20, "Disks found by the last inspection", "  none")
		screentest.Lacks(t, r.s, 80, 20, "not inspected")
	})
}
