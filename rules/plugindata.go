package rules

import (
	"slices"
	"strings"

	"ironworks/models/hints"
)

// changePluginData runs an action on the plugin data. Dots separate the parts of the path; slashes do not.
func (r *run) changePluginData(op string, args map[string]any) *Exception {
	path, isText := args["path"].(string)
	if !isText {
		return unclear("a path that is not a string")
	}
	keys := strings.Split(path, ".")
	verb := "set"
	var raised *Exception
	switch op {
	case "set-plugin-data":
		raised = r.putPluginData(keys, hints.PythonCopy(args["value"]))
	case "extend-plugin-data":
		verb, raised = "extend", r.extendPluginData(keys, args["value"], hints.PythonTruthy(args["unique"]))
	default:
		// Ironic removes nothing, because it checks whether the value is a dict, but the value is a ShallowMaskDict.
		r.note("unset-plugin-data removes nothing in Ironic 39.0.0: %s is kept", path)
	}
	if raised != nil && !raised.Unclear() {
		return actionFailed("Failed to %s plugin data at %s: %s", verb, path, raised.Text)
	}
	return raised
}

// putPluginData implements update_nested_dict on a ShallowMaskDict.
func (r *run) putPluginData(keys []string, value any) *Exception {
	holder, raised := r.pluginHolder(keys[:len(keys)-1])
	if raised != nil {
		return raised
	}
	return setItem(holder, keys[len(keys)-1], value)
}

// pluginHolder returns the value in the plugin data at the keys. It adds an empty object for each missing key.
func (r *run) pluginHolder(keys []string) (any, *Exception) {
	var v any = r.pluginData
	for _, key := range keys {
		d, ok := v.(*hints.PythonDict)
		if !ok {
			name := typeName(v)
			if _, isList := v.(hints.PythonList); isList {
				name = "ShallowMaskList"
			}
			return nil, raise("AttributeError", "'%s' object has no attribute 'setdefault'", name)
		}
		if !d.Has(key) {
			v = &hints.PythonDict{}
			d.Set(key, v)
			continue
		}
		if v = (masked{hides: r.hides}).at(key, d.Get(key)); v != any(secretMask) {
			v = d.Get(key)
		}
	}
	return v, nil
}

func (r *run) extendPluginData(keys []string, value any, unique bool) *Exception {
	s := masked{value: r.pluginData, hides: r.hides}
	var found any = s
	for _, key := range keys {
		next, raised := itemOf(found, key)
		if m, ok := found.(masked); ok && allDigits(key) { // the key is a string, not an index
			d, isObject := m.value.(*hints.PythonDict)
			next, raised = nil, raise("KeyError", "")
			if isObject && d.Has(key) {
				next, raised = m.at(key, d.Get(key)), nil
			}
		}
		if raised != nil {
			found = nil
			break
		}
		found = next
	}
	if !hints.PythonTruthy(unwrapped(found)) {
		return r.putPluginData(keys, hints.PythonList{hints.PythonCopy(value)})
	}
	list, isList := bareList(found)
	known := false
	if unique {
		var raised *Exception
		if known, raised = isAmong(value, found); raised != nil {
			return raised
		}
	}
	switch {
	case known:
		return nil
	case !isList:
		return raise("AttributeError", "'%s' object has no attribute 'append'", typeName(found))
	}
	r.breaks(strings.Join(keys, "."))
	return r.putPluginData(keys, append(slices.Clone(list), hints.PythonCopy(value)))
}

// isAmong implements Python's in operator for plugin data within Ironic's masking wrappers.
func isAmong(value, found any) (bool, *Exception) {
	m, ok := found.(masked)
	if !ok {
		return contains(value, found)
	}
	list, ok := m.value.(hints.PythonList)
	if !ok {
		return contains(value, m.value)
	}
	return slices.ContainsFunc(list, func(item any) bool { return equalsMasked(value, m.at("", item)) }), nil
}

// equalsMasked implements Python's == if the second value is inside one of Ironic's masking wrappers. A
// ShallowMaskList equals no other value.
func equalsMasked(value, seen any) bool {
	m, ok := seen.(masked)
	if !ok {
		return equal(value, seen)
	}
	d, isDict := m.value.(*hints.PythonDict)
	v, isToo := value.(*hints.PythonDict)
	if !isDict || !isToo || len(d.Keys()) != len(v.Keys()) {
		return false
	}
	for _, key := range v.Keys() {
		if !d.Has(key) || !equalsMasked(v.Get(key), m.at(key, d.Get(key))) {
			return false
		}
	}
	return true
}

func bareList(v any) (hints.PythonList, bool) {
	m, ok := v.(masked)
	if !ok {
		return nil, false
	}
	list, ok := m.value.(hints.PythonList)
	return list, ok
}
