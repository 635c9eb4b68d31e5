package python

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"

	"ironworks/models/hints"
)

// Str is str() of a value that came as JSON.
func Str(value any) string { return hints.PythonStr(valueOf(value)) }

// Repr is repr() of a value that came as JSON. Objects that are steps have
// their keys in Ironic's order, those of others are sorted: the order in the
// text that came is not kept. A hints.PythonDict keeps its own.
func Repr(value any) string { return hints.PythonRepr(valueOf(value)) }

// ReprJSON shows a JSON document, with its keys in their order. What is no
// JSON is shown as a string.
func ReprJSON(raw []byte) string {
	if len(raw) == 0 {
		return hints.PythonRepr(nil)
	}
	value, err := hints.DecodePython(raw)
	if err != nil {
		return hints.PythonRepr(string(raw))
	}
	return hints.PythonRepr(value)
}

// valueOf makes of Go's values what Python has.
func valueOf(value any) any {
	switch v := value.(type) {
	case nil, bool, string, float64, hints.PythonInt, hints.PythonList, *hints.PythonDict:
		return v
	case json.Number:
		if f, err := v.Float64(); err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return f
		}
		return hints.PythonNumber(v.String())
	}
	switch v := reflect.ValueOf(value); v.Kind() { //nolint:exhaustive // the default is the rest
	case reflect.Slice:
		items := make(hints.PythonList, v.Len())
		for i := range items {
			items[i] = valueOf(v.Index(i).Interface())
		}
		return items
	case reflect.Map:
		return dictOf(v)
	default:
		return hints.PythonInt(fmt.Sprint(value)) // Go's whole numbers
	}
}

func dictOf(v reflect.Value) *hints.PythonDict {
	keys := make([]string, 0, v.Len())
	for _, key := range v.MapKeys() {
		keys = append(keys, key.String())
	}
	d := &hints.PythonDict{}
	for _, key := range inOrder(keys) {
		item := v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key()))
		d.Set(key, valueOf(item.Interface()))
	}
	return d
}

// The orders of the keys of steps: what a client gave, what the agent told and
// what interfaces declare.
var (
	userStep     = []string{"interface", "step", "args", "order", "execute_on_child_nodes", "limit_child_node_execution", "abortable", "priority"}
	agentStep    = []string{"step", "priority", "interface", "reboot_requested", "abortable", "argsinfo", "requires_ramdisk"}
	declaredStep = []string{"step", "priority", "abortable", "argsinfo", "interface", "requires_ramdisk"}
)

// inOrder sorts the keys of an object as Python would have them, where that is
// known.
func inOrder(keys []string) []string {
	slices.Sort(keys)
	if !slices.Contains(keys, "step") {
		return keys
	}
	order := userStep
	switch {
	case slices.Contains(keys, "reboot_requested"):
		order = agentStep
	case slices.Contains(keys, "argsinfo"):
		order = declaredStep
	}
	rank := func(key string) int {
		if i := slices.Index(order, key); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}
