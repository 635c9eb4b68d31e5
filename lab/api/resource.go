package api

import (
	"net/http"

	"ironworks/python"
)

// resource is a collection of the API with the usual five endpoints: list, create, show, patch and delete.
type resource struct {
	// class is the name of the controller's Python class. body and ident are the names of its Python arguments for
	// the body of a POST and for the UUID.
	class, body, ident string
	list, create       endpoint
	show               func(ident string, fields param) (any, error)
	patch, remove      func(ident string) (any, error)
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
	return methods{
		http.MethodGet: func() (any, error) { return r.showWith(ident, more) },
		http.MethodPost: func() (any, error) {
			return nil, invalidValue("Schema error for %s: %s is not of type 'object'", r.body, python.Repr(ident))
		},
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

// showWith shows an entry. Like Ironic, it reads the part of the path after the entry as the fields to show.
func (r resource) showWith(ident string, more []string) (any, error) {
	switch len(more) {
	case 0:
		return r.show(ident, optional("fields", checkList))
	case 1:
		return r.show(ident, fromPath("fields", more[0], checkList))
	default:
		return nil, pythonError("%s.get_one() takes from 2 to 3 positional arguments but %d were given", r.class, len(more)+2)
	}
}

// shownFields checks the arguments of a resource's show endpoint, and returns the fields to show; nil means all. The
// schema applies only to fields that are given in the query.
func (c *call) shownFields(ident, fields param, query *schema) ([]string, error) {
	args, err := c.checkArguments(ident, fields)
	if err != nil || fields.isGiven {
		return args.list("fields"), err
	}
	asked := arguments{}
	if args.has("fields") {
		asked["fields"] = args["fields"]
	}
	return args.list("fields"), asked.checkQuery(query)
}

// checkPatch checks the arguments of a PATCH request for an entry, and returns the operations.
func (c *call) checkPatch(ident param) ([]operation, error) {
	args, err := c.checkWithBody("patch", checkSchema(patchSchema), ident)
	if err != nil {
		return nil, err
	}
	if err := checkWhole(uuidFormat, args[ident.name]); err != nil {
		return nil, err
	}
	if err := checkWhole(patchSchema, args["patch"]); err != nil { // the body is null
		return nil, err
	}
	return operations(args["patch"]), nil
}

// givenObject checks the body of a POST and returns it.
func (c *call) givenObject(name string, s *schema, checks []param) (map[string]any, error) {
	args, err := c.checkWithBody(name, checkObject(s, checks))
	if err != nil {
		return nil, err
	}
	given, ok := args[name].(map[string]any)
	if !ok { // the body is null
		return nil, checkWhole(s, nil)
	}
	return given, nil
}

// setFields copies the given fields of a checked document to the columns of a row.
func setFields(columns columns, row any, document map[string]any, fields []string) {
	for _, field := range fields {
		columns.set(row, field, document[field])
	}
}
