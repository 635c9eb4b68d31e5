package form

import (
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

const (
	gutter = 2 // the cursor or the mark of a problem, and a space
	gap    = 2 // spaces between label and value
	notes  = 3 // an empty line and two lines of help
)

// Height returns the number of lines that the whole form needs.
func (f *Form) Height() int { return len(f.fields) + notes }

// Draw draws the fields around the current one and, below them, its help, in exactly w by h cells.
func (f *Form) Draw(t *theme.Theme, w, h int) string {
	body := max(h-notes, min(h, 1))
	f.top = max(min(f.top, f.focus, len(f.fields)-body), f.focus-max(body, 1)+1, 0)
	label := f.labelWidth(w)
	lines := make([]string, 0, max(h, 0))
	for i := f.top; i < min(f.top+body, len(f.fields)); i++ {
		lines = append(lines, f.fields[i].draw(t, i == f.focus, i == f.focus, label, w))
	}
	if len(f.fields) > 0 {
		role, text := theme.Muted, f.fields[f.focus].help()
		if problem := f.fields[f.focus].problem; problem != "" {
			role, text = theme.Bad, problem
		}
		lines = append(lines, "")
		for _, s := range cell.Wrap(printable.Lines(text), w-gutter) {
			lines = append(lines, cell.Blanks(gutter)+t.Paint(role, s))
		}
	}
	return cell.Block(lines, w, h)
}

// labelWidth returns the width of the longest label, but at most half of the space in a line of w cells.
func (f *Form) labelWidth(w int) int {
	label := 0
	for i := range f.fields {
		label = max(label, cell.Width(f.fields[i].label()))
	}
	return min(label, max((w-gutter-gap)/2, 1))
}

// label returns the field's label, with a star if the field is required.
func (f *field) label() string {
	if f.Required {
		return f.Label + "*"
	}
	return f.Label
}

// draw returns the line of a field, which may be the current one and, if editing is true, shows a cursor.
func (f *field) draw(t *theme.Theme, focused, editing bool, label, w int) string {
	s, role := cell.Blanks(gutter), theme.Plain
	switch {
	case focused:
		s, role = t.Paint(theme.Accent, theme.GlyphCursor)+cell.Blanks(gutter-1), theme.Strong
	case f.problem != "":
		s, role = t.Paint(theme.Bad, theme.GlyphFailed)+cell.Blanks(gutter-1), theme.Bad
	}
	s += t.Paint(role, cell.Fit(f.label(), label)) + cell.Blanks(gap)
	room := w - gutter - label - gap
	switch f.Kind {
	case Choice:
		return s + f.drawChoice(t, focused, room)
	case Toggle:
		if f.on {
			return s + "[x] yes"
		}
		return s + "[ ] no"
	case Text, Secret:
	}
	f.text.Blurred = !editing
	return s + f.text.Draw(t, room)
}

// drawChoice draws the chosen option, between arrows if it can be changed.
func (f *field) drawChoice(t *theme.Theme, focused bool, w int) string {
	left, right := " ", " "
	if focused && len(f.Options) > 1 {
		left, right = t.Paint(theme.Accent, "<"), t.Paint(theme.Accent, ">")
	}
	return left + " " + cell.Cut(printable.Line(f.value()), w-4) + " " + right
}
