package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"ironworks/lab/db"
)

// faults contains the faults for which Ironic puts a node into maintenance.
var faults = []string{"power failure", "clean failure", "rescue abort failure", "service failure"}

var nodeFilterParams = []param{
	optional("chassis_uuid", checkUUID), optional("instance_uuid", checkUUID), optional("associated", checkBool),
	optional("maintenance", checkBool), optional("retired", checkBool), optional("provision_state", checkText),
	optional("marker", checkUUID), optional("limit", checkInt), optional("sort_key", checkText),
	optional("sort_dir", checkText), optional("driver", checkText), optional("resource_class", checkText),
	optional("fault", checkText), optional("conductor_group", checkText), optional("conductor", checkText),
	optional("owner", checkText), optional("description_contains", checkText), optional("lessee", checkText),
	optional("project", checkText), optional("shard", checkList), optional("sharded", checkBool),
	optional("include_children", checkBool), optional("parent_node", checkText),
	optional("instance_name", checkText),
}

// listNodes implements GET /v1/nodes.
func (c *call) listNodes() (any, error) {
	l := c.nodeListing(true)
	l.params = append([]param{optional("fields", checkList), optional("detail", checkBool)}, nodeFilterParams...)
	l.standard = defaultNodeFields
	return l.answer()
}

// listNodeDetails implements GET /v1/nodes/detail.
func (c *call) listNodeDetails() (any, error) {
	l := c.nodeListing(false)
	l.params, l.suffix = nodeFilterParams, "/detail"
	return l.answer()
}

// nodes describes the nodes, whose secrets are masked.
func (c *call) nodes() collection[db.Node] {
	return collection[db.Node]{
		call: c, name: "nodes", path: "nodes", columns: nodeColumns, table: c.tables().Nodes,
		render: func(n *db.Node, fields []string) (map[string]any, error) {
			return c.nodeDocument(n, fields), checkNodeFields(fields)
		},
	}
}

func (c *call) nodeListing(children bool) listing[db.Node] {
	return listing[db.Node]{
		collection: c.nodes(), unsortable: unsortable, sortable: isColumn, value: c.sortableNode,
		check: func(args arguments) error {
			return cmp.Or(c.checkAskedFields(args.list("fields")), c.checkNodeFilters(args, children))
		},
		marked: c.tables().Nodes.Peek, rows: c.nodeRows,
		trim: func(args arguments, nodes []*db.Node) []*db.Node {
			// Like Ironic's, this filter applies to the page instead of all rows, so the page may contain fewer nodes
			// than the limit.
			host := args.text("conductor")
			return slices.DeleteFunc(slices.Clone(nodes), func(n *db.Node) bool { return host != "" && n.Conductor != host })
		},
	}
}

func (c *call) nodeRows(args arguments, p *paging) ([]*db.Node, error) {
	for _, field := range args.list("fields") {
		if !isColumn(field) {
			return nil, pythonError("type object 'Node' has no attribute '%s'", field)
		}
	}
	if args.has("chassis_uuid") {
		if _, err := c.tables().Chassis.Peek(args.text("chassis_uuid")); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"associated", "maintenance", "retired"} {
		if args.isTrue(name) {
			p.after = append(p.after, query{name, "True"})
		}
	}
	p.single = args.has("instance_uuid")
	return c.tables().Nodes.Scan(nodeFilter(args)), nil
}

// filterVersions maps filters for nodes to the minor versions that introduced them.
var filterVersions = map[string]int{
	"driver": 16, "resource_class": 21, "fault": 42, "conductor_group": 46, "conductor": 49, "owner": 50, "lessee": 65,
	"shard": 82, "sharded": 82, "include_children": 83, "parent_node": 83,
}

// checkNodeFilters rejects filters that are newer than the API version. If children is false, it does not check the
// filters for child nodes. This is for /nodes/detail, which ignores these filters.
func (c *call) checkNodeFilters(args arguments, children bool) error {
	if err := c.checkFields(args.text("sort_key")); err != nil {
		return err
	}
	if state := args.text("provision_state"); args.has("provision_state") {
		if !c.atLeast(9) {
			return notAcceptable()
		}
		if _, known := actions[state]; !known {
			return invalidValue("Provision state \"%s\" is not valid", state)
		}
	}
	filters := []string{
		"driver", "resource_class", "fault", "conductor_group", "conductor", "owner", "lessee", "shard", "sharded",
	}
	if children {
		filters = append(filters, "include_children", "parent_node")
	}
	for _, filter := range filters {
		if minor := filterVersions[filter]; args.has(filter) && !c.atLeast(minor) {
			return needsVersion(minor)
		}
	}
	if fault := args.text("fault"); args.has("fault") && !slices.Contains(faults, fault) {
		return db.Faultf(http.StatusBadRequest, "ClientSideError", "Unrecognized fault \"%s\" is specified, allowed faults "+
			"are ('%s')", fault, strings.Join(faults, "', '"))
	}
	if args.has("instance_name") && !c.atLeast(104) {
		return db.Faultf(http.StatusNotAcceptable, "NotAcceptable", "instance_name is not acceptable in this API version")
	}
	return nil
}

// nodeFilter returns a function that reports whether a node matches the filters of a query.
func nodeFilter(args arguments) func(*db.Node) bool {
	var filters []func(*db.Node) bool
	for _, field := range []string{
		"provision_state", "driver", "resource_class", "fault", "conductor_group", "owner", "lessee", "instance_name",
		"instance_uuid", "chassis_uuid",
	} {
		if want := args.text(field); args.has(field) {
			filters = append(filters, func(n *db.Node) bool {
				have, _ := nodeColumns.of(n, field).(*string)
				// Null differs from an empty string, and only conductor_group may be an empty string.
				return *have == want && (want != "" || field == "conductor_group")
			})
		}
	}
	for field, have := range map[string]func(*db.Node) bool{
		"maintenance": func(n *db.Node) bool { return n.Maintenance },
		"retired":     func(n *db.Node) bool { return n.Retired },
		"associated":  func(n *db.Node) bool { return n.InstanceUUID != "" },
		"sharded":     func(n *db.Node) bool { return n.Shard != "" },
	} {
		if want := args.boolean(field); want != nil {
			filters = append(filters, func(n *db.Node) bool { return have(n) == *want })
		}
	}
	if shards := args.list("shard"); args.has("shard") {
		filters = append(filters, func(n *db.Node) bool { return n.Shard != "" && slices.Contains(shards, n.Shard) })
	}
	if project := args.text("project"); args.has("project") {
		filters = append(filters, func(n *db.Node) bool {
			return project != "" && (n.Owner == project || n.Lessee == project)
		})
	}
	if part := strings.ToLower(args.text("description_contains")); args.has("description_contains") {
		filters = append(filters, func(n *db.Node) bool {
			return n.Description != "" && strings.Contains(strings.ToLower(n.Description), part)
		})
	}
	if !args.isTrue("include_children") {
		parent := args.text("parent_node")
		filters = append(filters, func(n *db.Node) bool { return n.ParentNode == parent })
	}
	return func(n *db.Node) bool {
		for _, keep := range filters {
			if !keep(n) {
				return false
			}
		}
		return true
	}
}
