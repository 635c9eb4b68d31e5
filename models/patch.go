package models

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// PatchOp is one operation of a JSON patch. Ironic supports the add, replace and remove operations. The parts of a
// path must consist of word characters and dashes (ironic/common/args.py).
type PatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// MarshalJSON keeps null values in add and replace operations. The omitempty option would drop them.
func (o PatchOp) MarshalJSON() ([]byte, error) {
	if o.Op == "remove" {
		return json.Marshal(map[string]any{"op": o.Op, "path": o.Path})
	}
	return json.Marshal(map[string]any{"op": o.Op, "path": o.Path, "value": o.Value})
}

// Check returns a *[SettingError] if the operation must not be sent. That is the case if its path is invalid, if it
// would write a whole object in which Ironic masks secrets, or if its value is a mask.
func (o PatchOp) Check() error {
	switch {
	case !patchPath.MatchString(o.Path):
		return &SettingError{Setting: o.Path, Why: "not a path that Ironic accepts"}
	case slices.Contains(ObjectFields(), strings.TrimPrefix(o.Path, "/")):
		return &SettingError{Setting: o.Path, Why: "whole objects cannot be written: Ironic masks their secrets"}
	case masked(o.Value):
		return &SettingError{Setting: o.Path, Why: Mask + " is Ironic's mask for a secret"}
	}
	return nil
}

// Patch converts settings to patch operations on individual values in the node's objects. If an object on the path is
// missing, the operation adds it together with the value, because Ironic's add requires the parent to exist. Removing
// a missing value needs no operation. Traits are not included.
func Patch(n *Node, settings []Setting) ([]PatchOp, error) {
	p := patcher{node: n, roots: map[string]map[string]any{}, made: map[string]bool{}}
	for _, s := range settings {
		var err error
		switch {
		case s.Path[0] == "traits":
		case s.Op == SettingRemove:
			err = p.remove(s)
		default:
			err = p.set(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.ops, nil
}

// patcher collects patch operations. It applies each operation to a copy of the node's objects, so that later
// settings build on earlier ones.
type patcher struct {
	node  *Node
	roots map[string]map[string]any
	// made holds the paths of the objects that earlier operations add. Values below these paths are put into those
	// objects.
	made map[string]bool
	ops  []PatchOp
}

func (p *patcher) set(s Setting) error {
	value, err := s.Value()
	if err != nil {
		return err
	}
	last := len(s.Path) - 1
	if last == 0 {
		p.ops = append(p.ops, PatchOp{Op: "add", Path: pointer(s.Path), Value: value})
		return nil
	}
	parent, err := p.root(s)
	if err != nil {
		return err
	}
	carried := false
	for i := 1; i < last; i++ {
		path := pointer(s.Path[:i+1])
		child, isObject := parent[s.Path[i]].(map[string]any)
		switch {
		case isObject:
			carried = carried || p.made[path]
		case parent[s.Path[i]] != nil:
			return &SettingError{Setting: s.String(), Why: strings.Join(s.Path[:i+1], ".") + " is not an object"}
		default:
			child = map[string]any{}
			parent[s.Path[i]] = child
			if !carried {
				p.ops = append(p.ops, PatchOp{Op: "add", Path: path, Value: child})
				p.made[path], carried = true, true
			}
		}
		parent = child
	}
	parent[s.Path[last]] = value
	if !carried {
		p.ops = append(p.ops, PatchOp{Op: "add", Path: pointer(s.Path), Value: value})
		_, isObject := value.(map[string]any)
		p.made[pointer(s.Path)] = isObject
	}
	return nil
}

func (p *patcher) remove(s Setting) error {
	last := len(s.Path) - 1
	if last == 0 {
		p.ops = append(p.ops, PatchOp{Op: "remove", Path: pointer(s.Path)})
		return nil
	}
	parent, err := p.root(s)
	if err != nil {
		return err
	}
	carried := false
	for i := 1; i < last; i++ {
		// If the parent is missing, it is nil, and so are its children.
		parent, _ = parent[s.Path[i]].(map[string]any)
		carried = carried || p.made[pointer(s.Path[:i+1])]
	}
	if _, there := parent[s.Path[last]]; !there {
		return nil
	}
	delete(parent, s.Path[last])
	if !carried {
		p.ops = append(p.ops, PatchOp{Op: "remove", Path: pointer(s.Path)})
		delete(p.made, pointer(s.Path))
	}
	return nil
}

// root returns the copy of the object that contains the setting. If the object has not been read, only a key directly
// below it can be set. Other settings fail because they depend on the object's content: adding a nested object, for
// example, would overwrite an existing one.
func (p *patcher) root(s Setting) (map[string]any, error) {
	field := s.Path[0]
	if m, ok := p.roots[field]; ok {
		return m, nil
	}
	m, known := objectOf(p.node, field)
	if !known && (len(s.Path) > 2 || s.Op == SettingRemove) {
		return nil, &SettingError{Setting: s.String(), Why: fmt.Sprintf("the node's %s cannot be read, so its current value is unknown", field)}
	}
	p.roots[field] = cloneObject(m)
	return p.roots[field], nil
}

func pointer(path []string) string { return "/" + strings.Join(path, "/") }

// cloneObject copies an object and the objects in it. Lists are shared with the original, because they are never
// modified.
func cloneObject(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	maps.Copy(out, m)
	for k, v := range out {
		if child, ok := v.(map[string]any); ok {
			out[k] = cloneObject(child)
		}
	}
	return out
}

// SetPath sets a value in an object and the objects below it. It replaces whatever else is on the path by an object.
func SetPath(object map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		child, _ := object[key].(map[string]any)
		if child == nil {
			child = map[string]any{}
			object[key] = child
		}
		object = child
	}
	object[path[len(path)-1]] = value
}

// objectOf returns the object in the given field. known reports whether the object was read; Ironic's policy may hide
// it.
func objectOf(n *Node, field string) (m map[string]any, known bool) {
	switch field {
	case "properties":
		m = n.Properties
	case "driver_info":
		m = n.DriverInfo
	case "instance_info":
		m = n.InstanceInfo
	}
	if m != nil {
		return m, true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(n.Raw, &fields) != nil || fields[field] == nil {
		return nil, false
	}
	err := json.Unmarshal(fields[field], &m)
	return m, err == nil
}
