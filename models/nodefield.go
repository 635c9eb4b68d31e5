package models

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// nodeFields maps the API's field names to the indexes of those fields of [Node] that hold the whole value.
// driver_internal_info is not included, because Node holds only part of it.
var nodeFields = func() map[string]int {
	fields := map[string]int{}
	for i := range reflect.TypeFor[Node]().NumField() {
		if name := reflect.TypeFor[Node]().Field(i).Tag.Get("json"); name != "-" && name != "driver_internal_info" {
			fields[name] = i
		}
	}
	return fields
}()

// WholeFields returns the given API fields whose complete values are found only in [Node.Whole].
func WholeFields(fields []string) []string {
	var whole []string
	for _, f := range fields {
		if _, typed := nodeFields[f]; !typed {
			whole = append(whole, f)
		}
	}
	return whole
}

// Field returns the value at the given path of the node's JSON, or nil if there is none. The value is a string,
// number, bool, []any or map[string]any. Keys may contain dots. loaded is false if the field was not read.
func (n *Node) Field(path ...string) (value any, loaded bool) {
	if i, typed := nodeFields[path[0]]; typed {
		value, loaded = plain(reflect.ValueOf(n).Elem().Field(i).Interface())
	} else if value, loaded = n.Whole[path[0]]; !loaded && n.Raw != nil {
		var all map[string]any
		if json.Unmarshal(n.Raw, &all) != nil {
			return nil, false
		}
		value, loaded = all[path[0]]
	}
	return within(value, path[1:]), loaded
}

// plain converts the value of a [Node] field to the type that encoding/json would use for it.
func plain(v any) (value any, loaded bool) {
	switch v := v.(type) {
	case string, bool:
		return v, true
	case map[string]any:
		return v, v != nil
	case Time:
		if v.IsZero() {
			return nil, true
		}
		return v.Format(time.RFC3339), true
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, false
	}
	return value, json.Unmarshal(data, &value) == nil
}

// within returns the part of v at the given path, which may include object keys and list indexes.
func within(v any, path []string) any {
	if len(path) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		for used := len(path); used > 0; used-- {
			if below, there := v[strings.Join(path[:used], ".")]; there { //nolint:gosec // used is at most the length
				return within(below, path[used:]) //nolint:gosec // as above
			}
		}
	case []any:
		if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && i < len(v) {
			return within(v[i], path[1:])
		}
	}
	return nil
}
