package task

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

func (w *Workflow) validate(node models.NodeRef) tea.Cmd {
	w.console.Say(screen.Say{Text: "validate " + node.Label() + ": validating interfaces…"})
	ctx, api := w.ctx, w.env.Session.API
	return func() tea.Msg {
		list, err := api.Validate(ctx, node.UUID)
		if err != nil {
			return failure("validate "+node.Label(), err)
		}
		return screen.Ask{Overlay: overlay.NewNote("validate "+node.Label(), verdicts(list))}
	}
}

// verdicts formats validation results. Failures that prevent a deployment come first.
func verdicts(list []models.Validation) []overlay.Text {
	var bad, good, other []overlay.Text
	for _, v := range list {
		line := func(r theme.Role, glyph, text string) overlay.Text {
			return overlay.Text{Role: r, Text: fmt.Sprintf("%s %-11s %s", glyph, v.Interface, text), Indent: 14}
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
