package api

import (
	"slices"

	"ironworks/lab/db"
)

// NodeObject returns the fields of Ironic's node object, which inspection rules read. These fields differ from the
// fields of a node's document in the API.
func NodeObject(n *db.Node) map[string]any {
	fields := map[string]any{}
	for name := range nodeColumns {
		fields[name] = nodeColumns.shown(n, name)
		switch {
		case slices.Contains(n.Empty, name):
			fields[name] = ""
		case slices.Contains(n.Null, name):
			fields[name] = nil
		}
	}
	for _, none := range []string{"interfaces", "empty", "null", "conductor", "chassis_uuid", "allocation_id"} {
		delete(fields, none)
	}
	for _, kind := range interfaceKinds {
		fields[kind+"_interface"] = orNull(n.Interfaces[kind])
	}
	return fields
}

// SetNodeField sets the field that has the given name in [NodeObject]. It ignores unknown fields.
func SetNodeField(n *db.Node, name string, value any) {
	if kind, ok := interfaceOf(name); ok {
		n.Interfaces[kind], _ = value.(string)
		return
	}
	nodeColumns.set(n, name, value)
}

// PortObject is like [NodeObject], but for a port.
func PortObject(p *db.Port) map[string]any {
	fields := map[string]any{}
	for name := range portColumns {
		fields[name] = portColumns.shown(p, name)
	}
	return fields
}

// SetPortField is like [SetNodeField], but for a port.
func SetPortField(p *db.Port, name string, value any) { portColumns.set(p, name, value) }
