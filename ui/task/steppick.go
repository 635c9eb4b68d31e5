package task

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/steps"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/stepform"
	"ironworks/ui/widget/form"
)

// offersFrom is the number of nodes that are read to fill the list of steps. The check that follows covers all nodes.
const offersFrom = 20

// The IDs of the items in the list of steps that open the form, which takes several steps or a runbook.
const (
	pickText    = "text"
	pickRunbook = "runbook"
)

// stepKindOf returns the kind of steps that the verb runs, or false if it has no list of steps to choose from.
func stepKindOf(id action.ID) (kind models.StepKind, ok bool) {
	kinds := map[action.ID]models.StepKind{
		action.Verb(models.VerbClean): models.CleanSteps, action.Verb(models.VerbService): models.ServiceSteps,
	}
	kind, ok = kinds[id]
	return kind, ok
}

// pickStep lists the steps that the nodes offer. Choosing a step opens a form for its arguments; the other items open
// the form for several steps or a runbook.
func (w *Workflow) pickStep(id action.ID, kind models.StepKind, nodes []models.NodeRef) tea.Cmd {
	first := []overlay.Item{
		{ID: pickText, Title: "several steps …", Detail: "enter steps as text or JSON"},
		{ID: pickRunbook, Title: "runbook …", Detail: textRunbookHelp},
	}
	f := w.newFlow(string(id), w.env.Session, nodes)
	f.state = statePicking
	f.pick = overlay.NewPick(fmt.Sprintf("%s %s", id, nodesText(nodes)), first, func(item string) tea.Cmd {
		if i := slices.IndexFunc(f.offered, func(k steps.Known) bool { return k.Label() == item }); i >= 0 {
			return w.beginStep(id, kind, nodes, f.offered[i], f.only)
		}
		return w.beginForm(id, nodes, nil)
	}).Loading()
	ctx, api := w.ctx, w.env.Session.Runner.API
	return tea.Batch(w.console.Show(f.pick), func() tea.Msg {
		list, only, err := commonSteps(ctx, api, nodes, kind)
		return f.event(statePicking, func() tea.Cmd {
			f.offered, f.only = list, only
			return f.completePick(first, err)
		})
	})
}

// completePick adds the offered steps to the items or, if the nodes could not be read, the error.
func (f *flow) completePick(items []overlay.Item, err error) tea.Cmd {
	if err != nil {
		items[0].Detail = models.OnScreen(err)
	}
	for _, k := range f.offered {
		items = append(items, overlay.Item{ID: k.Label(), Title: k.Label(), Detail: k.Description})
	}
	return screen.Send(overlay.Items{Of: f.pick, Items: items})
}

// commonSteps returns the known steps that the first offersFrom nodes all offer, and the node if it is the only one.
func commonSteps(ctx context.Context, api provision.API, nodes []models.NodeRef, kind models.StepKind) (common []steps.Known, only *models.Node, err error) {
	found, err := provision.FindNodes(ctx, api, uuids(nodes[:min(len(nodes), offersFrom)]))
	if err != nil {
		return nil, nil, err
	}
	if len(found) == 1 {
		only = &found[0]
	}
	for i := range found {
		offered := slices.DeleteFunc(steps.InterfacesOf(&found[i]).Offers(), func(k steps.Known) bool { return !slices.Contains(k.Kinds, kind) })
		if i == 0 {
			common = offered
			continue
		}
		common = slices.DeleteFunc(common, func(k steps.Known) bool {
			return !slices.ContainsFunc(offered, func(o steps.Known) bool { return o.Label() == k.Label() })
		})
	}
	return common, only, nil
}

// beginStep starts a clean or service operation that consists of step k. If the step has arguments, a form asks for
// them first. The form offers values from the node in only, which is nil if there are several nodes.
func (w *Workflow) beginStep(id action.ID, kind models.StepKind, nodes []models.NodeRef, k steps.Known, only *models.Node) tea.Cmd {
	f := w.newFlow(string(id), w.env.Session, nodes)
	step := models.Step{Interface: k.Interface, Step: k.Name}
	noRamdisk := false
	f.build = func() (provision.Action, error) {
		verb, _ := action.AsVerb(id)
		req := models.ProvisionRequest{Verb: verb, DisableRamdisk: noRamdisk}
		sent := step
		var err error
		if sent.Args, err = stepform.ReadFiles(k, step.Args); err != nil {
			return nil, err
		}
		if kind == models.ServiceSteps {
			req.ServiceSteps = []models.Step{sent}
		} else {
			req.CleanSteps = []models.Step{sent}
		}
		return provision.Provision(req), nil
	}
	f.command = func(names []string) []string {
		words := append([]string{string(id)}, names...)
		words = append(words, "--step", stepform.Words(step))
		if noRamdisk {
			words = append(words, "--disable-ramdisk")
		}
		return words
	}
	fields := stepform.Fields(k, only)
	if k.Interface != "deploy" && !slices.Contains(k.Drivers, steps.Agent) {
		fields = append(fields, form.Field{Key: fieldNoRamdisk, Label: "No ramdisk", Kind: form.Toggle, Help: textNoRamdiskHelp})
	}
	if len(fields) == 0 {
		return w.check(f)
	}
	f.state = stateArguments
	return w.console.Show(overlay.NewForm(fmt.Sprintf("%s %s: %s", id, nodesText(nodes), k.Label()), fields, func(v map[string]string) (tea.Cmd, string, string) {
		args, field, err := stepform.Arguments(k, v, only)
		if err != nil {
			return nil, field, models.OnScreen(err)
		}
		step.Args, noRamdisk = args, v[fieldNoRamdisk] == yes
		return w.sendCheck(f), "", ""
	}))
}

func uuids(nodes []models.NodeRef) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.UUID
	}
	return ids
}
