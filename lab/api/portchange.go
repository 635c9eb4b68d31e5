package api

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/google/uuid"

	"ironworks/lab/db"
	"ironworks/python"
)

// createPort implements POST /v1/ports.
func (c *call) createPort(parent portParent) (any, error) {
	args, err := c.checkWithBody("port", checkObject(portSchema, portChecks))
	if err = cmp.Or(err, parent.checkNone()); err != nil {
		return nil, err
	}
	given := args.object("port")
	if given == nil { // the body is null
		return nil, pythonError("'NoneType' object has no attribute 'get'")
	}
	ident := given.Text("node_ident")
	if ident != "" && !c.atLeast(94) {
		return nil, notAcceptable()
	}
	node, err := c.findNode(cmp.Or(ident, given.Text("node_uuid")))
	if isKind(err, "NodeNotFound") {
		err = db.Faultf(http.StatusBadRequest, "NodeNotFound", "Node %s could not be found.",
			cmp.Or(given.Text("node_uuid"), "None"))
	}
	if err != nil {
		return nil, err
	}
	if err := c.checkGivenPort(given, node); err != nil {
		return nil, err
	}
	port := &db.Port{PXEEnabled: true}
	for field, value := range given {
		if value != nil {
			portColumns.set(port, field, value)
		}
	}
	port.NodeUUID = node.UUID
	if port.UUID == "" {
		port.UUID = uuid.NewString()
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	return c.ports().created(c.conductor().CreatePort(c.ctx(), port))
}

func (c *call) checkGivenPort(given db.Dict, node *db.Node) error {
	if err := c.checkPortFields(slices.Collect(maps.Keys(given))); err != nil {
		return err
	}
	connection := object(given["local_link_connection"])
	if hasKey(connection, "network_type") && !c.atLeast(64) ||
		hasKey(connection, "vtep-logical-switch") && (!c.atLeast(90) || c.atLeast(105)) {
		return notAcceptable()
	}
	var group *db.Portgroup
	if uuid := given.Text("portgroup_uuid"); uuid != "" {
		var err error
		if group, err = c.tables().Portgroups.Get(uuid); err != nil {
			return withStatus(err, "PortgroupNotFound", http.StatusBadRequest)
		}
		if group.NodeUUID != node.UUID {
			return invalid("Port can not be added to a portgroup belonging to a different node.")
		}
	}
	if given["is_smartnic"] == true && connection != nil && smartNICSchema.Validate(python.Value(connection)) != nil {
		return invalid("Smart NIC port must have port_id and hostname in local_link_connection")
	}
	if given["physical_network"] == "" {
		return invalid("A non-empty value is required when setting physical_network")
	}
	if group != nil && given["pxe_enabled"] == true && !group.StandalonePortsSupported {
		return conflict("Port group %s doesn't support standalone ports. This port cannot be created as a member of that "+
			"portgroup as the port's 'pxe_enabled' field was set to True.", group.UUID)
	}
	return nil
}

// patchPort implements PATCH /v1/ports/{port}.
func (c *call) patchPort(ident string, parent portParent) (any, error) {
	patch, _, err := c.givenPatch(fromPath("port_ident", ident, checkIdent))
	if err = cmp.Or(err, parent.checkNone(), checkRoots(patch, patchablePort)); err != nil {
		return nil, err
	}
	for _, field := range []string{
		"pxe_enabled", "local_link_connection", "portgroup_uuid", "physical_network", "is_smartnic",
		"local_link_connection/network_type",
	} {
		if len(patchValues(patch, "/"+field)) > 0 || isRemoved(patch, "/"+field) {
			if err := c.checkPortFields([]string{field}); err != nil {
				return nil, err
			}
		}
	}
	port, err := c.ports().find(ident)
	if err != nil {
		return nil, err
	}
	node, err := c.tables().Nodes.Peek(port.NodeUUID)
	if err != nil {
		return nil, err
	}
	if links := patchValues(patch, "/node_uuid"); len(links) > 0 {
		if node, err = c.authorizeLink(node.Owner, python.Str(links[0]), "node_uuid"); err != nil {
			return nil, err
		}
	}
	document, _ := plain(c.ports().values(port)).(map[string]any)
	for _, field := range []string{"created_at", "updated_at", "internal_info"} {
		delete(document, field)
	}
	old, _ := plain(document).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	document["node_uuid"] = node.UUID
	return c.updatePort(port, node, old, document, patch)
}

func (c *call) updatePort(
	port *db.Port, node *db.Node, old, document map[string]any, patch []operation,
) (any, error) {
	group := db.Dict(document).Text("portgroup_uuid")
	if group != "" && isUpdated(patch, "/portgroup_uuid") {
		if _, err := c.tables().Portgroups.Get(group); err != nil {
			return nil, withStatus(err, "PortgroupNotFound", http.StatusBadRequest)
		}
	}
	if _, err := checkObject(portSchema, portChecks)("patch", document); err != nil {
		return nil, err
	}
	if document["pxe_enabled"] == nil {
		return nil, pythonError("Field `pxe_enabled' cannot be None")
	}
	if node.ProvisionState == stateInspecting && c.atLeast(39) {
		return nil, conflict("Cannot update port \"%s\" on \"%s\" while it is in state \"%s\".", port.UUID, node.UUID,
			stateInspecting)
	}
	if network, ok := document["physical_network"]; isUpdated(patch, "/physical_network") {
		if ok && network == "" {
			return nil, invalid("A non-empty value is required when setting physical_network")
		}
		if c.atLeast(102) && group != "" {
			return nil, invalid("physical_network cannot be changed while the port belongs to a portgroup.")
		}
	}
	if err := c.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	changed := changedFields(portSchema, old, document)
	if slices.Contains(changed, "node_uuid") {
		// Ironic fails here, because it creates a port object from the fields of the node.
		return nil, pythonError("'address'")
	}
	return c.ports().stored(c.conductor().UpdatePort(c.ctx(), port.UUID, func(p *db.Port) error {
		setFields(portColumns, p, document, changed)
		return nil
	}))
}

// changedFields returns the sorted names of the schema's fields that differ between the two documents.
func changedFields(s *schema, old, document map[string]any) []string {
	var changed []string
	for field := range s.Properties {
		if !reflect.DeepEqual(old[field], document[field]) {
			changed = append(changed, field)
		}
	}
	slices.Sort(changed)
	return changed
}
