package task

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// whyNoWebConsole returns the reason why no graphical console can be opened, or "" if it may be possible.
func (w *Workflow) whyNoWebConsole(nodes []models.NodeRef) string {
	switch {
	case len(nodes) > 1:
		return textOneNodeOnly
	case w.env.Session == nil:
		return textNoContext
	case w.env.Session.Consoles == nil:
		return textNoShells
	}
	return ""
}

// openWebConsole shows the URL of a node's graphical console. If the graphical console had to be enabled first, it is
// disabled again when the operator presses x, or when ironworks ends.
func (w *Workflow) openWebConsole(node models.NodeRef) tea.Cmd {
	ctx, consoles := w.ctx, w.env.Session.Consoles
	w.console.Say(screen.Say{Text: fmt.Sprintf("console %s: opening…", node.Label())})
	w.running.Add(1)
	return func() tea.Msg {
		defer w.running.Done()
		page, err := consoles.OpenGraphical(ctx, node)
		if err != nil {
			return failure("console "+node.Label(), err)
		}
		return screen.Ask{Overlay: consoleNote(ctx, node, page)}
	}
}

func consoleNote(ctx context.Context, node models.NodeRef, page screen.WebConsole) *overlay.Note {
	url := page.Address()
	lines := []overlay.Text{{Text: url.Reveal()}, {}, {Role: theme.Muted, Text: textConsoleURL}}
	choices := []overlay.Choice{{Key: "y", Text: textCopyURL, Then: screen.Send(screen.CopyText{Copyable: screen.Copyable{Name: "URL", Text: url.Reveal()}})}}
	if page.Enabled() {
		lines = append(lines, overlay.Text{Role: theme.Muted, Text: textConsoleEnabled})
		choices = append(choices, overlay.Choice{Key: "x", Text: "disable console", Then: func() tea.Msg {
			if err := page.Close(ctx); err != nil {
				return failure("console "+node.Label(), err)
			}
			return screen.Say{Level: screen.Success, Text: fmt.Sprintf("console %s: disabled", node.Label())}
		}})
	}
	return overlay.NewNote("console "+node.Label(), lines).With(choices...)
}
