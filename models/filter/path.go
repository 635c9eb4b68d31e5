package filter

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

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
	t.test = func(r *models.Row, _ time.Time) models.Answer {
		have, loaded := r.Node.Field(path...)
		if !loaded {
			return models.Unknown
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
			wanted, ok := models.ParseBool(want)
			return ok && wanted == b
		}
		x, isNumber := models.Number(have)
		y, wantsNumber := models.Number(want)
		return isNumber && wantsNumber && x == y
	})
}

// comparesTo reports whether have and want satisfy the operator op. Two numbers are compared by value. Other pairs,
// such as two times, are compared as text. If only one of the two is a number, the result is false.
func comparesTo(have any, op, want string) bool {
	if have == nil || have == "" {
		return false
	}
	x, isNumber := models.Number(have)
	y, wantsNumber := models.Number(want)
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
	text, err := models.JSONText(v)
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
