package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/models/steps"
)

func stepTexts(list []models.Step) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = StepText(s)
	}
	return models.OrNone(strings.Join(texts, " "))
}

// checkInstallStep requires a step that installs a system. Without such a step, Ironic would make a custom-agent node
// active with an empty disk.
func checkInstallStep(f *Facts) finding {
	sent := models.Observed("steps", stepTexts(f.Steps))
	brought := f.addedSteps()
	switch i := slices.IndexFunc(brought, func(s OrderedStep) bool { return IsInstallStep(s.Step) }); {
	case f.Interface() != KindCustomAgent.deployInterface():
		return finding{}
	case i >= 0 && f.guessedKind() && Kind(brought[i].Step.Step).installStep() == "":
		return fail(fmt.Sprintf("cannot tell whether %s from %s installs a system, and the plan sets no kind", brought[i].Label(), brought[i].Source),
			"set kind: custom-agent if the step installs, kind: install_coreos if not", sent).
			onScreen("set the kind on the Ramdisk page: custom-agent if the step installs, install_coreos if not")
	case i >= 0 && brought[i].Source != SourcePlan:
		return pass("an installing step is set", sent, models.Observed(brought[i].Source, StepText(brought[i].Step)))
	case i >= 0:
		return pass("an installing step is set", sent)
	case f.WantsTemplates() && f.TemplatesError != "":
		return unknown("no installing step, but deploy templates of the instance's traits may add one", "", sent)
	}
	return fail("custom-agent installs nothing by itself: without a step, the node becomes active with an empty disk",
		"add --step deploy.install_coreos@80", sent).onScreen("add deploy.install_coreos with priority 80 on the Steps page")
}

// checkInstallOnce refuses a deployment with more than one step that is known to install a system. For example, a
// template's start_assisted_install does not replace the plan's install_coreos, so that both would run.
func checkInstallOnce(f *Facts) finding {
	known := []string{"install_coreos", "start_assisted_install", "write_image", "execute_bootc_install"}
	order := plainSteps(f.Order())
	at := models.Observed("order", stepTexts(order))
	install := slices.DeleteFunc(order, func(s models.Step) bool {
		return s.Interface != "deploy" || !slices.Contains(known, s.Step) || priorityOf(s) == 0
	})
	switch len(install) {
	case 0:
		return finding{}
	case 1:
		return pass("one step installs", at)
	}
	return fail(fmt.Sprintf("%d steps install a system, each overwriting the previous one: %s", len(install), stepTexts(install)),
		"keep the step that installs the system, and set the priority of the others to 0", at).
		onScreen("remove all but one on the Steps page, or set the priority of the others to 0")
}

// checkSteps finds steps that Ironic rejects, either immediately or after the agent has called back.
func checkSteps(f *Facts) finding {
	if len(f.Steps) == 0 {
		return finding{}
	}
	sent := models.Observed("steps", stepTexts(f.Steps))
	wrong := wrongSteps(f.Steps)
	interfaces := steps.InterfacesOf(f.Node)
	if interfaces["deploy"] != "" {
		interfaces["deploy"] = f.Interface() // the deployment may set the interface
	}
	for _, s := range f.Steps {
		if f.Offered != nil && f.Offered.find(s) != nil {
			continue // checkStepOffered compares the arguments with those that the agent reported
		}
		for _, p := range interfaces.Check(s, models.DeploySteps) {
			if p.Certain {
				wrong = append(wrong, p.Text)
			}
		}
	}
	if wrong != nil {
		return fail(strings.Join(wrong, "; "), "", sent)
	}
	if i := slices.IndexFunc(f.Steps, func(s models.Step) bool { return steps.Reserved(s.Step) }); i >= 0 {
		return pass("valid, but Ironic drops "+f.Steps[i].Label()+" from deployments", sent)
	}
	return pass("valid", sent)
}

// wrongSteps returns the problems that make Ironic reject the steps.
func wrongSteps(list []models.Step) (wrong []string) {
	seen := map[string]bool{}
	for _, s := range list {
		label := s.Label()
		switch {
		case s.Step == "":
			wrong = append(wrong, "a step has no name")
		case stepRank(s.Interface) == 0:
			wrong = append(wrong, fmt.Sprintf("%s: the %s interface has no steps", label, s.Interface))
		case seen[label] && !steps.Reserved(s.Step): // Ironic drops reserved steps before it looks for duplicates
			wrong = append(wrong, label+" is listed twice")
		case label == "deploy.deploy" && priorityOf(s) != 0:
			wrong = append(wrong, "deploy.deploy can be disabled, but not moved")
		case priorityOf(s) < 0:
			wrong = append(wrong, label+" has a negative priority")
		}
		seen[label] = true
	}
	return wrong
}

// checkStepOrder checks the priorities of the steps that may install a system. The agent runs only between the deploy
// and tear_down_agent steps.
func checkStepOrder(f *Facts) finding {
	if DriverSteps(f.Interface()) == nil {
		return finding{}
	}
	merged := plainSteps(f.Order())
	order := models.Observed("order", stepTexts(merged))
	place := func(name string) int {
		return slices.IndexFunc(merged, func(s models.Step) bool { return s.Interface == "deploy" && s.Step == name })
	}
	first, last := place("deploy"), place("tear_down_agent")
	var wrong []string
	if first < 0 {
		wrong = append(wrong, "deploy.deploy is disabled: the agent would not boot")
	}
	for i, s := range merged {
		switch {
		case !IsInstallStep(s):
		case i < first || priorityOf(s) >= PriorityDeploy:
			wrong = append(wrong, s.Label()+" would run before the agent boots")
		case last >= 0 && i > last || priorityOf(s) <= PriorityTearDownAgent:
			wrong = append(wrong, s.Label()+" would run after the agent stops")
		}
	}
	if wrong != nil {
		return fail(strings.Join(wrong, "; "), fmt.Sprintf("set a priority between %d and %d", PriorityTearDownAgent+1, PriorityDeploy-1), order)
	}
	return pass("installing steps run while the agent runs", order)
}

// checkStepOffered compares in-band steps with those that the node's agent last reported. Without this check, a
// misspelled step would fail only after the machine has booted.
func checkStepOffered(f *Facts) finding {
	own := DriverSteps(f.Interface())
	var inBand []models.Step
	for _, s := range f.addedSteps() {
		isOwn := slices.ContainsFunc(own, func(o models.Step) bool { return sameStep(o, s.Step) })
		if s.Interface == "deploy" && !isOwn && priorityOf(s.Step) > 0 {
			inBand = append(inBand, s.Step)
		}
	}
	switch {
	case own == nil || len(inBand) == 0:
		return finding{}
	case f.Offered == nil || len(f.Offered.Steps) == 0:
		return unknown("agent steps unknown", "they are recorded during the next watched deployment")
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
				wrong = append(wrong, fmt.Sprintf("%s takes no %s argument", s.Label(), name))
			}
		}
		for name, info := range o.Args {
			if _, given := s.Args[name]; info.Required && !given {
				wrong = append(wrong, fmt.Sprintf("%s needs the %s argument", s.Label(), name))
			}
		}
	}
	at := f.sawAt(f.Offered.At.Time, "offered", strings.Join(names, " "))
	if wrong != nil {
		slices.Sort(wrong)
		return fail(strings.Join(wrong, "; "), "", at)
	}
	return pass("offered by the agent when last seen", at)
}
