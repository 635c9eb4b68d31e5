package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Change is one change that rules made to a node, its ports or its plugin data.
type Change struct {
	// Of names the changed object: "node", "trait", "plugin data", or "port" followed by its MAC address.
	Of string
	// Path is the path of the changed field, separated by slashes. For a trait, it is the name of the trait.
	Path string
	// Before and After are the values, with Python's types and masked secrets, or [Missing] for a missing field.
	Before, After any
}

// Missing is the value of a missing field.
type Missing struct{}

// String describes the change.
func (c Change) String() string {
	_, added := c.Before.(Missing)
	_, removed := c.After.(Missing)
	switch {
	case c.Of == "trait" && added:
		return "add trait " + c.Path
	case c.Of == "trait":
		return "remove trait " + c.Path
	case added:
		return fmt.Sprintf("%s %s: %s (new)", c.Of, c.Path, jsonText(c.After))
	case removed:
		return fmt.Sprintf("%s %s: removed, was %s", c.Of, c.Path, jsonText(c.Before))
	}
	return fmt.Sprintf("%s %s: %s → %s", c.Of, c.Path, jsonText(c.Before), jsonText(c.After))
}

// jsonText returns a value as JSON or, if this is not possible, in Python's notation.
func jsonText(v any) string {
	text, err := models.JSONText(v)
	if err != nil {
		return hints.PythonRepr(v)
	}
	return text
}

// MarshalJSON returns the change as JSON, without the values of missing fields.
func (c Change) MarshalJSON() ([]byte, error) {
	fields := map[string]any{"of": c.Of, "path": c.Path}
	for name, v := range map[string]any{"before": c.Before, "after": c.After} {
		if _, missing := v.(Missing); !missing {
			fields[name] = v
		}
	}
	return json.Marshal(fields)
}

func changes(before, after Subject) []Change {
	var list []Change
	list = append(list, differences("node", "", before.Node, after.Node)...)
	for i, port := range after.Ports {
		of := "port " + cmp.Or(before.Ports[i].Text("address"), before.Ports[i].Text("uuid"))
		list = append(list, differences(of, "", before.Ports[i], port)...)
	}
	for _, t := range after.Traits {
		if !slices.Contains(before.Traits, t) {
			list = append(list, Change{Of: "trait", Path: t, Before: Missing{}, After: true})
		}
	}
	for _, t := range before.Traits {
		if !slices.Contains(after.Traits, t) {
			list = append(list, Change{Of: "trait", Path: t, Before: true, After: Missing{}})
		}
	}
	return append(list, differences("plugin data", "", before.PluginData, after.PluginData)...)
}

// differences compares objects key by key. It ignores a field of a node or port that is missing after the rule,
// because such a field was never an attribute of Ironic's object.
func differences(of, prefix string, before, after *hints.PythonDict) []Change {
	var list []Change
	for _, key := range models.Unique(append(before.Keys(), after.Keys()...)) {
		if prefix == "" && of != "plugin data" && !after.Has(key) {
			continue // the API shows this field, but Ironic's object does not have it
		}
		path := prefix + key
		a, b := at(before, key), at(after, key)
		x, isDict := a.(*hints.PythonDict)
		y, isToo := b.(*hints.PythonDict)
		switch {
		case isDict && isToo:
			list = append(list, differences(of, path+"/", x, y)...)
		case same(a, b):
		default:
			list = append(list, Change{Of: of, Path: path, Before: hints.PythonMasked(key, a), After: hints.PythonMasked(key, b)})
		}
	}
	return list
}

func at(d *hints.PythonDict, key string) any {
	if !d.Has(key) {
		return Missing{}
	}
	return d.Get(key)
}

// same is [hints.PythonSame] for values that may be missing. A missing value equals only a missing value.
func same(a, b any) bool {
	_, missing := a.(Missing)
	_, missingToo := b.(Missing)
	if missing || missingToo {
		return missing == missingToo
	}
	return hints.PythonSame(a, b)
}
