package enroll

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
)

// Preparation describes the manual cleaning of a machine after inspection and before it becomes available. Metal3
// does the same (baremetal-operator, buildManualCleaningSteps in pkg/provisioner/ironic/ironic.go).
type Preparation struct {
	// RAID replaces the machine's RAID. If it is nil, the machine's RAID is kept.
	RAID *RAID
	// BIOS maps the names of BIOS settings to their values, which are text or numbers.
	BIOS map[string]any
}

// RAID describes the RAID volumes that a machine gets. All other volumes are deleted.
type RAID struct {
	// Disks holds the logical_disks of target_raid_config. If it is empty, the RAID is deleted.
	Disks []any
	// Software means that the agent creates the RAID. This requires that the disks contain no metadata.
	Software bool
}

// Config returns target_raid_config. It returns nil if there are no volumes.
func (r *RAID) Config() map[string]any {
	if r == nil || len(r.Disks) == 0 {
		return nil
	}
	return map[string]any{"logical_disks": r.Disks}
}

// Pending returns what a node in Ironic, with the given BIOS settings, still needs, or nil if it needs nothing.
func (p *Preparation) Pending(n *models.Node, settings []models.BIOSSetting) *Preparation {
	if p == nil {
		return nil
	}
	left := Preparation{BIOS: maps.Clone(p.BIOS)}
	if p.RAID != nil && !p.RAID.madeOn(fieldsOf(n)) {
		left.RAID = p.RAID
	}
	for _, s := range settings {
		if value, wanted := left.BIOS[s.Name]; wanted && fmt.Sprint(value) == s.Value {
			delete(left.BIOS, s.Name)
		}
	}
	if left.RAID == nil && len(left.BIOS) == 0 {
		return nil
	}
	return &left
}

// madeOn reports whether a node has the RAID. Ironic records volumes in raid_config after raid.create_configuration.
// Sizes and names are not compared, because the controller may have chosen them.
func (r *RAID) madeOn(node map[string]any) bool {
	made := levels(disksOf(node["raid_config"]))
	if len(r.Disks) == 0 {
		return r.Software && len(made) == 0
	}
	return equal(r.Disks, disksOf(node["target_raid_config"])) && slices.Equal(levels(r.Disks), made)
}

func disksOf(config any) []any {
	object, _ := config.(map[string]any)
	disks, _ := object["logical_disks"].([]any)
	return disks
}

// levels returns the RAID levels of logical disks, sorted.
func levels(disks []any) []string {
	var list []string
	for _, d := range disks {
		disk, _ := d.(map[string]any)
		list = append(list, fmt.Sprint(disk["raid_level"]))
	}
	slices.Sort(list)
	return list
}

// Steps returns the clean steps, in order.
func (p *Preparation) Steps() []models.Step {
	var steps []models.Step
	add := func(on, name string, args map[string]any) {
		steps = append(steps, models.Step{Interface: on, Step: name, Args: args})
	}
	if p.RAID != nil {
		add("raid", "delete_configuration", nil)
		if p.RAID.Software {
			add("deploy", "erase_devices_metadata", nil)
		}
		if len(p.RAID.Disks) > 0 {
			add("raid", "create_configuration", nil)
		}
	}
	if len(p.BIOS) > 0 {
		settings := make([]any, 0, len(p.BIOS))
		for _, name := range slices.Sorted(maps.Keys(p.BIOS)) {
			settings = append(settings, map[string]any{"name": name, "value": p.BIOS[name]})
		}
		add("bios", "apply_configuration", map[string]any{"settings": settings})
	}
	return steps
}

// String describes the preparation, such as "RAID 1, 5; BIOS ProcVirtualization=Enabled".
func (p *Preparation) String() string {
	if p == nil {
		return ""
	}
	var parts []string
	switch {
	case p.RAID == nil:
	case len(p.RAID.Disks) == 0:
		parts = append(parts, "no RAID")
	default:
		parts = append(parts, "RAID "+strings.Join(levels(p.RAID.Disks), ", "))
	}
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(p.BIOS)) {
		settings = append(settings, fmt.Sprintf("%s=%v", name, p.BIOS[name]))
	}
	if len(settings) > 0 {
		parts = append(parts, "BIOS "+strings.Join(settings, ", "))
	}
	return strings.Join(parts, "; ")
}

// prepared removes the preparation from an item whose node is already enrolled, because the node can no longer be
// prepared. It adds a note if the RAID is missing, and records that BIOS settings were not compared.
func (it *Item) prepared() {
	p := it.Node.Prepare
	if p == nil || it.Existing == nil || !enrolled(it.Existing.ProvisionState) {
		return
	}
	if left := p.Pending(it.Existing, nil); left != nil && left.RAID != nil {
		it.Node.Notes = append(it.Node.Notes, fmt.Sprintf("RAID: not configured in state %s; move the node to manageable first", it.Existing.ProvisionState))
	}
	if len(p.BIOS) > 0 {
		it.NotCompared = append(it.NotCompared, "BIOS settings")
	}
	it.Node.Prepare = nil
}

// enrolled reports whether the enrollment of a node in state s is complete, including cleaning or adoption.
func enrolled(s models.ProvisionState) bool {
	return s == "" || s == models.StateAvailable || hasInstance(s) && s != models.StateAdopting && s != models.StateAdoptFailed
}
