package db

import (
	"encoding/json"
	"reflect"
)

// Clone returns a deep copy of a row.
func Clone[T any](row *T) *T {
	copied := *row
	cloneFields(reflect.ValueOf(&copied).Elem(), func(value any) any { return value })
	return &copied
}

func cloneAll[T any](values []T) []T {
	copied := make([]T, len(values))
	for i := range values {
		copied[i] = *Clone(&values[i])
	}
	return copied
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
	cloneFields(to.Elem(), func(value any) any {
		if number, is := value.(json.Number); is && !json.Valid([]byte(number)) {
			return nil
		}
		return value
	})
	return to.Interface()
}

// cloneFields replaces the pointers, lists and maps in a struct with copies, so that the struct shares no data with
// the one from which it was copied. leaf converts the values in each [Dict] that are neither objects nor lists.
func cloneFields(row reflect.Value, leaf func(any) any) {
	for i := range row.NumField() {
		if field := row.Field(i); field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice || field.Kind() == reflect.Map {
			field.Set(cloned(field, leaf))
		}
	}
}

// cloned returns a deep copy of a field. The field is a pointer to a plain value, a [Dict], or a list or map of such
// values.
func cloned(v reflect.Value, leaf func(any) any) reflect.Value {
	if dict, is := v.Interface().(Dict); is {
		return reflect.ValueOf(dict.clone(leaf))
	}
	if kind := v.Kind(); kind != reflect.Pointer && kind != reflect.Slice && kind != reflect.Map || v.IsNil() {
		return v
	}
	var copied reflect.Value
	switch v.Kind() { //nolint:exhaustive // the others were returned
	case reflect.Pointer:
		copied = reflect.New(v.Type().Elem())
		copied.Elem().Set(v.Elem())
	case reflect.Slice:
		copied = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			copied.Index(i).Set(cloned(v.Index(i), leaf))
		}
	default:
		copied = reflect.MakeMapWithSize(v.Type(), v.Len())
		for item := v.MapRange(); item.Next(); {
			copied.SetMapIndex(item.Key(), cloned(item.Value(), leaf))
		}
	}
	return copied
}

func (n *Node) meta() meta            { return meta{&n.ID, &n.UUID, &n.CreatedAt, &n.UpdatedAt} }
func (p *Port) meta() meta            { return meta{&p.ID, &p.UUID, &p.CreatedAt, &p.UpdatedAt} }
func (g *Portgroup) meta() meta       { return meta{&g.ID, &g.UUID, &g.CreatedAt, &g.UpdatedAt} }
func (a *Allocation) meta() meta      { return meta{&a.ID, &a.UUID, &a.CreatedAt, &a.UpdatedAt} }
func (t *DeployTemplate) meta() meta  { return meta{&t.ID, &t.UUID, &t.CreatedAt, &t.UpdatedAt} }
func (r *InspectionRule) meta() meta  { return meta{&r.ID, &r.UUID, &r.CreatedAt, &r.UpdatedAt} }
func (r *Runbook) meta() meta         { return meta{&r.ID, &r.UUID, &r.CreatedAt, &r.UpdatedAt} }
func (c *Chassis) meta() meta         { return meta{&c.ID, &c.UUID, &c.CreatedAt, &c.UpdatedAt} }
func (v *VolumeConnector) meta() meta { return meta{&v.ID, &v.UUID, &v.CreatedAt, &v.UpdatedAt} }
func (v *VolumeTarget) meta() meta    { return meta{&v.ID, &v.UUID, &v.CreatedAt, &v.UpdatedAt} }

// Dict is a JSON object such as a node's properties or driver_info. Its values have the types to which encoding/json
// decodes; numbers may be a json.Number or have any numeric type of Go.
type Dict map[string]any

// Clone returns a deep copy. A nil Dict represents JSON's null and stays nil.
func (d Dict) Clone() Dict { return d.clone(func(value any) any { return value }) }

func (d Dict) clone(leaf func(any) any) Dict {
	if d == nil {
		return nil
	}
	copied := make(Dict, len(d))
	for key, value := range d {
		copied[key] = cloneValue(value, leaf)
	}
	return copied
}

func cloneValue(value any, leaf func(any) any) any {
	switch v := value.(type) {
	case Dict:
		return v.clone(leaf)
	case map[string]any:
		return map[string]any(Dict(v).clone(leaf))
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = cloneValue(v[i], leaf)
		}
		return copied
	default:
		return leaf(v)
	}
}

// Text returns the string stored under key. It returns an empty string if the key is missing or its value is not a
// string.
func (d Dict) Text(key string) string {
	s, _ := d[key].(string)
	return s
}
