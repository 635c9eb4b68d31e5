// Package stepfile reads, checks and writes files of deploy templates (API 1.55) and runbooks (API 1.92), and compares
// them with those in Ironic. It does no I/O.
package stepfile

import "ironworks/models"

// Kind is the kind of the objects in a file.
type Kind int

// The kinds.
const (
	Template Kind = iota // deploy templates: steps under a trait that an instance asks for
	Runbook              // runbooks: steps for cleaning and servicing
)

// Noun is the name of the kind.
func (k Kind) Noun() string { return [...]string{"deploy template", "runbook"}[k] }

// Collection is the API's name of the kind.
func (k Kind) Collection() string { return [...]string{"deploy_templates", "runbooks"}[k] }

// order is the field of a step that orders the steps.
func (k Kind) order() string { return [...]string{"priority", "order"}[k] }

// stepKeys are the fields of a step.
func (k Kind) stepKeys() []string { return []string{"interface", "step", "args", k.order()} }

// fields are the fields of an object, besides uuid and name, in the order of a file.
func (k Kind) fields() []string {
	if k == Template {
		return []string{"description", "steps", "extra"}
	}
	return []string{"description", "steps", "disable_ramdisk", "public", "owner", "extra", "traits"}
}

// Feature is the feature that a list of fields needs; "" if every supported Ironic has it.
func (k Kind) Feature(fields ...string) models.Feature {
	if k == Template {
		return ""
	}
	for _, f := range fields {
		if f == "description" || f == "traits" {
			return models.FeatureRunbookTraits
		}
	}
	return models.FeatureRunbooks
}
