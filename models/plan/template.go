package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/steps"
)

// Values of [OrderedStep.Source]. For the steps of a template, [TemplateSource] returns the value.
const (
	SourceDriver = "driver"
	SourcePlan   = "plan"
)

// TemplateSource returns the value of [OrderedStep.Source] for the steps of the named template.
func TemplateSource(name string) string { return "template " + name }

// OrderedStep is a deploy step together with the source that requests it.
type OrderedStep struct {
	models.Step
	Source string `json:"source"`
}

// TemplateText formats the steps of a template on one line, each with its priority.
func TemplateText(t models.DeployTemplate) string { return stepTexts(t.Steps) }

// InstanceTraits returns the traits that the instance will have. The error says why Ironic cannot read the traits in
// instance_info.
func (f *Facts) InstanceTraits() ([]string, error) {
	if f.Plan.Traits != nil {
		return f.Plan.Traits, nil
	}
	if f.Allocates() { // an allocation overwrites the traits, even if it requests none (ironic/db/sqlalchemy/api.py, update_allocation)
		return f.Plan.Allocate.Traits, nil
	}
	value, there := f.Node.InstanceInfo["traits"]
	if !there || value == nil || value == "" {
		return nil, nil
	}
	list, isList := value.([]any)
	if !isList {
		return nil, fmt.Errorf("instance_info.traits is not a list")
	}
	traits := make([]string, len(list))
	for i, item := range list {
		var isText bool
		if traits[i], isText = item.(string); !isText {
			return nil, fmt.Errorf("instance_info.traits has an element that is not a string")
		}
	}
	return traits, nil
}

// WantsTemplates reports whether the instance has traits, which may select templates.
func (f *Facts) WantsTemplates() bool {
	traits, err := f.InstanceTraits()
	return err == nil && len(traits) > 0
}

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

func (f *Facts) templateSteps() []OrderedStep {
	var steps []OrderedStep
	for _, t := range f.templates() {
		for _, s := range t.Steps {
			steps = append(steps, OrderedStep{s, TemplateSource(t.Name)})
		}
	}
	return steps
}

// guessedKind reports whether the plan leaves the kind open, so that only the templates and the deploy interface
// determine it.
func (f *Facts) guessedKind() bool { return f.Plan.Kind == "" && len(f.Plan.Steps) == 0 }

// addedSteps returns the steps that are added to the driver's own: the steps to send, and those steps of the
// templates that the steps to send do not replace.
func (f *Facts) addedSteps() []OrderedStep {
	steps := make([]OrderedStep, 0, len(f.Steps))
	for _, s := range f.Steps {
		steps = append(steps, OrderedStep{s, SourcePlan})
	}
	return withoutSame(steps, f.templateSteps())
}

// withoutSame appends the other steps to the first list, except for those that are already in it.
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

// Order returns the steps of the deployment in Ironic's order. The driver's steps are missing if they are unknown.
func (f *Facts) Order() []OrderedStep { return orderedSteps(f.Interface(), f.addedSteps()) }

func plainSteps(list []OrderedStep) []models.Step {
	plain := make([]models.Step, len(list))
	for i, s := range list {
		plain[i] = s.Step
	}
	return plain
}

// Disabled returns the plan's and the templates' steps that will not run. These are steps with priority 0, which also
// disable the driver's step with the same name, and steps that Ironic drops ([steps.Reserved]).
func (f *Facts) Disabled() []OrderedStep {
	return slices.DeleteFunc(f.addedSteps(), func(s OrderedStep) bool { return priorityOf(s.Step) > 0 && !steps.Reserved(s.Step.Step) })
}

// checkTraits checks the instance's traits. Ironic rejects traits that the node does not have
// (ironic/conductor/utils.py, validate_instance_info_traits).
func checkTraits(f *Facts) finding {
	traits, err := f.InstanceTraits()
	switch {
	case err != nil:
		return fail(err.Error(), "ironworks set "+f.Node.Label()+" instance_info.traits-", models.Observed("instance_info.traits", f.Node.InstanceInfo["traits"])).
			onScreen(models.RunKey("set", "instance_info.traits-"))
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
		return fail("the node lacks "+strings.Join(lacks, ", "), "ironworks set "+f.Node.Label()+" traits+="+strings.Join(lacks, ","), at...).
			onScreen(models.RunKey("set", "traits+="+strings.Join(lacks, ",")))
	}
	return pass("all present", at...)
}

// checkTemplates finds steps in the templates that Ironic rejects. Ironic validates the steps of all selected
// templates as one list.
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
		return pass("no deploy template for the instance's traits")
	}
	if wrong := wrongSteps(steps); wrong != nil {
		return fail("in the combined deploy templates: "+strings.Join(wrong, "; "), "remove a trait, or change a template", at...)
	}
	return pass("the steps of the deploy templates are added", at...)
}
