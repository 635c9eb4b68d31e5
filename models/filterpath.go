package models

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pathTerm parses a term of the form field:path OP value. The path starts at w.text[at].
func pathTerm(w word, at int) (term, error) {
	var t term
	split := strings.IndexAny(w.text[at:], "=!<>") + at
	if split < at || w.literal(split) {
		return t, errors.New("must be a comparison, such as field:extra.rack=7 (= != > >= < <=)")
	}
	op, value := splitOperator(w.text[split:])
	if op == "" {
		return t, errors.New("the path must be followed by one of = != > >= < <=")
	}
	path := strings.Split(w.text[at:split], ".")
	if !slices.Contains(apiFields, path[0]) {
		return t, fmt.Errorf("nodes have no field %q; available: %s", path[0], strings.Join(apiFields, ", "))
	}
	wants := []string{fold(value)}
	if w.quoted < 0 && (op == "=" || op == "!=") {
		wants = strings.Split(fold(value), ",")
	}
	t.fields = []string{path[0]}
	t.test = func(r *Row, _ time.Time) Answer {
		have, loaded := r.Node.Field(path...)
		if !loaded {
			return Unknown
		}
		if op == "!=" {
			return answer(!equalsAny(have, wants))
		}
		if op == "=" {
			return answer(equalsAny(have, wants))
		}
		return answer(comparesTo(have, op, wants[0]))
	}
	return t, nil
}

// equalsAny reports whether have, a value from the API, equals one of wants. If have is a list, one equal element
// suffices. An empty string in wants matches an empty or missing value.
func equalsAny(have any, wants []string) bool {
	if list, is := have.([]any); is && len(list) > 0 {
		return slices.ContainsFunc(list, func(v any) bool { return equalsAny(v, wants) })
	}
	text := fold(scalarText(have))
	return slices.ContainsFunc(wants, func(want string) bool {
		if text == want {
			return true
		}
		if b, is := have.(bool); is {
			return boolWord(want) == strconv.FormatBool(b)
		}
		x, isNumber := Number(have)
		y, wantsNumber := Number(want)
		return isNumber && wantsNumber && x == y
	})
}

// comparesTo reports whether have and want satisfy the operator op. Two numbers are compared by value. Other pairs,
// such as two times, are compared as text. If only one of the two is a number, the result is false.
func comparesTo(have any, op, want string) bool {
	if have == nil || have == "" {
		return false
	}
	x, isNumber := Number(have)
	y, wantsNumber := Number(want)
	switch {
	case isNumber && wantsNumber:
		return ordered(op, cmp.Compare(x, y))
	case wantsNumber || isNumber:
		return false
	}
	return ordered(op, strings.Compare(fold(scalarText(have)), want))
}

// scalarText returns v as text. Empty lists and objects become "".
func scalarText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		if len(v) == 0 {
			return ""
		}
	case map[string]any:
		if len(v) == 0 {
			return ""
		}
	}
	text, err := JSONText(v)
	if err != nil {
		return ""
	}
	return text
}

// apiFields lists the fields of a node in Ironic 39.0.0 (ironic/api/controllers/v1/node.py, node_sanitize).
var apiFields = []string{
	"allocation_uuid", "automated_clean", "bios_interface", "boot_interface", "boot_mode", "chassis_uuid", "clean_step",
	"conductor", "conductor_group", "console_enabled", "console_interface", "created_at", "deploy_interface",
	"deploy_step", "description", "disable_power_off", "driver", "driver_info", "driver_internal_info", "extra", "fault",
	"firmware_interface", "health", "inspect_interface", "inspection_finished_at", "inspection_started_at",
	"instance_info", "instance_name", "instance_uuid", "last_error", "lessee", "maintenance", "maintenance_reason",
	"management_interface", "name", "network_data", "network_interface", "owner", "parent_node", "power_interface",
	"power_state", "properties", "protected", "protected_reason", "provision_state", "provision_updated_at",
	"raid_config", "raid_interface", "rescue_interface", "reservation", "resource_class", "retired", "retired_reason",
	"secure_boot", "service_step", "shard", "storage_interface", "target_power_state", "target_provision_state",
	"target_raid_config", "traits", "updated_at", "uuid", "vendor_interface",
}

// nodeFields maps the API's field names to the indexes of those fields of [Node] that hold the whole value.
// driver_internal_info is not included, because Node holds only part of it.
var nodeFields = func() map[string]int {
	fields := map[string]int{}
	for i := range reflect.TypeFor[Node]().NumField() {
		if name := reflect.TypeFor[Node]().Field(i).Tag.Get("json"); name != "-" && name != "driver_internal_info" {
			fields[name] = i
		}
	}
	return fields
}()

// WholeFields returns the given API fields whose complete values are found only in [Node.Whole].
func WholeFields(fields []string) []string {
	var whole []string
	for _, f := range fields {
		if _, typed := nodeFields[f]; !typed {
			whole = append(whole, f)
		}
	}
	return whole
}

// Field returns the value at the given path of the node's JSON, or nil if there is none. The value is a string,
// number, bool, []any or map[string]any. Keys may contain dots. loaded is false if the field was not read.
func (n *Node) Field(path ...string) (value any, loaded bool) {
	if i, typed := nodeFields[path[0]]; typed {
		value, loaded = plain(reflect.ValueOf(n).Elem().Field(i).Interface())
	} else if value, loaded = n.Whole[path[0]]; !loaded && n.Raw != nil {
		var all map[string]any
		if json.Unmarshal(n.Raw, &all) != nil {
			return nil, false
		}
		value, loaded = all[path[0]]
	}
	return within(value, path[1:]), loaded
}

// plain converts the value of a [Node] field to the type that encoding/json would use for it.
func plain(v any) (value any, loaded bool) {
	switch v := v.(type) {
	case string, bool:
		return v, true
	case map[string]any:
		return v, v != nil
	case Time:
		if v.IsZero() {
			return nil, true
		}
		return v.Format(time.RFC3339), true
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, false
	}
	return value, json.Unmarshal(data, &value) == nil
}

// within returns the part of v at the given path, which may include object keys and list indexes.
func within(v any, path []string) any {
	if len(path) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		for used := len(path); used > 0; used-- {
			if below, there := v[strings.Join(path[:used], ".")]; there { //nolint:gosec // used is at most the length
				return within(below, path[used:]) //nolint:gosec // as above
			}
		}
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(v) {
			return within(v[i], path[1:])
		}
	}
	return nil
}
