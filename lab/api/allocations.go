package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
)

var sortableAllocation = []string{
	"id", "uuid", "name", "state", "last_error", "resource_class", "owner", "created_at", "updated_at", "node_id",
}

// knownAllocationFields returns the fields that allocations have in the requested API version. The owner field was
// introduced in 1.60.
func (c *call) knownAllocationFields() []string {
	fields := slices.DeleteFunc(fieldsOf("allocations"), func(field string) bool { return field == "owner" })
	if c.atLeast(60) {
		return append(fields, "owner")
	}
	return fields
}

// routeAllocations handles everything below /allocations.
func (c *call) routeAllocations(rest []string) (any, error) {
	minor, text := 52, "The API version does not allow allocations"
	if c.request.Method == http.MethodPatch {
		minor, text = 57, "The API version does not allow updating allocations"
	}
	if len(rest) == 0 {
		return methods{
			http.MethodGet: c.listAllocations, http.MethodPost: c.created(c.createAllocation),
			http.MethodPatch: missingIdent, http.MethodDelete: missingIdent,
		}.since(c, minor, text)
	}
	ident := rest[0]
	return methods{
		http.MethodGet:    func() (any, error) { return c.showAllocation(ident) },
		http.MethodPatch:  func() (any, error) { return c.patchAllocation(ident) },
		http.MethodDelete: c.noContent(func() (any, error) { return c.deleteAllocation(ident) }),
		http.MethodPost:   missingIdent,
	}.since(c, minor, text)
}

// routeNodeAllocation handles /nodes/{node}/allocation.
func (c *call) routeNodeAllocation(ident string, rest []string) (any, error) {
	return methods{
		http.MethodGet: func() (any, error) {
			args, err := c.checkArguments(optional("fields", checkList))
			if err != nil {
				return nil, err
			}
			return c.allocations().shown(args.list("fields"))(c.allocationOf(ident, http.StatusBadRequest))
		},
		http.MethodDelete: c.noContent(func() (any, error) {
			allocation, err := c.allocationOf(ident, http.StatusNotFound)
			if err != nil {
				return nil, err
			}
			return nil, c.conductor().DestroyAllocation(c.ctx(), allocation.UUID)
		}),
	}.serve(c, rest...)
}

// allocationOf finds the allocation of the given node. If the node does not exist, the error has the given HTTP
// status.
func (c *call) allocationOf(ident string, status int) (*db.Allocation, error) {
	node, err := c.findNode(ident)
	if err != nil {
		return nil, withStatus(err, "NodeNotFound", status)
	}
	found := c.tables().Allocations.List(func(a *db.Allocation) bool { return a.NodeUUID == node.UUID })
	if len(found) == 0 {
		return nil, db.Faultf(http.StatusNotFound, "AllocationNotFound", "Allocation for node %s was not found", ident)
	}
	return found[0], nil
}

func (c *call) allocations() collection[db.Allocation] {
	return collection[db.Allocation]{
		call: c, name: "allocations", path: "allocations", columns: allocationColumns, table: c.tables().Allocations,
		versions: map[string]int{"owner": 60},
	}
}

func (c *call) listAllocations() (any, error) {
	return listing[db.Allocation]{
		collection: c.allocations(), params: []param{
			optional("node", anyValue), optional("resource_class", anyValue), optional("state", anyValue),
			optional("marker", anyValue), optional("limit", checkInt), optional("sort_key", anyValue),
			optional("sort_dir", anyValue), optional("fields", checkList), optional("owner", anyValue),
		},
		query: querySchema(c.knownAllocationFields(), map[string]*schema{
			"limit": {Types: []string{"integer"}}, "marker": uuidSchema, "node": nameOrUUID, "owner": plainText,
			"resource_class": plainText, "sort_dir": sortDirSchema, "sort_key": plainText, "state": plainText,
		}),
		check: func(args arguments) error {
			if !c.atLeast(60) && args.has("owner") {
				return notAcceptable()
			}
			return nil
		},
		unsortable: []string{"extra", "candidate_nodes", "traits"},
		rows: func(args arguments, _ *paging) ([]*db.Allocation, error) {
			node := ""
			if args.text("node") != "" {
				found, err := c.findNode(args.text("node"))
				if err != nil {
					return nil, withStatus(err, "NodeNotFound", http.StatusBadRequest)
				}
				node = found.UUID
			}
			return c.tables().Allocations.List(allocationFilter(args, node)), nil
		},
		sortable: func(key string) bool { return slices.Contains(sortableAllocation, key) },
	}.answer()
}

func allocationFilter(args arguments, node string) func(*db.Allocation) bool {
	return func(a *db.Allocation) bool {
		for name, have := range map[string]string{"resource_class": a.ResourceClass, "state": a.State, "owner": a.Owner} {
			// An unset column is null, which differs from an empty string, so an empty filter matches no allocation.
			if want := args.text(name); args.has(name) && (want == "" || want != have) {
				return false
			}
		}
		return node == "" || a.NodeUUID == node
	}
}

func (c *call) showAllocation(ident string) (any, error) {
	fields, err := c.shownFields(querySchema(c.knownAllocationFields(), nil), optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	return c.allocations().shown(fields)(c.allocations().find(ident))
}

func (c *call) deleteAllocation(ident string) (any, error) {
	allocation, err := c.allocations().find(ident)
	if err != nil {
		return nil, err
	}
	return nil, c.conductor().DestroyAllocation(c.ctx(), allocation.UUID)
}
