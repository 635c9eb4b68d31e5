package deploy

import (
	"strings"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/ui/widget/form"
)

// The keys of the fields that say how the node is reserved.
const (
	keyReserve = "reserve"
	keyClass   = "allocate class"
	keyTraits  = "allocate traits"
)

// The ways to reserve a node.
const (
	reserveByHand   = "instance_uuid"
	reserveByIronic = "allocation"
)

// allocateFields are those of the first page that ask for an allocation, and of one for
// what it has to be.
func allocateFields(f plan.Fields, n *models.Node) []form.Field {
	const section = "How the node is reserved"
	fields := []form.Field{{
		Key: keyReserve, Section: section, Label: "By", Kind: form.Choice, Options: []string{reserveByHand, reserveByIronic},
		Help: "an allocation is Ironic's own way: it lists who has what, and takes available nodes of a resource class only (API 1.52)",
	}}
	if !f.Allocate.Asked() {
		return fields
	}
	class := "the node has none"
	if n.ResourceClass != "" {
		class = models.Printable("the node's: " + n.ResourceClass)
	}
	return append(fields,
		form.Field{Key: keyClass, Section: section, Label: "Class", Placeholder: class, Help: "resource class that is asked for; empty is the node's own"},
		form.Field{
			Key: keyTraits, Section: section, Label: "Traits", Suggestions: n.Traits, Placeholder: "none",
			Help: "traits that are asked for, with blanks between; they become the instance's, unless the page Steps chooses others",
		},
	)
}

// allocateValues are the plan's for these fields.
func allocateValues(f plan.Fields) map[string]string {
	if !f.Allocate.Asked() {
		return map[string]string{keyReserve: reserveByHand}
	}
	return map[string]string{keyReserve: reserveByIronic, keyClass: f.Allocate.ResourceClass, keyTraits: strings.Join(f.Allocate.Traits, " ")}
}

// setAllocate writes one of the fields into the plan. An allocation that is asked for no
// more is said to be off: of a larger plan the others may have one.
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
