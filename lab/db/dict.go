package db

import (
	"encoding/json"
	"reflect"
	"slices"
)

// Dict is a JSON object such as a node's properties or driver_info. Its values have the types to which encoding/json
// decodes; numbers may be a json.Number or have any numeric type of Go.
type Dict map[string]any

// Clone returns a deep copy. A nil Dict represents JSON's null and stays nil.
func (d Dict) Clone() Dict {
	if d == nil {
		return nil
	}
	copied := make(Dict, len(d))
	for key, value := range d {
		copied[key] = cloneValue(value)
	}
	return copied
}

func cloneValue(value any) any {
	switch v := value.(type) {
	case Dict:
		return v.Clone()
	case map[string]any:
		return map[string]any(Dict(v).Clone())
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = cloneValue(v[i])
		}
		return copied
	default:
		return v
	}
}

// Text returns the string stored under key. It returns an empty string if the key is missing or its value is not a
// string.
func (d Dict) Text(key string) string {
	s, _ := d[key].(string)
	return s
}

// withoutNaN returns a copy of a row in which numbers that JSON cannot express are null. If row is not a row of a
// table, withoutNaN returns it unchanged.
func withoutNaN(row any) any {
	from := reflect.ValueOf(row)
	if from.Kind() != reflect.Pointer || from.Elem().Kind() != reflect.Struct {
		return row
	}
	to := reflect.New(from.Elem().Type())
	to.Elem().Set(from.Elem())
	for i := range to.Elem().NumField() {
		field := to.Elem().Field(i)
		switch v := field.Interface().(type) {
		case Dict:
			field.Set(reflect.ValueOf(v.onlyJSON()))
		case []Dict:
			cleaned := slices.Clone(v)
			for i := range cleaned {
				cleaned[i] = cleaned[i].onlyJSON()
			}
			field.Set(reflect.ValueOf(cleaned))
		}
	}
	return to.Interface()
}

func (d Dict) onlyJSON() Dict {
	if d == nil {
		return nil
	}
	cleaned, _ := onlyJSON(map[string]any(d)).(map[string]any)
	return cleaned
}

func onlyJSON(value any) any {
	switch v := value.(type) {
	case Dict:
		return onlyJSON(map[string]any(v))
	case map[string]any:
		cleaned := make(map[string]any, len(v))
		for key := range v {
			cleaned[key] = onlyJSON(v[key])
		}
		return cleaned
	case []any:
		cleaned := make([]any, len(v))
		for i := range v {
			cleaned[i] = onlyJSON(v[i])
		}
		return cleaned
	case json.Number:
		if !json.Valid([]byte(v)) {
			return nil
		}
	}
	return value
}
