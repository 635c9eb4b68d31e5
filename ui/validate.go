package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// validate asks the interfaces of a node whether they could do their work, and shows
// what they say.
func (c *Console) validate(node models.NodeRef) tea.Cmd {
	c.say(screen.Say{Text: "validate " + node.Label() + ": asking its interfaces, which may ask the BMC…"})
	ctx, api := c.ctx, c.env.Session.API
	return func() tea.Msg {
		list, err := api.Validate(ctx, node.UUID)
		if err != nil {
			return failure("validate "+node.Label(), err)
		}
		return screen.Ask{Overlay: overlay.NewNote("validate "+models.Printable(node.Label()), verdicts(list))}
	}
}

// verdicts are what interfaces say of themselves, those that a deployment needs first
// where they say no.
func verdicts(list []models.Validation) []overlay.Text {
	var bad, good, other []overlay.Text
	for _, v := range list {
		line := func(r theme.Role, glyph, text string) overlay.Text {
			return overlay.Text{Role: r, Text: fmt.Sprintf("%s %-11s %s", glyph, models.Printable(v.Interface), models.Printable(text)), Indent: 14}
		}
		switch {
		case v.Unsupported():
			other = append(other, line(theme.Muted, " ", "not supported"))
		case *v.Result:
			good = append(good, line(theme.Good, theme.GlyphDone, "ok"))
		case models.NeededToDeploy(v.Interface):
			bad = append(bad, line(theme.Bad, theme.GlyphFailed, v.Reason))
		default:
			other = append(other, line(theme.Warn, theme.GlyphMaint, v.Reason))
		}
	}
	return append(append(bad, good...), other...)
}
