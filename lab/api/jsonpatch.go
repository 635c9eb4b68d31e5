package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// operation is one operation of a JSON patch as the client sent it. It matches patchSchema.
type operation map[string]any

func (o operation) kind() string { return db.Dict(o).Text("op") }

func (o operation) path() string { return db.Dict(o).Text("path") }

// patchSchema allows less than RFC 6902: only three operations, and only word characters and dashes in paths.
var patchSchema = &schema{Types: []string{"array"}, Items: &schema{
	Types: []string{"object"}, Closed: true, ClosedFirst: true, Required: []string{"op", "path"},
	Properties: map[string]*schema{
		"path":  {Types: []string{"string"}, Pattern: `^(/[\w-]+)+$`},
		"op":    {Types: []string{"string"}, Enum: []string{"add", "replace", "remove"}},
		"value": {},
	},
}}

func operations(value any) []operation {
	list, _ := value.([]any)
	patch := make([]operation, len(list))
	for i := range list {
		patch[i], _ = list[i].(map[string]any)
	}
	return patch
}

// root returns the first part of the operation's path.
func (o operation) root() string {
	root, _, _ := strings.Cut(strings.TrimPrefix(o.path(), "/"), "/")
	return root
}

// checkRoots rejects a patch that changes a field not in allowed.
func checkRoots(patch []operation, allowed []string) error {
	for _, o := range patch {
		if !slices.Contains(allowed, o.root()) {
			return invalid("Cannot patch %s. Only the following can be updated: %s", o.path(), strings.Join(allowed, ", "))
		}
	}
	return nil
}

// patchValues returns the values that the patch assigns to path.
func patchValues(patch []operation, path string) []any {
	var values []any
	for _, o := range patch {
		if o.path() == path && o.kind() != "remove" {
			values = append(values, o["value"])
		}
	}
	return values
}

// sentValues is like patchValues, but fails as Ironic does if an operation on path lacks a value.
func sentValues(patch []operation, path string) ([]any, error) {
	for _, o := range patch {
		if _, given := o["value"]; o.path() == path && o.kind() != "remove" && !given {
			return nil, pythonError("'value'")
		}
	}
	return patchValues(patch, path), nil
}

// refusedPatch returns the error for a patch that is rejected as a whole.
func refusedPatch(patch []operation, reason string) error {
	texts := make([]string, len(patch))
	for i, o := range patch {
		texts[i] = o.repr()
	}
	return db.Faultf(http.StatusBadRequest, "PatchError", "Couldn't apply patch '[%s]'. Reason: %s",
		strings.Join(texts, ", "), reason)
}

// isRemoved reports whether the patch removes path or something below it.
func isRemoved(patch []operation, path string) bool {
	return slices.ContainsFunc(patch, func(o operation) bool {
		return o.kind() == "remove" && (o.path() == path || strings.HasPrefix(o.path(), path+"/"))
	})
}

// isUpdated reports whether the first operation of the patch changes path or something below it. Like Ironic, it
// ignores the other operations.
func isUpdated(patch []operation, path string) bool {
	return len(patch) > 0 && (patch[0].path() == path || strings.HasPrefix(patch[0].path(), path+"/"))
}

// applyPatch applies the patch to the document in place.
func applyPatch(document map[string]any, patch []operation) error {
	for _, o := range patch {
		if o.kind() == "add" && strings.Count(o.path(), "/") == 1 {
			if _, ok := document[o.root()]; !ok {
				return invalid("Adding a new attribute (%s) to the root of the resource is not allowed", o.path())
			}
		}
	}
	for _, o := range patch {
		if err := o.apply(document); err != nil {
			return db.Faultf(http.StatusBadRequest, "PatchError", "Couldn't apply patch '%s'. Reason: %s", o.repr(), err)
		}
	}
	return nil
}

// repr returns the operation as Python prints it, with its keys in the order op, path, value.
func (o operation) repr() string {
	var parts []string
	for _, key := range []string{"op", "path", "value"} {
		if value, ok := o[key]; ok {
			parts = append(parts, python.Repr(key)+": "+python.Repr(value))
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (o operation) apply(document map[string]any) error {
	value, given := o["value"]
	if o.kind() != "remove" && !given {
		return fmt.Errorf("The operation does not contain a 'value' member") //nolint:staticcheck,revive // Ironic's message
	}
	parts := strings.Split(strings.TrimPrefix(o.path(), "/"), "/")
	_, err := o.change(document, parts, db.Dict{"": value}.Clone()[""])
	return err
}

// change carries out the operation at a path below a container, and returns the changed container.
func (o operation) change(container any, path []string, value any) (any, error) {
	switch v := container.(type) {
	case map[string]any:
		return v, o.changeObject(v, path, value)
	case []any:
		return o.changeList(v, path, value)
	case string:
		return nil, fmt.Errorf("Cannot apply token '%s' to non-container type <class 'str'>", path[0]) //nolint:staticcheck,revive // Ironic's message
	default:
		return nil, fmt.Errorf("Document '<class '%s'>' does not support indexing, must be mapping/sequence or "+ //nolint:staticcheck,revive // Ironic's message
			"support __getitem__", pythonType(container))
	}
}

func (o operation) changeObject(object map[string]any, path []string, value any) (err error) {
	part := path[0]
	member, there := object[part]
	switch {
	case len(path) > 1 && !there:
		return fmt.Errorf("member '%s' not found in %s", part, python.Repr(object))
	case len(path) > 1:
		object[part], err = o.change(member, path[1:], value)
		return err
	case !there && o.kind() != "add":
		return fmt.Errorf("can't %s a non-existent object '%s'", o.kind(), part)
	case o.kind() == "remove":
		delete(object, part)
	default:
		object[part] = value
	}
	return nil
}

var indexRule = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

func (o operation) changeList(list []any, path []string, value any) (_ []any, err error) {
	part := path[0]
	if part == "-" && len(path) == 1 {
		switch o.kind() {
		case "add":
			return append(list, value), nil
		case "replace":
			return nil, fmt.Errorf("'path' with '-' can't be applied to 'replace' operation")
		default:
			return nil, fmt.Errorf("invalid array index '-'")
		}
	}
	if !indexRule.MatchString(part) {
		return nil, fmt.Errorf("'%s' is not a valid sequence index", part)
	}
	index, err := strconv.Atoi(part)
	switch missing := index >= len(list); {
	case err != nil:
		return nil, err
	case len(path) > 1 && missing:
		return nil, fmt.Errorf("index '%d' is out of bounds", index)
	case len(path) > 1:
		list[index], err = o.change(list[index], path[1:], value)
		return list, err
	case o.kind() == "add" && index > len(list):
		return nil, fmt.Errorf("can't insert outside of list")
	case o.kind() == "add":
		return slices.Insert(list, index, value), nil
	case missing && o.kind() == "replace":
		return nil, fmt.Errorf("can't replace outside of list")
	case missing:
		return nil, fmt.Errorf("can't remove a non-existent object '%d'", index)
	case o.kind() == "remove":
		return slices.Delete(list, index, index+1), nil
	default:
		list[index] = value
		return list, nil
	}
}

// plain returns a copy of the value in which all data has the types of a decoded JSON document. Patches then need to
// handle only those types.
func plain(value any) any {
	switch v := value.(type) {
	case db.Dict:
		return plain(map[string]any(v))
	case map[string]any:
		copied := make(map[string]any, len(v))
		for key := range v {
			copied[key] = plain(v[key])
		}
		return copied
	case []any:
		return plainList(v)
	case []db.Dict:
		return plainList(v)
	case []string:
		return plainList(v)
	case int, int64, float64:
		return json.Number(fmt.Sprint(v))
	default:
		return value
	}
}

func plainList[T any](list []T) []any {
	copied := make([]any, len(list))
	for i := range list {
		copied[i] = plain(list[i])
	}
	return copied
}
