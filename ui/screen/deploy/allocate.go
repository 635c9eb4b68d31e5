package deploy

import (
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/widget/form"
)

const (
	keyReserve = "reserve"
	keyClass   = "allocate class"
	keyTraits  = "allocate traits"
)

const (
	reserveByHand   = "instance_uuid"
	reserveByIronic = "allocation"
)

// allocateFields returns the fields of the Ramdisk page that describe an allocation.
func allocateFields(f plan.Fields, n *models.Node) []form.Field {
	const section = "Reservation"
	fields := []form.Field{{
		Key: keyReserve, Section: section, Label: "By", Kind: form.Choice, Options: []string{reserveByHand, reserveByIronic},
		Help: textAllocateHelp,
	}}
	if !f.Allocate.Asked() {
		return fields
	}
	class := "the node has none"
	if n.ResourceClass != "" {
		class = "the node's: " + n.ResourceClass
	}
	return append(fields,
		form.Field{Key: keyClass, Section: section, Label: "Class", Placeholder: class, Help: textClassHelp},
		form.Field{
			Key: keyTraits, Section: section, Label: "Traits", Suggestions: n.Traits, Placeholder: "none",
			Help: textTraitsHelp,
		},
	)
}

func allocateValues(f plan.Fields) map[string]string {
	if !f.Allocate.Asked() {
		return map[string]string{keyReserve: reserveByHand}
	}
	return map[string]string{keyReserve: reserveByIronic, keyClass: f.Allocate.ResourceClass, keyTraits: strings.Join(f.Allocate.Traits, " ")}
}

// setAllocate stores the value of an allocation field in the plan. To disable an allocation, it stores an explicit
// "off", because the plan may request an allocation for all nodes.
func setAllocate(f *plan.Fields, key, value string) {
	a := plan.Allocate{}
	if f.Allocate.Asked() {
		a = *f.Allocate
	}
	switch key {
	case keyReserve:
		a = plan.Allocate{Off: value != reserveByIronic}
	case keyClass:
		a.ResourceClass = strings.TrimSpace(value)
	case keyTraits:
		a.Traits = strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || r == ',' })
	}
	f.Allocate = &a
}
