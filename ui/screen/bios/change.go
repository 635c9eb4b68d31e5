package bios

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/bios"
	"ironworks/provision"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/widget/form"
)

const (
	fieldValue = "value"
	fieldNode  = "node"
)

// edited is a new value from the form.
type edited struct {
	of          *Screen
	name, value string
}

// goldenAsked is the golden node from the form.
type goldenAsked struct {
	of   *Screen
	name string
}

// compared has the differences from a golden node.
type compared struct {
	of     *Screen
	golden models.NodeRef
	drift  provision.NodeDrift
	err    error
}

// edit asks for a new value of the setting at the cursor.
func (s *Screen) edit() tea.Cmd {
	r, ok := s.list.Cursor()
	if !ok {
		return nil
	}
	setting, value := r.setting, r.setting.Value
	if r.changed {
		value = r.change
	}
	field := form.Field{Key: fieldValue, Label: "Value", Value: value, Help: textEditAny}
	if allowed := bios.Allowed(setting); allowed != "" {
		field.Help = fmt.Sprintf(textEditHelp, allowed)
	}
	switch setting.Type {
	case "Enumeration":
		if len(setting.Allowed) > 0 {
			field.Kind, field.Options = form.Choice, setting.Allowed
		}
	case "Boolean":
		field.Kind, field.Options, field.Value = form.Choice, []string{"true", "false"}, strings.ToLower(value)
	default:
	}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(fmt.Sprintf(textEditTitle, setting.Name), []form.Field{field}, func(v map[string]string) (tea.Cmd, string, string) {
		_, problems := bios.Pending([]models.BIOSSetting{setting}, []bios.Change{{Name: setting.Name, Value: v[fieldValue]}})
		if len(problems) > 0 && !strings.EqualFold(v[fieldValue], setting.Value) {
			return nil, fieldValue, strings.Join(problems, "; ")
		}
		given := v[fieldValue]
		if strings.EqualFold(given, setting.Value) {
			given = setting.Value
		}
		return screen.Send(edited{of: s, name: setting.Name, value: given}), "", ""
	})})
}

// askGolden asks for a golden node.
func (s *Screen) askGolden() tea.Cmd {
	store, uuid := s.env.Session.Store, s.uuid
	others := func(text string) (names []string) {
		for _, r := range store.Rows(models.Filter{}, models.Column{}, false) {
			if r.Node.UUID != uuid && strings.HasPrefix(r.Node.Label(), text) {
				names = append(names, r.Node.Label())
			}
		}
		return names
	}
	fields := []form.Field{{Key: fieldNode, Label: "Golden node", Required: true, Complete: others, Help: textGoldenHelp}}
	return screen.Send(screen.Ask{Overlay: overlay.NewForm(textGoldenAsk, fields, func(v map[string]string) (tea.Cmd, string, string) {
		return screen.Send(goldenAsked{of: s, name: strings.TrimSpace(v[fieldNode])}), "", ""
	})})
}

// compare reads the settings of a golden node, and compares.
func (s *Screen) compare(name string) tea.Cmd {
	ctx, api, ref := s.life, s.api, s.node()
	return func() tea.Msg {
		c := compared{of: s}
		c.golden, c.drift, c.err = driftFrom(ctx, api, name, ref)
		return c
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

// copyFrom turns differences into changes, which are not sent yet.
func (s *Screen) copyFrom(c compared) tea.Cmd {
	if c.err != nil {
		return screen.Send(screen.Say{Level: screen.Failure, Text: models.OnScreen(c.err)})
	}
	copied := bios.Copied(c.drift.Differences)
	for _, change := range copied {
		s.change(change.Name, change.Value)
	}
	s.show()
	s.list.Top()
	text := fmt.Sprintf(textGoldenSame, c.golden.Label())
	if len(copied) > 0 {
		text = fmt.Sprintf(s.env.Keys.Text(textGoldenSome), models.Counted(len(copied), "change"), c.golden.Label())
	}
	if left := len(c.drift.Differences) - len(copied); left > 0 {
		text += "; " + fmt.Sprintf(textGoldenLeft, left)
	}
	return screen.Send(screen.Say{Text: text})
}
