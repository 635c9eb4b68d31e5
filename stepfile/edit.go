package stepfile

import (
	"slices"

	"ironworks/models/hints"
)

// ParseEdit reads a file in which the operator has edited an existing object. Fields that were removed from the file
// become empty. Unchanged steps are omitted, so that the masks in their secrets are not an error.
func ParseEdit(data []byte, file string, existing *Item) ([]Item, error) {
	items, err := parse(data, file, &reader{kind: existing.Kind, names: map[string]int{}, keepsMasks: true})
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(items, func(item Item) bool {
		return item.UUID == existing.UUID || item.UUID == "" && item.Name == existing.Name
	})
	if i < 0 || !untouched(existing, &items[i]) {
		if items, err = Parse(data, file, existing.Kind); err != nil || i < 0 {
			return items, err
		}
	} else {
		items[i].Fields.Delete("steps")
	}
	for _, key := range existing.Kind.fields() {
		if now := existing.Fields.Get(key); key != "steps" && hints.PythonTruthy(now) && !items[i].Fields.Has(key) {
			items[i].Fields.Set(key, emptyValue(now))
		}
	}
	return items, nil
}

// untouched reports whether the edited steps equal the existing ones, masks included.
func untouched(existing, edited *Item) bool {
	kind := existing.Kind
	return hints.PythonSame(rankedValue(existing.Fields.Get("steps"), kind), rankedValue(edited.Fields.Get("steps"), kind))
}

// emptyValue returns the empty value of the same type, or nil.
func emptyValue(value any) any {
	switch value.(type) {
	case bool:
		return false
	case hints.PythonList:
		return hints.PythonList{}
	case *hints.PythonDict:
		return &hints.PythonDict{}
	}
	return nil
}

// Draft returns the text of a new object, for the operator to edit.
func (k Kind) Draft() string {
	return [...]string{
		`# The name is a trait: the template applies if the instance asks for it and the node has it.
# priority: the highest runs first; 0 disables a step of the driver.
name: CUSTOM_
steps:
  - {interface: deploy, step: erase_devices_metadata, priority: 95, args: {}}
`, `# A node needs one of the traits. order: the lowest runs first.
name: CUSTOM_
steps:
  - {interface: deploy, step: erase_devices_metadata, order: 1, args: {}}
disable_ramdisk: false
traits: [CUSTOM_]
`,
	}[k]
}
