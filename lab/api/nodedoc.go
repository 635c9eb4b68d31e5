package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
)

// InterfaceKinds lists the kinds of interfaces that a driver has, in Ironic's order.
var InterfaceKinds = []string{
	"bios", "boot", "console", "deploy", "firmware", "inspect", "management", "network", "power", "raid", "rescue",
	"storage", "vendor",
}

// interfaceOf returns the kind of interface that the field sets, such as deploy for deploy_interface, and reports
// whether there is such a kind.
func interfaceOf(field string) (string, bool) {
	kind, ok := strings.CutSuffix(field, "_interface")
	return kind, ok && slices.Contains(InterfaceKinds, kind)
}

// Provision states that older API versions do not have.
const (
	stateAvailable   = "available"
	stateInspecting  = "inspecting"
	stateInspectWait = "inspect wait"
)

// shownState returns a provision state as the API version shows it: before 1.2, available was null; before 1.39,
// inspect wait was inspecting.
func (c *call) shownState(state string) any {
	switch {
	case state == stateAvailable && !c.atLeast(2):
		return nil
	case state == stateInspectWait && !c.atLeast(39):
		return stateInspecting
	default:
		return orNull(state)
	}
}

// checkNodeFields rejects fields that a node's document does not have.
func checkNodeFields(fields []string) error {
	for _, field := range fields {
		if field != "uuid" && !slices.Contains(nodeFields, field) && !slices.Contains(relatedFields, field) {
			return invalid("Field %s is not a valid field.", field)
		}
	}
	return nil
}

// nodeDocument returns a node as the API shows it, with masked secrets. If fields is nil, the document contains all
// fields.
func (c *call) nodeDocument(n *db.Node, fields []string) map[string]any {
	asked := fields
	if fields == nil {
		asked = append(append([]string{"uuid", "created_at", "updated_at"}, nodeFields...), relatedFields...)
	}
	document := make(map[string]any, len(asked)+5)
	for _, field := range asked {
		if c.minor >= fieldVersions[field] {
			document[field] = c.nodeField(n, field)
		}
	}
	path := "nodes/" + n.UUID
	document["links"] = c.links(path)
	if fields != nil {
		return document
	}
	document["ports"] = c.links(path + "/ports")
	if c.atLeast(14) {
		document["states"] = c.links(path + "/states")
	}
	if c.atLeast(24) {
		document["portgroups"] = c.links(path + "/portgroups")
	}
	if c.atLeast(32) {
		document["volume"] = c.links(path + "/volume")
	}
	return document
}

func (c *call) nodeField(n *db.Node, field string) any {
	switch field {
	case "provision_state":
		return c.shownState(n.ProvisionState)
	case "driver_info":
		return maskKeys(n.DriverInfo, "snmp_auth_key", "snmp_priv_key")
	case "driver_internal_info":
		return maskSecrets(n.DriverInternalInfo)
	case "instance_info":
		return maskKeys(n.InstanceInfo, "configdrive", "image_url")
	case "conductor":
		return orNull(n.Conductor)
	case "allocation_uuid":
		return orNull(n.AllocationID)
	case "chassis_uuid":
		return orNull(n.ChassisUUID)
	default:
		return column(n, field)
	}
}

// showNode implements GET /v1/nodes/{node}.
func (c *call) showNode(ident string, more []string) endpoint {
	return func() (any, error) {
		fields, err := c.shownFields(nil, inPath("fields", checkList, more), nodeIdent(ident))
		if err != nil {
			return nil, err
		}
		node, err := c.findNodeOrSuffix(ident)
		return c.nodes().shown(fields)(node, cmp.Or(err, c.checkAskedFields(fields)))
	}
}

// deleteNode implements DELETE /v1/nodes/{node}.
func (c *call) deleteNode(ident string) (any, error) {
	if _, err := c.checkArguments(nodeIdent(ident)); err != nil {
		return nil, err
	}
	node, err := c.findNodeOrSuffix(ident)
	if err != nil {
		return nil, err
	}
	if err := c.served(node, http.StatusBadRequest); err != nil {
		return nil, err
	}
	return nil, c.conductor().DestroyNode(c.ctx(), node.UUID)
}
