package enroll

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ironworks/models"
)

// FromIronic converts Ironic's nodes and sorts them by name. Enrolling the result in an empty Ironic creates the same
// nodes, except for times, states and secrets. Secrets that Ironic masks are set to "".
func FromIronic(have Existing) []Node {
	ix := index(have)
	nodes := make([]Node, 0, len(have.Nodes))
	for i := range have.Nodes {
		nodes = append(nodes, ix.export(&have.Nodes[i]))
	}
	slices.SortStableFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Label(), b.Label()) })
	return nodes
}

func (ix *indexed) export(n *models.Node) Node {
	all := fieldsOf(n)
	out := Node{Source: Source{File: n.Label()}, Fields: map[string]any{}, Adopt: hasInstance(n.ProvisionState)}
	for _, field := range NodeFields() {
		value := all[field]
		off, isFlag := value.(bool)
		switch {
		case isEmpty(value), isFlag && !off && field != "automated_clean":
		case field == "chassis_uuid":
			out.Notes = append(out.Notes, fmt.Sprintf("chassis_uuid %v is left out: chassis are not exported", value))
		default:
			out.Fields[field] = normalizedJSON(value)
		}
	}
	for _, object := range []string{"driver_info", "instance_info"} {
		info, _ := out.Fields[object].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(info)) {
			if info[key] != models.Mask {
				continue
			}
			delete(info, key)
			if object == "driver_info" {
				out.SetSecret(key, "")
			} else {
				out.Notes = append(out.Notes, fmt.Sprintf("%s.%s is left out: Ironic masks it", object, key))
			}
		}
		if object == "instance_info" && len(info) == 0 {
			delete(out.Fields, object)
		}
	}
	if len(n.Traits) > 0 {
		out.Traits = slices.Clone(n.Traits)
	}
	out.addParts(ix.ports[n.UUID], ix.groups[n.UUID])
	return out
}

// hasInstance reports whether a machine in the given state has, or is getting, an instance that cleaning would erase.
// It also returns true for states that only a newer Ironic knows.
func hasInstance(s models.ProvisionState) bool {
	switch s {
	case models.StateEnroll, models.StateVerifying, models.StateManageable, models.StateInspecting, models.StateInspectWait, models.StateInspectFailed,
		models.StateCleaning, models.StateCleanWait, models.StateCleanHold, models.StateCleanFailed, models.StateAvailable:
		return false
	default:
		return s != ""
	}
}

// addParts adds Ironic's ports and port groups to the node.
func (n *Node) addParts(ports, groups []map[string]any) {
	places := map[string]int{}
	for _, r := range groups {
		places[models.TextOf(r["uuid"])] = len(n.Portgroups)
		n.Portgroups = append(n.Portgroups, Portgroup{Fields: pick(r,
			"uuid", "name", "address", "mode", "properties", "extra", "standalone_ports_supported", "physical_network", "category")})
	}
	for _, r := range ports {
		p := pick(r,
			"uuid", "address", "name", "pxe_enabled", "physical_network", "local_link_connection", "extra", "is_smartnic", "description", "vendor", "category")
		if i, is := places[models.TextOf(r["portgroup_uuid"])]; is {
			n.Portgroups[i].Ports = append(n.Portgroups[i].Ports, p)
		} else {
			n.Ports = append(n.Ports, p)
		}
	}
}

// pick returns the given fields, but leaves out empty values and defaults. By default, a port boots by PXE, and the
// ports of a port group can be used individually.
func pick(r map[string]any, fields ...string) map[string]any {
	out := map[string]any{}
	for _, field := range fields {
		value := r[field]
		on, isFlag := value.(bool)
		isDefault := isFlag && on == (field == "pxe_enabled" || field == "standalone_ports_supported")
		if !isEmpty(value) && !isDefault {
			out[field] = normalizedJSON(value)
		}
	}
	return out
}
