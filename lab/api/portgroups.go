package api

import (
	"cmp"
	"net/http"
	"slices"

	"ironworks/lab/db"
)

// routePortgroups handles /portgroups and everything below it. If the path is below a node, parent identifies the
// node; otherwise parent is empty.
func (c *call) routePortgroups(rest []string, parent string) (any, error) {
	if len(rest) == 0 {
		return c.portgroupMethods(methods{
			http.MethodGet:    func() (any, error) { return c.listPortgroups(parent) },
			http.MethodPost:   c.created(func() (any, error) { return c.createPortgroup(parent) }),
			http.MethodPatch:  c.missingPatch,
			http.MethodDelete: missingIdent,
		})
	}
	ident := rest[0]
	if c.request.Method == http.MethodGet && len(rest) == 1 && ident == "detail" {
		return c.portgroupMethods(methods{
			http.MethodGet: func() (any, error) { return c.listPortgroupDetails(parent) },
		})
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
	return c.portgroupMethods(methods{
		http.MethodGet:    func() (any, error) { return c.showPortgroup(ident, parent) },
		http.MethodPatch:  func() (any, error) { return c.patchPortgroup(ident, parent) },
		http.MethodDelete: c.noContent(func() (any, error) { return c.deletePortgroup(ident, parent) }),
		http.MethodPost:   notObject("portgroup", ident),
	})
}

// portgroupMethods serves the request if the API version has port groups.
func (c *call) portgroupMethods(m methods) (any, error) {
	if m[c.request.Method] != nil && !c.atLeast(23) {
		return nil, notServed(http.StatusNotFound, notSupported)
	}
	return m.serve(c)
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
	if _, _, err := c.givenPatch(); err != nil {
		return nil, err
	}
	return missingIdent()
}

var (
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
	portgroupsQuery = querySchema(fieldsOf("portgroups"), map[string]*schema{
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
	l := c.portgroupListing(parent)
	l.params = append(slices.Clone(portgroupParams), optional("fields", checkList), optional("detail", checkBool))
	l.standard = []string{"uuid", "address", "name"}
	return l.answer()
}

func (c *call) listPortgroupDetails(parent string) (any, error) {
	l := c.portgroupListing(parent)
	l.params, l.suffix = portgroupParams, "/detail"
	return l.answer()
}

// portgroupListing describes the lists of port groups. In these, Ironic does not hide new fields from older versions.
func (c *call) portgroupListing(parent string) listing[db.Portgroup] {
	groups := c.portgroups()
	groups.versions = nil
	return listing[db.Portgroup]{
		collection: groups, query: portgroupsQuery, markerFirst: true,
		unsortable: []string{"extra", "internal_info", "properties"},
		check: func(args arguments) error {
			if err := c.checkParent(portParent{node: parent}); err != nil {
				return err
			}
			if args.has("shard") && !c.atLeast(106) {
				return needsVersion(106)
			}
			return c.checkPortgroupFields(append(slices.Clone(args.list("fields")), args.text("sort_key")))
		},
		rows: func(args arguments, _ *paging) ([]*db.Portgroup, error) {
			keep, err := c.portgroupFilter(args, parent)
			if err != nil {
				return nil, err
			}
			return c.tables().Portgroups.List(keep), nil
		},
		sortable: func(key string) bool {
			return key == "id" || key == "node_id" ||
				slices.Contains(orders["portgroups"], key) && !slices.Contains([]string{"links", "ports", "node_uuid"}, key)
		},
		value: func(g *db.Portgroup, key string) any { return groups.values(g)[key] },
	}
}

func (c *call) portgroupFilter(args arguments, parent string) (func(*db.Portgroup) bool, error) {
	node, address, shards := cmp.Or(parent, args.text("node")), args.text("address"), args.list("shard")
	groups := args.list("conductor_groups")
	switch {
	case several(node != "", address != "", len(shards) > 0, len(groups) > 0):
		return nil, invalid("Filtering by node, address, or shard simultaneously is not supported.")
	case address != "":
		return func(g *db.Portgroup) bool { return g.Address == address }, nil
	}
	selected, err := c.selectedNodes(node, shards, groups)
	if err != nil {
		return nil, err
	}
	return func(g *db.Portgroup) bool { return selected(g.NodeUUID) }, nil
}

func (c *call) portgroups() collection[db.Portgroup] {
	return collection[db.Portgroup]{
		call: c, name: "portgroups", path: "portgroups", columns: portgroupColumns, table: c.tables().Portgroups,
		versions: portgroupVersions,
		compute: func(g *db.Portgroup, values map[string]any) {
			values["dynamic_portgroup"] = g.DynamicPortgroup != nil && *g.DynamicPortgroup
		},
		fill: func(g *db.Portgroup, document map[string]any) {
			document["ports"] = c.links("portgroups/" + g.UUID + "/ports")
		},
	}
}

// findPortgroup finds a port group by UUID or name. If the group exists, but the path is below a node, findPortgroup
// rejects the path, as Ironic does.
func (c *call) findPortgroup(ident, parent string) (*db.Portgroup, error) {
	group, err := c.portgroups().find(ident)
	if err == nil && parent != "" {
		err = malformedURI()
	}
	return group, err
}

func (c *call) showPortgroup(ident, parent string) (any, error) {
	fields, err := c.shownFields(querySchema(fieldsOf("portgroups"), nil), optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	group, err := c.findPortgroup(ident, parent)
	return c.portgroups().shown(fields)(group, cmp.Or(err, c.checkPortgroupFields(fields)))
}

func (c *call) deletePortgroup(ident, parent string) (any, error) {
	group, err := c.findPortgroup(ident, parent)
	if err != nil {
		return nil, err
	}
	if err := c.servedNode(group.NodeUUID); err != nil {
		return nil, err
	}
	return nil, c.conductor().DestroyPortgroup(c.ctx(), group.UUID)
}
