package db

import (
	"reflect"
	"testing"
)

// filled returns a row in which every pointer is set and every list and map has an element.
func filled[T any]() *T {
	row := new(T)
	v := reflect.ValueOf(row).Elem()
	for i := range v.NumField() {
		switch field := v.Field(i); field.Kind() { //nolint:exhaustive // nothing else is shared
		case reflect.Pointer:
			field.Set(reflect.New(field.Type().Elem()))
		case reflect.Slice:
			field.Set(reflect.MakeSlice(field.Type(), 1, 1))
			if field.Type().Elem() == reflect.TypeFor[Dict]() {
				field.Index(0).Set(reflect.ValueOf(Dict{"a": []any{"b"}}))
			}
		case reflect.Map:
			field.Set(reflect.MakeMap(field.Type()))
			if field.Type() == reflect.TypeFor[Dict]() {
				field.Set(reflect.ValueOf(Dict{"a": map[string]any{"b": "c"}}))
			}
		}
	}
	return row
}

func checkClone[T any](t *testing.T) {
	t.Helper()
	row := filled[T]()
	copied := Clone(row)
	if !reflect.DeepEqual(row, copied) {
		t.Errorf("%+v became %+v", row, copied)
	}
	from, to := reflect.ValueOf(row).Elem(), reflect.ValueOf(copied).Elem()
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		switch field := from.Field(i); field.Kind() { //nolint:exhaustive // nothing else is shared
		case reflect.Pointer, reflect.Slice, reflect.Map:
			if field.Pointer() == to.Field(i).Pointer() {
				t.Errorf("%T shares %s", *row, name)
			}
			if list, is := field.Interface().([]Dict); is {
				if other, _ := to.Field(i).Interface().([]Dict); reflect.ValueOf(list[0]).Pointer() == reflect.ValueOf(other[0]).Pointer() {
					t.Errorf("%T shares an element of %s", *row, name)
				}
			}
		}
	}
	var empty T
	if !reflect.DeepEqual(*Clone(&empty), empty) {
		t.Errorf("the copy of an empty %T is not empty", empty)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	checkClone[Node](t)
	checkClone[Port](t)
	checkClone[Portgroup](t)
	checkClone[Allocation](t)
	checkClone[DeployTemplate](t)
	checkClone[InspectionRule](t)
	checkClone[Runbook](t)
	checkClone[Chassis](t)
	checkClone[VolumeConnector](t)
	checkClone[VolumeTarget](t)
	checkClone[History](t)
	checkClone[Inventory](t)
	checkClone[BIOSSetting](t)
	checkClone[Firmware](t)
	checkClone[Conductor](t)
}
