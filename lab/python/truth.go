package python

import (
	"encoding/json"
	"reflect"

	"ironworks/models"
)

// Truthy is Python's idea of a value that counts: not None, not zero, not
// empty.
func Truthy(value any) bool {
	switch v := value.(type) {
	case nil, bool, models.PythonInt, models.PythonList, *models.PythonDict:
		return models.PythonTruthy(v)
	case json.Number:
		return models.PythonTruthy(models.PythonNumber(v.String()))
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.String, reflect.Slice, reflect.Map:
		return v.Len() > 0
	default:
		return !v.IsZero()
	}
}
