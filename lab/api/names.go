package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// findNode finds a node by UUID or, since version 1.5, by name. The caller must not change the node.
func (c *call) findNode(ident string) (*db.Node, error) {
	if isUUID(ident) {
		return c.tables().Nodes.Peek(ident)
	}
	if !c.atLeast(5) {
		return nil, db.Faultf(http.StatusNotFound, "NodeNotFound", "Node %s could not be found.", ident)
	}
	if !c.isLogicalName(ident) {
		return nil, noIdent(ident)
	}
	return c.tables().Nodes.ByName(ident)
}

// findNodeOrSuffix is like findNode. If there is no such node and .json was cut off the path, it also looks for a
// node whose name ends with .json.
func (c *call) findNodeOrSuffix(ident string) (*db.Node, error) {
	node, err := c.findNode(ident)
	if c.suffix && isKind(err, "NodeNotFound") {
		return c.findNode(ident + ".json")
	}
	return node, err
}

func noIdent(ident string) error {
	return db.Faultf(http.StatusBadRequest, "InvalidUuidOrName", "Expected a logical name or UUID but received %s.", ident)
}

// isLogicalName reports whether name is a valid name for a node. Before 1.10, names had to be host names.
func (c *call) isLogicalName(name string) bool {
	if !c.atLeast(10) {
		return len(name) <= maxNameLength && hostnameRule.MatchString(name)
	}
	return isName(name)
}

// served checks that a live conductor of the node's group supports the node's driver; status is the HTTP status of
// the error.
func (c *call) served(n *db.Node, status int) error {
	for _, conductor := range c.tables().Conductors() {
		if conductor.Alive && conductor.Group == n.ConductorGroup {
			if slices.Contains(conductor.Drivers, n.Driver) {
				return nil
			}
		}
	}
	return db.Faultf(status, "NoValidHost", "No valid host was found. Reason: No conductor service registered which "+
		"supports driver %s for conductor group \"%s\". Ensure the driver is valid and enabled.", n.Driver, n.ConductorGroup)
}
