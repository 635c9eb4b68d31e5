// Package stepfile reads, checks and writes files that define deploy templates (API 1.55) and runbooks (API 1.92). It
// compares them with the objects in Ironic. It does no I/O.
package stepfile

import "ironworks/models"

// Kind is the kind of the objects in a file.
type Kind int

// The kinds.
const (
	Template Kind = iota // deploy templates: steps that run if an instance asks for the template's trait
	Runbook              // runbooks: steps for cleaning and servicing
)

// Noun returns the name of the kind.
func (k Kind) Noun() string { return [...]string{"deploy template", "runbook"}[k] }

// Collection returns the API's name for a collection of this kind.
func (k Kind) Collection() string { return [...]string{"deploy_templates", "runbooks"}[k] }

// order returns the field of a step by which steps are ordered.
func (k Kind) order() string { return [...]string{"priority", "order"}[k] }

// stepKeys returns the fields of a step.
func (k Kind) stepKeys() []string { return []string{"interface", "step", "args", k.order()} }

// fields returns the fields of an object, besides uuid and name, in the order in which files contain them.
func (k Kind) fields() []string {
	if k == Template {
		return []string{"description", "steps", "extra"}
	}
	return []string{"description", "steps", "disable_ramdisk", "public", "owner", "extra", "traits"}
}

// Feature returns the API feature that the given fields need, or "" if every supported Ironic has them.
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
