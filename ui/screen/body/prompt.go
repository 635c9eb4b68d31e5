package body

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/line"
)

// Prompt is the input line of a filter or a search; it replaces the screen's rule.
type Prompt struct {
	input  line.Line
	typing bool
	// Lead is the character before the text. If Lead is empty, a slash is drawn.
	Lead string
	// Wrong is the reason why the text is invalid, or nil. While it is set, the enter key does not accept the text.
	// Note is shown beside a valid text.
	Wrong error
	Note  string
}

// Begin starts the input with the given text, and puts the cursor at its end.
func (p *Prompt) Begin(text string) {
	p.typing, p.Wrong, p.Note = true, nil, ""
	p.input.SetValue(text)
	p.input.CursorEnd()
}

// Typing reports whether the prompt accepts input.
func (p *Prompt) Typing() bool { return p.typing }

// Text returns the typed text.
func (p *Prompt) Text() string { return p.input.Value() }

// KeyEffect is the effect of a key on the prompt.
type KeyEffect int

// The possible effects of a key on a prompt.
const (
	Ignored   KeyEffect = iota // the prompt did not use the key
	Changed                    // the text may have changed
	Accepted                   // enter accepted the text
	Abandoned                  // esc discarded the text
)

// Update handles a key press or pasted text and returns its effect.
func (p *Prompt) Update(msg tea.Msg) KeyEffect {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			if p.Wrong != nil {
				return Ignored
			}
			p.typing = false
			p.input.Remember(p.input.Value())
			return Accepted
		case "esc":
			p.typing, p.Wrong = false, nil
			return Abandoned
		}
	}
	if p.input.Update(msg) {
		return Changed
	}
	return Ignored
}

// Draw draws the prompt while the user is typing. Otherwise it draws a rule. The rule contains the accepted text,
// which is passed in holds, unless holds is empty.
func (p *Prompt) Draw(t *theme.Theme, w int, holds string) string {
	switch {
	case p.typing:
		wrong := p.Note
		if p.Wrong != nil {
			wrong = models.OnScreen(p.Wrong)
		}
		if wrong != "" {
			wrong = cell.Cut("  "+wrong, w/2)
		}
		room := w - cell.Width(wrong) - 3
		if room < 1 {
			return cell.Fit(p.input.Draw(t, w), w)
		}
		return " " + t.Paint(theme.Key, p.lead()) + " " + p.input.Draw(t, room) + t.Paint(theme.Warn, wrong)
	case holds != "":
		return Rule(t, theme.Accent, " "+p.lead()+" "+holds+" ", w)
	}
	return t.Rule(w)
}

func (p *Prompt) lead() string { return cell.Cut(cmp.Or(p.Lead, "/"), 1) }
