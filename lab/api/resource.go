package api

import (
	"cmp"
	"maps"
	"net/http"
	"slices"

	"ironworks/lab/db"
	"ironworks/python"
)

// resource is a collection of the API with the usual five endpoints: list, create, show, patch and delete.
type resource struct {
	// class is the name of the controller's Python class. body and ident are the names of its Python arguments for
	// the body of a POST and for the UUID.
	class, body, ident string
	list, create       endpoint
	// nested serves a POST to an entry. If it is nil, Ironic takes the UUID for the body.
	nested endpoint
	show   func(ident string, fields param) (any, error)
	patch  func(ident string) (any, error)
	remove func(ident string) (any, error)
}

// serve handles the collection and its entries. Like Ironic, it passes further parts of the path to functions as
// arguments.
func (r resource) serve(c *call, rest []string) (any, error) {
	if len(rest) == 0 {
		return methods{
			http.MethodGet: r.list, http.MethodPost: c.created(r.create),
			http.MethodPatch: c.missing(r.ident), http.MethodDelete: c.missing(r.ident),
		}.serve(c)
	}
	ident, more := rest[0], rest[1:]
	if r.nested == nil {
		r.nested = notObject(r.body, ident)
	}
	return methods{
		http.MethodGet:  func() (any, error) { return r.showWith(ident, more) },
		http.MethodPost: r.nested,
		http.MethodPatch: func() (any, error) {
			if len(more) > 0 {
				return nil, invalidValue("Schema error for patch: %s is not of type 'array'", python.Repr(more[0]))
			}
			return r.patch(ident)
		},
		http.MethodDelete: c.noContent(func() (any, error) {
			if len(more) > 0 {
				return nil, pythonError("%s.delete() takes 2 positional arguments but %d were given", r.class, len(more)+2)
			}
			return r.remove(ident)
		}),
	}.serve(c)
}

// notObject returns the endpoint for a POST to an entry, where Ironic takes the entry's name for the body.
func notObject(body, ident string) endpoint {
	return func() (any, error) {
		return nil, invalidValue("Schema error for %s: %s is not of type 'object'", body, python.Repr(ident))
	}
}

// showWith shows an entry. Like Ironic, it reads the part of the path after the entry as the fields to show.
func (r resource) showWith(ident string, more []string) (any, error) {
	if len(more) > 1 {
		return nil, pythonError("%s.get_one() takes from 2 to 3 positional arguments but %d were given", r.class, len(more)+2)
	}
	return r.show(ident, inPath("fields", checkList, more))
}

// collection describes the resources of one kind: their names in the API, their columns and their table.
type collection[T any] struct {
	*call
	// name is the name of the list in a document, and the kind of the order of fields. path is the path below /v1.
	name, path string
	columns    columns
	table      *db.Table[T]
	// compute changes values that differ from the columns. fill adds fields that are not columns. Both may be nil.
	compute func(row *T, values map[string]any)
	fill    func(row *T, document map[string]any)
	// versions maps fields to the minor versions that introduced them. Older versions do not show the fields.
	versions map[string]int
	// render, if not nil, returns the document of a row, instead of compute, fill and versions.
	render func(row *T, fields []string) (map[string]any, error)
	// key is the column that identifies a row: uuid if empty.
	key string
}

func (k collection[T]) text(row *T, column string) string {
	text, _ := k.columns.of(row, column).(*string)
	return *text
}

func (k collection[T]) ident(row *T) string { return k.text(row, cmp.Or(k.key, "uuid")) }

// find finds a row by UUID or name.
func (k collection[T]) find(ident string) (*T, error) {
	switch {
	case isUUID(ident):
		return k.table.Get(ident)
	case isName(ident):
		return k.table.ByName(ident)
	default:
		return nil, noIdent(ident)
	}
}

// on returns an endpoint that checks the arguments and finds a row by UUID or name, before it calls serve.
func (k collection[T]) on(ident string, serve func(*T, arguments) (any, error), params ...param) endpoint {
	return func() (any, error) {
		args, err := k.checkArguments(params...)
		if err != nil {
			return nil, err
		}
		row, err := k.find(ident)
		if err != nil {
			return nil, err
		}
		return serve(row, args)
	}
}

// values returns the columns of a row as the API shows them. Secrets are not masked.
func (k collection[T]) values(row *T) map[string]any {
	values := k.columns.all(row, k.name)
	if k.compute != nil {
		k.compute(row, values)
	}
	return values
}

// document returns a row as the API shows it. If fields is nil, the document contains all fields.
func (k collection[T]) document(row *T, fields []string) (map[string]any, error) {
	if k.render != nil {
		return k.render(row, fields)
	}
	document := k.values(row)
	document["links"] = k.links(k.path + "/" + k.ident(row))
	if k.fill != nil {
		k.fill(row, document)
	}
	if err := checkDocumentFields(fields, document); err != nil {
		return nil, err
	}
	maps.DeleteFunc(document, func(field string, _ any) bool { return k.minor < k.versions[field] })
	return pick(document, fields), nil
}

// order returns the order of the fields in a document with the given fields. In a node, selected fields follow the UUID
// in the order of the request.
func (k collection[T]) order(fields []string) []string {
	if k.name != "nodes" || fields == nil {
		return orders[k.name]
	}
	others := slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == "uuid" })
	return slices.Concat([]string{"uuid"}, others, []string{"links"})
}

// shown returns a function that answers a request with the given fields of a row. If the function receives an error,
// it returns the error instead.
func (k collection[T]) shown(fields []string) func(*T, error) (any, error) {
	return func(row *T, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		shown, err := k.document(row, fields)
		if err != nil {
			return nil, err
		}
		return document{order: k.order(fields), fields: shown}, nil
	}
}

// stored answers a request that changed a row.
func (k collection[T]) stored(row *T, err error) (any, error) { return k.shown(nil)(row, err) }

// created answers a request that created a row.
func (k collection[T]) created(row *T, err error) (any, error) {
	if err == nil {
		k.locate(k.path + "/" + k.ident(row))
	}
	return k.stored(row, err)
}

// shownFields checks the arguments of a resource's show endpoint, and returns the fields to show; nil means all. The
// schema, which may be nil, applies only to fields that are given in the query.
func (c *call) shownFields(query *schema, fields param, others ...param) ([]string, error) {
	args, err := c.checkArguments(append(others, fields)...)
	if err != nil || fields.isGiven || query == nil || !args.has("fields") {
		return args.list("fields"), err
	}
	return args.list("fields"), checkWhole(query, map[string]any{"fields": args["fields"]})
}

// givenPatch checks the arguments of a PATCH request and returns them with the operations, which are nil if the body
// is null.
func (c *call) givenPatch(params ...param) ([]operation, arguments, error) {
	args, err := c.checkWithBody("patch", checkSchema(patchSchema), params...)
	if err != nil || args["patch"] == nil {
		return nil, args, err
	}
	return operations(args["patch"]), args, nil
}

// checkPatch checks the arguments of a PATCH request for an entry, and returns the operations.
func (c *call) checkPatch(ident param) ([]operation, error) {
	patch, args, err := c.givenPatch(ident)
	if err != nil {
		return nil, err
	}
	// Unlike givenPatch, checkWhole rejects a null body.
	return patch, cmp.Or(checkWhole(uuidFormat, args[ident.name]), checkWhole(patchSchema, args["patch"]))
}

// givenObject checks the body of a POST and returns it.
func (c *call) givenObject(name string, s *schema, checks []param) (db.Dict, error) {
	args, err := c.checkWithBody(name, checkObject(s, checks))
	if err != nil {
		return nil, err
	}
	if args[name] == nil { // the body is null
		return nil, checkWhole(s, nil)
	}
	return args.object(name), nil
}

// setFields copies the given fields of a checked document to the columns of a row.
func setFields(columns columns, row any, document map[string]any, fields []string) {
	for _, field := range fields {
		columns.set(row, field, document[field])
	}
}
