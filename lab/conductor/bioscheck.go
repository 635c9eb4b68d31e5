package conductor

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ironworks/lab/db"
)

// convertSettings implements _validate_and_convert_settings. It checks the settings against the stored registry data
// and converts strings, in place, to the types of their attributes.
func (t *task) convertSettings(settings []db.Dict) error {
	stored := map[string]db.BIOSSetting{}
	for _, s := range t.c.tables.BIOS(t.node.UUID) {
		stored[s.Name] = s
	}
	var bad []string
	for _, s := range settings {
		for _, key := range []string{"name", "value"} {
			if _, ok := s[key]; !ok {
				return fmt.Errorf("'%s'", key) // the message of a Python KeyError
			}
		}
		known, ok := stored[s.Text("name")]
		if !ok {
			continue
		}
		value, ok := convertSetting(known, s["value"])
		if !ok {
			bad = append(bad, known.Name)
			continue
		}
		s["value"] = value
	}
	if len(bad) > 0 {
		return invalid("Redfish BIOS apply_configuration failed for node %s: invalid value for setting(s): %s", t.node.UUID, strings.Join(bad, ", "))
	}
	return nil
}

// convertSetting converts value to the type of its attribute. ok is false if it is invalid or read-only.
func convertSetting(known db.BIOSSetting, value any) (_ any, ok bool) {
	if known.ReadOnly != nil && *known.ReadOnly {
		return nil, false
	}
	text, isText := value.(string)
	switch known.AttributeType {
	case "Enumeration":
		return value, len(known.AllowableValues) == 0 || isText && slices.Contains(known.AllowableValues, text)
	case "Integer":
		number, ok := pythonInt(value)
		return json.Number(strconv.Itoa(number)), ok && within(number, known.LowerBound, known.UpperBound)
	case "Boolean":
		if isText {
			return strings.EqualFold(text, "true"), true
		}
	case "String":
		return value, !isText || within(utf8.RuneCountInString(text), known.MinLength, known.MaxLength)
	}
	return value, true
}

func within(number int, least, most *int) bool {
	return (least == nil || number >= *least) && (most == nil || number <= *most)
}

// pythonInt implements Python's int() for values decoded from JSON.
func pythonInt(value any) (int, bool) {
	switch v := value.(type) {
	case bool:
		return map[bool]int{true: 1}[v], true
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		return n, err == nil
	case json.Number:
		f, err := v.Float64()
		return int(math.Trunc(f)), err == nil
	case float64:
		return int(math.Trunc(v)), true
	case int:
		return v, true
	}
	return 0, false
}
