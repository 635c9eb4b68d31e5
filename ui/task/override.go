package task

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
)

// override identifies a failed check of a node that the operator may choose to override.
type override struct {
	item  provision.Item
	check plan.Check
}

// showRefused shows the failed checks. The operator can override some of them, or continue with the other nodes.
func (w *Workflow) showRefused(f *flow) tea.Cmd {
	f.state = stateRefused
	var lines []overlay.Text
	var choices []overlay.Choice
	refused, legal := f.batch.Refused(), f.batch.Legal()
	may := false
	for i, item := range refused {
		if i > 0 {
			lines = append(lines, overlay.Text{})
		}
		r := f.deployment().Review(&item.Node)
		r.Refusal = item.Refusal
		lines = append(lines, review.Refused(r)...)
		may = may || slices.ContainsFunc(plan.RefusedChecks(r.Checks), func(c plan.Check) bool { return c.Override })
	}
	if may {
		pick := screen.Send(screen.Ask{Overlay: w.pickOverride(f)})
		choices = append(choices, overlay.Choice{Key: "O", Text: "override a check", Then: pick})
	}
	if len(legal) > 0 {
		confirm := f.send(stateRefused, func() tea.Cmd { return w.confirm(f) })
		choices = append(choices, overlay.Choice{Key: "c", Text: "continue with " + review.Names(legal), Then: confirm})
	}
	title := fmt.Sprintf("%s refused for %s: nothing was sent", f.name, review.Names(refused))
	return w.console.Show(overlay.NewNote(title, lines).With(choices...))
}

// pickOverride returns a list of the failed checks to choose from. Checks that cannot be overridden are disabled.
func (w *Workflow) pickOverride(f *flow) screen.Overlay {
	var items []overlay.Item
	var overrides []override
	for _, item := range f.batch.Refused() {
		for _, check := range plan.RefusedChecks(f.deployment().Checks(&item.Node)) {
			disabled := ""
			if !check.Override {
				disabled = "cannot be overridden"
			}
			items = append(items, overlay.Item{
				ID: strconv.Itoa(len(overrides)), Title: item.Node.Label() + " " + string(check.ID), Detail: check.Text, Disabled: disabled,
			})
			overrides = append(overrides, override{item, check})
		}
	}
	return overlay.NewPick("Override a check", items, func(id string) tea.Cmd {
		if i, err := strconv.Atoi(id); err == nil && i < len(overrides) {
			return f.send(stateRefused, func() tea.Cmd { return w.askOverride(f, overrides[i]) })
		}
		return nil
	})
}

// askOverride asks the operator to confirm an override by typing the node's name. The override applies only to this
// check on this node, and is written to the audit log.
func (w *Workflow) askOverride(f *flow, o override) tea.Cmd {
	f.state = stateOverriding
	label := o.item.Node.Label()
	return w.console.Show(overlay.NewConfirm(overlay.Question{
		Title: fmt.Sprintf("Override %s on %s", o.check.ID, label), Danger: true, Type: o.item.Node.TypedName(),
		Lines: append(append([]overlay.Text{{Role: theme.Strong, Text: label}}, review.Check(o.check)...), overlay.Text{}, overlay.Text{Text: textOverrideAudit}),
		Ask:   fmt.Sprintf("Override the failed check %s? Type the node name to confirm.", o.check.ID),
		Yes: f.send(stateOverriding, func() tea.Cmd {
			f.addOverride(o)
			return w.check(f)
		}),
		No: f.send(stateOverriding, func() tea.Cmd { return w.showRefused(f) }),
	}))
}

func (f *flow) addOverride(o override) {
	f.overrides = maps.Clone(f.overrides) // a check that is still running may read the old map
	if f.overrides == nil {
		f.overrides = map[string][]plan.CheckID{}
	}
	f.overrides[o.item.Node.UUID] = append(slices.Clone(f.overrides[o.item.Node.UUID]), o.check.ID)
}
