package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
)

// portParent identifies the node or port group to which a list of ports belongs. It is empty for a list of all ports.
type portParent struct {
	node, group string
}

// checkNone rejects the paths below a node or a port group, as Ironic does for single ports.
func (p portParent) checkNone() error {
	if p != (portParent{}) {
		return malformedURI()
	}
	return nil
}

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
		http.MethodPost:   notObject("port", ident),
	}.serve(c)
}

var portFilterParams = []param{
	optional("node", checkIdent), optional("node_uuid", checkUUID), optional("address", checkMAC),
	optional("marker", checkUUID), optional("limit", checkInt), optional("sort_key", checkText),
	optional("sort_dir", checkText), optional("portgroup", checkIdent), optional("shard", checkList),
	optional("description_contains", checkText), optional("conductor_groups", checkList),
}

func (c *call) listPorts(parent portParent) (any, error) {
	l := c.portListing(parent)
	l.params = append([]param{optional("fields", checkList), optional("detail", checkBool)}, portFilterParams...)
	l.standard = []string{"uuid", "address"}
	return l.answer()
}

func (c *call) listPortDetails(parent portParent) (any, error) {
	l := c.portListing(parent)
	l.params, l.suffix = portFilterParams, "/detail"
	return l.answer()
}

func (c *call) portListing(parent portParent) listing[db.Port] {
	return listing[db.Port]{
		collection: c.ports(), markerFirst: true, unsortable: []string{"extra", "internal_info", "local_link_connection"},
		check: func(args arguments) error {
			fields := args.list("fields")
			return cmp.Or(c.checkParent(parent), c.checkSelection(fields), c.checkPortFields(fields), c.checkPortQuery(args))
		},
		rows: func(args arguments, p *paging) ([]*db.Port, error) {
			keep, alone, err := c.portFilter(args, parent)
			if err != nil {
				return nil, err
			}
			p.whole = alone // a port selected by address is not paged
			return c.tables().Ports.List(keep), nil
		},
		sortable: func(key string) bool { return slices.Contains(sortablePort, key) }, value: portColumn,
	}
}

// checkParent returns an error if the parent does not exist or is not given by UUID. Like Ironic's, the message calls
// a missing node a port group.
func (c *call) checkParent(parent portParent) error {
	if parent.group != "" {
		_, err := c.tables().Portgroups.Get(parent.group)
		return err
	}
	if parent.node == "" {
		return nil
	}
	if _, err := c.tables().Nodes.Peek(parent.node); err != nil {
		return db.Faultf(http.StatusNotFound, "PortgroupNotFound", "Portgroup None could not be found.")
	}
	return nil
}

func (c *call) checkPortQuery(args arguments) error {
	if err := c.checkPortFields([]string{args.text("sort_key")}); err != nil {
		return err
	}
	node := args.text("node")
	byName := node != "" && args.text("node_uuid") == "" && !isUUID(node)
	switch {
	case args.text("portgroup") != "" && !c.atLeast(24):
		return notAcceptable()
	case args.has("shard") && !c.atLeast(82):
		return needsVersion(82)
	case byName && !c.atLeast(5):
		return notAcceptable()
	default:
		return nil
	}
}

// portFilter returns a function that reports whether a port matches the query. alone reports whether the query
// selects a single port by its address.
func (c *call) portFilter(args arguments, parent portParent) (keep func(*db.Port) bool, alone bool, err error) {
	node := cmp.Or(parent.node, args.text("node_uuid"), args.text("node"))
	group, shards := cmp.Or(parent.group, args.text("portgroup")), args.list("shard")
	if several(node != "", group != "", len(shards) > 0) {
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
		found, err := c.portgroups().find(group)
		if err != nil {
			return nil, false, err
		}
		return func(p *db.Port) bool { return p.PortgroupUUID == found.UUID && described(p) }, false, nil
	case node == "" && address != "":
		return func(p *db.Port) bool { return p.Address == address }, true, nil
	}
	selected, err := c.selectedNodes(node, shards, groups)
	if err != nil {
		return nil, false, err
	}
	return func(p *db.Port) bool { return selected(p.NodeUUID) && described(p) }, false, nil
}

// several reports whether more than one of the filters is given.
func several(given ...bool) bool {
	return len(slices.DeleteFunc(given, func(is bool) bool { return !is })) > 1
}

// selectedNodes returns a function that reports whether a query selects the node with the given UUID: by its name or
// UUID, by its shard or by its conductor group, whichever is not empty first.
func (c *call) selectedNodes(ident string, shards, groups []string) (func(uuid string) bool, error) {
	var nodes []*db.Node
	switch {
	case ident != "":
		node, err := c.findNode(ident)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	case len(shards) > 0:
		nodes = c.tables().Nodes.Scan(func(n *db.Node) bool { return n.Shard != "" && slices.Contains(shards, n.Shard) })
	case len(groups) > 0:
		nodes = c.tables().Nodes.Scan(func(n *db.Node) bool { return slices.Contains(groups, n.ConductorGroup) })
	default:
		return func(string) bool { return true }, nil
	}
	uuids := map[string]bool{}
	for _, n := range nodes {
		uuids[n.UUID] = true
	}
	return func(uuid string) bool { return uuids[uuid] }, nil
}

func (c *call) showPort(ident string, parent portParent, more []string) (any, error) {
	fields, err := c.shownFields(nil, inPath("fields", checkList, more), fromPath("port_ident", ident, checkIdent))
	if err = cmp.Or(err, parent.checkNone()); err != nil {
		return nil, err
	}
	port, err := c.ports().find(ident)
	return c.ports().shown(fields)(port, cmp.Or(err, c.checkSelection(fields), c.checkPortFields(fields)))
}

func (c *call) deletePort(ident string, parent portParent) (any, error) {
	_, err := c.checkArguments(fromPath("port_uuid", ident, checkUUID))
	if err = cmp.Or(err, parent.checkNone()); err != nil {
		return nil, err
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
