package api

import (
	"fmt"
	"strings"

	"ironworks/models/jsonschema"
	"ironworks/python"
)

type schema = jsonschema.Schema

// Formats of strings in Ironic's schemas.
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
