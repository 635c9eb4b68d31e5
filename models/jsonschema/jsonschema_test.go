package jsonschema_test

import (
	"testing"

	"ironworks/models/hints"
	"ironworks/models/jsonschema"
)

// sample returns a schema that uses draft 4 and the keywords that Ironic uses.
func sample() *jsonschema.Schema {
	five := 5
	return &jsonschema.Schema{
		Types: []string{"object"}, Required: []string{"a"}, Closed: true, Together: map[string][]string{"b": {"c"}},
		Properties: map[string]*jsonschema.Schema{
			"a": {Types: []string{"string", "null"}, MinLength: 1, MaxLength: 3, Pattern: "^x"},
			"b": {AnyOf: []*jsonschema.Schema{
				{Types: []string{"integer"}, Draft4: true, Minimum: new(int)}, {Types: []string{"string"}, Enum: []string{"MAX"}},
			}},
			"c": {Types: []string{"array"}, MinItems: 2, Items: &jsonschema.Schema{Enum: []string{"u", "v"}}},
			"d": {OneOf: []*jsonschema.Schema{
				{Types: []string{"integer"}, Text: "{'type': 'integer'}"}, {Minimum: &five, Text: "{'minimum': 5}"},
			}},
			"e": {Not: &jsonschema.Schema{Types: []string{"string"}, Text: "{'type': 'string'}"}},
		},
	}
}

// TestBestMatch checks that the messages equal those of best_match in jsonschema 4.26.0 for the same schema and
// values.
func TestBestMatch(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"a":"x"}`: "", `{"a":null,"b":5,"c":["u","v"]}`: "",
		`[]`:                               "[] is not of type 'object'",
		`{}`:                               "'a' is a required property",
		`{"a":"x","y":1,"z":2}`:            "Additional properties are not allowed ('y', 'z' were unexpected)",
		`{"a":5}`:                          "5 is not of type 'string', 'null'",
		`{"a":""}`:                         "'' should be non-empty",
		`{"a":"xxxx"}`:                     "'xxxx' is too long",
		`{"a":"y"}`:                        "'y' does not match '^x'",
		`{"a":"x","b":1}`:                  "'c' is a dependency of 'b'",
		`{"a":"x","b":-1,"c":["u","u"]}`:   "-1 is less than the minimum of 0",
		`{"a":"x","b":"no","c":["u","u"]}`: "'no' is not one of ['MAX']",
		`{"a":null,"b":5.0,"c":["u","v"]}`: "5.0 is not valid under any of the given schemas",
		`{"a":"x","c":["u"]}`:              "['u'] is too short",
		`{"a":"x","c":["u","w"]}`:          "'w' is not one of ['u', 'v']",
		`{"a":"x","d":7}`:                  "7 is valid under each of {'minimum': 5}, {'type': 'integer'}",
		`{"a":"x","d":1.5}`:                "1.5 is not valid under any of the given schemas",
		`{"a":"x","e":"s"}`:                "'s' should not be valid under {'type': 'string'}",
	} {
		v, err := hints.DecodePython([]byte(value))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found := sample().Validate(v); found != nil {
			got = found.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
