package api

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/lab/db"
	"ironworks/python"
)

// patchable contains the fields of a node that a patch may change, in Ironic's order.
var patchable = []string{
	"automated_clean", "bios_interface", "boot_interface", "chassis_uuid", "conductor_group", "console_interface",
	"deploy_interface", "description", "disable_power_off", "driver", "driver_info", "extra", "inspect_interface",
	"instance_info", "instance_name", "instance_uuid", "lessee", "maintenance", "management_interface", "name",
	"network_data", "network_interface", "owner", "power_interface", "properties", "protected", "protected_reason",
	"raid_interface", "rescue_interface", "resource_class", "retired", "retired_reason", "shard", "storage_interface",
	"vendor_interface", "parent_node", "firmware_interface",
}

// patchNode handles PATCH requests for a node. Like Ironic, it reads the part of the path after the node as
// reset_interfaces.
func (c *call) patchNode(ident string, more []string) (any, error) {
	patch, args, err := c.givenPatch(nodeIdent(ident), inPath("reset_interfaces", checkBool, more))
	if err != nil {
		return nil, err
	}
	reset := args.boolean("reset_interfaces")
	if reset != nil && !c.atLeast(45) {
		return nil, notAcceptable()
	}
	if patch == nil {
		return nil, pythonError("'NoneType' object is not iterable")
	}
	if err := c.checkNodePatch(patch, reset != nil && *reset); err != nil {
		return nil, err
	}
	node, err := c.findNodeOrSuffix(ident)
	if err != nil {
		return nil, err
	}
	parent := ""
	if links := patchValues(patch, "/parent_node"); len(links) > 0 {
		linked, err := c.authorizeLink(node.Owner, python.Str(links[0]), "parent_node")
		if err != nil {
			return nil, err
		}
		if linked.UUID != node.UUID {
			parent = linked.UUID
		}
	}
	if err := c.checkChangeable(node, ident, patch); err != nil {
		return nil, err
	}
	if names := patchValues(patch, "/name"); len(names) > 0 {
		text := "Node " + ident + ": Cannot change name to invalid name '" + python.Str(names[0]) + "'"
		if err := c.checkNames(names, text); err != nil {
			return nil, err
		}
	}
	old := patchDocument(node)
	changed, _ := plain(old).(map[string]any)
	if err := applyPatch(changed, patch); err != nil {
		return nil, err
	}
	if parent != "" {
		changed["parent_node"] = parent
	}
	return c.updateNode(node, ident, old, changed, reset != nil && *reset)
}

// checkNodePatch runs the checks that depend on the patch alone, and not on the node.
func (c *call) checkNodePatch(patch []operation, reset bool) error {
	if err := checkRoots(patch, patchable); err != nil {
		return err
	}
	for _, field := range patchable {
		if c.minor < fieldVersions[field] && len(patchValues(patch, "/"+field)) > 0 {
			return notAcceptable()
		}
	}
	if reset && len(patchValues(patch, "/driver")) == 0 {
		return invalid("The reset_interfaces parameter can only be used when changing the node's driver.")
	}
	if values := patchValues(patch, "/description"); len(values) > 0 {
		text, isText := values[0].(string)
		if kind := pythonType(values[0]); slices.Contains([]string{"int", "float", "bool", "NoneType"}, kind) {
			return pythonError("object of type '%s' has no len()", kind)
		}
		if isText && utf8.RuneCountInString(text) > maxDescription {
			return invalid("Cannot update node with description exceeding %d characters", maxDescription)
		}
	}
	for _, value := range patchValues(patch, "/network_data") {
		if v := networkDataSchema.Validate(python.Value(value)); v != nil {
			return invalid("Invalid network_data: %s ", v.Message)
		}
	}
	for _, o := range patch {
		// Ironic reads the operation's value to select the policy rule for automated_clean. It does so even if the
		// operation is a removal, which needs no value.
		if _, ok := o["value"]; !ok && o.root() == "automated_clean" {
			return pythonError("'value'")
		}
	}
	return nil
}

// checkChangeable rejects a patch that the node's state does not allow, for example because an operation runs on the
// node.
func (c *call) checkChangeable(n *db.Node, ident string, patch []operation) error {
	onlyInstance := len(patch) == 1 && len(patch[0]) == 2 && patch[0].kind() == "remove" &&
		patch[0].path() == "/instance_uuid"
	switch {
	case n.Maintenance && onlyInstance:
		return nil
	case n.TargetProvisionState != "" && !slices.Contains(updateAllowed, n.ProvisionState):
		return conflict("Node %s can not be updated while a state transition is in progress.", ident)
	case n.ProvisionState == stateInspecting && c.atLeast(39):
		return conflict("Cannot update node \"%s\" while it is in state \"%s\".", n.UUID, stateInspecting)
	case len(patchValues(patch, "/owner")) > 0 && n.AllocationID != "":
		allocation, err := c.tables().Allocations.Get(n.AllocationID)
		if err == nil && allocation.Owner != "" {
			return conflict("Cannot update owner of node \"%s\" while it is allocated to an allocation with an  owner.", n.UUID)
		}
	}
	return nil
}

// patchDocument returns the document to which a patch of the node is applied. It contains only the fields that a
// patched node may have, and its secrets are not masked.
func patchDocument(n *db.Node) map[string]any {
	document := make(map[string]any, len(patchedSchema.Properties))
	for field := range patchedSchema.Properties {
		document[field] = plain(column(n, field))
	}
	document["chassis_uuid"] = orNull(n.ChassisUUID)
	return document
}

// updateNode sends a patched node to the conductor.
func (c *call) updateNode(node *db.Node, ident string, old, changed map[string]any, reset bool) (any, error) {
	if _, err := checkObject(patchedSchema, nodeChecks)("patch", changed); err != nil {
		return nil, err
	}
	if err := c.checkChassis(changed["chassis_uuid"]); err != nil {
		return nil, err
	}
	group, ok := changed["conductor_group"]
	switch text, isText := group.(string); {
	case !ok:
		return nil, pythonError("'conductor_group'")
	case !isText:
		return nil, pythonError("'NoneType' object has no attribute 'lower'")
	default:
		changed["conductor_group"] = strings.ToLower(text)
	}
	fields := changedFields(patchedSchema, old, changed)
	if node.ChassisUUID != "" && changed["chassis_uuid"] == nil && !c.atLeast(25) {
		return nil, notAcceptable()
	}
	for _, field := range fields {
		if changed[field] == nil && notNull[field] {
			return nil, pythonError("Field `%s' cannot be None", field)
		}
	}
	change := func(n *db.Node) error {
		for _, field := range fields {
			setColumn(n, field, changed[field])
		}
		if slices.Contains(fields, "instance_info") && n.InstanceName == "" {
			n.InstanceName = n.InstanceInfo.Text("display_name")
		}
		return nil
	}
	preview := db.Clone(node)
	if err := change(preview); err != nil {
		return nil, err
	}
	if err := c.served(preview, http.StatusBadRequest); err != nil {
		return nil, err
	}
	if preview.Driver != node.Driver && node.ConsoleEnabled {
		return nil, conflict("Node %s can not update the driver while the console is enabled. Please stop the console "+
			"first.", ident)
	}
	return c.nodes().stored(c.conductor().UpdateNode(c.ctx(), node.UUID, reset, change))
}

// notNull contains the fields of a node that a patch cannot set to null.
var notNull = map[string]bool{"maintenance": true}
