package provision

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/raid"
	"ironworks/models/request"
	"ironworks/models/steps"
)

// RAIDTarget is a checked target RAID configuration.
type RAIDTarget struct {
	// Config is the configuration in the form that Ironic expects: {"logical_disks": [{"raid_level": …, "size_gb":
	// …}]}.
	Config map[string]any
	Disks  []raid.LogicalDisk
}

// ParseRAID reads a target RAID from YAML or JSON.
func ParseRAID(data []byte) (RAIDTarget, error) {
	var config map[string]any
	if err := yaml.Unmarshal(data, &config); err != nil {
		return RAIDTarget{}, fmt.Errorf("read target RAID: %w", err)
	}
	return NewRAID(config)
}

// NewRAID checks a target RAID configuration as Ironic's API does, and returns it as a RAIDTarget.
func NewRAID(config map[string]any) (RAIDTarget, error) {
	disks, err := raid.Decode(config)
	if err != nil {
		return RAIDTarget{}, fmt.Errorf("target RAID: %w", err)
	}
	return RAIDTarget{Config: config, Disks: disks}, nil
}

// String lists the volumes, for example "RAID 1 100 GiB (root), RAID 5 MAX".
func (t RAIDTarget) String() string {
	texts := make([]string, len(t.Disks))
	for i, d := range t.Disks {
		texts[i] = "RAID " + d.RAIDLevel + " " + VolumeSize(&d)
		if d.IsRoot {
			texts[i] += " (root)"
		}
	}
	return strings.Join(texts, ", ")
}

// VolumeSize returns the size of a logical disk, such as "100 GiB" or "MAX".
func VolumeSize(d *raid.LogicalDisk) string {
	if d.Max {
		return "MAX"
	}
	return fmt.Sprintf("%d GiB", d.SizeGB)
}

// textDrivesUnchecked warns that the drives are not checked. Ironic does not know them before: it assigns them in
// create_configuration, after delete_configuration has run (ironic/drivers/modules/redfish/raid.py,
// _assign_disks_to_volume).
const textDrivesUnchecked = "Ironic assigns the drives after it has deleted the volumes; a RAID check at the BMC shows whether they fit"

// SetRAID returns an action that replaces the RAID volumes of machines. It sets target_raid_config and cleans the node.
// If keep is true, the existing volumes of a hardware controller are kept.
func SetRAID(target RAIDTarget, keep bool) Action {
	return &hardwareAction{name: "set RAID", only: models.CleanSteps, work: func(_ context.Context, n *models.Node) hardwareWork {
		software := steps.InterfacesOf(n)["raid"] == steps.Agent
		if software && keep {
			return refusedWork("a software RAID replaces all volumes: the agent cannot keep existing ones", "leave out --keep")
		}
		if problems := RAIDProblems(n, target); len(problems) > 0 {
			return refusedWork("target RAID: "+strings.Join(problems, "; "), "")
		}
		disks, _ := target.Config[raid.KeyDisks].([]any)
		list := (&enroll.Preparation{RAID: &enroll.RAID{Disks: disks, Software: software}}).Steps()
		text := "deletes all volumes and creates " + target.String()
		if keep {
			list = []models.Step{{Interface: "raid", Step: "create_configuration"}}
			text = "creates " + target.String() + " alongside existing volumes"
		}
		warnings := hintsAfterRAID(n, target.Disks)
		if !software && !keep {
			warnings = append(warnings, textDrivesUnchecked)
		}
		return hardwareWork{
			steps: list, text: text, danger: models.DangerErases, warnings: warnings,
			before: []entry{targetRAIDEntry(n, target.Config)},
		}
	}}
}

func targetRAIDEntry(n *models.Node, config map[string]any) entry {
	return entry{verb: "set target RAID", Request: request.TargetRAID(n.UUID, config)}
}

// DeleteRAID returns an action that deletes all volumes of machines.
func DeleteRAID() Action {
	return &hardwareAction{name: "delete RAID", only: models.CleanSteps, work: func(_ context.Context, n *models.Node) hardwareWork {
		return hardwareWork{
			steps: []models.Step{{Interface: "raid", Step: "delete_configuration"}}, text: "deletes all RAID volumes", danger: models.DangerErases,
			warnings: hintsAfterRAID(n, nil),
		}
	}}
}

// RAIDProblems returns the reasons why the node's RAID interface would reject the target, whatever the drives are.
func RAIDProblems(n *models.Node, target RAIDTarget) []string {
	switch steps.InterfacesOf(n)["raid"] {
	case steps.Agent:
		// The number of block devices is unknown here; the agent needs at least two.
		return raid.Software{Generation: hints.GenerationNewest, Devices: 2}.Check(target.Config)
	case "redfish", "idrac-redfish":
		err := raid.CheckHardware(target.Config)
		if err == nil {
			// the drives are unknown, but the values in the target can be checked
			_, err = raid.Assign(target.Disks, nil, n.UUID)
		}
		if wrong, is := errors.AsType[*raid.Error](err); is && wrong.Class == raid.InvalidParameterValue {
			return []string{err.Error()}
		}
	}
	return nil
}

// raidStepProblems returns the reasons why a RAID step that the operator has chosen would fail on the node. It detects
// a create_configuration step without a target RAID (create_configuration in ironic/drivers/modules/redfish/raid.py and
// agent.py), and a raid_config that the node's RAID interface refuses. The types of arguments are checked elsewhere.
func (a verbAction) raidStepProblems(n *models.Node, s models.Step) []steps.Problem {
	switch s.Label() {
	case "raid.create_configuration":
		now, err := RAIDOf(n)
		if err == nil && len(now.Target) == 0 && !a.setsRAID {
			return []steps.Problem{{Text: s.Label() + ": the node has no target RAID: set target_raid_config first", Certain: true}}
		}
	case "raid.apply_configuration":
		config, is := s.Args["raid_config"].(map[string]any)
		if !is {
			return nil
		}
		target, err := NewRAID(config)
		if err != nil {
			return []steps.Problem{{Text: s.Label() + ": " + err.Error(), Certain: true, Argument: "raid_config"}}
		}
		var problems []steps.Problem
		for _, text := range RAIDProblems(n, target) {
			problems = append(problems, steps.Problem{Text: s.Label() + ": " + text, Certain: true, Argument: "raid_config"})
		}
		return problems
	}
	return nil
}

// hintsAfterRAID returns a warning if a root device hint identifies a disk, because the new RAID may hide or replace
// that disk. If there is a root volume, it returns nil, because Ironic then sets the hints itself (update_raid_info
// in ironic/common/raid.py). Deleting a software RAID removes the hints.
func hintsAfterRAID(n *models.Node, disks []raid.LogicalDisk) []string {
	if slices.ContainsFunc(disks, func(d raid.LogicalDisk) bool { return d.IsRoot }) {
		return nil
	}
	given, _ := n.Properties["root_device"].(map[string]any)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != "size" && name != "rotational" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the root device hints (%s) name a disk that the RAID replaces; set new hints after inspection, or set is_root_volume on a volume", strings.Join(names, ", "))}
}

// CurrentRAID holds a node's volumes at the end of the last cleaning (Current) and the wanted volumes (Target).
type CurrentRAID struct {
	Interface string         `json:"raid_interface"`
	Current   map[string]any `json:"raid_config"`
	Target    map[string]any `json:"target_raid_config"`
}

// RAIDOf returns the RAID configurations of a node, which must have been read with all fields.
func RAIDOf(n *models.Node) (CurrentRAID, error) {
	var c CurrentRAID
	decoder := json.NewDecoder(bytes.NewReader(n.Raw))
	decoder.UseNumber() // so that sizes are sent back unchanged
	if err := decoder.Decode(&c); err != nil {
		return c, fmt.Errorf("read the RAID configuration of node %s: %w", n.Label(), err)
	}
	return c, nil
}

// Volumes returns the logical disks in a RAID configuration.
func Volumes(config map[string]any) []map[string]any {
	list, _ := config[raid.KeyDisks].([]any)
	var disks []map[string]any
	for _, v := range list {
		if disk, ok := v.(map[string]any); ok {
			disks = append(disks, disk)
		}
	}
	return disks
}

// DrivesOf returns the drives that the BMC of a machine reports.
func DrivesOf(b *models.BMC) []raid.Drive {
	drives := make([]raid.Drive, len(b.Drives))
	for i, d := range b.Drives {
		drives[i] = raid.Drive{ID: d.ID, Controller: d.Storage, Protocol: d.Protocol, MediaType: d.Media, CapacityBytes: d.Bytes}
	}
	return drives
}

// VolumeTexts describes a logical disk, which has the form that Ironic uses. It returns the level, the size, the
// name, "yes" for a root volume, and the drives. Any of these strings may be empty.
func VolumeTexts(disk map[string]any) []string {
	text := func(key string) string {
		if disk[key] == nil {
			return ""
		}
		return fmt.Sprint(disk[key])
	}
	size := text(raid.KeySize)
	if size != "MAX" && size != "" {
		size += " GiB"
	}
	root := ""
	if is, _ := disk[raid.KeyRoot].(bool); is {
		root = "yes"
	}
	drives := text(raid.KeyCount)
	if list, ok := disk[raid.KeyDrives].([]any); ok {
		drives = strings.Trim(fmt.Sprint(list), "[]")
	}
	return []string{text(raid.KeyLevel), size, text(raid.KeyName), root, drives}
}
