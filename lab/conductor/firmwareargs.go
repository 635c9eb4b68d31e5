package conductor

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ironworks/models/hints"
	"ironworks/models/jsonschema"
	"ironworks/python"
)

// firmwareSchema is the schema of the update step's settings argument (_FIRMWARE_INTERFACE_UPDATE_SCHEMA in
// ironic/drivers/modules/redfish/firmware_utils.py). The Text fields contain the parts of the schema in the form that
// jsonschema 4 shows in messages.
var firmwareSchema = &jsonschema.Schema{
	Types: []string{"array"}, MinItems: 1, Text: `    {'$schema': 'http://json-schema.org/draft-04/schema#',
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
               'additionalProperties': False}}`,
	Items: &jsonschema.Schema{
		Types: []string{"object"}, Required: []string{"component", "url"}, RequiredFirst: true, Closed: true, Text: `    {'type': 'object',
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
     'additionalProperties': False}`,
		Properties: map[string]*jsonschema.Schema{
			"component": {
				Types: []string{"string"}, AnyOf: []*jsonschema.Schema{{Enum: []string{"bios", "bmc"}}, {Pattern: "^nic:.*"}},
				Text: `    {'description': 'name of the firmware component to be updated',
     'type': 'string',
     'anyOf': [{'enum': ['bios', 'bmc']}, {'pattern': '^nic:.*'}]}`,
			},
			"url": {Types: []string{"string"}, MinLength: 1, Text: `    {'description': 'URL for firmware file',
     'type': 'string',
     'minLength': 1}`},
			"wait": {Types: []string{"integer"}, Draft4: true, Minimum: &oneSecond, Text: `    {'description': 'optional wait time for firmware update',
     'type': 'integer',
     'minimum': 1}`},
		},
	},
}

var oneSecond = 1

// checkFirmwareArgs implements validate_firmware_interface_update_args, with Python's str() of a ValidationError.
func checkFirmwareArgs(value any) error {
	v := firmwareSchema.Validate(python.Value(value))
	if v == nil {
		return nil
	}
	var schemaPath, path strings.Builder
	for _, step := range v.SchemaPath {
		fmt.Fprintf(&schemaPath, "[%s]", python.Repr(step))
	}
	for _, step := range v.Path {
		fmt.Fprintf(&path, "[%s]", python.Repr(step))
	}
	return invalid("Invalid firmware update %s. Errors: %s\n\nFailed validating %s in schema%s:\n%s\n\nOn instance%s:\n    %s",
		python.Str(value), v.Message, python.Repr(v.Keyword), schemaPath.String(), v.Schema.Text, path.String(), prettyPython(v.Value))
}

// prettyPython implements Python's pprint for an object with short values, with 72 columns.
func prettyPython(value any) string {
	text := python.Repr(value)
	update, ok := value.(*hints.PythonDict)
	if !ok || utf8.RuneCountInString(text) <= 72 {
		return text
	}
	var lines []string
	for _, key := range slices.Sorted(slices.Values(update.Keys())) {
		lines = append(lines, python.Repr(key)+": "+python.Repr(update.Get(key)))
	}
	return "{" + strings.Join(lines, ",\n     ") + "}"
}
