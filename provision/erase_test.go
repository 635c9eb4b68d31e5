package provision_test

import (
	"strings"
	"testing"

	"ironworks/models"
	"ironworks/provision"
)

func step(label string, args map[string]any) models.Step {
	iface, name, _ := strings.Cut(label, ".")
	return models.Step{Interface: iface, Step: name, Args: args}
}

func cleanWith(list ...models.Step) provision.Action {
	return provision.Provision(models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: list})
}

// TestDisksOfErasures checks that a confirmation lists the disks that a step erases, the disks that
// skip_block_devices protects, and the data that remains.
func TestDisksOfErasures(t *testing.T) {
	t.Parallel()
	const inventory = `{"inventory": {"disks": [
		{"name": "/dev/sda", "size": 480000000000, "model": "INTEL", "serial": "A"}, {"name": "/dev/sdb", "size": 480000000000, "model": "INTEL", "serial": "B"},
		{"name": "/dev/nvme0n1", "size": 960000000000, "model": "KIOXIA", "serial": "N"}], "system_vendor": {"manufacturer": "Dell", "product_name": "R650", "serial_number": "S1"}}}`
	const protected = `"properties": {"skip_block_devices": [{"serial": "x"}, {"serial": "B"}, {"volume_name": "keep"}]}`
	const raid = `"raid_config": {"logical_disks": [{"raid_level": "1", "size_gb": 100, "volume_name": "os", "is_root_volume": true}]}, "target_raid_config": {"logical_disks": [{"raid_level": "5", "size_gb": "MAX"}]}`
	for name, c := range map[string]struct {
		act            provision.Action
		node, has, not string
	}{
		"all":          {cleanWith(step("deploy.erase_devices", nil)), protected, "machine=Dell R650, serial S1; erased=/dev/sda 480 GB INTEL serial A: all data; erased=/dev/nvme0n1 960 GB KIOXIA serial N: all data; protected=/dev/sdb 480 GB INTEL serial B (entry 2 of skip_block_devices); protected=disks in skip_block_devices", "disk="},
		"metadata":     {cleanWith(step("deploy.erase_devices_metadata", nil)), "", "erased=/dev/nvme0n1 960 GB KIOXIA serial N: metadata; remains=data outside partition tables", "protected"},
		"express":      {cleanWith(step("deploy.erase_devices_express", nil)), "", "erased=/dev/sdb 480 GB INTEL serial B: metadata; erased=/dev/nvme0n1 960 GB KIOXIA serial N: all data; remains=data on disks other than NVMe", "protected"},
		"the deepest":  {cleanWith(step("deploy.erase_devices_metadata", nil), step("deploy.erase_devices", nil)), "", "remains=nothing on erased disks", ": metadata"},
		"no erasure":   {cleanWith(step("deploy.erase_pstore", nil)), protected, "disk=/dev/sdb 480 GB INTEL serial B", "remains"},
		"RAID":         {cleanWith(step("raid.delete_configuration", nil), step("raid.create_configuration", nil)), raid, "volume=RAID 1 100 GiB os, root volume (current); volume=RAID 5 MAX (target)", "remains"},
		"RAID deleted": {cleanWith(step("raid.delete_configuration", nil)), raid, "volume=RAID 1 100 GiB os, root volume (current)", "(target)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := detailsText(provision.Disks(t.Context(), inventories{raw: inventory}, c.act, machineNode(t, models.StateManageable, c.node)))
			if !strings.Contains(got, c.has) || strings.Contains(got, c.not) {
				t.Errorf("%s\nwant %q, not %q", got, c.has, c.not)
			}
		})
	}
	got := detailsText(provision.Disks(t.Context(), inventories{err: &models.Fault{Kind: models.FaultNotFound}}, cleanWith(step("deploy.erase_devices", nil)), machineNode(t, models.StateManageable, protected)))
	if want := "disks=not known: the node was not inspected; protected=disks in skip_block_devices"; !strings.Contains(got, want) || strings.Count(got, "protected=") != 3 {
		t.Errorf("%s", got)
	}
}

// TestProtectedDisksOfReleases checks that skip_block_devices is interpreted as in the agent of Ironic's release. The
// agents of the two releases match it differently.
func TestProtectedDisksOfReleases(t *testing.T) {
	t.Parallel()
	const inventory = `{"inventory": {"disks": [{"name": "/dev/sda", "size": 480000000000, "serial": "A", "tran": "sata"}]}}`
	n := machineNode(t, models.StateManageable, `"properties": {"skip_block_devices": [{"tran": "sata"}]}`)
	for minor, want := range map[int]string{models.NewestMinor: "protected=/dev/sda", 82: "erased=/dev/sda", 0: "protected=/dev/sda"} {
		api := inventories{raw: inventory, version: models.APIVersion{Minor: minor}}
		if got := detailsText(provision.Disks(t.Context(), api, cleanWith(step("deploy.erase_devices", nil)), n)); !strings.Contains(got, want) {
			t.Errorf("1.%d: %s\nwant %s", minor, got, want)
		}
	}
}

func detailsText(list []models.Detail) string {
	texts := make([]string, len(list))
	for i, d := range list {
		texts[i] = d.Name + "=" + d.Value
	}
	return strings.Join(texts, "; ")
}

// TestRAIDStepsAreChecked checks that RAID steps are not sent if Ironic or the agent would refuse them.
func TestRAIDStepsAreChecked(t *testing.T) {
	t.Parallel()
	config := func(text string) map[string]any { return map[string]any{"raid_config": raidTarget(t, text).Config} }
	const target = `"target_raid_config": {"logical_disks": [{"raid_level": "1", "size_gb": 100}]}`
	for name, c := range map[string]struct {
		verb       models.Verb
		step       models.Step
		node, want string
	}{
		"no target":      {models.VerbClean, step("raid.create_configuration", nil), `"target_raid_config": {}`, "the node has no target RAID"},
		"target":         {models.VerbClean, step("raid.create_configuration", nil), target, ""},
		"config":         {models.VerbService, step("raid.apply_configuration", config(`{logical_disks: [{raid_level: "1", size_gb: 100}]}`)), "", ""},
		"no RAID":        {models.VerbService, step("raid.apply_configuration", map[string]any{"raid_config": map[string]any{}}), "", "raid.apply_configuration: target RAID"},
		"of drives":      {models.VerbService, step("raid.apply_configuration", config(`{logical_disks: [{raid_level: "1", size_gb: MAX}]}`)), "", "raid.apply_configuration"},
		"image, service": {models.VerbService, step("deploy.write_image", nil), "", "fails as a service step"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req, state := models.ProvisionRequest{Verb: c.verb, CleanSteps: []models.Step{c.step}}, models.StateManageable
			if c.verb == models.VerbService {
				req, state = models.ProvisionRequest{Verb: c.verb, ServiceSteps: []models.Step{c.step}}, models.StateActive
			}
			why := ""
			if r := provision.Provision(req).Refuse(machineNode(t, state, c.node), models.APIVersion{Minor: models.NewestMinor}); r != nil {
				why = r.Why
			}
			if (c.want == "") != (why == "") || !strings.Contains(why, c.want) {
				t.Errorf("%q, want %q", why, c.want)
			}
		})
	}
}
