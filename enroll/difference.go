package enroll

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"ironworks/models"
)

// FieldChange describes how the input changes a field of a node.
type FieldChange struct {
	// Path consists of the field's name and, if the field is an object, the key inside this object. For example, the
	// path of the BMC's address is driver_info, redfish_address.
	Path   []string
	Before any // nil if the field is unset
	After  any
	// Secret means that the values must not be shown.
	Secret bool
}

// Name returns the parts of the path, joined by dots.
func (c FieldChange) Name() string { return strings.Join(c.Path, ".") }

// String describes the change, with secrets masked.
func (c FieldChange) String() string {
	if c.Secret {
		return c.Name() + " " + models.Mask
	}
	show := func(v any) string {
		if text, is := v.(string); is && text != "" {
			return models.MaskURL(text)
		}
		if isEmpty(v) {
			return "unset"
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return models.Mask
		}
		return string(raw)
	}
	return fmt.Sprintf("%s %s → %s", c.Name(), show(c.Before), show(c.After))
}

// differences compares the wanted fields of a node with its current fields, which are in the now map. It returns the
// wanted values that differ from the current ones or have no current counterpart, sorted by path. An empty or null
// value is not a difference if the current field is unset.
func differences(above []string, wanted, now map[string]any) []FieldChange {
	var list []FieldChange
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		want, have := wanted[key], now[key]
		child, isObject := want.(map[string]any)
		old, wasObject := have.(map[string]any)
		switch {
		case isObject && (wasObject || have == nil) && len(above) == 0 && slices.Contains(models.ObjectFields(), key):
			list = append(list, differences([]string{key}, child, old)...)
		case isEmpty(want) && isEmpty(have), equal(want, have), len(above) > 0 && sameAddress(key, want, have):
		case len(above) > 0 && above[0] == "properties" && sameNumber(want, have):
		default:
			list = append(list, FieldChange{Path: append(slices.Clone(above), key), Before: have, After: want})
		}
	}
	return list
}

// sameNumber reports whether one value is a number and the other is the same number as text. Inspection and Ansible
// write properties as text, but files often contain numbers.
func sameNumber(a, b any) bool {
	a, b = normalizedJSON(a), normalizedJSON(b)
	if _, is := a.(string); is {
		a, b = b, a
	}
	number, isNumber := a.(float64)
	text, isText := b.(string)
	raw, err := json.Marshal(number)
	return isNumber && isText && err == nil && string(raw) == text
}

// sameAddress reports whether two values of the field key in driver_info denote the same BMC or Redfish system.
func sameAddress(key string, a, b any) bool {
	x, y := models.TextOf(a), models.TextOf(b)
	if x == "" || y == "" {
		return false
	}
	if key == "redfish_system_id" {
		return strings.TrimRight(x, "/") == strings.TrimRight(y, "/")
	}
	for _, field := range addressFields() {
		if key == field[0] {
			insecure := strings.HasPrefix(x, "http://") != strings.HasPrefix(y, "http://")
			return !insecure && hostOf(x, field[1]) == hostOf(y, field[1])
		}
	}
	return false
}

func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

// equal compares JSON values. It treats integers from YAML like numbers from JSON.
func equal(a, b any) bool { return reflect.DeepEqual(normalizedJSON(a), normalizedJSON(b)) }

// normalizedJSON returns a copy of a value that consists only of the types to which encoding/json decodes JSON. If
// the value is not valid in JSON, it is returned unchanged.
func normalizedJSON(v any) any {
	raw, err := json.Marshal(v)
	if err != nil {
		return v
	}
	var out any
	if json.Unmarshal(raw, &out) != nil {
		return v
	}
	return out
}
