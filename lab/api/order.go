package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"ironworks/lab/db"
)

// orders contains the fields of each kind of document in the order of Ironic 39.0.0. Fields that are not listed here
// follow in alphabetical order.
var orders = map[string][]string{
	"nodes": slices.Concat([]string{"uuid", "created_at", "updated_at"}, nodeFields,
		[]string{"links", "conductor", "allocation_uuid", "chassis_uuid", "ports", "states", "portgroups", "volume"}),
	"ports": {
		"uuid", "created_at", "updated_at", "address", "extra", "internal_info", "is_smartnic", "local_link_connection",
		"physical_network", "pxe_enabled", "node_uuid", "name", "description", "vendor", "category",
		"available_for_dynamic_portgroup", "links", "portgroup_uuid",
	},
	"portgroups": {
		"uuid", "created_at", "updated_at", "address", "extra", "internal_info", "mode", "name", "properties",
		"standalone_ports_supported", "node_uuid", "physical_network", "category", "dynamic_portgroup", "links", "ports",
	},
	"allocations": {
		"uuid", "created_at", "updated_at", "candidate_nodes", "extra", "last_error", "name", "owner", "resource_class",
		"state", "traits", "links", "node_uuid",
	},
	"deploy_templates": {"uuid", "created_at", "updated_at", "name", "extra", "links", "steps"},
	"inspection_rules": {
		"uuid", "created_at", "updated_at", "description", "priority", "sensitive", "phase", "conditions", "actions", "links",
	},
	"chassis":    {"uuid", "created_at", "updated_at", "description", "extra", "links", "nodes"},
	"connectors": {"uuid", "created_at", "updated_at", "connector_id", "extra", "type", "links", "node_uuid"},
	"targets": {
		"uuid", "created_at", "updated_at", "boot_index", "extra", "properties", "volume_id", "volume_type", "links",
		"node_uuid",
	},
	"runbooks": {
		"uuid", "created_at", "updated_at", "name", "extra", "public", "owner", "disable_ramdisk", "description", "links",
		"steps", "traits",
	},
	"indicator":      {"name", "component", "readonly", "states", "links"},
	"rule_operation": {"op", "args", "loop", "multiple"},
	"conductors":     {"created_at", "updated_at", "hostname", "conductor_group", "drivers", "links", "alive"},
	"drivers":        {"name", "hosts", "links", "properties", "type"},
	"shards":         {"name", "count"},
	"states": {
		"console_enabled", "last_error", "power_state", "provision_state", "target_power_state", "target_provision_state",
		"provision_updated_at", "raid_config", "target_raid_config", "boot_mode", "secure_boot",
	},
	"validation": {
		"boot", "deploy", "management", "network", "power", "bios", "console", "firmware", "inspect", "raid", "rescue",
		"storage",
	},
	"abort":   {"code", "title", "description"},
	"fault":   {"faultcode", "faultstring", "debuginfo"},
	"result":  {"result", "reason"},
	"step":    {"interface", "step", "args", "priority", "order"},
	"volume":  {"links", "connectors", "targets"},
	"root":    {"name", "description", "default_version", "versions"},
	"version": {"id", "links", "status", "min_version", "version"},
	"v1": {
		"id", "links", "media_types", "chassis", "nodes", "ports", "drivers", "version", "portgroups", "volume", "lookup",
		"heartbeat", "conductors", "allocations", "events", "deploy_templates", "shards", "runbooks", "inspection_rules",
		"continue_inspection",
	},
}

// document is a JSON object whose fields are written in a fixed order.
type document struct {
	order  []string
	fields map[string]any
}

// inOrder returns a document that writes the fields in the order defined for its kind.
func inOrder(kind string, fields map[string]any) document {
	return document{order: orders[kind], fields: fields}
}

// encode returns the JSON of the value. Like Python, it does not escape & and <. It writes null for a value that it
// cannot encode, but documents contain no such value.
func encode(value any) []byte { return appendJSON(nil, value) }

// appendJSON appends the JSON of the value to b. It writes numbers unchanged, including NaN, which Python accepts and
// writes.
func appendJSON(b []byte, value any) []byte {
	switch v := value.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case json.Number:
		return append(b, v...)
	case string:
		return appendText(b, v)
	case db.Dict:
		return appendObject(b, nil, v)
	case map[string]any:
		return appendObject(b, nil, v)
	case document:
		return appendObject(b, v.order, v.fields)
	case []any:
		return appendList(b, v)
	case []map[string]any:
		return appendList(b, v)
	case []document:
		return appendList(b, v)
	case []db.Dict:
		return appendList(b, v)
	case []string:
		return appendList(b, v)
	case []link:
		return appendList(b, v)
	case link:
		b = appendText(append(b, `{"href":`...), v.Href)
		b = appendText(append(b, `,"rel":`...), v.Rel)
		if v.Type != "" {
			b = appendText(append(b, `,"type":`...), v.Type)
		}
		return append(b, '}')
	default:
		return appendOther(b, v)
	}
}

func appendList[T any](b []byte, list []T) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, list[i])
	}
	return append(b, ']')
}

func appendObject(b []byte, order []string, fields map[string]any) []byte {
	if fields == nil {
		return append(b, "null"...)
	}
	b = append(b, '{')
	written := 0
	write := func(name string, value any) {
		if written > 0 {
			b = append(b, ',')
		}
		written++
		b = appendJSON(append(appendText(b, name), ':'), value)
	}
	for _, name := range order {
		if value, ok := fields[name]; ok {
			write(name, value)
		}
	}
	if written < len(fields) {
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if !slices.Contains(order, name) {
				write(name, fields[name])
			}
		}
	}
	return append(b, '}')
}

func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return appendOther(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

func appendOther(b []byte, value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return append(b, "null"...)
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}
