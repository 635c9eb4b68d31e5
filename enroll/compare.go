package enroll

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
)

// Existing holds all nodes in Ironic with all their fields (in Raw), and the fields of all ports and port groups.
type Existing struct {
	Nodes      []models.Node
	Ports      []map[string]any
	Portgroups []map[string]any
}

// Options changes how an input is compared with Ironic.
type Options struct {
	// UpdateCredentials means that secrets in Ironic, which cannot be compared, are overwritten.
	UpdateCredentials bool
	// Complete, if not nil, sets fields that depend on the existing node, which is nil for a new node.
	Complete func(n *Node, existing *models.Node)
}

// Compare plans the enrollment of nodes. It never plans deletions.
func Compare(nodes []Node, have Existing, opts Options) Plan {
	ix := index(have)
	plan := make(Plan, len(nodes))
	for i := range nodes {
		plan[i] = ix.item(nodes[i], opts)
	}
	markDuplicates(plan)
	return plan
}

func (ix *indexed) item(n Node, opts Options) Item { //nolint:gocritic // it is kept
	it := Item{Node: n, UUID: n.Identity(), Kind: Create}
	if len(n.Problems) > 0 {
		it.Kind, it.Reason = Invalid, strings.Join(n.Problems, "; ")
		return it
	}
	if ix.identify(&it); it.Kind.Refused() {
		return it
	}
	if opts.Complete != nil {
		opts.Complete(&it.Node, it.Existing)
	}
	it.leaveOutProtection()
	if it.Existing != nil {
		it.compareNode(fieldsOf(it.Existing), opts)
		it.prepared()
	} else if it.lacksSecret(); it.Kind.Refused() {
		return it
	}
	if ix.compareParts(&it); it.Existing != nil && it.Kind != Conflict {
		it.Kind = it.judge()
	}
	return it
}

// leaveOutProtection removes protected and protected_reason from the input if they cannot be set. A new node cannot
// be created with them (node_schema in ironic/api/controllers/v1/node.py). Only nodes in the active and rescue states
// can be made protected (_check_update_protected in ironic/conductor/manager.py).
func (it *Item) leaveOutProtection() {
	wanted := it.Node.Fields["protected"] == true
	if now := it.Existing; now != nil && (!wanted || now.Protected || now.ProvisionState == models.StateActive || now.ProvisionState == models.StateRescue) {
		return
	}
	it.Node.Fields = maps.Clone(it.Node.Fields)
	delete(it.Node.Fields, "protected")
	delete(it.Node.Fields, "protected_reason")
	if wanted {
		it.Node.Notes = append(it.Node.Notes, "protected is left out: only active nodes can be protected")
	}
}

// lacksSecret marks a new node as invalid if one of its secrets has no value.
func (it *Item) lacksSecret() {
	for _, key := range slices.Sorted(maps.Keys(it.Node.Secrets)) {
		if !it.Node.Secrets[key].IsSet() {
			it.Kind, it.Reason = Invalid, fmt.Sprintf("driver_info.%s is missing", key)
			it.Remedy = "add it to the file, or pass --credentials"
			return
		}
	}
}

// judge returns Change if the input differs from the existing node, and Unchanged if not.
func (it *Item) judge() Kind {
	differs := func(p PartItem) bool { return p.Kind != Unchanged }
	if len(it.Changes) > 0 || len(it.AddTraits) > 0 || slices.ContainsFunc(it.Parts, differs) {
		return Change
	}
	return Unchanged
}

func (it *Item) compareNode(now map[string]any, opts Options) {
	wanted := maps.Clone(it.Node.Fields)
	delete(wanted, "uuid")
	keepRAIDLevel(wanted, now)
	it.Changes = differences(nil, wanted, now)
	info, _ := now["driver_info"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(it.Node.Secrets)) {
		before, set := info[key]
		switch {
		case !it.Node.Secrets[key].IsSet(), set && !opts.UpdateCredentials:
			it.NotCompared = append(it.NotCompared, "driver_info."+key)
		case set && before != models.Mask && before == it.Node.Secrets[key].Reveal():
		default:
			it.Changes = append(it.Changes, FieldChange{Path: []string{"driver_info", key}, Before: before, After: it.Node.Secrets[key], Secret: true})
		}
	}
	for _, t := range it.Node.Traits {
		if !slices.Contains(it.Existing.Traits, t) {
			it.AddTraits = append(it.AddTraits, t)
		}
	}
}

// keepRAIDLevel keeps the raid_level capability, which Ironic sets after it has created a RAID (update_raid_info in
// ironic/common/raid.py). If the input sets this capability itself, the value in the input is used.
func keepRAIDLevel(wanted, now map[string]any) {
	const name = "raid_level:"
	own := func(node map[string]any) (properties map[string]any, capabilities []string) {
		properties, _ = node["properties"].(map[string]any)
		return properties, strings.Split(models.TextOf(properties["capabilities"]), ",")
	}
	isLevel := func(c string) bool { return strings.HasPrefix(c, name) }
	properties, capabilities := own(wanted)
	_, theirs := own(now)
	at := slices.IndexFunc(theirs, isLevel)
	if len(disksOf(now["raid_config"])) == 0 || at < 0 || properties["capabilities"] == nil || slices.ContainsFunc(capabilities, isLevel) {
		return
	}
	properties = maps.Clone(properties)
	properties["capabilities"] = strings.Join(append(capabilities, theirs[at]), ",")
	wanted["properties"] = properties
}

// compareParts plans the item's port groups and ports. All groups come first, because their ports refer to them.
func (ix *indexed) compareParts(it *Item) {
	for _, g := range it.Node.Portgroups {
		part := PartItem{Noun: PortgroupNoun, Fields: g.Fields, Kind: Create, UUID: PartUUID(it.UUID, g.Fields)}
		for _, r := range ix.groups[it.UUID] {
			if sameGroup(g.Fields, r) {
				part.existing(r)
			}
		}
		it.Parts = append(it.Parts, part)
	}
	for i, g := range it.Node.Portgroups {
		for _, p := range g.Ports {
			ix.comparePort(it, p, it.Parts[i].UUID)
		}
	}
	for _, p := range it.Node.Ports {
		ix.comparePort(it, p, "")
	}
}

func (ix *indexed) comparePort(it *Item, p Port, group string) {
	fields := maps.Clone(p)
	if group != "" {
		fields["portgroup_uuid"] = group
	}
	part := PartItem{Noun: PortNoun, Fields: fields, Kind: Create, UUID: PartUUID(it.UUID, fields)}
	if r := ix.macs[p.Address()]; r != nil {
		if owner := models.TextOf(r["node_uuid"]); owner != it.UUID {
			it.Kind, it.Reason = Conflict, fmt.Sprintf("MAC %s is a port of node %s", p.Address(), ix.labelOf(owner))
			it.Remedy = "correct the file, or delete that port"
		}
		part.existing(r)
	}
	it.Parts = append(it.Parts, part)
}

func (p *PartItem) existing(r map[string]any) {
	wanted := maps.Clone(p.Fields)
	delete(wanted, "uuid")
	delete(wanted, "node_uuid")
	p.UUID, p.Kind = models.TextOf(r["uuid"]), Unchanged
	for _, c := range differences(nil, wanted, r) {
		if c.Name() == "address" && strings.EqualFold(models.TextOf(c.Before), models.TextOf(c.After)) {
			continue
		}
		p.Changes, p.Kind = append(p.Changes, c), Change
	}
}

func sameGroup(fields, r map[string]any) bool {
	for _, key := range []string{"uuid", "name", "address"} {
		if text := models.TextOf(fields[key]); text != "" && strings.EqualFold(text, models.TextOf(r[key])) {
			return true
		}
	}
	return false
}
