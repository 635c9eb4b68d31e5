package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// routePortgroups handles /portgroups and everything below it. If the path is below a node, parent identifies the
// node; otherwise parent is empty.
func (c *call) routePortgroups(rest []string, parent string) (any, error) {
	if len(rest) == 0 {
		return methods{
			http.MethodGet:    c.portgroupEndpoint(func() (any, error) { return c.listPortgroups(parent) }),
			http.MethodPost:   c.portgroupEndpoint(c.created(func() (any, error) { return c.createPortgroup(parent) })),
			http.MethodPatch:  c.portgroupEndpoint(c.missingPatch),
			http.MethodDelete: c.portgroupEndpoint(missingIdent),
		}.serve(c)
	}
	ident := rest[0]
	if c.request.Method == http.MethodGet && len(rest) == 1 && ident == "detail" {
		return c.portgroupEndpoint(func() (any, error) { return c.listPortgroupDetails(parent) })()
	}
	if !isName(ident) && !isUUID(ident) {
		return nil, &abort{status: http.StatusBadRequest, description: "Expected UUID or name for portgroup: " + ident}
	}
	if len(rest) > 1 && rest[1] == "ports" {
		if !c.atLeast(24) {
			return nil, errNoRoute
		}
		return c.routePorts(rest[2:], portParent{node: parent, group: ident})
	}
	return methods{
		http.MethodGet: c.portgroupEndpoint(func() (any, error) { return c.showPortgroup(ident, parent) }),
		http.MethodPatch: c.portgroupEndpoint(func() (any, error) {
			return c.patchPortgroup(ident, parent)
		}),
		http.MethodDelete: c.portgroupEndpoint(c.noContent(func() (any, error) {
			return c.deletePortgroup(ident, parent)
		})),
		http.MethodPost: c.portgroupEndpoint(func() (any, error) {
			return nil, invalidValue("Schema error for portgroup: %s is not of type 'object'", python.Repr(ident))
		}),
	}.serve(c)
}

// notServed returns the error for an endpoint that the API version does not have. It has the form that Ironic's newer
// endpoints use.
func notServed(status int, text string) error {
	return db.Faultf(status, "HTTPNotFound", "%s", text)
}

const notSupported = "The API is not supported for this version"

// missingIdent returns the error that Ironic's argument checks raise if the path lacks the UUID.
func missingIdent() (any, error) { return nil, pythonError("tuple index out of range") }

// missingPatch is like missingIdent, but first checks the body, as Ironic does for a patch.
func (c *call) missingPatch() (any, error) {
	if _, err := c.checkWithBody("patch", checkSchema(patchSchema)); err != nil {
		return nil, err
	}
	return missingIdent()
}

func (c *call) portgroupEndpoint(serve endpoint) endpoint {
	return func() (any, error) {
		if !c.atLeast(23) {
			return nil, notServed(http.StatusNotFound, notSupported)
		}
		return serve()
	}
}

var (
	defaultPortgroupFields = []string{"uuid", "address", "name"}

	portgroupFields = []string{
		"address", "category", "created_at", "dynamic_portgroup", "extra", "internal_info", "links", "mode", "name",
		"node_uuid", "physical_network", "ports", "properties", "standalone_ports_supported", "updated_at", "uuid",
	}
	// portgroupVersions maps fields of port groups to the minor versions that introduced them.
	portgroupVersions = map[string]int{
		"mode": 26, "properties": 26, "physical_network": 102, "category": 103, "dynamic_portgroup": 111,
	}
	nameOrUUID = &schema{AnyOf: []*schema{
		{Types: []string{"string"}, Format: uuidText},
		{Types: []string{"string"}, MinLength: 1, MaxLength: maxNameLength, Pattern: `(?i)^[A-Z0-9-._~]+$`},
	}}
	sortDirSchema   = &schema{Types: []string{"string"}, Enum: []string{"asc", "desc"}}
	uuidSchema      = &schema{Types: []string{"string"}, Format: uuidText}
	portgroupsQuery = querySchema(portgroupFields, map[string]*schema{
		"address":          {Types: []string{"string"}, Format: macText},
		"conductor_groups": {Types: []string{"array"}, Items: plainText}, "detail": {Types: []string{"string", "boolean"}},
		"limit": {Types: []string{"integer"}}, "marker": uuidSchema, "node": nameOrUUID,
		"shard": {Types: []string{"array"}, Items: plainText}, "sort_dir": sortDirSchema, "sort_key": plainText,
	})
)

// anyValue is a check that accepts every value.
func anyValue(_ string, value any) (any, error) { return value, nil }

var portgroupParams = []param{
	optional("node", anyValue), optional("address", anyValue), optional("marker", anyValue),
	optional("limit", checkInt), optional("sort_key", anyValue), optional("sort_dir", anyValue),
	optional("shard", checkList), optional("conductor_groups", checkList),
}

// checkPortgroupFields rejects fields that are newer than the API version. physical_network and category are not
// rejected, only hidden.
func (c *call) checkPortgroupFields(fields []string) error {
	for _, field := range fields {
		if minor := portgroupVersions[field]; c.minor < minor && minor != 102 && minor != 103 {
			return notAcceptable()
		}
	}
	return nil
}

func (c *call) listPortgroups(parent string) (any, error) {
	args, err := c.checkArguments(append(slices.Clone(portgroupParams), optional("fields", checkList), optional("detail", checkBool))...)
	if err != nil {
		return nil, err
	}
	if err := c.checkPortgroupsQuery(args, parent, args.list("fields")); err != nil {
		return nil, err
	}
	detail := args.boolean("detail")
	fields, err := c.returned(args.list("fields"), detail, defaultPortgroupFields, 43)
	if err != nil {
		return nil, err
	}
	return c.portgroupPage(args, parent, "portgroups", fields, detail)
}

func (c *call) listPortgroupDetails(parent string) (any, error) {
	args, err := c.checkArguments(portgroupParams...)
	if err != nil {
		return nil, err
	}
	if err := c.checkPortgroupsQuery(args, parent, nil); err != nil {
		return nil, err
	}
	return c.portgroupPage(args, parent, "portgroups/detail", nil, nil)
}

func (c *call) checkPortgroupsQuery(args arguments, parent string, fields []string) error {
	if err := args.checkQuery(portgroupsQuery); err != nil {
		return err
	}
	if err := c.checkParent(portParent{node: parent}); err != nil {
		return err
	}
	if args.has("shard") && !c.atLeast(106) {
		return needsVersion(106)
	}
	return c.checkPortgroupFields(append(slices.Clone(fields), args.text("sort_key")))
}

func (c *call) portgroupPage(
	args arguments, parent, path string, fields []string, detail *bool,
) (any, error) {
	return listing[db.Portgroup]{
		name: "portgroups", path: path, markerFirst: true, unsortable: []string{"extra", "internal_info", "properties"},
		columns: portgroupColumns, find: c.tables().Portgroups.Get,
		rows: func(*paging) ([]*db.Portgroup, error) {
			keep, err := c.portgroupFilter(args, parent)
			if err != nil {
				return nil, err
			}
			return c.tables().Portgroups.List(keep), nil
		},
		sortable: func(key string) bool {
			return key == "id" || key == "node_id" ||
				slices.Contains(portgroupFields, key) && !slices.Contains([]string{"links", "ports", "node_uuid"}, key)
		},
		value: func(g *db.Portgroup, key string) any { return portgroupDocument(g)[key] },
		document: func(g *db.Portgroup) (map[string]any, error) {
			return pick(c.portgroupDocument(g, false), fields), nil
		},
	}.answer(c, args, fields, detailQuery(detail)...)
}

func (c *call) portgroupFilter(args arguments, parent string) (func(*db.Portgroup) bool, error) {
	node, address, shards := parent, args.text("address"), args.list("shard")
	if node == "" {
		node = args.text("node")
	}
	groups := args.list("conductor_groups")
	exclusive := 0
	for _, asked := range []bool{node != "", address != "", len(shards) > 0, len(groups) > 0} {
		if asked {
			exclusive++
		}
	}
	switch {
	case exclusive > 1:
		return nil, invalid("Filtering by node, address, or shard simultaneously is not supported.")
	case node != "":
		found, err := c.findNode(node)
		if err != nil {
			return nil, err
		}
		return func(g *db.Portgroup) bool { return g.NodeUUID == found.UUID }, nil
	case address != "":
		return func(g *db.Portgroup) bool { return g.Address == address }, nil
	case len(shards) > 0:
		nodes := c.nodesThat(func(n *db.Node) bool { return n.Shard != "" && slices.Contains(shards, n.Shard) })
		return func(g *db.Portgroup) bool { return nodes[g.NodeUUID] }, nil
	case len(groups) > 0:
		nodes := c.nodesThat(func(n *db.Node) bool { return slices.Contains(groups, n.ConductorGroup) })
		return func(g *db.Portgroup) bool { return nodes[g.NodeUUID] }, nil
	default:
		return func(*db.Portgroup) bool { return true }, nil
	}
}

// portgroupDocument returns the fields of a port group as the API shows them, without the links.
func portgroupDocument(g *db.Portgroup) map[string]any {
	document := portgroupColumns.all(g, "portgroups")
	document["dynamic_portgroup"] = g.DynamicPortgroup != nil && *g.DynamicPortgroup
	return document
}

// portgroupDocument returns a port group as the API shows it. If hide is true, it omits fields that are newer than
// the API version; Ironic does not hide them in lists.
func (c *call) portgroupDocument(g *db.Portgroup, hide bool) map[string]any {
	document := portgroupDocument(g)
	document["links"], document["ports"] = c.links("portgroups/"+g.UUID), c.links("portgroups/"+g.UUID+"/ports")
	for field, minor := range portgroupVersions {
		if hide && c.minor < minor {
			delete(document, field)
		}
	}
	return document
}

// findPortgroup finds a port group by UUID or name.
func (c *call) findPortgroup(ident string) (*db.Portgroup, error) {
	return findBy(ident, c.tables().Portgroups.Get, c.tables().Portgroups.List, func(g *db.Portgroup) string { return g.Name },
		noPortgroup(ident))
}

func (c *call) showPortgroup(ident, parent string) (any, error) {
	args, err := c.checkArguments(optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	if err := args.checkQuery(querySchema(portgroupFields, nil)); err != nil {
		return nil, err
	}
	group, err := c.findPortgroup(ident)
	if err != nil {
		return nil, err
	}
	if parent != "" {
		return nil, malformedURI()
	}
	fields := args.list("fields")
	if err := c.checkPortgroupFields(fields); err != nil {
		return nil, err
	}
	return inOrder("portgroups", pick(c.portgroupDocument(group, true), fields)), nil
}

func (c *call) deletePortgroup(ident, parent string) (any, error) {
	group, err := c.findPortgroup(ident)
	if err != nil {
		return nil, err
	}
	if parent != "" {
		return nil, malformedURI()
	}
	if err := c.servedNode(group.NodeUUID); err != nil {
		return nil, err
	}
	return nil, c.conductor().DestroyPortgroup(c.ctx(), group.UUID)
}
