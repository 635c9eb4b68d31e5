package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

// depth describes which data an erasure by the agent deletes. Each depth includes the lower ones.
type depth int

const (
	erasesNothing depth = iota
	erasesMetadata
	erasesExpress
	erasesAll
)

// depthOf returns the depth to which s erases disks (get_clean_steps in ironic_python_agent/hardware.py).
func depthOf(s models.Step) depth {
	return map[string]depth{
		"deploy.erase_devices":          erasesAll,
		"deploy.erase_devices_express":  erasesExpress,
		"deploy.erase_devices_metadata": erasesMetadata,
	}[s.Label()]
}

// remains describes the data that remains after an erasure of this depth (see _list_erasable_devices and
// erase_block_device in ironic_python_agent/hardware.py).
func (d depth) remains() string {
	const skipped = "virtual media and software RAID members are skipped"
	switch d {
	case erasesAll:
		return "nothing on erased disks; " + skipped
	case erasesExpress:
		return "data on disks other than NVMe: only their partition tables and file system headers are erased; " + skipped
	case erasesMetadata:
		return "data outside partition tables and file system headers can be recovered; " + skipped
	case erasesNothing:
	}
	return ""
}

// on describes which data is erased on the disk. Like the agent, it recognizes NVMe disks by their names (_is_nvme).
func (d depth) on(disk *hints.Disk) string {
	if d == erasesAll || d == erasesExpress && strings.HasPrefix(disk.Name, "/dev/nvme") {
		return "all data"
	}
	return "metadata"
}

type stepper interface{ stepsToRun() []models.Step }

func (a verbAction) stepsToRun() []models.Step {
	return slices.Concat(a.req.CleanSteps, a.req.ServiceSteps)
}

// DiskReader reads the data that [Disks] needs from Ironic.
type DiskReader interface {
	Inventories
	Version() (v models.APIVersion, agreed bool)
}

// Disks returns the details to show before the operator confirms an action that erases disks. They are the serial
// number of the machine, the disks that the action's steps erase, the disks that skip_block_devices protects, the data
// that remains, and the volumes that RAID steps change. If the disks are unknown, a detail says so. A nil action means
// that the way of erasing is unknown.
func Disks(ctx context.Context, api DiskReader, a Action, n *models.Node) []models.Detail {
	var inv *hints.Inventory
	if read, err := readInventory(ctx, api, n.UUID); err == nil {
		inv = &read
	}
	var list []models.Step
	if s, is := a.(stepper); is {
		list = s.stepsToRun()
	}
	deepest := erasesNothing
	for _, s := range list {
		deepest = max(deepest, depthOf(s))
	}
	if deepest == erasesNothing {
		return append(inv.Details(), volumeDetails(n, list)...)
	}
	version, _ := api.Version() // assume that the agent is as new as Ironic
	return slices.Concat(erasedDisks(n, inv, deepest, hints.GenerationOf(version)), []models.Detail{{Name: "remains", Value: deepest.remains()}}, volumeDetails(n, list))
}

func erasedDisks(n *models.Node, inv *hints.Inventory, d depth, by hints.Generation) []models.Detail {
	var details models.Details
	of, err := hints.Of(n)
	search := hints.Search{Generation: by, Skip: of.Skip}
	for _, entry := range search.SkipEntries() {
		if inv == nil || entry.NamesVolume() {
			details.Add("protected", printable.Line("disks in skip_block_devices: "+entry.String()))
		}
	}
	if inv == nil || len(inv.Disks) == 0 {
		return append(inv.Details(), details...)
	}
	protected, skipErr := search.Skipped(inv.Disks)
	for _, wrong := range []error{err, skipErr} {
		if wrong != nil {
			details.Add("protected", printable.Line("unknown: "+wrong.Error()))
		}
	}
	var erased, kept models.Details
	for i := range inv.Disks {
		disk := &inv.Disks[i]
		text := printable.Line(fmt.Sprintf("%s %d GB %s serial %s", disk.Name, disk.Size/1e9, disk.Model, disk.Serial))
		if entry, is := protected[disk.Name]; is {
			kept.Add("protected", fmt.Sprintf("%s (entry %d of skip_block_devices)", text, entry+1))
			continue
		}
		erased.Add("erased", text+": "+d.on(disk))
	}
	return slices.Concat(inv.Details()[:len(inv.Details())-len(inv.Disks)], erased, kept, details)
}

// volumeDetails lists the current volumes, which RAID steps may delete, and the volumes that these steps create.
func volumeDetails(n *models.Node, list []models.Step) []models.Detail {
	i := slices.IndexFunc(list, func(s models.Step) bool { return s.Interface == "raid" })
	if i < 0 {
		return nil
	}
	now, err := RAIDOf(n)
	if err != nil {
		return nil
	}
	var details models.Details
	for _, disk := range Volumes(now.Current) {
		details.Add("volume", volumeText(disk)+" (current)")
	}
	for _, s := range list {
		target := now.Target
		if config, is := s.Args["raid_config"].(map[string]any); is {
			target = config
		}
		for _, disk := range Volumes(target) {
			if s.Interface == "raid" && s.Step != "delete_configuration" {
				details.Add("volume", volumeText(disk)+" (target)")
			}
		}
	}
	return details
}

func volumeText(disk map[string]any) string {
	texts := VolumeTexts(disk)
	text := strings.TrimSpace("RAID " + texts[0] + " " + texts[1] + " " + texts[2])
	if texts[3] != "" {
		text += ", root volume"
	}
	return printable.Line(text)
}
