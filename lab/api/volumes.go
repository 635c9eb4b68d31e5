package api

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// volumeVersion is the minor version that introduced volumes.
const volumeVersion = 32

var (
	connectorSchema = &schema{
		Types: []string{"object"}, Required: []string{"connector_id", "node_uuid", "type"}, Closed: true,
		Properties: map[string]*schema{
			"connector_id": plainText, "extra": objectOrNull, "node_uuid": plainText, "type": plainText, "uuid": textOrNull,
		},
	}
	targetSchema = &schema{
		Types: []string{"object"}, Required: []string{"boot_index", "node_uuid", "volume_id", "volume_type"}, Closed: true,
		Properties: map[string]*schema{
			"boot_index": {Types: []string{"integer"}}, "extra": objectOrNull, "node_uuid": plainText,
			"properties": objectOrNull, "uuid": textOrNull, "volume_id": plainText, "volume_type": plainText,
		},
	}
)

// routeVolume handles /volume and everything below it. If the path is below a node, parent identifies the node;
// otherwise parent is empty.
func (c *call) routeVolume(rest []string, parent string) (any, error) {
	if len(rest) == 0 {
		return methods{http.MethodGet: func() (any, error) { return c.showVolume(parent) }}.serve(c)
	}
	if !c.atLeast(volumeVersion) {
		return nil, errNoRoute
	}
	switch rest[0] {
	case "connectors":
		return c.connectors(parent).resource().serve(c, rest[1:])
	case "targets":
		return c.targets(parent).resource().serve(c, rest[1:])
	}
	if c.request.Method == http.MethodGet {
		return nil, pythonError("VolumeController.get() takes 1 positional argument but %d were given", len(rest)+1)
	}
	return nil, notAllowed(http.MethodGet)
}

// showVolume returns the links to connectors and targets. Like Ironic, it does not check that the node exists.
func (c *call) showVolume(parent string) (any, error) {
	if !c.atLeast(volumeVersion) {
		return nil, notServed(http.StatusNotFound, notSupported)
	}
	if err := c.unexpected("VolumeController.get"); err != nil {
		return nil, err
	}
	path := "volume"
	if parent != "" {
		path = "nodes/" + parent + "/volume"
	}
	return inOrder("volume", map[string]any{
		"links": c.links(path + "/"), "connectors": c.links(path + "/connectors"), "targets": c.links(path + "/targets"),
	}), nil
}

func (c *call) connectors(parent string) volumes[db.VolumeConnector] {
	return volumes[db.VolumeConnector]{
		collection: collection[db.VolumeConnector]{
			call: c, name: "connectors", path: "volume/connectors", columns: connectorColumns,
			table: c.tables().VolumeConnectors,
			compute: func(v *db.VolumeConnector, values map[string]any) { // never null
				values["type"], values["connector_id"] = v.Type, v.ConnectorID
			},
		},
		parent: parent, kind: "connector", class: "VolumeConnectorsController", schema: connectorSchema,
		standard:  []string{"uuid", "node_uuid", "type", "connector_id"},
		patchable: []string{"connector_id", "extra", "node_uuid", "type"}, unsortable: []string{"extra"},
	}
}

func (c *call) targets(parent string) volumes[db.VolumeTarget] {
	return volumes[db.VolumeTarget]{
		collection: collection[db.VolumeTarget]{
			call: c, name: "targets", path: "volume/targets", columns: targetColumns, table: c.tables().VolumeTargets,
			compute: func(v *db.VolumeTarget, values map[string]any) { // never null
				values["volume_type"], values["volume_id"] = v.VolumeType, v.VolumeID
			},
			fill: func(v *db.VolumeTarget, document map[string]any) { document["properties"] = maskSecrets(v.Properties) },
		},
		parent: parent, kind: "target", class: "VolumeTargetsController", schema: targetSchema,
		standard:   []string{"uuid", "node_uuid", "volume_type", "boot_index", "volume_id"},
		unsortable: []string{"extra", "properties"},
		patchable:  []string{"boot_index", "extra", "node_uuid", "properties", "volume_id", "volume_type"},
	}
}

// volumes serves one request to the endpoints of volume connectors or volume targets.
type volumes[T any] struct {
	collection[T]
	parent      string // the UUID of the node that the path names, if any
	kind, class string // for example connector, and the name of the Python class
	schema      *schema
	// standard contains the fields that a list shows by default, and patchable those that a patch may change. Both are
	// in Ironic's order.
	standard, patchable, unsortable []string
}

func (v volumes[T]) resource() resource {
	return resource{
		class: v.class, body: v.kind, ident: v.kind + "_uuid", list: v.list, create: v.create, show: v.show,
		patch: v.patch, remove: v.remove,
	}
}

func (v volumes[T]) uuidParam(uuid string) param { return fromPath(v.kind+"_uuid", uuid, checkUUID) }

func (v volumes[T]) list() (any, error) {
	allowed := querySchema(fieldsOf(v.name), map[string]*schema{
		"detail": {}, "limit": {}, "marker": {}, "node": {}, "sort_dir": sortDirSchema, "sort_key": plainText,
	})
	args, err := v.checkQuery(allowed, append([]param{optional("node", checkIdent)},
		listParams(checkUUID, checkText, optional("project", anyValue))...)...)
	if err != nil {
		return nil, err
	}
	if v.parent != "" {
		if _, err := v.tables().Nodes.Peek(v.parent); err != nil {
			return nil, err
		}
	}
	fields, detail := args.list("fields"), args.isTrue("detail")
	switch {
	case fields == nil && !detail:
		fields = v.standard
	case len(fields) > 0 && detail:
		return nil, invalidValue("Can't fetch a subset of fields with 'detail' set")
	}
	var queries []query
	if detail {
		queries = detailQuery(&detail)
	}
	// As in Ironic, the links in the list for one node are the same as in the list for all nodes.
	return listing[T]{
		collection: v.collection, markerFirst: true, unsortable: v.unsortable, value: v.sortValue, rows: v.rows,
		sortable: func(key string) bool {
			return hasKey(v.columns, key) && key != "node_uuid" || key == "node_id" || key == "version"
		},
	}.page(args, fields, queries...)
}

// rows returns the rows of the node in the path or the query, or all rows if neither names a node.
func (v volumes[T]) rows(args arguments, _ *paging) ([]*T, error) {
	ident := cmp.Or(v.parent, args.text("node"))
	if ident == "" {
		return v.table.List(nil), nil
	}
	node, err := v.findNode(ident)
	if err != nil {
		return nil, err
	}
	return v.table.List(func(row *T) bool { return v.text(row, "node_uuid") == node.UUID }), nil
}

func (v volumes[T]) sortValue(row *T, key string) any {
	if key != "node_id" {
		return v.columns.shown(row, key)
	}
	node, err := v.tables().Nodes.Peek(v.text(row, "node_uuid"))
	if err != nil {
		return nil
	}
	return node.ID
}

func (v volumes[T]) show(ident string, fieldsParam param) (any, error) {
	fields, err := v.shownFields(querySchema(fieldsOf(v.name), nil), fieldsParam, v.uuidParam(ident))
	if err != nil {
		return nil, err
	}
	return v.shown(fields)(v.find(ident))
}

// find returns the row with the given UUID. If the path is below a node and the row exists, find rejects the path as
// malformed, as Ironic does.
func (v volumes[T]) find(ident string) (*T, error) {
	row, err := v.table.Get(ident)
	if err == nil && v.parent != "" {
		err = malformedURI()
	}
	return row, err
}

// create stores a new row. Unlike a change, a creation does not need the node's lock, and is allowed in every power
// state.
func (v volumes[T]) create() (any, error) {
	given, err := v.givenObject(v.kind, v.schema, volumeChecks)
	if err != nil {
		return nil, err
	}
	node, err := v.tables().Nodes.Peek(given.Text("node_uuid"))
	if err != nil {
		return nil, invalid("Invalid input for field/attribute node_uuid. Value: '%s'.", given["node_uuid"])
	}
	if v.parent != "" {
		return nil, malformedURI()
	}
	row := new(T)
	setFields(v.columns, row, given, append(slices.Clone(v.patchable), "uuid"))
	v.columns.set(row, "node_uuid", node.UUID)
	return v.created(v.table.Create(row))
}

func (v volumes[T]) patch(ident string) (any, error) {
	patch, err := v.checkPatch(v.uuidParam(ident))
	if err != nil {
		return nil, err
	}
	row, err := v.find(ident)
	if err = cmp.Or(err, checkRoots(patch, v.patchable)); err != nil {
		return nil, err
	}
	node, err := v.patchedNode(row, patch)
	if err != nil {
		return nil, err
	}
	document, _ := plain(v.values(row)).(map[string]any)
	if err := applyPatch(document, patch); err != nil {
		return nil, err
	}
	document["node_uuid"] = node.UUID
	maps.DeleteFunc(document, func(field string, _ any) bool { return !hasKey(v.schema.Properties, field) })
	if _, err := checkObject(v.schema, volumeChecks)("patch", document); err != nil {
		return nil, err
	}
	if err := v.served(node, http.StatusNotFound); err != nil {
		return nil, err
	}
	return v.stored(v.update(ident, node, document))
}

// patchedNode returns the node to which a row belongs after a patch.
func (v volumes[T]) patchedNode(row *T, patch []operation) (*db.Node, error) {
	node, err := v.tables().Nodes.Peek(v.text(row, "node_uuid"))
	if err != nil {
		return nil, err
	}
	links, err := sentValues(patch, "/node_uuid")
	if err != nil {
		return nil, err
	}
	for _, value := range links {
		if !isUUID(value) {
			return nil, db.Faultf(http.StatusBadRequest, "InvalidUUID", "Expected a UUID for node_uuid, but received %s.", python.Str(value))
		}
	}
	if len(links) == 0 {
		return node, nil
	}
	return v.authorizeLink(node.Owner, python.Str(links[0]), "node_uuid")
}

// update has the conductor store a patched document. An unchanged row keeps its updated_at.
func (v volumes[T]) update(ident string, node *db.Node, document map[string]any) (*T, error) {
	var updated *T
	err := v.conductor().UpdateVolume(v.ctx(), node.UUID, "volume "+v.kind, func() error {
		row, err := v.table.Get(ident)
		if err != nil {
			return err
		}
		before := v.values(row)
		setFields(v.columns, row, document, v.patchable)
		if updated = row; reflect.DeepEqual(before, v.values(row)) {
			return nil
		}
		updated, err = v.table.Update(ident, func(row *T) error {
			setFields(v.columns, row, document, v.patchable)
			return nil
		})
		return err
	})
	return updated, err
}

func (v volumes[T]) remove(ident string) (any, error) {
	if _, err := v.checkArguments(v.uuidParam(ident)); err != nil {
		return nil, err
	}
	row, err := v.find(ident)
	if err != nil {
		return nil, err
	}
	node := v.text(row, "node_uuid")
	if err := v.servedNode(node); err != nil {
		return nil, err
	}
	return nil, v.conductor().DestroyVolume(v.ctx(), node, "volume "+v.kind, func() error { return v.table.Destroy(ident) })
}

var volumeChecks = []param{optional("node_uuid", checkUUID), optional("uuid", checkUUID)}
