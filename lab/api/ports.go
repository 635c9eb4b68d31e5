package api

import (
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// portParent identifies the node or port group to which a list of ports belongs. It is empty for a list of all ports.
type portParent struct {
	node, group string
}

func (p portParent) isNone() bool { return p == portParent{} }

// routePorts handles /ports and everything below it. If the path is below a node or a port group, parent identifies
// that resource.
func (c *call) routePorts(rest []string, parent portParent) (any, error) {
	if len(rest) == 0 {
		return methods{
			http.MethodGet:    func() (any, error) { return c.listPorts(parent) },
			http.MethodPost:   c.created(func() (any, error) { return c.createPort(parent) }),
			http.MethodPatch:  c.missing("port_ident"),
			http.MethodDelete: c.missing("port_uuid"),
		}.serve(c)
	}
	ident := rest[0]
	if c.request.Method == http.MethodGet && len(rest) == 1 && ident == "detail" {
		return c.listPortDetails(parent)
	}
	return methods{
		http.MethodGet:    func() (any, error) { return c.showPort(ident, parent, rest[1:]) },
		http.MethodPatch:  func() (any, error) { return c.patchPort(ident, parent) },
		http.MethodDelete: c.noContent(func() (any, error) { return c.deletePort(ident, parent) }),
		http.MethodPost: func() (any, error) {
			return nil, invalidValue("Schema error for port: %s is not of type 'object'", python.Repr(ident))
		},
	}.serve(c)
}

var portFilterParams = []param{
	optional("node", checkIdent), optional("node_uuid", checkUUID), optional("address", checkMAC),
	optional("marker", checkUUID), optional("limit", checkInt), optional("sort_key", checkText),
	optional("sort_dir", checkText), optional("portgroup", checkIdent), optional("shard", checkList),
	optional("description_contains", checkText), optional("conductor_groups", checkList),
}

func (c *call) listPorts(parent portParent) (any, error) {
	args, err := c.checkArguments(append([]param{optional("fields", checkList), optional("detail", checkBool)}, portFilterParams...)...)
	if err != nil {
		return nil, err
	}
	if err := c.checkParent(parent); err != nil {
		return nil, err
	}
	fields, detail := args.list("fields"), args.boolean("detail")
	if err := c.checkSelection(fields); err != nil {
		return nil, err
	}
	if err := c.checkPortFields(fields); err != nil {
		return nil, err
	}
	group := parent.group
	if group == "" {
		group = args.text("portgroup")
	}
	if err := c.checkPortQuery(args, group); err != nil {
		return nil, err
	}
	if fields, err = c.returned(fields, detail, defaultPortFields, 43); err != nil {
		return nil, err
	}
	return c.portPage(args, parent, "ports", fields, detail)
}

func (c *call) listPortDetails(parent portParent) (any, error) {
	args, err := c.checkArguments(portFilterParams...)
	if err != nil {
		return nil, err
	}
	if err := c.checkParent(parent); err != nil {
		return nil, err
	}
	if err := c.checkPortQuery(args, args.text("portgroup")); err != nil {
		return nil, err
	}
	return c.portPage(args, parent, "ports/detail", nil, nil)
}

// checkParent returns an error if the parent does not exist or is not given by UUID. Like Ironic's, the message calls
// a missing node a port group.
func (c *call) checkParent(parent portParent) error {
	if parent.group != "" {
		if _, err := c.tables().Portgroups.Get(parent.group); err != nil {
			return err
		}
		return nil
	}
	if parent.node == "" {
		return nil
	}
	if _, err := c.tables().Nodes.Peek(parent.node); err != nil {
		return noPortgroup("None")
	}
	return nil
}

func noPortgroup(ident string) error {
	return db.Faultf(http.StatusNotFound, "PortgroupNotFound", "Portgroup %s could not be found.", ident)
}

func (c *call) checkPortQuery(args arguments, group string) error {
	if err := c.checkPortFields([]string{args.text("sort_key")}); err != nil {
		return err
	}
	if group != "" && !c.atLeast(24) {
		return notAcceptable()
	}
	if args.has("shard") && !c.atLeast(82) {
		return needsVersion(82)
	}
	if node := args.text("node"); node != "" && args.text("node_uuid") == "" && !c.atLeast(5) && !isUUID(node) {
		return notAcceptable()
	}
	return nil
}

func (c *call) portPage(args arguments, parent portParent, path string, fields []string, detail *bool) (any, error) {
	return listing[db.Port]{
		name: "ports", path: path, markerFirst: true, unsortable: unsortablePort, columns: portColumns, find: c.tables().Ports.Get,
		rows: func(p *paging) ([]*db.Port, error) {
			keep, alone, err := c.portFilter(args, parent)
			if err != nil {
				return nil, err
			}
			p.whole = alone // a port selected by address is not paged
			return c.tables().Ports.List(keep), nil
		},
		sortable: func(key string) bool { return slices.Contains(sortablePort, key) }, value: portColumn,
		document: func(p *db.Port) (map[string]any, error) { return c.portDocument(p, fields) },
	}.answer(c, args, fields, detailQuery(detail)...)
}

// portFilter returns a function that reports whether a port matches the query. alone reports whether the query
// selects a single port by its address.
func (c *call) portFilter(args arguments, parent portParent) (keep func(*db.Port) bool, alone bool, err error) {
	node, group, shards := parent.node, parent.group, args.list("shard")
	if node == "" {
		if node = args.text("node_uuid"); node == "" {
			node = args.text("node")
		}
	}
	if group == "" {
		group = args.text("portgroup")
	}
	exclusive := 0
	for _, asked := range []bool{node != "", group != "", len(shards) > 0} {
		if asked {
			exclusive++
		}
	}
	if exclusive > 1 {
		return nil, false, db.Faultf(http.StatusForbidden, "OperationNotPermitted", "Operation not permitted.")
	}
	groups, address := args.list("conductor_groups"), args.text("address")
	if len(groups) > 0 && (node != "" || group != "" || address != "") {
		return nil, false, invalid("Filtering by conductor_groups cannot be combined with node_ident, portgroup_ident, or " +
			"node address filters.")
	}
	part := strings.ToLower(args.text("description_contains"))
	described := func(p *db.Port) bool { return part == "" || strings.Contains(strings.ToLower(p.Description), part) }
	switch {
	case group != "":
		found, err := c.findPortgroup(group)
		if err != nil {
			return nil, false, err
		}
		return func(p *db.Port) bool { return p.PortgroupUUID == found.UUID && described(p) }, false, nil
	case node != "":
		found, err := c.findNode(node)
		if err != nil {
			return nil, false, err
		}
		return func(p *db.Port) bool { return p.NodeUUID == found.UUID && described(p) }, false, nil
	case address != "":
		return func(p *db.Port) bool { return p.Address == address }, true, nil
	case len(shards) > 0:
		nodes := c.nodesThat(func(n *db.Node) bool { return n.Shard != "" && slices.Contains(shards, n.Shard) })
		return func(p *db.Port) bool { return nodes[p.NodeUUID] && described(p) }, false, nil
	case len(groups) > 0:
		nodes := c.nodesThat(func(n *db.Node) bool { return slices.Contains(groups, n.ConductorGroup) })
		return func(p *db.Port) bool { return nodes[p.NodeUUID] && described(p) }, false, nil
	default:
		return described, false, nil
	}
}

// nodesThat returns the UUIDs of the nodes for which keep returns true.
func (c *call) nodesThat(keep func(*db.Node) bool) map[string]bool {
	uuids := map[string]bool{}
	for _, n := range c.tables().Nodes.Scan(keep) {
		uuids[n.UUID] = true
	}
	return uuids
}

// findPort finds a port by UUID or name.
func (c *call) findPort(ident string) (*db.Port, error) {
	return findBy(ident, c.tables().Ports.Get, c.tables().Ports.List, func(p *db.Port) string { return p.Name },
		db.Faultf(http.StatusNotFound, "PortNotFound", "Port %s could not be found.", ident))
}

func (c *call) showPort(ident string, parent portParent, more []string) (any, error) {
	fieldsParam := optional("fields", checkList)
	if len(more) > 0 {
		fieldsParam = fromPath("fields", more[0], checkList)
	}
	args, err := c.checkArguments(fromPath("port_ident", ident, checkIdent), fieldsParam)
	if err != nil {
		return nil, err
	}
	if !parent.isNone() {
		return nil, malformedURI()
	}
	port, err := c.findPort(ident)
	if err != nil {
		return nil, err
	}
	fields := args.list("fields")
	if err := c.checkSelection(fields); err != nil {
		return nil, err
	}
	if err := c.checkPortFields(fields); err != nil {
		return nil, err
	}
	return ordered("ports")(c.portDocument(port, fields))
}

func (c *call) deletePort(ident string, parent portParent) (any, error) {
	if _, err := c.checkArguments(fromPath("port_uuid", ident, checkUUID)); err != nil {
		return nil, err
	}
	if !parent.isNone() {
		return nil, malformedURI()
	}
	port, err := c.tables().Ports.Get(ident)
	if err != nil {
		return nil, err
	}
	if err := c.servedNode(port.NodeUUID); err != nil {
		return nil, err
	}
	return nil, c.conductor().DestroyPort(c.ctx(), port.UUID)
}

// servedNode checks that a conductor serves the node with the given UUID.
func (c *call) servedNode(uuid string) error {
	node, err := c.tables().Nodes.Peek(uuid)
	if err != nil {
		return err
	}
	return c.served(node, http.StatusNotFound)
}
