package api

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/lab/python"
)

// reservedNames are parts of the paths below /nodes, in the order in which the
// real one names them.
var reservedNames = []string{"maintenance", "management", "states", "vendor_passthru", "detail", "validate"}

// createNode is POST of /nodes.
func (c *call) createNode() (any, error) {
	args, err := c.takeWithBody("node", checkObject(nodeSchema, nodeChecks))
	if err != nil {
		return nil, err
	}
	given, ok := args["node"].(map[string]any)
	if !ok { // null
		return nil, accident("'NoneType' object has no attribute 'get'")
	}
	if properties, ok := given["properties"]; ok && properties == nil {
		return nil, accident("'NoneType' object has no attribute 'get'")
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
		// Without authentication nobody has a project.
		return nil, invalid("Cannot create a node as a project scoped admin with an owner other than your own project.")
	}
	if chassis := python.Str(given["chassis_uuid"]); python.Truthy(given["chassis_uuid"]) {
		return nil, noChassis(chassis, http.StatusBadRequest)
	}
	if value, ok := given["maintenance"]; ok && value == nil {
		return nil, accident("Field `maintenance' cannot be None")
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
		node.UUID = db.NewUUID()
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
	made, err := c.conductor().CreateNode(c.ctx(), node)
	if err != nil {
		return nil, err
	}
	c.locate("nodes/" + made.UUID)
	return inOrder("nodes", c.nodeDocument(made, nil)), nil
}

// rejectNewerFields refuses fields that the version does not know. Null, and no
// conductor group, are as good as nothing.
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

// checkNames refuses names that no node may have. The text has what is said of
// one that is not well-formed.
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

// authorizeLink finds a node that something of an owner's wants to belong to.
// Why it cannot is not told.
func (c *call) authorizeLink(owner, ident, field string) (*db.Node, error) {
	node, err := c.findNode(ident)
	if err != nil || node.Owner != owner {
		return nil, invalid("Unable to apply the requested %s '%s'. Requested value was invalid.", field, ident)
	}
	return node, nil
}
