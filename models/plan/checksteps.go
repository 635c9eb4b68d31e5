package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ironworks/models"
)

func stepTexts(steps []models.Step) string {
	texts := make([]string, len(steps))
	for i, s := range steps {
		texts[i] = StepText(s)
	}
	return models.OrNone(strings.Join(texts, " "))
}

// checkInstallStep: a real Ironic takes a custom-agent node without one all the way to
// active, with nothing on its disk.
func checkInstallStep(f *Facts) finding {
	sent := models.Observed("steps", stepTexts(f.Steps))
	brought := f.brought()
	switch i := slices.IndexFunc(brought, func(s OrderedStep) bool { return IsInstallStep(s.Step) }); {
	case f.Interface() != KindCustomAgent.deployInterface():
		return finding{}
	case i >= 0 && f.guessedKind() && Kind(brought[i].Step.Step).installStep() == "":
		return bad(fmt.Sprintf("it is not known whether %s of %s installs, and the plan does not say what it is", brought[i].Label(), brought[i].Source),
			"kind: custom-agent where it does, kind: install_coreos where it does not", sent)
	case i >= 0 && brought[i].Source != SourcePlan:
		return good("a step installs", sent, models.Observed(brought[i].Source, StepText(brought[i].Step)))
	case i >= 0:
		return good("a step installs", sent)
	case f.WantsTemplates() && f.TemplatesError != "":
		return unknown("no step installs, but deploy templates of the instance's traits may bring one", "", sent)
	}
	return bad("custom-agent installs nothing by itself: without a step the node would be active with nothing on its disk",
		"--step deploy.install_coreos@80", sent)
}

// checkSteps finds what Ironic refuses, at once or as soon as the agent has called.
func checkSteps(f *Facts) finding {
	if len(f.Steps) == 0 {
		return finding{}
	}
	sent := models.Observed("steps", stepTexts(f.Steps))
	if wrong := wrongSteps(f.Steps); wrong != nil {
		return bad(strings.Join(wrong, "; "), "", sent)
	}
	return good("they can be sent", sent)
}

// wrongSteps is what Ironic refuses in a list of steps.
func wrongSteps(steps []models.Step) (wrong []string) {
	seen := map[string]bool{}
	for _, s := range steps {
		label := s.Label()
		switch {
		case s.Step == "":
			wrong = append(wrong, "a step has no name")
		case stepRank(s.Interface) == 0:
			wrong = append(wrong, fmt.Sprintf("%s: no interface %s has steps", label, s.Interface))
		case seen[label]:
			wrong = append(wrong, label+" is there twice")
		case label == "deploy.deploy" && priorityOf(s) != 0:
			wrong = append(wrong, "deploy.deploy can be switched off, but not moved")
		case priorityOf(s) < 0:
			wrong = append(wrong, label+" has a priority below 0")
		}
		seen[label] = true
		if takesNothing(s) && len(s.Args) > 0 {
			wrong = append(wrong, fmt.Sprintf("%s takes no arguments, and is given %s", label, strings.Join(slices.Sorted(maps.Keys(s.Args)), ", ")))
		}
	}
	return wrong
}

// takesNothing are the steps whose argsinfo is empty in every release: those of the
// CoreOS image's hardware manager, and Ironic's own.
func takesNothing(s models.Step) bool {
	return s.Interface == "deploy" && slices.Contains([]string{
		"install_coreos", "start_assisted_install", "deploy", "prepare_instance_boot", "tear_down_agent",
		"switch_to_tenant_network", "boot_instance",
	}, s.Step)
}

// checkStepOrder: above deploy there is no agent yet, below tear_down_agent none any
// longer.
func checkStepOrder(f *Facts) finding {
	if DriverSteps(f.Interface()) == nil {
		return finding{}
	}
	var merged []models.Step
	for _, s := range f.Order() {
		merged = append(merged, s.Step)
	}
	order := models.Observed("order", stepTexts(merged))
	place := func(name string) int {
		return slices.IndexFunc(merged, func(s models.Step) bool { return s.Interface == "deploy" && s.Step == name })
	}
	first, last := place("deploy"), place("tear_down_agent")
	var wrong []string
	if first < 0 {
		wrong = append(wrong, "deploy.deploy is switched off: nothing boots the agent")
	}
	for i, s := range merged {
		switch {
		case !IsInstallStep(s):
		case i < first || priorityOf(s) >= PriorityDeploy:
			wrong = append(wrong, s.Label()+" would run before the agent is there")
		case last >= 0 && i > last || priorityOf(s) <= PriorityTearDownAgent:
			wrong = append(wrong, s.Label()+" would run when the agent is gone")
		}
	}
	if wrong != nil {
		return bad(strings.Join(wrong, "; "), fmt.Sprintf("give it a priority between %d and %d", PriorityTearDownAgent+1, PriorityDeploy-1), order)
	}
	return good("what installs runs while the agent is there", order)
}

// checkStepOffered compares the in-band steps with what the node's agent offered the
// last time: a misspelt one fails only when the machine has booted.
func checkStepOffered(f *Facts) finding {
	own := DriverSteps(f.Interface())
	var inBand []models.Step
	for _, s := range f.brought() {
		isOwn := slices.ContainsFunc(own, func(o models.Step) bool { return sameStep(o, s.Step) })
		if s.Interface == "deploy" && !isOwn && priorityOf(s.Step) > 0 {
			inBand = append(inBand, s.Step)
		}
	}
	switch {
	case own == nil || len(inBand) == 0:
		return finding{}
	case f.Offered == nil || len(f.Offered.Steps) == 0:
		return unknown("it was never seen what the node's agent offers", "a deployment that is followed keeps it")
	}
	var names, wrong []string
	for _, o := range f.Offered.Steps {
		if o.Interface == "deploy" {
			names = append(names, o.Step)
		}
	}
	for _, s := range inBand {
		o := f.Offered.find(s)
		if o == nil {
			wrong = append(wrong, s.Label()+" was not offered")
			continue
		}
		for name := range s.Args {
			if _, takes := o.Args[name]; !takes {
				wrong = append(wrong, fmt.Sprintf("%s takes no argument %s", s.Label(), name))
			}
		}
		for name, info := range o.Args {
			if _, given := s.Args[name]; info.Required && !given {
				wrong = append(wrong, fmt.Sprintf("%s needs the argument %s", s.Label(), name))
			}
		}
	}
	at := f.sawAt(f.Offered.At.Time, "offered", strings.Join(names, " "))
	if wrong != nil {
		slices.Sort(wrong)
		return bad(strings.Join(wrong, "; "), "", at)
	}
	return good("the agent offered them the last time", at)
}
