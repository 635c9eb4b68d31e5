package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ironworks/lab/db"
	"ironworks/models/jsonschema"
	"ironworks/python"
)

// check validates a request argument and returns its converted value (ironic/common/args.py). Null stays null.
type check func(name string, value any) (any, error)

// expect returns a check that converts values with the given function, which reports whether a value is valid. what
// describes valid values.
func expect(what string, convert func(value any) (any, bool)) check {
	return func(name string, value any) (any, error) {
		if value == nil {
			return nil, nil //nolint:nilnil // null is a value
		}
		if converted, ok := convert(value); ok {
			return converted, nil
		}
		return nil, invalidValue("Expected %s for %s: %s", what, name, python.Str(value))
	}
}

var (
	checkText = expect("string", func(value any) (any, bool) {
		_, ok := value.(string)
		return value, ok
	})
	checkUUID  = expect("UUID", func(value any) (any, bool) { return value, isUUID(value) })
	checkName  = expect("name", func(value any) (any, bool) { return value, isName(value) })
	checkIdent = expect("UUID or name", func(value any) (any, bool) { return value, isName(value) || isUUID(value) })
	checkMAC   = expect("valid MAC address", func(value any) (any, bool) { return normalMAC(value) })
	checkInt   = expect("an integer", func(value any) (any, bool) {
		switch v := value.(type) {
		case bool:
			if v {
				return 1, true
			}
			return 0, true
		case string:
			n, err := strconv.Atoi(strings.TrimSpace(v))
			return n, err == nil
		case json.Number:
			f, err := v.Float64()
			return int(f), err == nil
		default:
			return nil, false
		}
	})
)

func checkBool(name string, value any) (any, error) {
	if value == nil {
		return nil, nil //nolint:nilnil // null is a value
	}
	yes, ok := python.Bool(value)
	if !ok {
		return nil, invalidValue("Invalid %s: Unrecognized value %s, acceptable values are: '0', '1', 'f', 'false', "+
			"'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'", name, python.Repr(python.Str(value)))
	}
	return yes, nil
}

// checkList accepts a list or a comma-separated string. Like Ironic, it converts the items of a comma-separated
// string to lower case, but leaves the values of a repeated key unchanged.
func checkList(name string, value any) (any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil //nolint:nilnil // null is a value
	case []any:
		items := make([]string, len(v))
		for i := range v {
			item, err := checkText(name, v[i])
			if err != nil {
				return nil, err
			}
			items[i], _ = item.(string)
		}
		return items, nil
	case string:
		items := []string{}
		for item := range strings.SplitSeq(v, ",") {
			item = strings.ToLower(strings.TrimSpace(item))
			if item != "" && !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
		return items, nil
	default:
		return checkText(name, value)
	}
}

// checkTypes returns a check that accepts values of the given Python types.
func checkTypes(types ...string) check {
	return func(name string, value any) (any, error) {
		if slices.Contains(types, pythonType(value)) {
			return value, nil
		}
		quoted := make([]string, len(types))
		for i := range types {
			quoted[i] = "<class '" + types[i] + "'>"
		}
		return nil, invalidValue("Expected types %s for %s: %s", strings.Join(quoted, ", "), name, python.Str(value))
	}
}

func pythonType(value any) string {
	switch v := value.(type) {
	case nil:
		return "NoneType"
	case string:
		return "str"
	case bool:
		return "bool"
	case int:
		return "int"
	case []any, []string:
		return "list"
	case map[string]any, db.Dict:
		return "dict"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eENI") {
			return "float"
		}
		return "int"
	default:
		return "object"
	}
}

var (
	nameRule     = regexp.MustCompile(`^(?i)[A-Z0-9-._~]+$`)
	hostnameRule = regexp.MustCompile(`^(?i)[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?(\.[a-z0-9\-]{1,63})*\.?$`)
	macRule      = regexp.MustCompile(`^([0-9a-f]{2}:){5}[0-9a-f]{2}$`)
	datapathRule = regexp.MustCompile(`^0x[0-9a-fA-F]{16}$|^[0-9a-fA-F]{16}$|^([0-9a-fA-F]{2}:){7}[0-9a-fA-F]{2}$`)
	hexRule      = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

const maxNameLength = 255

func isName(value any) bool {
	name, ok := value.(string)
	return ok && len(name) <= maxNameLength && nameRule.MatchString(name)
}

// isUUID reports whether the value is a UUID in one of the spellings that oslo.utils accepts.
func isUUID(value any) bool {
	uuid, ok := value.(string)
	if !ok {
		return false
	}
	uuid = strings.ReplaceAll(strings.ReplaceAll(uuid, "urn:", ""), "uuid:", "")
	return hexRule.MatchString(strings.ToLower(strings.ReplaceAll(strings.Trim(uuid, "{}"), "-", "")))
}

func normalMAC(value any) (string, bool) {
	mac, _ := value.(string)
	mac = strings.ToLower(mac)
	return mac, macRule.MatchString(mac)
}

// param describes an endpoint argument that checkArguments validates.
type param struct {
	name     string
	check    check
	required bool
	given    any // the value, if the path contains the argument
	isGiven  bool
	body     bool // the argument is the whole body
}

func optional(name string, check check) param { return param{name: name, check: check} }

func required(name string, check check) param { return param{name: name, check: check, required: true} }

func fromPath(name, value string, check check) param {
	return param{name: name, check: check, given: value, isGiven: true}
}

// inPath returns a parameter that is also valid as the next part of the path, because Ironic passes further parts to
// its Python function as arguments. more holds these parts.
func inPath(name string, check check, more []string) param {
	if len(more) > 0 {
		return fromPath(name, more[0], check)
	}
	return optional(name, check)
}

// arguments maps the names of a request's arguments to their converted values. Missing arguments are null.
type arguments map[string]any

func (a arguments) text(name string) string {
	s, _ := a[name].(string)
	return s
}

func (a arguments) has(name string) bool { return a[name] != nil }

func (a arguments) boolean(name string) *bool {
	b, ok := a[name].(bool)
	if !ok {
		return nil
	}
	return &b
}

func (a arguments) isTrue(name string) bool { return a[name] == true }

func (a arguments) integer(name string) *int {
	n, ok := a[name].(int)
	if !ok {
		return nil
	}
	return &n
}

// object returns a value that is an object, and otherwise nil.
func object(value any) db.Dict {
	fields, _ := value.(map[string]any)
	return fields
}

func (a arguments) object(name string) db.Dict { return object(a[name]) }

// list returns the named list argument, or nil if it was not given.
func (a arguments) list(name string) []string {
	items, _ := a[name].([]string)
	return items
}

// checkArguments validates the arguments of a request in the order of params and returns the converted values. It
// rejects arguments that are not in params.
func checkArguments(values map[string]any, params ...param) (arguments, error) {
	var unknown []string
	for name := range values {
		if !slices.ContainsFunc(params, func(p param) bool { return p.name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, invalidValue("Unexpected arguments: %s", strings.Join(unknown, ", "))
	}
	taken := arguments{}
	for _, p := range params {
		value, given := p.given, p.isGiven
		if !given {
			value, given = values[p.name]
		}
		if !given {
			if p.required {
				return nil, db.Faultf(http.StatusBadRequest, "MissingParameterValue", "Missing mandatory parameter: %s", p.name)
			}
			continue
		}
		checked, err := p.check(p.name, value)
		if err != nil {
			return nil, err
		}
		taken[p.name] = checked
	}
	return taken, nil
}

type schema = jsonschema.Schema

// String formats in Ironic's schemas.
var (
	uuidText = &jsonschema.Format{Name: "uuid", Valid: func(text string) bool { return isUUID(text) }}
	macText  = &jsonschema.Format{Name: "mac-address", Valid: func(text string) bool {
		_, valid := normalMAC(text)
		return valid
	}}
)

// checkSchema returns a check that validates an argument against a schema.
func checkSchema(s *schema) check {
	return func(name string, value any) (any, error) {
		if value == nil {
			return nil, nil //nolint:nilnil // null is a value
		}
		if v := s.Validate(python.Value(value)); v != nil {
			return nil, invalidValue("Schema error for %s: %s", name, sentence(v))
		}
		return value, nil
	}
}

// checkWhole checks a whole request. It reports the first violation, whereas checkSchema reports the most relevant
// one.
func checkWhole(s *schema, value any) error {
	if found := s.Violations(python.Value(value)); len(found) > 0 {
		return invalidValue("Schema error: %s", sentence(found[0]))
	}
	return nil
}

func sentence(v *jsonschema.Violation) string {
	if cause := v.Cause(); cause != "" {
		return v.Message + ". Possible root cause: " + cause
	}
	return v.Message
}

// withInstance returns the message of a violation, followed by the invalid part of the value, as jsonschema formats
// it. Unlike jsonschema, it omits the schema.
func withInstance(v *jsonschema.Violation) string {
	var path strings.Builder
	for _, step := range v.Path {
		fmt.Fprintf(&path, "[%s]", python.Repr(step))
	}
	return v.Message + "\n\nOn instance" + path.String() + ":\n    " + python.Repr(v.Value)
}
