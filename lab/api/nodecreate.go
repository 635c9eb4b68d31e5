package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ironworks/lab/db"
	"ironworks/python"
)

// reservedNames lists the words that cannot be names of nodes, because they are parts of the paths below /nodes. They
// are in Ironic's order.
var reservedNames = []string{"maintenance", "management", "states", "vendor_passthru", "detail", "validate"}

// createNode handles POST requests to /nodes.
func (c *call) createNode() (any, error) {
	args, err := c.checkWithBody("node", checkObject(nodeSchema, nodeChecks))
	if err != nil {
		return nil, err
	}
	given := args.object("node")
	if given == nil { // the body is null
		return nil, pythonError("'NoneType' object has no attribute 'get'")
	}
	if properties, ok := given["properties"]; ok && properties == nil {
		return nil, pythonError("'NoneType' object has no attribute 'get'")
	}
	if err := c.rejectNewerFields(given); err != nil {
		return nil, err
	}
	if given["name"] != nil {
		name := python.Str(given["name"])
		if err := c.checkNames([]any{name}, "Cannot create node with invalid name '"+name+"'"); err != nil {
			return nil, err
		}
	}
	if python.Truthy(given["owner"]) {
		// Without authentication, the client has no project.
		return nil, invalid("Cannot create a node as a project scoped admin with an owner other than your own project.")
	}
	if err := c.checkChassis(given["chassis_uuid"]); err != nil {
		return nil, err
	}
	if value, ok := given["maintenance"]; ok && value == nil {
		return nil, pythonError("Field `maintenance' cannot be None")
	}
	node := &db.Node{ProvisionState: "enroll"}
	if !c.atLeast(11) {
		node.ProvisionState = stateAvailable
	}
	for field, value := range given {
		setColumn(node, field, value)
	}
	node.UUID, _ = given["uuid"].(string)
	if node.UUID == "" {
		node.UUID = uuid.NewString()
	}
	if node.ParentNode != "" {
		parent, err := c.authorizeLink(node.Owner, node.ParentNode, "parent_node")
		if err != nil {
			return nil, err
		}
		node.ParentNode = parent.UUID
	}
	if err := c.served(node, http.StatusBadRequest); err != nil {
		return nil, err
	}
	return c.nodes().created(c.conductor().CreateNode(c.ctx(), node))
}

// rejectNewerFields rejects fields that are newer than the API version. It accepts such a field if its value is null
// or, for conductor_group, the default group "".
func (c *call) rejectNewerFields(given map[string]any) error {
	for _, field := range slices.Sorted(maps.Keys(given)) {
		value := given[field]
		empty := value == nil && field != "conductor_group" || field == "conductor_group" && value == ""
		if !empty && c.minor < fieldVersions[field] {
			return notAcceptable()
		}
	}
	return nil
}

// checkNames rejects invalid and reserved node names. text is the message for a malformed name.
func (c *call) checkNames(names []any, text string) error {
	if !c.atLeast(5) {
		return notAcceptable()
	}
	for _, value := range names {
		name, isText := value.(string)
		if !isText || !c.isLogicalName(name) || isUUID(name) {
			return invalid("%s", text)
		}
		if slices.Contains(reservedNames, name) {
			return invalid("The word \"%s\" is reserved and can not be used as a node name. Reserved words are: %s.",
				name, strings.Join(reservedNames, ", "))
		}
	}
	return nil
}

// authorizeLink finds the node to which a field of a new or changed resource refers by UUID or name. It returns the
// same error for a missing node and for a node with a different owner.
func (c *call) authorizeLink(owner, ident, field string) (*db.Node, error) {
	node, err := c.findNode(ident)
	if err != nil || node.Owner != owner {
		return nil, invalid("Unable to apply the requested %s '%s'. Requested value was invalid.", field, ident)
	}
	return node, nil
}
