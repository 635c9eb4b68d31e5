package raid

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"ironworks/models/hints"
)

// pythonOf converts a value decoded from YAML or JSON to a Python value, because Ironic's errors quote values. The
// keys of a map are sorted; a *hints.PythonDict keeps its order.
func pythonOf(v any) any {
	switch v := v.(type) {
	case json.Number:
		return hints.PythonNumber(v.String())
	case int, int64, uint64:
		return hints.PythonInt(fmt.Sprint(v))
	case []any:
		list := make(hints.PythonList, len(v))
		for i := range v {
			list[i] = pythonOf(v[i])
		}
		return list
	case map[string]any:
		d := &hints.PythonDict{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			d.Set(key, pythonOf(v[key]))
		}
		return d
	}
	return v
}
