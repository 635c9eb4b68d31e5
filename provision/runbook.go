package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/stepfile"
)

// RunRunbook returns an action that cleans or services nodes with the steps of a runbook. r contains the verb and the
// runbook's name or UUID. Preflight reads the runbook. The action then checks the traits of each node and the steps
// as Ironic does (ironic/api/controllers/v1/node.py, _handle_runbook, 39.0.0).
func RunRunbook(api StepFileAPI, r models.ProvisionRequest) Action {
	return &runbookAction{verbAction: verbAction{req: r}, api: api}
}

type runbookAction struct {
	verbAction
	api StepFileAPI

	// runbook is nil before Preflight, or if the runbook could not be found. steps lists the runbook's steps.
	runbook *stepfile.Item
	steps   []models.Step
	err     error
}

// Preflight reads the runbook from Ironic.
func (a *runbookAction) Preflight(ctx context.Context, _ []models.Node) {
	a.runbook, a.steps, a.err = nil, nil, nil
	all, err := StepFiles(ctx, a.api, stepfile.Runbook)
	if err == nil {
		var found []stepfile.Item
		if found, err = FindStepFiles(all, stepfile.Runbook, []string{a.req.Runbook}); err == nil {
			a.runbook = &found[0]
			a.steps, err = stepsOf(a.runbook)
		}
	}
	a.err = err
}

func stepsOf(book *stepfile.Item) ([]models.Step, error) {
	var document struct {
		Steps []models.Step `json:"steps"`
	}
	data, err := json.Marshal(book.Body())
	if err == nil {
		err = json.Unmarshal(data, &document)
	}
	if err != nil {
		return nil, fmt.Errorf("read the steps of runbook %s: %w", printable.Line(book.Name), err)
	}
	slices.SortStableFunc(document.Steps, func(x, y models.Step) int { return orderOf(x) - orderOf(y) })
	return document.Steps, nil
}

func orderOf(s models.Step) int {
	if s.Order == nil {
		return 0
	}
	return *s.Order
}

// withSteps returns an action with the same verb, which sends the runbook's steps instead of its name.
func (a *runbookAction) withSteps() verbAction {
	req := a.req
	req.Runbook = ""
	if req.Verb == models.VerbService {
		req.ServiceSteps = a.steps
	} else {
		req.CleanSteps = a.steps
	}
	return verbAction{req: req}
}

func (a *runbookAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if r := models.WhyNot(a.req.Verb, n, v); r != nil {
		return r
	}
	switch {
	case a.err != nil:
		return refusal(a, n, models.RefusedArguments, models.OnScreen(a.err), "ironworks runbooks list").WithScreenHint("choose a runbook from :runbooks")
	case a.runbook == nil:
		return refusal(a, n, models.RefusedArguments, "the runbook was not read", "")
	}
	name := printable.Line(a.runbook.Name)
	needed := a.runbook.NeedsTraits()
	if len(needed) == 0 {
		return refusal(a, n, models.RefusedArguments, "runbook "+name+" has no traits, so Ironic cannot run it on any node",
			"add traits: to its file, then run ironworks runbooks apply").WithScreenHint("edit the runbook in :runbooks, and add traits")
	}
	if len(stepfile.OnNode([]stepfile.Item{*a.runbook}, n.Traits)) == 0 {
		one := printable.Line(needed[0])
		return refusal(a, n, models.RefusedArguments, "the node has none of the traits of runbook "+name+": "+printable.Line(strings.Join(needed, ", ")),
			"ironworks set "+n.Label()+" traits+="+one).WithScreenHint(models.RunKey("set", "traits+="+one))
	}
	return a.withSteps().Refuse(n, v)
}

func (a *runbookAction) warnings(n *models.Node) []string { return a.withSteps().warnings(n) }

// notes describes settings that Ironic ignores, or whose effect depends on the operator's roles.
func (a *runbookAction) notes(n *models.Node) []string {
	var list []string
	if a.req.DisableRamdisk && !a.runbook.Flag("disable_ramdisk") {
		list = append(list, "--disable-ramdisk has no effect: Ironic uses the runbook's disable_ramdisk, which is false")
	}
	if owner := a.runbook.Fields.Text("owner"); owner != "" && !a.runbook.Flag("public") && owner != n.Owner {
		list = append(list, fmt.Sprintf("the runbook belongs to project %s, which does not own the node: Ironic may refuse it (policy baremetal:runbook:use)", printable.Line(owner)))
	}
	if a.runbook.Flag("disable_ramdisk") {
		list = append(list, "without the ramdisk (disable_ramdisk)")
	}
	return list
}

// Effect returns the effect of the runbook's steps.
func (a *runbookAction) Effect(n *models.Node) models.Effect {
	if a.runbook == nil {
		return a.verbAction.Effect(n)
	}
	e := a.withSteps().Effect(n)
	e.Text = strings.Join(append([]string{"runbook " + printable.Line(a.runbook.Name) + ": " + e.Text}, a.notes(n)...), "; ")
	return e
}
