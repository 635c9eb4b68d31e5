package overlay

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// Wait stands in front while something is looked at that may take its time. Esc leaves
// it; all other keys are for what comes, and so for nobody.
type Wait struct {
	title, text string
	stop        func()
	// Done of Of is how far it is.
	Done, Of int
}

// NewWait makes the dialog; stop ends what is waited for.
func NewWait(title, text string, of int, stop func()) *Wait {
	return &Wait{title: title, text: text, Of: of, stop: stop}
}

// Update takes esc.
func (w *Wait) Update(msg tea.Msg) (bool, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "esc" {
		w.stop()
		return true, nil
	}
	return false, nil
}

// Draw says what is waited for and how far it is.
func (w *Wait) Draw(t *theme.Theme, width, height int) string {
	width = min(width, 100)
	iw, _ := inside(width, height)
	lines := Text{Text: w.text}.lines(t, iw)
	if w.Of > 1 {
		lines = append(lines, fmt.Sprintf("%d of %d nodes are checked.", w.Done, w.Of))
	}
	return box(t, w.title, append(lines, t.Paint(theme.Muted, "Nothing is sent yet; esc leaves it.")), width, height, theme.Accent)
}

// Keys are the footer's hints.
func (w *Wait) Keys() []screen.Hint { return []screen.Hint{{Key: "esc", Text: "leave"}} }
