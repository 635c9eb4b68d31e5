package rules

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models/hints"
)

func (r *run) perform(s *scope, a *Operation) *Exception {
	if !a.looped() {
		return r.once(s, a)
	}
	items, isList := a.Loop.(hints.PythonList)
	if !isList {
		items = hints.PythonList{a.Loop}
	}
	for _, item := range items {
		if raised := r.once(s.forItem(item), a); raised != nil {
			return raised
		}
	}
	return nil
}

func (r *run) once(s *scope, a *Operation) *Exception {
	sig, known := actions()[a.Op]
	if !known {
		return raise("ValueError", "Unsupported action: '%s'.", a.Op)
	}
	args, raised := s.arguments(a, sig)
	if raised != nil {
		return raised
	}
	switch a.Op {
	case "fail":
		return raise(classInspection, "Failed to inspect hardware. Reason: %s", hints.PythonStr(args["msg"]))
	case "log":
		return r.log(args)
	case "set-attribute", "extend-attribute", "del-attribute":
		return r.attribute(r.node, a.Op, args, "")
	case "set-port-attribute", "extend-port-attribute", "del-port-attribute":
		return r.portAttribute(a.Op, args)
	case "set-capability", "unset-capability":
		return r.capability(a.Op, args)
	case "add-trait", "remove-trait":
		return r.trait(a.Op, args)
	case "set-plugin-data", "extend-plugin-data", "unset-plugin-data":
		return r.changePluginData(a.Op, args)
	}
	r.note("Ironic would send GET %s; a test sends nothing", hints.PythonStr(args["url"]))
	return nil
}

func (r *run) log(args map[string]any) *Exception {
	level := "info"
	if given, ok := args["level"]; ok {
		text, isText := given.(string)
		if !isText {
			return raise("AttributeError", "'%s' object has no attribute 'lower'", typeName(given))
		}
		level = hints.PythonLower(text)
	}
	if !slices.Contains(logLevels, level) {
		return about("Invalid log level: %s. Choose from %s", level, strings.Join(logLevels, ", "))
	}
	r.note("logs at level %s: %s", level, hints.PythonStr(args["msg"]))
	return nil
}

// pathOf splits the path of an attribute at slashes or, if it contains none, at dots.
func pathOf(path any) ([]string, *Exception) {
	switch p := path.(type) {
	case string:
		if strings.Contains(p, "/") {
			return strings.Split(strings.Trim(p, "/"), "/"), nil
		}
		return strings.Split(p, "."), nil
	case hints.PythonList, *hints.PythonDict:
		return nil, unclear("a path that is not a string")
	}
	return nil, raise("TypeError", "argument of type '%s' is not iterable", typeName(path))
}

// attribute changes a field of the node, or of the port whose UUID is of, or a part of such a field.
func (r *run) attribute(o *object, op string, args map[string]any, of string) *Exception {
	var raised *Exception
	parts, raised := pathOf(args["path"])
	if raised == nil {
		switch {
		case strings.HasPrefix(op, "set"):
			raised = r.setAttribute(o, parts, args["value"])
		case strings.HasPrefix(op, "extend"):
			raised = r.extendAttribute(o, parts, args["value"], hints.PythonTruthy(args["unique"]), hints.PythonStr(args["path"]), of)
		default:
			raised = r.deleteAttribute(o, parts)
		}
	}
	if raised == nil || raised.Unclear() {
		return raised
	}
	wrapped := actionFailed("Failed to %s: %s", attempt(op, args, of), raised.Text)
	wrapped.About = raised.About
	return wrapped
}

// attempt describes an action that failed, in the same words as Ironic.
func attempt(op string, args map[string]any, of string) string {
	verb, path := op[:strings.IndexByte(op, '-')], hints.PythonStr(args["path"])
	switch {
	case verb == "del" && of == "":
		return "delete attribute at " + path
	case verb == "set" && of == "":
		return "set attribute " + path + " with value " + hints.PythonStr(args["value"])
	case verb == "del":
		verb = "delete"
	}
	if of != "" {
		path += " for port " + of
	}
	return verb + " attribute " + path
}

func (r *run) portAttribute(op string, args map[string]any) *Exception {
	id, _ := args["port_id"].(string)
	for _, port := range r.ports {
		if uuid, _ := port.values.Get("uuid").(string); uuid == id && id != "" {
			return r.attribute(port, op, args, id)
		}
	}
	return raise(classPort, "Port %s could not be found.", hints.PythonStr(args["port_id"]))
}

func (r *run) setAttribute(o *object, parts []string, value any) *Exception {
	if len(parts) > 1 {
		field, raised := o.get(parts[0])
		if raised != nil {
			return raised
		}
		field = hints.PythonCopy(field)
		inner, raised := descend(field, parts[1:len(parts)-1])
		if raised != nil {
			return raised
		}
		if raised := setItem(inner, parts[len(parts)-1], hints.PythonCopy(value)); raised != nil {
			return raised
		}
		value = field
	}
	return r.assign(o, parts[0], value)
}

// assign sets a field of a node or port, and adds a note if Ironic does not save the value.
func (r *run) assign(o *object, name string, value any) *Exception {
	if o.class == "Node" && name == "uuid" {
		return raise("InvalidParameterValue", "Cannot overwrite UUID for an existing Node.")
	}
	ineffective, raised := o.set(name, hints.PythonCopy(value))
	if ineffective {
		r.note("%s is not a field of a %s: Ironic does not save it", name, strings.ToLower(o.class))
	}
	return raised
}

// descend returns the value that the keys lead to. It adds an empty object for each missing key.
func descend(v any, keys []string) (any, *Exception) {
	for _, key := range keys {
		d, ok := v.(*hints.PythonDict)
		if !ok {
			return nil, raise("AttributeError", "'%s' object has no attribute 'setdefault'", typeName(v))
		}
		if !d.Has(key) {
			d.Set(key, &hints.PythonDict{})
		}
		v = d.Get(key)
	}
	return v, nil
}

func setItem(v any, key string, value any) *Exception {
	switch v := v.(type) {
	case *hints.PythonDict:
		v.Set(key, value)
		return nil
	case hints.PythonList:
		return raise("TypeError", "list indices must be integers or slices, not str")
	}
	return raise("TypeError", "'%s' object does not support item assignment", typeName(v))
}

func (r *run) extendAttribute(o *object, parts []string, value any, unique bool, path, of string) *Exception {
	field, raised := o.get(parts[0])
	if len(parts) == 1 && raised != nil && raised.Class == "AttributeError" {
		field, raised = hints.PythonList{}, nil
	}
	if raised != nil {
		return raised
	}
	field = hints.PythonCopy(field)
	current := field
	key := parts[len(parts)-1]
	var holder *hints.PythonDict
	if len(parts) > 1 {
		inner, raised := descend(field, parts[1:len(parts)-1])
		if raised != nil {
			return raised
		}
		var ok bool
		if holder, ok = inner.(*hints.PythonDict); !ok {
			return raise("AttributeError", "'%s' object has no attribute 'setdefault'", typeName(inner))
		}
		if current = holder.Get(key); !holder.Has(key) {
			current = hints.PythonList{}
		}
	}
	list, ok := current.(hints.PythonList)
	if !ok {
		space := ""
		if of != "" {
			space = " " // Ironic's message for a port contains one more space
		}
		return actionFailed("Cannot extend non-list attribute %s with %svalue %s", path, space, hints.PythonStr(value))
	}
	if !unique || !isIn(value, list) {
		list = append(list, hints.PythonCopy(value))
	}
	if holder == nil {
		return r.assign(o, parts[0], list)
	}
	holder.Set(key, list)
	return r.assign(o, parts[0], field)
}

func (r *run) deleteAttribute(o *object, parts []string) *Exception {
	if len(parts) == 1 {
		if raised := o.remove(parts[0]); raised != nil {
			return raised
		}
		r.note("deleting all of %s has no effect: Ironic does not save the deletion", parts[0])
		return nil
	}
	field, raised := o.get(parts[0])
	if raised != nil {
		return raised
	}
	field = hints.PythonCopy(field)
	v := field
	for _, key := range parts[1 : len(parts)-1] {
		if v, raised = itemAt(v, key); raised != nil {
			return raised
		}
	}
	key := parts[len(parts)-1]
	switch d := v.(type) {
	case *hints.PythonDict:
		if !d.Has(key) {
			return raise("KeyError", "%s", hints.PythonRepr(key))
		}
		d.Delete(key)
	case hints.PythonList:
		return raise("TypeError", "list indices must be integers or slices, not str")
	default:
		return raise("TypeError", "'%s' object does not support item deletion", typeName(v))
	}
	return r.assign(o, parts[0], field)
}

// itemAt implements Python's v[key] for a string key, which is not a valid index of a list.
func itemAt(v any, key string) (any, *Exception) {
	switch v := v.(type) {
	case *hints.PythonDict:
		if !v.Has(key) {
			return nil, raise("KeyError", "%s", hints.PythonRepr(key))
		}
		return v.Get(key), nil
	case hints.PythonList:
		return nil, raise("TypeError", "list indices must be integers or slices, not str")
	case string:
		return nil, raise("TypeError", "string indices must be integers, not 'str'")
	}
	return nil, raise("TypeError", "'%s' object is not subscriptable", typeName(v))
}

func (r *run) capability(op string, args map[string]any) *Exception {
	name := args["name"]
	fail := func(verb string, e *Exception) *Exception {
		if e.Unclear() {
			return e
		}
		return actionFailed("Failed to %s capability %s: %s", verb, hints.PythonStr(name), e.Text)
	}
	field, raised := r.node.get("properties")
	verb := op[:strings.IndexByte(op, '-')]
	if raised != nil {
		return fail(verb, raised)
	}
	properties, ok := hints.PythonCopy(field).(*hints.PythonDict)
	if !ok {
		return unclear("the node's properties are not an object")
	}
	now := properties.Get("capabilities")
	text, isText := now.(string)
	if op == "unset-capability" {
		if !isText && properties.Has("capabilities") {
			return fail("unset", raise("AttributeError", "'%s' object has no attribute 'split'", typeName(now)))
		}
		kept := slices.DeleteFunc(strings.Split(text, ","), func(c string) bool {
			return strings.HasPrefix(c, hints.PythonStr(name)+":")
		})
		properties.Set("capabilities", strings.Join(kept, ","))
		return r.assign(r.node, "properties", properties)
	}
	for i, part := range []any{name, args["value"]} {
		if _, ok := part.(string); !ok {
			return fail("set", raise("TypeError", "sequence item %d: expected str instance, %s found", i, typeName(part)))
		}
	}
	added := fmt.Sprintf("%s:%s", name, args["value"])
	if hints.PythonTruthy(now) {
		if !isText {
			return fail("set", raise("TypeError", "sequence item 0: expected str instance, %s found", typeName(now)))
		}
		if slices.ContainsFunc(strings.Split(text, ","), func(c string) bool { return strings.HasPrefix(c, fmt.Sprint(name)+":") }) {
			r.note("set-capability adds the capability %s again instead of replacing it", name)
		}
		added = text + "," + added
	}
	properties.Set("capabilities", added)
	return r.assign(r.node, "properties", properties)
}

// maxTraits is the maximum number of traits that Ironic allows for a node.
const maxTraits = 50

func (r *run) trait(op string, args map[string]any) *Exception {
	switch args["name"].(type) {
	case string, bool, hints.PythonInt, float64:
	default:
		return unclear("a trait named %s", hints.PythonRepr(args["name"]))
	}
	name := hints.PythonStr(args["name"])
	at := slices.Index(r.traits, name)
	switch {
	case op == "add-trait" && at < 0 && len(r.traits) >= maxTraits:
		return unclear("the node has %d traits, the maximum", maxTraits)
	case op == "add-trait" && at < 0:
		r.traits = append(r.traits, name)
	case op == "remove-trait" && at >= 0:
		r.traits = slices.Delete(r.traits, at, at+1)
	case op == "remove-trait":
		r.note("the node has no trait %s to remove", name)
	}
	return nil
}
