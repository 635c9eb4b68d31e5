package ui

import (
	"fmt"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/review"
	"ironworks/ui/theme"
)

// reviewed is a deployment whose refused nodes are left out.
type reviewed struct{ prepared prepared }

// refusedAgain goes back to what was refused.
type refusedAgain struct{ prepared prepared }

// overriding is a check that somebody wants to override on a node, overridden one whose
// node's name was typed.
type (
	overriding struct {
		prepared prepared
		node     string
		check    plan.CheckID
	}
	overridden overriding
)

// review shows what would be done to which machines, and wants the node's name typed, or
// the number of several.
func (c *Console) review(p prepared) tea.Cmd {
	legal, refused := p.plan.Legal(), p.plan.Refused()
	var lines, whole []overlay.Text
	for i, item := range legal {
		r := p.order.deploy.Review(&item.Node)
		if len(legal) > 1 {
			lines = append(lines, review.Short(r))
		}
		if i < cardsAtMost {
			whole = append(append(whole, overlay.Text{}), review.Lines(r)...)
		}
	}
	if len(refused) > 0 {
		lines = append(lines, overlay.Text{Role: theme.Warn, Text: fmt.Sprintf("Left out, for their checks refuse: %s", labels(refused))})
	}
	if lines == nil {
		whole = whole[1:] // one machine needs no list, and no distance to it
	}
	if len(legal) > cardsAtMost {
		whole = append(whole, overlay.Text{}, overlay.Text{Text: fmt.Sprintf("… and %d more, as in the list above.", len(legal)-cardsAtMost)})
	}
	lines = append(lines, whole...)
	name := p.plan.Action.Name()
	q := overlay.Question{
		Title: name + " " + planText(legal), Lines: lines, Danger: true, Yes: screen.Wish(confirmed{p}),
		Ask: fmt.Sprintf("%s %s? Type its name to go on.", name, planText(legal)), Type: planText(legal),
	}
	if len(legal) > 1 {
		q.Ask, q.Type = fmt.Sprintf("%s %s? Type their number to go on.", name, planText(legal)), strconv.Itoa(len(legal))
	}
	return c.show(overlay.NewConfirm(c.opts.Clock, q))
}

// showRefused shows why nothing is sent to some nodes, or to none. The others can be gone
// on with, and some checks be overridden, one at a time.
func (c *Console) showRefused(p prepared) tea.Cmd {
	var lines []overlay.Text
	var choices []overlay.Choice
	may := false
	for i, item := range p.plan.Refused() {
		if i > 0 {
			lines = append(lines, overlay.Text{})
		}
		r := p.order.deploy.Review(&item.Node)
		r.Refusal = item.Refusal
		lines = append(lines, review.Refused(r)...)
		for _, check := range plan.RefusedChecks(r.Checks) {
			may = may || check.Override
		}
	}
	if may {
		choices = append(choices, overlay.Choice{Key: "o", Text: "override a check", Then: screen.Wish(screen.Ask{Overlay: overridable(p)})})
	}
	legal := p.plan.Legal()
	if len(legal) > 0 {
		choices = append(choices, overlay.Choice{Key: "c", Text: "go on with " + planText(legal), Then: screen.Wish(reviewed{p})})
	}
	title := fmt.Sprintf("%s: refused for %s, nothing was sent", p.order.id, planText(p.plan.Refused()))
	return c.show(overlay.NewNote(title, lines).With(choices...))
}

// overridable lists the checks that refuse, to pick the one that is overridden.
func overridable(p prepared) screen.Overlay {
	var items []overlay.Item
	var picks []overriding
	for _, item := range p.plan.Refused() {
		for _, check := range plan.RefusedChecks(p.order.deploy.Checks(&item.Node)) {
			disabled := ""
			if !check.Override {
				disabled = "it always refuses: what it finds cannot end well"
			}
			items = append(items, overlay.Item{
				ID: strconv.Itoa(len(picks)), Title: models.Printable(item.Node.Label()) + " " + string(check.ID), Detail: check.Text, Disabled: disabled,
			})
			picks = append(picks, overriding{prepared: p, node: item.Node.UUID, check: check.ID})
		}
	}
	return overlay.NewPick("Override a check", items, func(id string) tea.Cmd {
		if i, err := strconv.Atoi(id); err == nil && i < len(picks) {
			return screen.Wish(picks[i])
		}
		return nil
	})
}

// askOverride wants the node's name typed: the override is for this node and this check
// alone, and goes into the audit.
func (c *Console) askOverride(msg overriding) tea.Cmd {
	item, check, ok := msg.find()
	if !ok {
		return nil
	}
	label := models.Printable(item.Node.Label())
	lines := append([]overlay.Text{{Role: theme.Strong, Text: label}}, review.Check(check)...)
	return c.show(overlay.NewConfirm(c.opts.Clock, overlay.Question{
		Title: fmt.Sprintf("Override %s on %s", check.ID, label), Danger: true, Type: label,
		Lines: append(lines, overlay.Text{}, overlay.Text{Text: "The override is kept in the audit. All checks are done once more."}),
		Ask:   fmt.Sprintf("Go on although %s refuses? Type the node's name.", check.ID),
		Yes:   screen.Wish(overridden(msg)), No: screen.Wish(refusedAgain{msg.prepared}),
	}))
}

// find gives the node and the check that are meant.
func (o *overriding) find() (provision.Item, plan.Check, bool) {
	i := o.prepared.plan.Index(o.node)
	if i < 0 {
		return provision.Item{}, plan.Check{}, false
	}
	item := o.prepared.plan.Items[i]
	for _, check := range o.prepared.order.deploy.Checks(&item.Node) {
		if check.ID == o.check {
			return item, check, true
		}
	}
	return item, plan.Check{}, false
}
