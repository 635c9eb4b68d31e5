package api

import (
	"net/http"
	"slices"

	"ironworks/lab/db"
)

var (
	allocationFields = []string{
		"candidate_nodes", "created_at", "extra", "last_error", "links", "name", "node_uuid", "resource_class", "state",
		"traits", "updated_at", "uuid",
	}
	sortableAllocation = []string{
		"id", "uuid", "name", "state", "last_error", "resource_class", "owner", "created_at", "updated_at", "node_id",
	}
	noAllocations = "The API version does not allow allocations"
)

// knownAllocationFields returns the fields that allocations have in the requested API version. The owner field was
// introduced in 1.60.
func (c *call) knownAllocationFields() []string {
	if c.atLeast(60) {
		return append(slices.Clone(allocationFields), "owner")
	}
	return allocationFields
}

// introduced wraps an endpoint that the given minor version introduced. In older versions, the endpoint answers GET
// with 404 and other methods with 405.
func (c *call) introduced(minor int, text string, serve endpoint) endpoint {
	return func() (any, error) {
		if c.atLeast(minor) {
			return serve()
		}
		if c.request.Method == http.MethodGet {
			return nil, notServed(http.StatusNotFound, text)
		}
		return nil, notServed(http.StatusMethodNotAllowed, text)
	}
}

// routeAllocations handles everything below /allocations.
func (c *call) routeAllocations(rest []string) (any, error) {
	updates := "The API version does not allow updating allocations"
	if len(rest) == 0 {
		return methods{
			http.MethodGet:    c.introduced(52, noAllocations, c.listAllocations),
			http.MethodPost:   c.introduced(52, noAllocations, c.created(c.createAllocation)),
			http.MethodPatch:  c.introduced(57, updates, missingIdent),
			http.MethodDelete: c.introduced(52, noAllocations, missingIdent),
		}.serve(c)
	}
	ident := rest[0]
	return methods{
		http.MethodGet: c.introduced(52, noAllocations, func() (any, error) { return c.showAllocation(ident) }),
		http.MethodPatch: c.introduced(57, updates, func() (any, error) {
			return c.patchAllocation(ident)
		}),
		http.MethodDelete: c.introduced(52, noAllocations, c.noContent(func() (any, error) {
			return c.deleteAllocation(ident)
		})),
		http.MethodPost: c.introduced(52, noAllocations, missingIdent),
	}.serve(c)
}

// routeNodeAllocation handles /nodes/{node}/allocation.
func (c *call) routeNodeAllocation(ident string, rest []string) (any, error) {
	if len(rest) > 0 {
		return nil, notAllowed(http.MethodDelete, http.MethodGet)
	}
	return methods{
		http.MethodGet: func() (any, error) {
			args, err := c.checkArguments(optional("fields", checkList))
			if err != nil {
				return nil, err
			}
			allocation, err := c.allocationOf(ident, http.StatusBadRequest)
			if err != nil {
				return nil, err
			}
			return ordered("allocations")(c.allocationDocument(allocation, args.list("fields")))
		},
		http.MethodDelete: c.noContent(func() (any, error) {
			allocation, err := c.allocationOf(ident, http.StatusNotFound)
			if err != nil {
				return nil, err
			}
			return nil, c.conductor().DestroyAllocation(c.ctx(), allocation.UUID)
		}),
	}.serve(c)
}

// allocationOf finds the allocation of the given node; status is the HTTP status of the error if the node does not
// exist.
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

func allocationDocument(a *db.Allocation) map[string]any {
	return allocationColumns.all(a, "allocations")
}

func (c *call) allocationDocument(a *db.Allocation, fields []string) (map[string]any, error) {
	document := allocationDocument(a)
	document["links"] = c.links("allocations/" + a.UUID)
	if err := checkDocumentFields(fields, document); err != nil {
		return nil, err
	}
	if !c.atLeast(60) {
		delete(document, "owner")
	}
	return pick(document, fields), nil
}

func (c *call) findAllocation(ident string) (*db.Allocation, error) {
	return findBy(ident, c.tables().Allocations.Get, c.tables().Allocations.List, func(a *db.Allocation) string { return a.Name },
		db.Faultf(http.StatusNotFound, "AllocationNotFound", "Allocation %s could not be found.", ident))
}

func (c *call) listAllocations() (any, error) {
	args, err := c.checkArguments(optional("node", anyValue), optional("resource_class", anyValue), optional("state", anyValue),
		optional("marker", anyValue), optional("limit", checkInt), optional("sort_key", anyValue),
		optional("sort_dir", anyValue), optional("fields", checkList), optional("owner", anyValue))
	if err != nil {
		return nil, err
	}
	query := querySchema(c.knownAllocationFields(), map[string]*schema{
		"limit": {Types: []string{"integer"}}, "marker": uuidSchema, "node": nameOrUUID, "owner": plainText,
		"resource_class": plainText, "sort_dir": sortDirSchema, "sort_key": plainText, "state": plainText,
	})
	if err := args.checkQuery(query); err != nil {
		return nil, err
	}
	fields := args.list("fields")
	if !c.atLeast(60) && (slices.Contains(fields, "owner") || args.has("owner")) {
		return nil, notAcceptable()
	}
	return listing[db.Allocation]{
		name: "allocations", path: "allocations", unsortable: []string{"extra", "candidate_nodes", "traits"},
		columns: allocationColumns, find: c.tables().Allocations.Get,
		rows: func(*paging) ([]*db.Allocation, error) {
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
		value:    func(a *db.Allocation, key string) any { return allocationDocument(a)[key] },
		document: func(a *db.Allocation) (map[string]any, error) { return c.allocationDocument(a, fields) },
	}.answer(c, args, fields)
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
	args, err := c.checkArguments(optional("fields", checkList))
	if err != nil {
		return nil, err
	}
	if err := args.checkQuery(querySchema(c.knownAllocationFields(), nil)); err != nil {
		return nil, err
	}
	allocation, err := c.findAllocation(ident)
	if err != nil {
		return nil, err
	}
	return ordered("allocations")(c.allocationDocument(allocation, args.list("fields")))
}

func (c *call) deleteAllocation(ident string) (any, error) {
	allocation, err := c.findAllocation(ident)
	if err != nil {
		return nil, err
	}
	return nil, c.conductor().DestroyAllocation(c.ctx(), allocation.UUID)
}
