package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// partVersions maps the resources below a node to the minor versions that introduced them. In older versions, their
// paths are unknown routes.
var partVersions = map[string]int{
	"portgroups": 24, "vifs": 28, "bios": 40, "allocation": 52, "history": 78, "inventory": 81, "firmware": 86,
	"vmedia": 89,
}

// routeNodes handles everything below /nodes.
func (c *call) routeNodes(rest []string) (any, error) {
	if len(rest) == 0 {
		return methods{
			http.MethodGet: c.listNodes, http.MethodPost: c.created(c.createNode),
			http.MethodPatch: c.missing("node_ident"), http.MethodDelete: c.missing("node_ident"),
		}.serve(c)
	}
	ident := rest[0]
	if hasKey(c.nodeParts(""), ident) {
		return nil, errNoRoute
	}
	if len(rest) == 1 && c.request.Method == http.MethodGet {
		switch ident {
		case "detail":
			return c.listNodeDetails()
		case "validate":
			return c.validateNode("")
		case "states":
			return c.missing("node_ident")()
		}
	}
	if len(rest) > 1 && c.request.Method == http.MethodGet {
		if answer, ok, err := c.routeReversed(rest); ok {
			return answer, err
		}
	}
	if !isName(ident) && !isUUID(ident) {
		return nil, &abort{
			status: http.StatusBadRequest, description: "Expected UUID or name for node: " + ident,
		}
	}
	if len(rest) == 1 {
		return c.routeNode(ident)
	}
	part, below := rest[1], rest[2:]
	if c.minor < partVersions[part] {
		return nil, errNoRoute
	}
	switch part {
	case "states":
		return c.routeStates(ident, below)
	case "management":
		return c.routeManagement(ident, below)
	case "maintenance":
		return methods{
			http.MethodPut:    c.accepted(c.setMaintenance(ident, true, optional("reason", checkText))),
			http.MethodDelete: c.accepted(c.setMaintenance(ident, false)),
		}.serve(c, below...)
	case "vendor_passthru":
		vendor := ""
		n, err := c.findNode(ident)
		if err == nil {
			vendor = n.Interfaces["vendor"]
		}
		return c.vendorPassthru(below, vendor, err)
	case "traits":
		if !c.atLeast(37) {
			return c.routeNode(ident, rest[1:]...)
		}
	}
	if serve, ok := c.nodeParts(ident)[part]; ok {
		return serve(below)
	}
	return c.routeNode(ident, rest[1:]...)
}

// routeReversed handles paths in which the resource comes before its node, such as /nodes/states/console/{node}.
// Pecan, Ironic's web framework, accepts them as well. ok is false for other paths.
func (c *call) routeReversed(rest []string) (answer any, ok bool, err error) {
	ident, between := rest[len(rest)-1], rest[1:len(rest)-1]
	switch rest[0] {
	case "states":
		answer, err = c.routeStates(ident, between)
	case "management":
		switch {
		case len(between) == 2 && between[0] == "boot_device":
			err = pythonError("BootDeviceController.get() takes 2 positional arguments but 3 were given")
		case len(between) == 1 && between[0] == "indicators":
			answer, err = c.missing("indicator")()
		default:
			answer, err = c.routeManagement(ident, between)
		}
	case "maintenance":
		err = notAllowed(http.MethodDelete, http.MethodPut)
	case "vendor_passthru":
		answer, err = c.missing("method")()
	default:
		return nil, false, nil
	}
	return answer, true, err
}

// nodeParts maps the names of the resources below a node to the functions that serve the paths below them.
func (c *call) nodeParts(ident string) map[string]func(below []string) (any, error) {
	bound := func(serve func(string, []string) (any, error)) func([]string) (any, error) {
		return func(below []string) (any, error) { return serve(ident, below) }
	}
	return map[string]func([]string) (any, error){
		"ports":      func(below []string) (any, error) { return c.routePorts(below, portParent{node: ident}) },
		"portgroups": func(below []string) (any, error) { return c.routePortgroups(below, ident) },
		"volume":     func(below []string) (any, error) { return c.routeVolume(below, ident) },
		"vifs":       bound(c.routeVIFs),
		"traits":     bound(c.routeTraits),
		"bios":       bound(c.routeBIOS),
		"allocation": bound(c.routeNodeAllocation),
		"history":    bound(c.routeHistory),
		"inventory":  bound(c.routeInventory),
		"children":   bound(c.routeChildren),
		"firmware":   bound(c.routeFirmware),
		"vmedia":     bound(c.routeMedia),
	}
}

// routeNode handles the path of a node. Like Ironic, it passes further parts of the path to functions that do not
// expect them.
func (c *call) routeNode(ident string, more ...string) (any, error) {
	get := c.showNode(ident, more)
	if len(more) > 0 && more[len(more)-1] == "validate" {
		get = func() (any, error) { return c.validateNode(ident) }
	} else if len(more) > 1 {
		get = func() (any, error) {
			return nil, pythonError("NodesController.get_one() takes from 2 to 3 positional arguments but %d were given", len(more)+2)
		}
	}
	remove := c.noContent(func() (any, error) { return c.deleteNode(ident) })
	if len(more) > 0 {
		remove = func() (any, error) { return nil, notFound() }
	}
	patch := func() (any, error) { return c.patchNode(ident, more) }
	return methods{
		http.MethodGet: get, http.MethodPatch: patch, http.MethodDelete: remove,
		http.MethodPost: notObject("node", ident),
	}.serve(c)
}

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
