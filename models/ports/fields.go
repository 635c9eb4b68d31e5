// Package ports parses fields of ports and port groups, and compares a node's ports with the network interfaces found
// by inspection.
package ports

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/spell"
)

type valueKind int

const (
	kindText valueKind = iota
	kindBool
	kindMAC
	kindLink
	kindObject
	kindMembers
)

type field struct {
	kind valueKind
	// feature is the API feature that the field needs. It is "" if the field exists in every supported API version.
	feature models.Feature
	// connectivity means that Ironic allows changes to the field only in some states of the node.
	connectivity bool
}

// Noun is a kind of object with fields, either a port or a port group.
type Noun string

// The objects whose fields can be set.
const (
	Port  Noun = "port"
	Group Noun = "port group"
)

// fields returns the fields that POST and PATCH accept (ironic/api/controllers/v1/port.py and portgroup.py, 39.0.0).
// In addition, it returns two fields that ironworks translates: a port's portgroup, and a port group's members.
func (n Noun) fields() map[string]field {
	if n == Group {
		return map[string]field{
			"address": {kind: kindMAC}, "name": {}, "mode": {}, "properties": {kind: kindObject}, "extra": {kind: kindObject},
			"standalone_ports_supported": {kind: kindBool}, "members": {kind: kindMembers},
			"physical_network": {feature: models.FeatureGroupNetwork}, "category": {feature: models.FeatureGroupCategory},
		}
	}
	return map[string]field{
		"address": {kind: kindMAC}, "extra": {kind: kindObject}, "is_smartnic": {kind: kindBool},
		"pxe_enabled": {kind: kindBool, connectivity: true}, "physical_network": {connectivity: true},
		"local_link_connection": {kind: kindLink, connectivity: true}, "portgroup": {connectivity: true},
		"name": {feature: models.FeaturePortNames}, "description": {feature: models.FeaturePortDescription},
		"vendor": {feature: models.FeaturePortVendor}, "category": {feature: models.FeaturePortCategory},
		"available_for_dynamic_portgroup": {kind: kindBool, feature: models.FeatureDynamicGroups},
	}
}

// LinkKeys returns the keys of local_link_connection.
func LinkKeys() []string {
	return []string{"hostname", "network_type", "port_id", "switch_id", "switch_info"}
}

// Keys returns the field names, sorted.
func (n Noun) Keys() []string { return slices.Sorted(maps.Keys(n.fields())) }

// Setting is a change to a port or port group. Its text form is KEY=VALUE or, to remove a field, KEY-.
type Setting struct {
	// Path is the name of the field. For a value in an object, the key follows the field's name.
	Path   []string
	Remove bool
	// Value is the new value. It is nil if Remove is set. For the members field, it is a list of ports.
	Value any
	// Op is "=", or "-" if Remove is set. For the members field, it can also be "+=" or "-=".
	Op models.SettingOp
}

var keyName = regexp.MustCompile(`^[\w-]+$`)

// Parse parses settings of the form KEY=VALUE or KEY-. For values in objects, the keys are extra.KEY, properties.KEY
// and local_link_connection.KEY. For the ports of a port group, the forms are members=A,B, members+=A and members-=A.
func (n Noun) Parse(args []string) ([]Setting, error) {
	var list []Setting
	seen := map[string]bool{}
	for _, arg := range args {
		s, err := n.parse(arg)
		if err != nil {
			return nil, err
		}
		name := strings.Join(s.Path, ".")
		if seen[name] {
			return nil, &models.SettingError{Setting: arg, Why: name + " is given twice"}
		}
		seen[name] = true
		list = append(list, s)
	}
	return list, nil
}

func (n Noun) parse(arg string) (Setting, error) {
	fail := func(format string, args ...any) (Setting, error) {
		return Setting{}, &models.SettingError{Setting: arg, Why: fmt.Sprintf(format, args...)}
	}
	key, op, text, err := models.SplitSetting(arg)
	if err != nil {
		return Setting{}, err
	}
	name, below, nested := strings.Cut(key, ".")
	s := Setting{Path: []string{name}, Op: op, Remove: op == models.SettingRemove}
	f, known := n.fields()[name]
	object := f.kind == kindObject || f.kind == kindLink
	switch {
	case !known:
		return fail("a %s has no field %q%s; available: %s", n, printable.Line(name), spell.DidYouMean(name, n.Keys()), strings.Join(n.Keys(), ", "))
	case nested && !object:
		return fail("%s has no fields", name)
	case !nested && object:
		return fail("%s is an object: set a single key, such as %s.%s=VALUE", name, name, sampleKey(f.kind))
	case nested && f.kind == kindLink && !slices.Contains(LinkKeys(), below):
		return fail("%s has no key %q%s; available: %s", name, printable.Line(below), spell.DidYouMean(below, LinkKeys()), strings.Join(LinkKeys(), ", "))
	case nested && !keyName.MatchString(below):
		return fail("%q is not allowed as a key: use letters, digits, _ and -", printable.Line(below))
	case f.kind != kindMembers && (s.Op == models.SettingAdd || s.Op == models.SettingDrop):
		return fail("%s is only allowed for members of a port group", s.Op)
	}
	if nested {
		s.Path = append(s.Path, below)
	}
	if s.Remove {
		if name == "address" && n == Port || f.kind == kindBool {
			return fail("%s cannot be removed", name)
		}
		return s, nil
	}
	var why string
	if s.Value, why = f.value(text); why != "" {
		return fail("%s", why)
	}
	return s, nil
}

func sampleKey(k valueKind) string {
	if k == kindLink {
		return "switch_id"
	}
	return "NAME"
}

// value converts a string to a value of the field's type. If the string is invalid, why describes the problem.
func (f field) value(text string) (value any, why string) {
	switch f.kind {
	case kindText:
		if text == "" {
			return nil, "the value is empty; KEY- removes a field"
		}
	case kindLink:
		if text == "" {
			return nil, "the value is empty; KEY- removes a key"
		}
	case kindBool:
		switch strings.ToLower(text) {
		case "true", "yes", "on", "1":
			return true, ""
		case "false", "no", "off", "0":
			return false, ""
		}
		return nil, "must be true or false"
	case kindMAC:
		mac, valid := models.ParseMAC(text)
		if !valid {
			return nil, fmt.Sprintf("%q is not a MAC address; use six pairs of hex digits, such as 52:54:00:12:34:56", printable.Line(text))
		}
		return mac, ""
	case kindMembers:
		return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }), ""
	case kindObject:
		var v any
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		if json.Valid([]byte(text)) && dec.Decode(&v) == nil {
			return v, ""
		}
		if t := strings.TrimSpace(text); strings.HasPrefix(t, "{") || strings.HasPrefix(t, "[") {
			return nil, "not valid JSON"
		}
	}
	return text, ""
}

// Find returns the setting of the named field, or nil if there is none.
func Find(list []Setting, name string) *Setting {
	for i := range list {
		if len(list[i].Path) == 1 && list[i].Path[0] == name {
			return &list[i]
		}
	}
	return nil
}

// Body returns the fields for a POST request. It omits members, portgroup and the fields to remove.
func Body(list []Setting) map[string]any {
	body := map[string]any{}
	for _, s := range list {
		if !s.Remove && s.Path[0] != "members" && s.Path[0] != "portgroup" {
			models.SetPath(body, s.Value, s.Path...)
		}
	}
	return body
}

// Ops returns the operations for a PATCH request that applies the settings. now holds the current values of the
// fields. Settings that change nothing are omitted, and so are members and portgroup.
func Ops(list []Setting, now map[string]any) []models.PatchOp {
	var ops []models.PatchOp
	for _, s := range list {
		if s.Path[0] == "members" || s.Path[0] == "portgroup" {
			continue
		}
		have, there := now[s.Path[0]]
		if len(s.Path) == 2 {
			object, _ := have.(map[string]any)
			have, there = object[s.Path[1]]
		}
		path := "/" + strings.Join(s.Path, "/")
		switch {
		case s.Remove && (!there || have == nil):
		case s.Remove:
			ops = append(ops, models.PatchOp{Op: "remove", Path: path})
		case there && equal(have, s.Value):
		default:
			ops = append(ops, models.PatchOp{Op: "add", Path: path, Value: s.Value})
		}
	}
	return ops
}

func equal(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// Needs returns the first API feature that the settings need but that v lacks. It returns "" if v has all of them.
func (n Noun) Needs(list []Setting, v models.APIVersion) models.Feature {
	for _, s := range list {
		if f := n.fields()[s.Path[0]].feature; f != "" && !v.Has(f) {
			return f
		}
	}
	return ""
}

// Connectivity returns the name of the first field in ops that Ironic allows clients to change only in some states of
// the node. It returns "" if there is no such field.
func (n Noun) Connectivity(ops []models.PatchOp) string {
	for _, op := range ops {
		name, _, _ := strings.Cut(strings.TrimPrefix(op.Path, "/"), "/")
		if name == "portgroup_uuid" || n.fields()[name].connectivity {
			return name
		}
	}
	return ""
}

// CheckLink returns the name of a key that a local_link_connection lacks, or "" if it is complete
// (LOCAL_LINK_CONN_SCHEMA in ironic/api/controllers/v1/utils.py, 39.0.0).
func CheckLink(link map[string]any) string {
	has := func(key string) bool { return link[key] != nil }
	switch {
	case len(link) == 0, link["network_type"] == "unmanaged", has("port_id") && (has("switch_id") || has("hostname") || has("vtep-logical-switch")):
		return ""
	case has("port_id"):
		return "switch_id"
	}
	return "port_id"
}
