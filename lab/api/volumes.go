package api

import (
	"maps"
	"net/http"
	"reflect"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// volumeTable is either the table of volume connectors or the table of volume targets.
type volumeTable[T any] interface {
	Get(uuid string) (*T, error)
	List(keep func(*T) bool) []*T
	Create(row *T) (*T, error)
	Update(uuid string, change func(*T) error) (*T, error)
	Destroy(uuid string) error
}

// volumes serves one request to the endpoints of volume connectors or volume targets.
type volumes[T any] struct {
	*call
	parent            string // the UUID of the node that the path names, if any
	name, kind, class string // for example connectors and connector, and the name of the Python class
	columns           columns
	schema            *schema
	table             volumeTable[T]
	// fields contains the fields that a request can select, standard the fields that a list shows by default, and
	// patchable the fields that a patch may change. All are in Ironic's order.
	fields, standard, patchable []string
	unsortable                  []string
	texts                       []string // columns that are never null
}

func (v volumes[T]) resource() resource {
	return resource{
		class: v.class, body: v.kind, ident: v.kind + "_uuid", list: v.list, create: v.create, show: v.show,
		patch: v.patch, remove: v.remove,
	}
}

func (v volumes[T]) ident(uuid string) param { return fromPath(v.kind+"_uuid", uuid, checkUUID) }

func (v volumes[T]) text(row *T, column string) string {
	text, _ := v.columns.of(row, column).(*string)
	return *text
}

// values returns the columns of a row. Secrets are not masked.
func (v volumes[T]) values(row *T) map[string]any {
	values := v.columns.all(row, v.name)
	for _, column := range v.texts {
		values[column] = v.text(row, column)
	}
	return values
}

// document returns a row as the API shows it. If fields is nil, the document contains all fields.
func (v volumes[T]) document(row *T, fields []string) (map[string]any, error) {
	document := v.values(row)
	document["links"] = v.links("volume/" + v.name + "/" + v.text(row, "uuid"))
	if properties, ok := document["properties"].(db.Dict); ok {
		document["properties"] = maskSecrets(properties)
	}
	if err := checkDocumentFields(fields, document); err != nil {
		return nil, err
	}
	return pick(document, fields), nil
}

func (v volumes[T]) list() (any, error) {
	args, err := v.checkArguments(append([]param{optional("node", checkIdent)},
		listParams(checkUUID, checkText, optional("project", anyValue))...)...)
	if err != nil {
		return nil, err
	}
	allowed := querySchema(v.fields, map[string]*schema{
		"detail": {}, "limit": {}, "marker": {}, "node": {}, "sort_dir": sortDirSchema, "sort_key": plainText,
	})
	if err := args.checkQuery(allowed); err != nil {
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
	return v.page(args, fields, queries...)
}

// page returns one page of a list. As in Ironic, the links in the list for one node are the same as in the list for
// all nodes.
func (v volumes[T]) page(args arguments, fields []string, queries ...query) (any, error) {
	return listing[T]{
		name: v.name, path: "volume/" + v.name, markerFirst: true, unsortable: v.unsortable, columns: v.columns,
		find: v.table.Get, value: v.sortValue,
		rows: func(*paging) ([]*T, error) {
			keep, err := v.filter(args.text("node"))
			if err != nil {
				return nil, err
			}
			return v.table.List(keep), nil
		},
		sortable: func(key string) bool {
			return hasKey(v.columns, key) && key != "node_uuid" || key == "node_id" || key == "version"
		},
		document: func(row *T) (map[string]any, error) { return v.document(row, fields) },
	}.answer(v.call, args, fields, queries...)
}

// filter returns a function that reports whether a row belongs to the node in the path or the query. It returns nil
// if neither names a node.
func (v volumes[T]) filter(ident string) (func(*T) bool, error) {
	if v.parent != "" {
		ident = v.parent
	}
	if ident == "" {
		return nil, nil //nolint:nilnil // no filter
	}
	node, err := v.findNode(ident)
	if err != nil {
		return nil, err
	}
	return func(row *T) bool { return v.text(row, "node_uuid") == node.UUID }, nil
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
	fields, err := v.shownFields(v.ident(ident), fieldsParam, querySchema(v.fields, nil))
	if err != nil {
		return nil, err
	}
	row, err := v.find(ident)
	if err != nil {
		return nil, err
	}
	return ordered(v.name)(v.document(row, fields))
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
	node, err := v.tables().Nodes.Peek(db.Dict(given).Text("node_uuid"))
	if err != nil {
		return nil, invalid("Invalid input for field/attribute node_uuid. Value: '%s'.", given["node_uuid"])
	}
	if v.parent != "" {
		return nil, malformedURI()
	}
	row := new(T)
	setFields(v.columns, row, given, append(slices.Clone(v.patchable), "uuid"))
	v.columns.set(row, "node_uuid", node.UUID)
	made, err := v.table.Create(row)
	if err != nil {
		return nil, err
	}
	v.locate("volume/" + v.name + "/" + v.text(made, "uuid"))
	return ordered(v.name)(v.document(made, nil))
}

func (v volumes[T]) patch(ident string) (any, error) {
	patch, err := v.checkPatch(v.ident(ident))
	if err != nil {
		return nil, err
	}
	row, err := v.find(ident)
	if err != nil {
		return nil, err
	}
	if err := checkRoots(patch, v.patchable); err != nil {
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
	updated, err := v.update(ident, node, document)
	if err != nil {
		return nil, err
	}
	return ordered(v.name)(v.document(updated, nil))
}

// patchedNode returns the node to which a row belongs after a patch.
func (v volumes[T]) patchedNode(row *T, patch []operation) (*db.Node, error) {
	node, err := v.tables().Nodes.Peek(v.text(row, "node_uuid"))
	if err != nil {
		return nil, err
	}
	for _, o := range patch {
		if _, given := o["value"]; !given && o.path() == "/node_uuid" && o.kind() != "remove" {
			return nil, pythonError("'value'")
		}
	}
	links := patchValues(patch, "/node_uuid")
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
	if _, err := v.checkArguments(v.ident(ident)); err != nil {
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
