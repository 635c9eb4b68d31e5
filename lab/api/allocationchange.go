package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ironworks/lab/db"
	"ironworks/python"
)

// allocationSchema returns the schema of requests that create an allocation. The node field was introduced in 1.58.
func (c *call) allocationSchema() *schema {
	s := &schema{
		Types: []string{"object"}, Closed: true, Properties: map[string]*schema{
			"candidate_nodes": {Types: []string{"array", "null"}, Items: nameOrUUID}, "extra": objectOrNull,
			"name": textOrNull, "owner": textOrNull, "resource_class": longText(nullableText, 80),
			"traits": {Types: []string{"array", "null"}, Items: traitSchema}, "uuid": textOrNull,
		},
	}
	if c.atLeast(58) {
		s.Properties["node"] = textOrNull
	}
	return s
}

func texts(value any) []string {
	list, _ := value.([]any)
	items := make([]string, len(list))
	for i := range list {
		items[i], _ = list[i].(string)
	}
	return items
}

func (c *call) createAllocation() (any, error) {
	body, err := c.body("allocation", anyValue)
	if err != nil {
		return nil, err
	}
	err = cmp.Or(checkWhole(c.allocationSchema(), body.given), c.unexpected("AllocationsController.post"))
	if err != nil {
		return nil, err
	}
	given := object(body.given)
	if _, ok := given["owner"]; ok && !c.atLeast(60) {
		return nil, notAcceptable()
	}
	if name := given.Text("name"); name != "" && !c.isLogicalName(name) {
		return nil, invalid("Cannot create allocation with invalid name '%s'", name)
	}
	allocation := &db.Allocation{}
	setFields(allocationColumns, allocation, given, []string{"uuid", "name", "resource_class", "owner", "traits", "extra"})
	var node *db.Node
	if ident := given.Text("node"); ident != "" {
		if node, err = c.findNode(ident); err != nil {
			return nil, withStatus(err, "NodeNotFound", http.StatusBadRequest)
		}
		allocation.NodeUUID = node.UUID
		allocation.ResourceClass = cmp.Or(allocation.ResourceClass, node.ResourceClass)
		allocation.UUID = cmp.Or(allocation.UUID, node.InstanceUUID)
	} else if allocation.ResourceClass == "" {
		return nil, invalid("The resource_class field is mandatory when not backfilling")
	}
	if allocation.CandidateNodes, err = c.nodeUUIDs(texts(given["candidate_nodes"])); err != nil {
		return nil, err
	}
	if allocation.UUID == "" {
		allocation.UUID = uuid.NewString()
	}
	if node != nil {
		if err := c.served(node, http.StatusNotFound); err != nil {
			return nil, err
		}
	}
	return c.allocations().created(c.conductor().CreateAllocation(c.ctx(), allocation))
}

// nodeUUIDs returns the UUIDs of the nodes with the given UUIDs or names.
func (c *call) nodeUUIDs(idents []string) ([]string, error) {
	var missing []string
	uuids := make([]string, len(idents))
	for i, ident := range idents {
		node, err := c.tables().Nodes.ByName(ident)
		if isUUID(ident) {
			node, err = c.tables().Nodes.Peek(ident)
		}
		if err != nil {
			if !slices.Contains(missing, ident) {
				missing = append(missing, ident)
			}
			continue
		}
		uuids[i] = node.UUID
	}
	if len(missing) > 0 {
		return nil, db.Faultf(http.StatusBadRequest, "NodeNotFound", "Nodes cannot be found: %s",
			strings.Join(missing, ", "))
	}
	return uuids, nil
}

var allocationPatchSchema = &schema{Types: []string{"array"}, Items: &schema{
	Types: []string{"object"}, Required: []string{"op", "path"}, Closed: true,
	Properties: map[string]*schema{
		"op": {Enum: []string{"add", "replace", "remove"}}, "path": plainText,
		"value": {Types: []string{"string", "object", "null", "integer", "boolean"}},
	},
}}

// patchedAllocation is the schema that an allocation must match after a patch.
var patchedAllocation = &schema{Types: []string{"object"}, Properties: map[string]*schema{
	"name": textOrNull, "extra": objectOrNull,
}}

func (c *call) patchAllocation(ident string) (any, error) {
	args, err := c.checkWithBody("patch", anyValue)
	if err != nil {
		return nil, err
	}
	if err := checkWhole(allocationPatchSchema, args["patch"]); err != nil {
		return nil, err
	}
	allocation, err := c.allocations().find(ident)
	if err != nil {
		return nil, err
	}
	patch := operations(args["patch"])
	if err := checkRoots(patch, []string{"name", "extra"}); err != nil {
		return nil, err
	}
	for _, value := range patchValues(patch, "/name") {
		if name := python.Str(value); python.Truthy(value) && !c.isLogicalName(name) {
			return nil, invalid("Cannot update allocation with invalid name '%s'", name)
		}
	}
	document, _ := plain(c.allocations().values(allocation)).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	if _, err := checkSchema(patchedAllocation)("patch", document); err != nil {
		return nil, err
	}
	return c.allocations().stored(c.tables().Allocations.Update(allocation.UUID, func(a *db.Allocation) error {
		setFields(allocationColumns, a, document, []string{"name", "extra"})
		return nil
	}))
}
