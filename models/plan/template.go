package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// The sources of steps; those of a template are [TemplateSource].
const (
	SourceDriver = "driver"
	SourcePlan   = "plan"
)

// TemplateSource is the source of the steps of a template.
func TemplateSource(name string) string { return "template " + name }

// OrderedStep is a step of the list that Ironic will run, with where it comes from.
type OrderedStep struct {
	models.Step
	Source string `json:"source"`
}

// TemplateText is what the template brings, for people.
func TemplateText(t models.DeployTemplate) string { return stepTexts(t.Steps) }

// InstanceTraits are the traits that the instance will have; the error says why Ironic
// cannot read those of the node.
func (f *Facts) InstanceTraits() ([]string, error) {
	if f.Plan.Traits != nil {
		return f.Plan.Traits, nil
	}
	if f.Allocates() { // it writes its own over those of the node, none too (ironic/db/sqlalchemy/api.py, update_allocation)
		return f.Plan.Allocate.Traits, nil
	}
	value, there := f.Node.InstanceInfo["traits"]
	if !there || value == nil || value == "" {
		return nil, nil
	}
	list, isList := value.([]any)
	if !isList {
		return nil, fmt.Errorf("instance_info.traits is no list")
	}
	traits := make([]string, len(list))
	for i, item := range list {
		var isText bool
		if traits[i], isText = item.(string); !isText {
			return nil, fmt.Errorf("instance_info.traits has something else than text in it")
		}
	}
	return traits, nil
}

// WantsTemplates says that the instance has traits, which templates may be called by.
func (f *Facts) WantsTemplates() bool {
	traits, err := f.InstanceTraits()
	return err == nil && len(traits) > 0
}

// templates are those of the instance's traits.
func (f *Facts) templates() []models.DeployTemplate {
	traits, err := f.InstanceTraits()
	if err != nil {
		return nil
	}
	var matching []models.DeployTemplate
	for _, t := range f.Templates {
		if slices.Contains(traits, t.Name) {
			matching = append(matching, t)
		}
	}
	return matching
}

// templateSteps are the steps that templates bring along.
func (f *Facts) templateSteps() []OrderedStep {
	var steps []OrderedStep
	for _, t := range f.templates() {
		for _, s := range t.Steps {
			steps = append(steps, OrderedStep{s, TemplateSource(t.Name)})
		}
	}
	return steps
}

// guessedKind says that nothing but templates made the kind of the deployment.
func (f *Facts) guessedKind() bool { return f.Plan.Kind == "" && len(f.Plan.Steps) == 0 }

// brought are the steps that come to the driver's: those that are sent, and those of
// templates in whose place none is sent.
func (f *Facts) brought() []OrderedStep {
	steps := make([]OrderedStep, 0, len(f.Steps))
	for _, s := range f.Steps {
		steps = append(steps, OrderedStep{s, SourcePlan})
	}
	return withoutSame(steps, f.templateSteps())
}

// withoutSame appends those of the others that are no step of the list yet.
func withoutSame(steps, others []OrderedStep) []OrderedStep {
	before := steps
	for _, o := range others {
		if !slices.ContainsFunc(before, func(s OrderedStep) bool { return sameStep(s.Step, o.Step) }) {
			steps = append(steps, o)
		}
	}
	return steps
}

func sameStep(s models.Step, o models.Step) bool {
	return s.Interface == o.Interface && s.Step == o.Step
}

// Order is the list of steps as Ironic will run it, as far as the driver's are known.
func (f *Facts) Order() []OrderedStep { return orderedSteps(f.Interface(), f.brought()) }

// checkTraits: Ironic refuses an instance with a trait that its node does not have
// (ironic/conductor/utils.py, validate_instance_info_traits).
func checkTraits(f *Facts) finding {
	traits, err := f.InstanceTraits()
	switch {
	case err != nil:
		return bad(err.Error(), "ironworks set "+f.Node.Label()+" instance_info.traits-", models.Observed("instance_info.traits", f.Node.InstanceInfo["traits"]))
	case len(traits) == 0:
		return finding{}
	}
	at := []models.Observation{models.Observed("traits of the instance", strings.Join(traits, " ")), models.Observed("traits of the node", models.OrNone(strings.Join(f.Node.Traits, " ")))}
	var lacks []string
	for _, t := range traits {
		if !slices.Contains(f.Node.Traits, t) {
			lacks = append(lacks, t)
		}
	}
	if lacks != nil {
		return bad("the node lacks "+strings.Join(lacks, ", "), "ironworks set "+f.Node.Label()+" traits+="+strings.Join(lacks, ","), at...)
	}
	return good("the node has them", at...)
}

// checkTemplates finds what Ironic refuses in the templates of the instance's traits,
// all of whose steps it takes for one list.
func checkTemplates(f *Facts) finding {
	if !f.WantsTemplates() {
		return finding{}
	}
	if f.TemplatesError != "" {
		return unknown("the deploy templates could not be read: "+f.TemplatesError, "")
	}
	var at []models.Observation
	var steps []models.Step
	for _, t := range f.templates() {
		at = append(at, models.Observed(t.Name, stepTexts(t.Steps)))
		steps = append(steps, t.Steps...)
	}
	if len(at) == 0 {
		return good("no deploy template is called by a trait of the instance")
	}
	if wrong := wrongSteps(steps); wrong != nil {
		return bad("of the deploy templates together: "+strings.Join(wrong, "; "), "take a trait away, or change a template", at...)
	}
	return good("their steps are added", at...)
}
