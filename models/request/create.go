package request

import (
	"fmt"
	"maps"
	"slices"

	"ironworks/models"
	"ironworks/printable"
)

// CreateNode returns the request that creates a node. body holds the fields of POST /v1/nodes, which may include
// secrets.
func CreateNode(body map[string]any) Request {
	name := models.TextOf(body["name"])
	if name == "" {
		name = models.TextOf(body["uuid"])
	}
	return Request{
		Op: "create node " + printable.Line(name), Method: post, Path: path("nodes"), Body: body, Sensitive: true,
		Commands: []string{baremetal(append([]string{"node", "create"}, createFlags(body, "")...)...)},
	}
}

// CreatePort returns the request that creates a port. body holds the fields of POST /v1/ports.
func CreatePort(body map[string]any) Request {
	address := models.TextOf(body["address"])
	return Request{
		Op: "create port " + printable.Line(address), Method: post, Path: path("ports"), Body: body,
		Commands: []string{baremetal(append(append([]string{"port", "create"}, createFlags(body, "address")...), quote(address))...)},
	}
}

// CreatePortgroup returns the request that creates a port group. body holds the fields of POST /v1/portgroups.
func CreatePortgroup(body map[string]any) Request {
	return Request{
		Op: "create port group " + printable.Line(models.TextOf(body["name"])), Method: post, Path: path("portgroups"), Body: body,
		Commands: []string{baremetal(append([]string{"port", "group", "create"}, createFlags(body, "")...)...)},
	}
}

// PatchPort returns the request that changes a port.
func PatchPort(id string, ops []models.PatchOp) Request { return patchPart("port", "ports", id, ops) }

// PatchPortgroup returns the request that changes a port group.
func PatchPortgroup(id string, ops []models.PatchOp) Request {
	return patchPart("port group", "portgroups", id, ops)
}

func patchPart(noun, collection, id string, ops []models.PatchOp) Request {
	r := Request{Op: "change " + noun + " " + printable.Line(id), Method: patch, Path: path(collection, id), Body: ops}
	r.Commands = patchCommands(noun, id, ops, shownValue)
	return r
}

// DeletePort returns the request that deletes a port.
func DeletePort(id string) Request { return deletePart("port", "ports", id) }

// DeletePortgroup returns the request that deletes a port group. The ports in it are not deleted.
func DeletePortgroup(id string) Request { return deletePart("port group", "portgroups", id) }

func deletePart(noun, collection, id string) Request {
	return Request{
		Op: "delete " + noun + " " + printable.Line(id), Method: remove, Path: path(collection, id),
		Commands: []string{baremetal(noun, "delete", quote(id))},
	}
}

// AttachVIF returns the request that attaches a virtual interface to a node. port or portgroup is the UUID of the
// port or port group to use. If both are empty, Ironic chooses a port.
func AttachVIF(node, vif, port, portgroup string) Request {
	body, words := map[string]any{"id": vif}, []string{"node", "vif", "attach"}
	for _, to := range []struct{ field, flag, uuid string }{{"port_uuid", "--port-uuid", port}, {"portgroup_uuid", "--portgroup-uuid", portgroup}} {
		if to.uuid != "" {
			body[to.field] = to.uuid
			words = append(words, to.flag, quote(to.uuid))
		}
	}
	return Request{
		Op: "attach VIF " + printable.Line(vif) + " to node " + printable.Line(node), Method: post, Path: path("nodes", node, "vifs"),
		Body: body, Commands: []string{baremetal(append(words, quote(node), quote(vif))...)},
	}
}

// DetachVIF returns the request that detaches a virtual interface from a node.
func DetachVIF(node, vif string) Request {
	return Request{
		Op: "detach VIF " + printable.Line(vif) + " from node " + printable.Line(node), Method: remove, Path: path("nodes", node, "vifs", vif),
		Commands: []string{baremetal("node", "vif", "detach", quote(node), quote(vif))},
	}
}

// createFlags returns the flags of a create command, with secrets masked. It omits the field named by positional,
// which is passed as an argument without a flag.
func createFlags(body map[string]any, positional string) []string {
	shown, _ := maskedBody(body).(map[string]any)
	var flags []string
	for _, key := range slices.Sorted(maps.Keys(shown)) {
		flag := flagOf(key)
		if key == positional {
			continue
		}
		switch value := shown[key].(type) {
		case nil:
		case map[string]any:
			if key == "network_data" {
				text, _ := models.JSONText(value)
				flags = append(flags, flag, quote(text))
				continue
			}
			for _, field := range slices.Sorted(maps.Keys(value)) {
				flags = append(flags, flag, quote(field+"="+asText(value[field])))
			}
		case bool:
			flags = append(flags, createSwitch(key, flag, value)...)
		default:
			flags = append(flags, flag, quote(asText(value)))
		}
	}
	return flags
}

// createSwitch returns the flags that set a boolean field. The client offers a switch for some fields, and a flag
// with a value for others. Fields that are false by default have no flag for false.
func createSwitch(key, flag string, on bool) []string {
	switch key {
	case "pxe_enabled":
		return []string{flag, fmt.Sprint(on)}
	case "standalone_ports_supported":
		flag = "--support-standalone-ports"
	case "automated_clean", "disable_power_off", "is_smartnic":
	default:
		return []string{flag, fmt.Sprint(on)}
	}
	if on {
		return []string{flag}
	}
	if off := offSwitches()[key]; off != "" {
		return []string{off}
	}
	return nil
}
