package models

import (
	"encoding/json"
	"testing"
)

func TestCompareBMC(t *testing.T) {
	t.Parallel()
	b := &BMC{
		System: BMCSystem{Power: "On", Rollup: "Warning", Manufacturer: "ACME", Serial: "S1"},
		Boot:   BMCBoot{Mode: "Legacy", SecureBoot: "Enabled"},
		NICs:   []BMCNIC{{MAC: "52:54:00:00:00:01"}},
	}
	n := &Node{
		PowerState: PowerOff, Health: "Warning", Properties: map[string]any{"vendor": "acme", "serial_number": "S2"},
		Raw: json.RawMessage(`{"boot_mode": "bios", "secure_boot": false}`),
	}
	ports := []Port{{Address: "52:54:00:00:00:01"}, {Address: "52:54:00:00:00:0F"}}
	want := map[string]bool{
		"power": true, "health": false, "boot mode": false, "secure boot": true, "vendor": false, "serial number": true,
		"port 52:54:00:00:00:01": false, "port 52:54:00:00:00:0F": true,
	}
	got := CompareBMC(n, ports, b)
	for _, d := range got {
		if differs, asked := want[d.What]; !asked || differs != d.Differs {
			t.Errorf("%+v", d)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d, want %d", len(got), len(want))
	}
	for _, d := range CompareBMC(&Node{}, ports, &BMC{}) {
		t.Errorf("what nobody tells is compared: %+v", d)
	}
	for _, tt := range []struct {
		ironic PowerState
		bmc    string
		same   bool
	}{{PowerOn, "On", true}, {PowerOn, "Off", false}, {PowerOff, "PoweringOn", true}, {PowerOn, "PoweringOff", true}, {PowerOn, "Paused", true}} {
		if samePower(string(tt.ironic), tt.bmc) != tt.same {
			t.Errorf("%+v", tt)
		}
	}
}
