package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

var portgroupSchema = &schema{
	Types: []string{"object"}, Required: []string{"node_uuid"}, Closed: true,
	Properties: map[string]*schema{
		"address": textOrNull, "category": longText(nullableText, 80), "extra": objectOrNull, "mode": textOrNull,
		"name": textOrNull, "node_uuid": plainText, "physical_network": longText(nullableText, 64),
		"properties": objectOrNull, "standalone_ports_supported": boolText, "uuid": textOrNull,
	},
}

var portgroupChecks = []param{
	optional("address", checkMAC), optional("node_uuid", checkUUID),
	optional("standalone_ports_supported", checkBool), optional("uuid", checkUUID),
}

var patchablePortgroup = []string{
	"address", "extra", "mode", "name", "node_uuid", "properties", "standalone_ports_supported", "physical_network",
	"category",
}

func (c *call) createPortgroup(parent string) (any, error) {
	args, err := c.checkWithBody("portgroup", checkObject(portgroupSchema, portgroupChecks))
	if err != nil {
		return nil, err
	}
	given := args.object("portgroup")
	node, err := c.tables().Nodes.Peek(given.Text("node_uuid"))
	if err != nil {
		return nil, withStatus(err, "NodeNotFound", http.StatusBadRequest)
	}
	if parent != "" {
		return nil, malformedURI()
	}
	if !c.atLeast(26) && (python.Truthy(given["mode"]) || python.Truthy(given["properties"])) {
		return nil, notAcceptable()
	}
	if name := given.Text("name"); name != "" && !c.isLogicalName(name) {
		return nil, invalid("Cannot create portgroup with invalid name '%s'", name)
	}
	group := &db.Portgroup{StandalonePortsSupported: true}
	for field, value := range given {
		if value != nil {
			portgroupColumns.set(group, field, value)
		}
	}
	group.NodeUUID = node.UUID
	return c.portgroups().created(c.tables().Portgroups.Create(group))
}

func (c *call) patchPortgroup(ident, parent string) (any, error) {
	patch, _, err := c.givenPatch()
	if err != nil {
		return nil, err
	}
	group, err := c.findPortgroup(ident, parent)
	if err != nil {
		return nil, err
	}
	if !c.atLeast(26) && (isUpdated(patch, "/mode") || isUpdated(patch, "/properties")) {
		return nil, notAcceptable()
	}
	if err := checkRoots(patch, patchablePortgroup); err != nil {
		return nil, err
	}
	for _, value := range patchValues(patch, "/name") {
		if name := python.Str(value); python.Truthy(value) && !c.isLogicalName(name) {
			return nil, invalid("Portgroup %s: Cannot change name to invalid name '%s'", ident, name)
		}
	}
	node, err := c.tables().Nodes.Peek(group.NodeUUID)
	if err != nil {
		return nil, err
	}
	if links := patchValues(patch, "/node_uuid"); len(links) > 0 {
		if node, err = c.authorizeLink(node.Owner, python.Str(links[0]), "node_uuid"); err != nil {
			return nil, err
		}
	}
	all, _ := plain(c.portgroups().values(group)).(map[string]any)
	document := map[string]any{}
	for field := range portgroupSchema.Properties {
		document[field] = all[field]
	}
	old, _ := plain(document).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	document["node_uuid"] = node.UUID
	if _, ok := document["mode"]; !ok {
		return nil, invalid("'mode' is a mandatory attribute and can not be removed")
	}
	return c.updatePortgroup(group, node, old, document)
}

func (c *call) updatePortgroup(group *db.Portgroup, node *db.Node, old, document map[string]any) (any, error) {
	if _, err := checkObject(portgroupSchema, portgroupChecks)("patch", document); err != nil {
		return nil, err
	}
	if node.ProvisionState == stateInspecting && c.atLeast(39) {
		return nil, conflict("Cannot update portgroup \"%s\" on node \"%s\" while it is in state \"%s\".", group.UUID,
			node.UUID, stateInspecting)
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	changed := changedFields(portgroupSchema, old, document)
	if slices.Contains(changed, "node_uuid") {
		// Ironic fails because it writes the new node's UUID into the row of the old node.
		return nil, pythonError("(sqlite3.IntegrityError) UNIQUE constraint failed: nodes.uuid\n[SQL: UPDATE nodes SET uuid=?, updated_at=? WHERE nodes.id = ?]")
	}
	return c.portgroups().stored(c.conductor().UpdatePortgroup(c.ctx(), group.UUID, func(g *db.Portgroup) error {
		setFields(portgroupColumns, g, document, changed)
		return nil
	}))
}
