package nodefile

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/document"
	"ironworks/enroll"
	"ironworks/models"
	"ironworks/spell"
)

// builder makes a node from the values of a file.
type builder struct {
	node enroll.Node
}

func (r *reader) builder(line int) *builder {
	return &builder{node: enroll.Node{Source: enroll.Source{File: r.file, Line: line}, Fields: map[string]any{}}}
}

// problem adds an error that prevents enrolling the node.
func (b *builder) problem(line int, format string, args ...any) {
	b.node.Problems = append(b.node.Problems, b.at(line)+fmt.Sprintf(format, args...))
}

// note records a value that was not carried over.
func (b *builder) note(line int, format string, args ...any) {
	b.node.Notes = append(b.node.Notes, b.at(line)+fmt.Sprintf(format, args...))
}

// at returns "line N: " if the line differs from the node's own line, and "" otherwise.
func (b *builder) at(line int) string {
	if line == b.node.Source.Line || line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", line)
}

// kindOfField says which values a field accepts: text, booleans or objects.
type kindOfField int

const (
	textField kindOfField = iota
	boolField
	objectField
)

// fieldKind returns the kind of a field, and reports whether it is an object, a boolean or one of the known fields.
func fieldKind(name string, objects, bools, known []string) (kindOfField, bool) {
	switch {
	case slices.Contains(objects, name):
		return objectField, true
	case slices.Contains(bools, name):
		return boolField, true
	}
	return textField, slices.Contains(known, name)
}

// nodeField returns the kind of the node field with the given name, and reports whether this field exists.
func nodeField(name string) (kind kindOfField, known bool) {
	bools := []string{"automated_clean", "disable_power_off", "protected", "retired"}
	return fieldKind(name, models.ObjectFields(), bools, enroll.NodeFields())
}

// portField is like nodeField for ports (python-ironicclient, v1/port.py).
func portField(name string) (kind kindOfField, known bool) {
	return fieldKind(name, []string{"extra", "local_link_connection"}, []string{"pxe_enabled", "is_smartnic"}, portTexts())
}

func portTexts() []string {
	return []string{"address", "uuid", "name", "physical_network", "description", "vendor", "category"}
}

// portgroupField is like nodeField for port groups (python-ironicclient, v1/portgroup.py).
func portgroupField(name string) (kind kindOfField, known bool) {
	texts := []string{"address", "uuid", "name", "mode", "physical_network", "category"}
	return fieldKind(name, []string{"extra", "properties"}, []string{"standalone_ports_supported"}, texts)
}

// set sets the node field that m describes. If no such field exists, it adds a problem.
func (b *builder) set(m document.Member) {
	kind, known := nodeField(m.Key)
	if !known {
		b.problem(m.Line, "unknown field %q%s", m.Key, spell.DidYouMean(m.Key, slices.Concat(enroll.NodeFields(), []string{"ports", "portgroups", "traits"})))
		return
	}
	if m.Key == "driver_info" && m.Value.Kind == document.Object {
		for _, item := range m.Value.Members {
			b.driverInfo(item)
		}
		return
	}
	if value, ok := b.value(m.Key, kind, m.Value); ok {
		b.node.Fields[m.Key] = value
	}
}

// value returns the value for a field. ok is false if the value is null or of the wrong kind.
func (b *builder) value(field string, kind kindOfField, v document.Value) (value any, ok bool) {
	if v.Kind == document.Null {
		return nil, false
	}
	switch kind {
	case objectField:
		if v.Kind == document.Object {
			return v.Any(), true
		}
		b.problem(v.Line, "%s: must be an object, not %s", field, v.Kind)
	case boolField:
		if on, is := asBool(v); is {
			return on, true
		}
		b.problem(v.Line, "%s: must be true or false", field)
	case textField:
		if text, is := v.Scalar(); is && v.Kind != document.Bool {
			return text, true
		}
		hint := ""
		if v.Kind == document.Bool {
			hint = "; quote it"
		}
		b.problem(v.Line, "%s: must be a string, not %s%s", field, v.Kind, hint)
	}
	return nil, false
}

// asBool reads a boolean. Like Ironic, it also accepts text such as yes or 0.
func asBool(v document.Value) (on, ok bool) {
	if v.Kind == document.Bool {
		return v.True(), true
	}
	text, _ := v.Scalar()
	return models.ParseBool(text)
}

// driverInfo sets a field of driver_info. A secret that is written as a number keeps its digits.
func (b *builder) driverInfo(m document.Member) {
	if !enroll.IsSecret(m.Key) {
		b.node.Set(m.Value.Any(), "driver_info", m.Key)
		return
	}
	switch text, is := m.Value.Scalar(); {
	case is && m.Value.Kind != document.Bool:
		b.node.SetSecret(m.Key, models.Secret(text))
	case m.Value.Kind != document.Null:
		b.problem(m.Line, "driver_info.%s: must be a string, not %s; quote it", m.Key, m.Value.Kind)
	}
}

// members returns the members of an object. It reports a problem for any other kind of value.
func (b *builder) members(what string, v document.Value) []document.Member {
	if v.Kind != document.Object && v.Kind != document.Null {
		b.problem(v.Line, "%s: must be an object, not %s", what, v.Kind)
	}
	return v.Members
}

// items returns the items of a list. It reports a problem for any other kind of value.
func (b *builder) items(what string, v document.Value) []document.Value {
	if v.Kind != document.List && v.Kind != document.Null {
		b.problem(v.Line, "%s: must be a list, not %s", what, v.Kind)
	}
	return v.Items
}

// texts returns the strings in a list, or nil if the value is null.
func (b *builder) texts(what string, v document.Value) []string {
	if v.Kind == document.Null {
		return nil
	}
	list := []string{}
	for _, item := range b.items(what, v) {
		if text, is := item.Scalar(); is {
			list = append(list, text)
			continue
		}
		b.problem(item.Line, "%s: must be a string, not %s", what, item.Kind)
	}
	return list
}

// port returns a port with the given fields of POST /v1/ports.
func (b *builder) port(v document.Value) enroll.Port {
	return b.object("port", v, portField)
}

// portgroup returns a port group with its ports.
func (b *builder) portgroup(v document.Value) enroll.Portgroup {
	g := enroll.Portgroup{Fields: b.object("port group", v, portgroupField)}
	for _, item := range b.items("ports", v.Get("ports")) {
		g.Ports = append(g.Ports, b.port(item))
	}
	return g
}

// object returns the fields of what: a port or a port group. field returns the kind of each field.
func (b *builder) object(what string, v document.Value, field func(string) (kindOfField, bool)) map[string]any {
	fields := map[string]any{}
	for _, m := range b.members(what, v) {
		kind, known := field(m.Key)
		switch {
		case m.Key == "ports" && what == "port group":
		case m.Key == "node_uuid" || m.Key == "portgroup_uuid":
			if id, _ := m.Value.Scalar(); m.Key == "portgroup_uuid" || !strings.EqualFold(id, b.node.UUID()) {
				b.problem(m.Line, "%s: %s refers to another object; nest the %s instead", what, m.Key, what)
			}
		case !known:
			b.problem(m.Line, "%s: unknown field %q%s", what, m.Key, spell.DidYouMean(m.Key, append(portTexts(), "pxe_enabled", "local_link_connection", "extra", "mode", "properties")))
		default:
			if value, ok := b.value(what+" "+m.Key, kind, m.Value); ok {
				fields[m.Key] = value
			}
		}
	}
	return fields
}
