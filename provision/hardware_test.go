package provision_test

import (
	"context"
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
)

// machineFacts is a fake Ironic that has read the BIOS settings and the firmware of machines.
type machineFacts struct {
	settings []models.BIOSSetting
	firmware []models.Firmware
	err      error
}

func (f machineFacts) BIOS(context.Context, string) ([]models.BIOSSetting, error) {
	return f.settings, f.err
}

func (machineFacts) Volumes(context.Context, string) (models.Volumes, error) {
	return models.Volumes{}, nil
}

func (machineFacts) VendorMethods(context.Context, string) ([]models.VendorMethod, error) {
	return nil, nil
}

func (f machineFacts) Firmware(context.Context, string) ([]models.Firmware, error) {
	return f.firmware, f.err
}

// machineNode returns a node whose interfaces offer steps. fields is a list of further JSON members to add to it, or
// "".
func machineNode(t *testing.T, state models.ProvisionState, fields string) *models.Node {
	t.Helper()
	text := `{"uuid": "u1", "name": "n1", "provision_state": "` + string(state) + `", "driver": "redfish", "power_interface": "redfish",
		"deploy_interface": "custom-agent", "bios_interface": "redfish", "firmware_interface": "redfish", "raid_interface": "redfish"`
	if fields != "" {
		text += ", " + fields
	}
	n, err := models.DecodeNode([]byte(text + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func raidTarget(t *testing.T, text string) provision.RAIDTarget {
	t.Helper()
	target, err := provision.ParseRAID([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestHardwareActions(t *testing.T) {
	t.Parallel()
	known := machineFacts{
		settings: []models.BIOSSetting{{Name: "Turbo", Value: "Enabled", Type: "Enumeration", Allowed: []string{"Enabled", "Disabled"}}},
		firmware: []models.Firmware{{Component: "bios", CurrentVersion: "1.0"}},
	}
	set := func(f machineFacts, changes ...bios.Change) provision.Action { return provision.SetBIOS(f, changes) }
	update := func(texts ...string) provision.Action {
		var updates []provision.FirmwareUpdate
		for _, text := range texts {
			u, err := provision.ParseFirmwareUpdate(text)
			if err != nil {
				t.Fatal(err)
			}
			updates = append(updates, u)
		}
		return provision.UpdateFirmware(known, updates)
	}
	raid := func(text string, keep bool) provision.Action { return provision.SetRAID(raidTarget(t, text), keep) }
	const mirror = `{logical_disks: [{raid_level: "1", size_gb: 100}]}`
	hinted := `"properties": {"root_device": {"serial": "S1", "size": ">= 100"}}`
	for name, tc := range map[string]struct {
		action  provision.Action
		state   models.ProvisionState
		fields  string
		refused string
		effect  string
		danger  models.Danger
		warns   string
		sends   []string
	}{
		"a setting by cleaning":             {action: set(known, bios.Change{Name: "Turbo", Value: "Disabled"}), state: models.StateManageable, effect: "Turbo Enabled → Disabled, then reboots", danger: models.DangerInterrupts, sends: []string{"/states/provision clean apply_configuration"}},
		"a setting by service":              {action: set(known, bios.Change{Name: "Turbo", Value: "Disabled"}), state: models.StateActive, danger: models.DangerInterrupts, sends: []string{"/states/provision service apply_configuration"}},
		"a setting in another state":        {action: set(known, bios.Change{Name: "Turbo", Value: "Disabled"}), state: models.StateAvailable, refused: "only in"},
		"already set":                       {action: set(known, bios.Change{Name: "Turbo", Value: "Enabled"}), state: models.StateManageable, refused: "already set"},
		"an unknown setting":                {action: set(known, bios.Change{Name: "Turbi", Value: "x"}), state: models.StateManageable, refused: `no BIOS setting Turbi (did you mean "Turbo"?)`},
		"settings that Ironic has not read": {action: set(machineFacts{}, bios.Change{Name: "Any", Value: "x"}), state: models.StateManageable, warns: "not read the BIOS settings"},
		"settings that cannot be read":      {action: set(machineFacts{err: &models.Fault{Kind: models.FaultTimeout, Op: "read"}}, bios.Change{Name: "Any", Value: "x"}), state: models.StateManageable, refused: "timeout"},
		"no BIOS interface":                 {action: set(known, bios.Change{Name: "Turbo", Value: "Disabled"}), state: models.StateManageable, fields: `"bios_interface": "no-bios"`, refused: "not offered by bios interface no-bios"},
		"defaults":                          {action: provision.ResetBIOS(), state: models.StateManageable, effect: "defaults", danger: models.DangerMayErase},
		"firmware":                          {action: update("bios=http://h/b"), state: models.StateManageable, effect: "bios 1.0 from http://h/b", danger: models.DangerMayErase, sends: []string{"/states/provision clean update"}},
		"firmware of another component":     {action: update("bmc=http://h/b"), state: models.StateManageable, refused: "no firmware component bmc; the node has bios"},
		"RAID":                              {warns: "Ironic assigns the drives after it has deleted the volumes", action: raid(mirror, false), state: models.StateManageable, effect: "deletes all volumes and creates RAID 1 100 GiB", danger: models.DangerErases, sends: []string{"/states/raid", "/states/provision clean delete_configuration"}},
		"RAID beside others":                {action: raid(mirror, true), state: models.StateManageable, effect: "alongside existing volumes", danger: models.DangerErases, sends: []string{"/states/raid", "/states/provision clean create_configuration"}},
		"RAID of an active node":            {action: raid(mirror, false), state: models.StateActive, refused: "manageable"},
		"RAID and hints":                    {action: raid(mirror, false), state: models.StateManageable, fields: hinted, warns: "the root device hints (serial) name a disk that the RAID replaces"},
		"RAID with a root volume":           {warns: "Ironic assigns the drives after it has deleted the volumes", action: raid(`{logical_disks: [{raid_level: "1", size_gb: 100, is_root_volume: true}]}`, false), state: models.StateManageable, fields: hinted},
		"RAID of unknown drives":            {action: raid(`{logical_disks: [{raid_level: "1", size_gb: MAX}]}`, false), state: models.StateManageable, refused: "'physical_disks' is missing"},
		"software RAID":                     {action: raid(`{logical_disks: [{raid_level: "1", size_gb: 100, controller: software}]}`, false), state: models.StateManageable, fields: `"raid_interface": "agent"`, sends: []string{"/states/raid", "/states/provision clean delete_configuration"}},
		"software RAID of another level":    {action: raid(`{logical_disks: [{raid_level: "5", size_gb: 100, controller: software}]}`, false), state: models.StateManageable, fields: `"raid_interface": "agent"`, refused: "RAID-1 for the first"},
		"software RAID beside others":       {action: raid(mirror, true), state: models.StateManageable, fields: `"raid_interface": "agent"`, refused: "cannot keep"},
		"no RAID":                           {action: provision.DeleteRAID(), state: models.StateManageable, fields: `"raid_interface": "no-raid"`, refused: "if it is enabled in Ironic: ironworks set n1 raid_interface=redfish"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := machineNode(t, tc.state, tc.fields)
			tc.action.Preflight(t.Context(), []models.Node{*n})
			refusal := tc.action.Refuse(n, models.APIVersion{Minor: models.NewestMinor})
			if refusal != nil || tc.refused != "" {
				if refusal == nil || tc.refused == "" || !strings.Contains(refusal.Error(), tc.refused) {
					t.Fatalf("refused: %v, want %q", refusal, tc.refused)
				}
				return
			}
			if e := tc.action.Effect(n); !strings.Contains(e.Text, tc.effect) || tc.danger != 0 && e.Danger != tc.danger {
				t.Errorf("effect %+v", e)
			}
			preview := provision.Batch{Action: tc.action, Items: []provision.Item{{Node: *n}}}.Preview()[0]
			if warnings := strings.Join(preview.Warnings, "; "); !strings.Contains(warnings, tc.warns) || tc.warns == "" && warnings != "" {
				t.Errorf("warnings %q, want %q", warnings, tc.warns)
			}
			for i, want := range tc.sends {
				words := strings.Fields(want)
				if i >= len(preview.Requests) {
					t.Fatalf("%d requests, want %q", len(preview.Requests), tc.sends)
				}
				text := preview.Requests[i].String() + string(preview.Requests[i].Payload())
				for _, word := range words {
					if !strings.Contains(text, word) {
						t.Errorf("request %d: no %q in %s", i, word, text)
					}
				}
			}
		})
	}
}
