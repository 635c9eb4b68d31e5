package conductor

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/lab/db"
	"ironworks/python"
)

// Parts of the schema of the step's argument (_FIRMWARE_INTERFACE_UPDATE_SCHEMA in
// ironic/drivers/modules/redfish/firmware_utils.py), as jsonschema 4 shows them in a message.
const (
	wholeSchema = `    {'$schema': 'http://json-schema.org/draft-04/schema#',
     'title': 'update_firmware clean step schema',
     'type': 'array',
     'minItems': 1,
     'items': {'type': 'object',
               'required': ['component', 'url'],
               'properties': {'component': {'description': 'name of the '
                                                           'firmware '
                                                           'component to '
                                                           'be updated',
                                            'type': 'string',
                                            'anyOf': [{'enum': ['bios',
                                                                'bmc']},
                                                      {'pattern': '^nic:.*'}]},
                              'url': {'description': 'URL for firmware '
                                                     'file',
                                      'type': 'string',
                                      'minLength': 1},
                              'wait': {'description': 'optional wait time '
                                                      'for firmware update',
                                       'type': 'integer',
                                       'minimum': 1}},
               'additionalProperties': False}}`
	itemSchema = `    {'type': 'object',
     'required': ['component', 'url'],
     'properties': {'component': {'description': 'name of the firmware '
                                                 'component to be updated',
                                  'type': 'string',
                                  'anyOf': [{'enum': ['bios', 'bmc']},
                                            {'pattern': '^nic:.*'}]},
                    'url': {'description': 'URL for firmware file',
                            'type': 'string',
                            'minLength': 1},
                    'wait': {'description': 'optional wait time for '
                                            'firmware update',
                             'type': 'integer',
                             'minimum': 1}},
     'additionalProperties': False}`
)

// firmwareFields are the fields of an update with their schemas. Of several wrong fields, jsonschema
// reports the last of this order.
var firmwareFields = []struct {
	name, schema string
	check        func(value any) (rule, problem string)
}{
	{"component", `    {'description': 'name of the firmware component to be updated',
     'type': 'string',
     'anyOf': [{'enum': ['bios', 'bmc']}, {'pattern': '^nic:.*'}]}`, checkComponent},
	{"url", `    {'description': 'URL for firmware file',
     'type': 'string',
     'minLength': 1}`, checkFirmwareURL},
	{"wait", `    {'description': 'optional wait time for firmware update',
     'type': 'integer',
     'minimum': 1}`, checkFirmwareWait},
}

func checkComponent(value any) (rule, problem string) {
	text, ok := value.(string)
	switch {
	case !ok:
		return "type", notOfType(value, "string")
	case componentType(text) == "":
		return "anyOf", python.Repr(value) + " is not valid under any of the given schemas"
	}
	return "", ""
}

func checkFirmwareURL(value any) (rule, problem string) {
	text, ok := value.(string)
	switch {
	case !ok:
		return "type", notOfType(value, "string")
	case utf8.RuneCountInString(text) == 0:
		return "minLength", "'' should be non-empty"
	}
	return "", ""
}

func checkFirmwareWait(value any) (rule, problem string) {
	switch {
	case !isWhole(value):
		return "type", notOfType(value, "integer")
	case toInt(value) < 1:
		return "minimum", python.Repr(value) + " is less than the minimum of 1"
	}
	return "", ""
}

// checkFirmwareArgs implements validate_firmware_interface_update_args.
func checkFirmwareArgs(value any) error {
	problem := firmwareProblem(value)
	if problem == "" {
		return nil
	}
	return invalid("Invalid firmware update %s. Errors: %s", pythonStr(value), problem)
}

// firmwareProblem returns jsonschema's best match (jsonschema.exceptions.best_match): the least deep
// error, and of those with the same depth that of the last path.
func firmwareProblem(value any) string {
	updates, isList := value.([]any)
	switch {
	case !isList:
		return schemaProblem("type", "", wholeSchema, "", notOfType(value, "array"), value)
	case len(updates) == 0:
		return schemaProblem("minItems", "", wholeSchema, "", "[] should be non-empty", value)
	}
	for i := range slices.Backward(updates) {
		if rule, problem := checkFirmwareItem(updates[i]); problem != "" {
			return schemaProblem(rule, "['items']", itemSchema, fmt.Sprintf("[%d]", i), problem, updates[i])
		}
	}
	for i := range slices.Backward(updates) {
		update, _ := dictOf(updates[i])
		for _, field := range slices.Backward(firmwareFields) {
			given, ok := update[field.name]
			if !ok {
				continue
			}
			if rule, problem := field.check(given); problem != "" {
				return schemaProblem(rule, "['items']['properties']['"+field.name+"']", field.schema, fmt.Sprintf("[%d]['%s']", i, field.name), problem, given)
			}
		}
	}
	return ""
}

func checkFirmwareItem(value any) (rule, problem string) {
	update, ok := dictOf(value)
	if !ok {
		return "type", notOfType(value, "object")
	}
	var extra []string
	for _, key := range slices.Sorted(maps.Keys(update)) {
		if !slices.ContainsFunc(firmwareFields, func(f struct {
			name, schema string
			check        func(value any) (rule, problem string)
		},
		) bool {
			return f.name == key
		}) {
			extra = append(extra, key)
		}
	}
	for _, key := range []string{"component", "url"} {
		if _, ok := update[key]; !ok {
			return "required", python.Repr(key) + " is a required property"
		}
	}
	if len(extra) > 0 {
		return "additionalProperties", unexpected(extra)
	}
	return "", ""
}

// schemaProblem returns a ValidationError as Python's str() shows it.
func schemaProblem(rule, schemaPath, schema, path, problem string, instance any) string {
	return fmt.Sprintf("%s\n\nFailed validating %s in schema%s:\n%s\n\nOn instance%s:\n    %s", problem, python.Repr(rule), schemaPath, schema, path, prettyPython(instance))
}

// prettyPython implements pprint for an object or list of short values: one per line if they do not
// fit into 72 columns.
func prettyPython(value any) string {
	text := python.Repr(value)
	update, ok := dictOf(value)
	if !ok || utf8.RuneCountInString(text) <= 72 {
		return text
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(update)) {
		one := python.Repr(db.Dict{key: update[key]})
		lines = append(lines, strings.TrimSuffix(strings.TrimPrefix(one, "{"), "}"))
	}
	return "{" + strings.Join(lines, ",\n     ") + "}"
}

func notOfType(value any, kind string) string {
	return python.Repr(value) + " is not of type " + python.Repr(kind)
}

// unexpected returns jsonschema's message about properties that a schema does not have.
func unexpected(keys []string) string {
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = python.Repr(key)
	}
	verb := "was"
	if len(keys) > 1 {
		verb = "were"
	}
	return fmt.Sprintf("Additional properties are not allowed (%s %s unexpected)", strings.Join(quoted, ", "), verb)
}

// isWhole reports an integer: in draft 4 of JSON schema, 1.0 is not one.
func isWhole(value any) bool {
	number, ok := value.(json.Number)
	if !ok {
		return false
	}
	_, err := number.Int64()
	return err == nil
}
