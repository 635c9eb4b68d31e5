package python

import (
	"encoding/json"
	"reflect"

	"ironworks/models/hints"
)

// Truthy is Python's idea of a value that counts: not None, not zero, not
// empty.
func Truthy(value any) bool {
	switch v := value.(type) {
	case nil, bool, hints.PythonInt, hints.PythonList, *hints.PythonDict:
		return hints.PythonTruthy(v)
	case json.Number:
		return hints.PythonTruthy(hints.PythonNumber(v.String()))
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() > 0
	default:
		return !v.IsZero()
	}
}
