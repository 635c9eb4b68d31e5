package python

import (
	"encoding/json"
	"reflect"
)

// Truthy is Python's idea of a value that counts: not None, not zero, not
// empty.
func Truthy(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() > 0
	default:
		return !v.IsZero()
	}
}
