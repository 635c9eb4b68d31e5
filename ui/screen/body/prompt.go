package body

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/line"
)

// Prompt is the line in which a filter or a search is written; it takes the place of a
// screen's rule.
type Prompt struct {
	input  line.Line
	typing bool
	// Lead stands before what is written; empty is a slash.
	Lead string
	// Wrong is why what is written cannot be understood; enter does not take it then.
	// Note is shown beside what is written, where nothing is wrong.
	Wrong error
	Note  string
}

// Begin starts writing with what there is already.
func (p *Prompt) Begin(text string) {
	p.typing, p.Wrong, p.Note = true, nil, ""
	p.input.SetValue(text)
	p.input.CursorEnd()
}

// Typing says that keys are text now.
func (p *Prompt) Typing() bool { return p.typing }

// Text is what is written.
func (p *Prompt) Text() string { return p.input.Value() }

// Written is what a key did to the prompt.
type Written int

// What a key can do.
const (
	Ignored   Written = iota // it was not for the prompt
	Changed                  // the text may be another one
	Taken                    // enter: what is written holds
	Abandoned                // esc: away with it
)

// Update takes a key in.
func (p *Prompt) Update(msg tea.Msg) Written {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			if p.Wrong != nil {
				return Ignored
			}
			p.typing = false
			p.input.Remember(p.input.Value())
			return Taken
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

// Draw is the prompt while it is written in, the text that holds, or a rule.
func (p *Prompt) Draw(t *theme.Theme, w int, holds string) string {
	switch {
	case p.typing:
		wrong := ""
		switch {
		case p.Wrong != nil:
			wrong = cell.Cut("  "+models.OnScreen(p.Wrong), w/2)
		case p.Note != "":
			wrong = cell.Cut("  "+p.Note, w/2)
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

func (p *Prompt) lead() string {
	if p.Lead == "" {
		return "/"
	}
	return cell.Cut(p.Lead, 1)
}
