package hardware

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/models/filter"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

const (
	fieldValue = "value"
	fieldNode  = "node"
)

// edit asks the operator for a new value of the setting at the cursor.
func (p *biosPage) edit() tea.Cmd {
	r, ok := p.list.Cursor()
	if !ok {
		return nil
	}
	known, value := r.BIOSSetting, bios.Shown(r.BIOSSetting)
	if r.changed {
		value = r.change
	}
	field := form.Field{Key: fieldValue, Label: "Value", Value: value, Help: textEditAny}
	if allowed := bios.Allowed(known); allowed != "" {
		field.Help = fmt.Sprintf(textEditHelp, allowed)
	}
	switch known.Type {
	case "Enumeration":
		if len(known.Allowed) > 0 {
			field.Kind, field.Options = form.Choice, known.Allowed
		}
	case "Boolean":
		field.Kind, field.Options = form.Choice, []string{"true", "false"}
	default:
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(fmt.Sprintf(textEditTitle, known.Name), []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		given := v[fieldValue]
		_, problems := bios.Pending([]models.BIOSSetting{known}, []bios.Change{{Name: known.Name, Value: given}})
		if len(problems) > 0 {
			return nil, fieldValue, strings.Join(problems, "; ")
		}
		return p.s.after(func() tea.Cmd {
			p.change(known.Name, given)
			p.fetched()
			return nil
		}), "", ""
	})})
}

// askGolden asks the operator for a golden node, whose settings are to be copied.
func (p *biosPage) askGolden() tea.Cmd {
	store, uuid := p.s.env.Session.Store, p.s.uuid
	others := func(text string) (names []string) {
		for _, r := range store.Rows(filter.Filter{}, models.Column{}, false) {
			if r.Node.UUID != uuid && strings.HasPrefix(r.Node.Label(), text) {
				names = append(names, r.Node.Label())
			}
		}
		return names
	}
	fields := []form.Field{{Key: fieldNode, Label: "Golden node", Required: true, Complete: others, Help: textGoldenHelp}}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textGoldenAsk, fields, func(v map[string]string) (tea.Cmd, string, string) {
		return p.s.after(func() tea.Cmd { return p.compare(strings.TrimSpace(v[fieldNode])) }), "", ""
	})})
}

// compare reads the settings of the named golden node and compares them with the settings of this node.
func (p *biosPage) compare(name string) tea.Cmd {
	s, ref := p.s, p.s.node()
	return func() tea.Msg {
		golden, drift, err := driftFrom(s.life, s.api, name, ref)
		return answered{of: s, then: func() tea.Cmd { return p.copyFrom(golden, drift, err) }}
	}
}

func driftFrom(ctx context.Context, api provision.HardwareAPI, name string, ref models.NodeRef) (golden models.NodeRef, drift provision.NodeDrift, err error) {
	n, err := api.Node(ctx, name)
	if err != nil {
		return golden, drift, err
	}
	drifts, err := provision.BIOSDrift(ctx, api, n, []models.Node{{UUID: ref.UUID, Name: ref.Name}})
	if err != nil {
		return golden, drift, err
	}
	return n.Ref(), drifts[0], drifts[0].Err
}

// copyFrom records the golden node's settings as changes to this node. They are not sent yet.
func (p *biosPage) copyFrom(golden models.NodeRef, drift provision.NodeDrift, err error) tea.Cmd {
	if err != nil {
		return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(err)})
	}
	copied := bios.Copied(drift.Differences)
	for _, change := range copied {
		p.change(change.Name, change.Value)
	}
	p.fetched()
	p.list.Top()
	text := fmt.Sprintf(textGoldenSame, golden.Label())
	if len(copied) > 0 {
		text = fmt.Sprintf(p.s.env.Keys.Text(textGoldenSome), models.Counted(len(copied), "change"), golden.Label())
	}
	if left := len(drift.Differences) - len(copied); left > 0 {
		text += "; " + fmt.Sprintf(textGoldenLeft, left)
	}
	return screen.Send(screen.Say{Text: text})
}
