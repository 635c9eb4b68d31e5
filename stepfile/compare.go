package stepfile

import (
	"slices"

	"ironworks/models"
	"ironworks/models/hints"
)

// Different returns the fields in which the wanted object differs from the existing one. Fields that the wanted
// object does not set are not compared. hidden contains fields that are equal except for secrets. These secrets
// cannot be compared, because the API masks them.
func Different(existing, wanted *Item) (fields []string, hidden []string) {
	if existing.Name != wanted.Name {
		fields = append(fields, "name")
	}
	for _, key := range wanted.Kind.fields() {
		if !wanted.Fields.Has(key) {
			continue
		}
		now, then := existing.Fields.Get(key), wanted.Fields.Get(key)
		if key == "steps" {
			now, then = rankedValue(now, wanted.Kind), rankedValue(then, wanted.Kind)
		}
		switch {
		case !hints.PythonTruthy(now) && !hints.PythonTruthy(then), hints.PythonSame(now, then), key == "traits" && sameSet(now, then):
		case hints.PythonSame(unmasked(now, then), then):
			hidden = append(hidden, key)
		default:
			fields = append(fields, key)
		}
	}
	return fields, hidden
}

func rankedValue(v any, kind Kind) any {
	if steps, ok := v.(hints.PythonList); ok {
		return ranked(steps, kind)
	}
	return v
}

func sameSet(a, b any) bool {
	x, isList := a.(hints.PythonList)
	y, isToo := b.(hints.PythonList)
	return isList && isToo && len(x) == len(y) && !slices.ContainsFunc(x, func(v any) bool { return !slices.Contains(y, v) })
}

// unmasked returns the existing value after replacing the API's masks with the wanted values.
func unmasked(now, then any) any {
	switch x := now.(type) {
	case string:
		if text, ok := then.(string); ok && x == models.Mask {
			return text
		}
	case hints.PythonList:
		y, ok := then.(hints.PythonList)
		if !ok || len(x) != len(y) {
			return now
		}
		list := make(hints.PythonList, len(x))
		for i := range x {
			list[i] = unmasked(x[i], y[i])
		}
		return list
	case *hints.PythonDict:
		y, ok := then.(*hints.PythonDict)
		if !ok {
			return now
		}
		d := &hints.PythonDict{}
		for _, key := range x.Keys() {
			d.Set(key, unmasked(x.Get(key), y.Get(key)))
		}
		return d
	}
	return now
}

// Merged returns the existing object, updated with the name and the fields of the wanted one.
func Merged(existing, wanted *Item) Item {
	m := Item{Kind: existing.Kind, UUID: existing.UUID, Name: wanted.Name, Fields: &hints.PythonDict{}}
	for _, from := range []*Item{existing, wanted} {
		for _, key := range from.Fields.Keys() {
			m.Fields.Set(key, from.Fields.Get(key))
		}
	}
	return m
}

// Masked returns the object with its secrets masked. A value is considered a secret if its key is named like one.
func Masked(item *Item) Item {
	m := *item
	m.Fields, _ = hints.PythonMasked("", item.Fields).(*hints.PythonDict)
	return m
}
