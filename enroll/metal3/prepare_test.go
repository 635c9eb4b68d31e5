package metal3

import (
	"encoding/json"
	"strings"
	"testing"

	"ironworks/models"
)

// prepared returns the logical disks of target_raid_config and the clean steps that a host still needs, both as text.
// It also returns the RAID interface and the node's problems.
func prepared(t *testing.T, text string, ironic *models.Node) (config, steps, raidInterface string, problems []string) {
	t.Helper()
	n := read(t, text).Nodes[0]
	raidInterface = models.TextOf(n.Fields["raid_interface"])
	left := n.Prepare.Pending(ironic, nil)
	if left == nil {
		return "", "", raidInterface, n.Problems
	}
	raw, err := json.Marshal(left.RAID.Config()["logical_disks"])
	if err != nil {
		t.Fatal(err)
	}
	if config = string(raw); config == "null" {
		config = ""
	}
	var list []string
	for _, s := range left.Steps() {
		args, err := json.Marshal(s.Args)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.TrimSuffix(s.Interface+"."+s.Step+" "+string(args), " null"))
	}
	return config, strings.Join(list, ", "), raidInterface, n.Problems
}

// made returns a node in Ironic with the given target and current RAID volumes.
func made(t *testing.T, target, now string) *models.Node {
	t.Helper()
	n, err := models.DecodeNode([]byte(`{"uuid": "u", "target_raid_config": {"logical_disks": ` + target + `}, "raid_config": {"logical_disks": ` + now + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	deleteRAID = "raid.delete_configuration"
	wipe       = "deploy.erase_devices_metadata"
	createRAID = "raid.create_configuration"
)

// TestRAID checks the cases in baremetal-operator's raid_test.go (TestBuildTargetRAIDCfg, TestBuildRAIDCleanSteps,
// TestCheckRAIDConfigure) and in the tests of its webhook. It also checks the root volume that setTargetRAIDCfg adds.
func TestRAID(t *testing.T) {
	t.Parallel()
	one, soft := `[{"is_root_volume":true,"raid_level":"1","size_gb":"MAX","volume_name":"root"}]`, `[{"controller":"software","is_root_volume":true,"raid_level":"1","size_gb":"MAX"}]`
	hardware := "hardwareRAIDVolumes: [{name: root, level: '1'}]"
	for name, c := range map[string]struct {
		raid, config, steps, on, problem string
		ironic                           *models.Node
		address                          string
	}{
		"physicalDisks without controller": {raid: "hardwareRAIDVolumes: [{name: v, level: '1', physicalDisks: [a, b]}]", problem: "physicalDisks requires controller"},
		"another number of physicalDisks": {
			raid: "hardwareRAIDVolumes: [{name: v, level: '1', physicalDisks: [a, b], numberOfPhysicalDisks: 3, controller: c}]", problem: "numberOfPhysicalDisks is 3, but physicalDisks has 2",
		},
		"hardware": {
			raid:   "hardwareRAIDVolumes: [{name: root, level: '1', rotational: false}, {name: v1, level: 5, rotational: true, sizeGibibytes: 10, physicalDisks: [a], controller: c, numberOfPhysicalDisks: 1}]",
			config: `[{"disk_type":"ssd","is_root_volume":true,"raid_level":"1","size_gb":"MAX","volume_name":"root"},{"controller":"c","disk_type":"hdd","number_of_physical_disks":1,"physical_disks":["a"],"raid_level":"5","size_gb":10,"volume_name":"v1"}]`,
			steps:  deleteRAID + ", " + createRAID, on: "redfish",
		},
		"both":         {raid: hardware + ", softwareRAIDVolumes: [{level: '1'}]", problem: "cannot be combined"},
		"a name twice": {raid: "hardwareRAIDVolumes: [{name: v1, level: '1'}, {name: v1, level: '1'}]", problem: "the name v1 appears twice"},
		"empty names":  {raid: "hardwareRAIDVolumes: [{name: '', level: '1'}, {name: '', level: '1'}]", config: `[{"is_root_volume":true,"raid_level":"1","size_gb":"MAX","volume_name":""},{"raid_level":"1","size_gb":"MAX","volume_name":""}]`, steps: deleteRAID + ", " + createRAID, on: "redfish"},
		"software on disks": {
			raid:   "softwareRAIDVolumes: [{level: '1', physicalDisks: [{minSizeGigabytes: 100}, {minSizeGigabytes: 200}]}, {level: '1'}]",
			config: `[{"controller":"software","is_root_volume":true,"physical_disks":[{"size":"\u003e= 100"},{"size":"\u003e= 200"}],"raid_level":"1","size_gb":"MAX"},{"controller":"software","is_root_volume":false,"raid_level":"1","size_gb":"MAX"}]`,
			steps:  deleteRAID + ", " + wipe + ", " + createRAID, on: "agent",
		},
		"a root volume": {
			raid:   "softwareRAIDVolumes: [{level: '1'}, {level: '1', rootVolume: true}]",
			config: `[{"controller":"software","is_root_volume":false,"raid_level":"1","size_gb":"MAX"},{"controller":"software","is_root_volume":true,"raid_level":"1","size_gb":"MAX"}]`,
			steps:  deleteRAID + ", " + wipe + ", " + createRAID, on: "agent",
		},
		"another level first":               {raid: "softwareRAIDVolumes: [{level: '0'}, {level: '1'}]", problem: "the first software volume has the level 0; Metal3 requires 1"},
		"two root volumes":                  {raid: "softwareRAIDVolumes: [{level: '1', rootVolume: true}, {level: '1', rootVolume: true}]", problem: "2 volumes have rootVolume"},
		"none":                              {raid: "", on: "redfish"},
		"null":                              {raid: "hardwareRAIDVolumes: null, softwareRAIDVolumes: null", on: "redfish"},
		"hardware made":                     {raid: hardware, ironic: made(t, one, `[{"raid_level": "1", "size_gb": 446, "id": "v1"}]`), on: "redfish"},
		"hardware asked for, but not made":  {raid: hardware, ironic: made(t, one, `[]`), config: one, steps: deleteRAID + ", " + createRAID, on: "redfish"},
		"other hardware made":               {raid: hardware, ironic: made(t, `[{"raid_level": "5"}]`, `[{"raid_level": "5"}]`), config: one, steps: deleteRAID + ", " + createRAID, on: "redfish"},
		"empty hardware deletes":            {raid: "hardwareRAIDVolumes: []", ironic: made(t, one, one), steps: deleteRAID, on: "redfish"},
		"empty lists":                       {raid: "hardwareRAIDVolumes: [], softwareRAIDVolumes: []", ironic: made(t, one, one), steps: deleteRAID, on: "redfish"},
		"software made":                     {raid: "softwareRAIDVolumes: [{level: '1'}]", ironic: made(t, soft, soft), on: "agent"},
		"empty software without any":        {raid: "softwareRAIDVolumes: []", on: ""},
		"empty software deletes":            {raid: "softwareRAIDVolumes: []", ironic: made(t, soft, soft), steps: deleteRAID + ", " + wipe, on: ""},
		"hardware without an interface":     {raid: hardware, address: "ipmi://192.0.2.1", problem: "driver ipmi does not support hardware RAID"},
		"software without an interface":     {raid: "softwareRAIDVolumes: [{level: '1'}]", address: "ipmi://192.0.2.1", config: soft, steps: deleteRAID + ", " + wipe + ", " + createRAID, on: "agent"},
		"no RAID without an interface":      {raid: "", address: "ipmi://192.0.2.1", on: "no-raid"},
		"volumes that are no list":          {raid: "hardwareRAIDVolumes: {level: '1'}", problem: "spec.raid.hardwareRAIDVolumes: must be a list, not an object"},
		"a volume that is no object":        {raid: "hardwareRAIDVolumes: [x]", problem: "spec.raid.hardwareRAIDVolumes: must be an object, not a string"},
		"a volume without level":            {raid: "hardwareRAIDVolumes: [{name: x}]", problem: "a volume has no level"},
		"a physical disk with another hint": {raid: "softwareRAIDVolumes: [{level: '1', physicalDisks: [{serial: x}]}]", problem: "unknown hint"},
	} {
		address := "redfish://192.0.2.1"
		if c.address != "" {
			address = c.address
		}
		if c.ironic == nil {
			c.ironic = &models.Node{}
		}
		config, steps, on, problems := prepared(t, strings.Replace(host("raid: {"+c.raid+"}"), "ipmi://192.0.2.1", address, 1), c.ironic)
		if c.problem != "" {
			if !strings.Contains(strings.Join(problems, "; "), c.problem) {
				t.Errorf("%s: problems %q, want %q", name, problems, c.problem)
			}
			continue
		}
		if config != c.config || steps != c.steps || on != c.on || len(problems) > 0 {
			t.Errorf("%s:\n%s with %s on %q, problems %q, want\n%s with %s on %q", name, config, steps, on, problems, c.config, c.steps, c.on)
		}
	}
	hinted := host("rootDeviceHints: {serialNumber: x}, raid: {softwareRAIDVolumes: [{level: '1', rootVolume: true}]}")
	if _, _, _, problems := prepared(t, hinted, &models.Node{}); !strings.Contains(strings.Join(problems, ""), "rootVolume cannot be combined with spec.rootDeviceHints") {
		t.Errorf("a root volume and hints: %q", problems)
	}
}

// TestFirmwareSettings checks that settings result in a clean step, unless the machine already has them, is in use,
// or has no BIOS settings.
func TestFirmwareSettings(t *testing.T) {
	t.Parallel()
	settings := func(text string) string {
		return "---\napiVersion: metal3.io/v1alpha1\nkind: HostFirmwareSettings\nmetadata: {name: n1, namespace: m}\nspec: {settings: " + text + "}\n"
	}
	redfish := strings.Replace(host(""), "ipmi://", "redfish://", 1)
	two := settings(`{Boot: Uefi, Cores: 8, Retry: "20"}`)
	n := read(t, redfish+two).Nodes[0]
	left := n.Prepare.Pending(&models.Node{}, []models.BIOSSetting{{Name: "Boot", Value: "Bios"}, {Name: "Cores", Value: "8"}, {Name: "Other", Value: "x"}})
	if got, err := json.Marshal(left.Steps()); err != nil || string(got) !=
		`[{"interface":"bios","step":"apply_configuration","args":{"settings":[{"name":"Boot","value":"Uefi"},{"name":"Retry","value":"20"}]}}]` {
		t.Errorf("%s, %v", got, err)
	}
	if left := n.Prepare.Pending(&models.Node{}, []models.BIOSSetting{{Name: "Boot", Value: "Uefi"}, {Name: "Cores", Value: "8"}, {Name: "Retry", Value: "20"}}); left != nil {
		t.Errorf("all are set, but %s", left)
	}
	for name, c := range map[string]struct{ text, note, problem string }{
		"IPMI":          {host("") + two, "the ipmi driver has no BIOS settings", ""},
		"in use":        {strings.Replace(redfish, "online: true", "online: true, externallyProvisioned: true", 1) + two, "BIOS Boot=Uefi, Cores=8, Retry=20: not applied because the host is provisioned", ""},
		"a list":        {redfish + settings("[{A: b}]"), "", "spec.settings: must be an object, not a list"},
		"a boolean":     {redfish + settings("{A: true}"), "", "spec.settings.A: must be a string or a number, not a boolean; quote it"},
		"spec.firmware": {host("firmware: {sriovEnabled: true}"), "spec.firmware: not applied because Metal3 ignores it, too", ""},
		"components": {
			redfish + "---\napiVersion: metal3.io/v1alpha1\nkind: HostFirmwareComponents\nmetadata: {name: n1, namespace: m}\nspec: {updates: [{component: bios, url: 'http://u:p@h/b'}]}\n",
			"HostFirmwareComponents bios from http://", "",
		},
	} {
		n := read(t, c.text).Nodes[0]
		notes, problems := strings.Join(n.Notes, "\n"), strings.Join(n.Problems, "\n")
		if !strings.Contains(notes, c.note) || !strings.Contains(problems, c.problem) || c.problem == "" && problems != "" || n.Prepare != nil || strings.Contains(notes, "u:p@") {
			t.Errorf("%s: notes %q, problems %q, prepare %s", name, notes, problems, n.Prepare)
		}
	}
}
