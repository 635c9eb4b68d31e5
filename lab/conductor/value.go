package conductor

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// dictOf returns value as a db.Dict, and reports whether value is an object and not nil.
func dictOf(value any) (db.Dict, bool) {
	switch v := value.(type) {
	case db.Dict:
		return v, v != nil
	case map[string]any:
		return v, v != nil
	default:
		return nil, false
	}
}

// dictsOf returns the objects in a list, or nil if value is not a list.
func dictsOf(value any) []db.Dict {
	switch v := value.(type) {
	case []db.Dict:
		return v
	case []any:
		all := make([]db.Dict, 0, len(v))
		for _, element := range v {
			if d, ok := dictOf(element); ok {
				all = append(all, d)
			}
		}
		return all
	default:
		return nil
	}
}

// listOf converts objects to a list that the database can store.
func listOf(dicts []db.Dict) []any {
	all := make([]any, len(dicts))
	for i, d := range dicts {
		all[i] = map[string]any(d.Clone())
	}
	return all
}

// pythonInt implements Python's int() for values decoded from JSON. Like int(), it converts neither NaN nor infinite
// numbers. Unlike int(), it does not convert floats beyond 63 bits.
func pythonInt(value any) (int, bool) {
	switch v := value.(type) {
	case bool:
		return map[bool]int{true: 1}[v], true
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		return n, err == nil
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return 0, false
		}
		return pythonInt(f)
	case float64:
		if math.IsNaN(v) || math.Abs(v) >= math.MaxInt64 {
			return 0, false
		}
		return int(v), true
	case int:
		return v, true
	}
	return 0, false
}

// toInt is like pythonInt, but returns 0 for values that it cannot convert.
func toInt(value any) int {
	n, ok := pythonInt(value)
	if !ok {
		return 0
	}
	return n
}

// mask returns a copy of the object in which secrets are masked.
func mask(d db.Dict) db.Dict {
	masked := db.Dict{}
	for key, value := range d {
		sub, isDict := dictOf(value)
		switch {
		case isDict:
			masked[key] = map[string]any(mask(sub))
		case python.IsSecret(key) && value != nil:
			masked[key] = python.Masked
		default:
			masked[key] = value
		}
	}
	return masked
}
