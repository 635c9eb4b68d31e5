package connect

import (
	"errors"
	"fmt"
	"time"

	"ironworks/ui/widget/pane"

	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/table"
)

// Draw draws the contexts, and below them the facts about the context at the cursor.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	s.updateTheme(t)
	return body.Page(t, w, h, s.heading(t, w), t.Rule(w), func(h int) string {
		below := s.below(w)
		rows := min(s.table.Len(), max(h/3, h-len(below)-2, 2))
		if s.table.Len() == 0 {
			rows = h
		}
		s.table.Resize(w, min(rows+1, h))
		lines := body.Split(s.table.Draw(t))
		if room := h - len(lines) - 1; room > 0 && len(below) > 0 {
			lines = append(lines, t.Rule(w))
			if more := len(below) - room; more > 0 && room > 1 {
				below = append(below[:room-1:room-1], pane.Line{body.S(theme.Muted, "   "+fmt.Sprintf(textMoreLines, more+1))})
			}
			lines = append(lines, body.Draw(t, below, w)...)
		}
		return cell.Block(lines, w, h)
	})
}

func (s *Screen) heading(t *theme.Theme, w int) string {
	count := fmt.Sprintf("%d contexts", s.table.Len())
	if s.table.Len() == 1 {
		count = "1 context"
	}
	left := []body.Span{body.S(theme.Strong, " Contexts")}
	if name := s.current().Name; name != "" {
		glyph, word, role := s.health()
		left = append(left, body.S(theme.Plain, "  "+name+"  "), body.S(role, glyph+" "+word))
	}
	return body.Line(t, w, left, []body.Span{body.S(theme.Muted, count)})
}

// health returns a glyph and a word for the state of the connection to the current context, and the role in which
// both are drawn.
func (s *Screen) health() (glyph, word string, role theme.Role) {
	st := &s.env.Status
	switch {
	case s.env.Session == nil:
		return theme.GlyphFailed, "open failed", theme.Bad
	case st.Connected && st.Complete && st.Stale(time.Now()):
		return theme.GlyphMaint, "slow", theme.Warn
	case st.Connected:
		return theme.GlyphActive, "connected", theme.Good
	case st.Fault == nil:
		return theme.GlyphWorking, "connecting", theme.Busy
	case st.Answered.IsZero():
		return theme.GlyphFailed, "unreachable", theme.Bad
	}
	return theme.GlyphFailed, "connection lost", theme.Bad
}

func (s *Screen) nameCell(c screen.Context) table.Cell {
	if s.isCurrent(c) {
		return table.Cell{Text: c.Name, Role: theme.Strong}
	}
	return table.Cell{Text: c.Name}
}

func (s *Screen) stateCell(c screen.Context) table.Cell {
	switch {
	case c.Err != nil:
		return table.Cell{Glyph: theme.GlyphFailed, GlyphRole: theme.Bad, Text: "unusable", Role: theme.Bad}
	case s.isCurrent(c):
		glyph, word, role := s.health()
		return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
	}
	return s.probedCell(c)
}

// probedCell returns the cell that shows the result of the context's connection test, or "not open" if there is none.
func (s *Screen) probedCell(c screen.Context) table.Cell {
	cell := func(glyph, text string, r theme.Role) table.Cell {
		return table.Cell{Glyph: glyph, GlyphRole: r, Text: text, Role: r}
	}
	p := s.probes[c.Name]
	if p == nil {
		return cell(theme.GlyphIdle, "not open", theme.Muted)
	}
	_, known := p.Value()
	var f *models.Fault
	switch {
	case p.Busy():
		return cell(theme.GlyphWorking, "asking", theme.Busy)
	case errors.As(p.Err(), &f):
		return cell(theme.GlyphFailed, string(f.Kind), theme.Bad)
	case p.Err() != nil:
		return cell(theme.GlyphFailed, "test failed", theme.Bad)
	case known:
		return cell(theme.GlyphActive, "answers", theme.Good)
	}
	return cell(theme.GlyphIdle, "not open", theme.Muted)
}

func (s *Screen) modeCell(c screen.Context) table.Cell {
	if c.ReadOnly || s.isCurrent(c) && s.env.ReadOnly {
		return table.Cell{Text: "read-only", Role: theme.Hold}
	}
	return table.Cell{Text: "allowed"}
}

// accentCell returns the cell that shows a sample of the context's accent color and the name of the color.
func (s *Screen) accentCell(c screen.Context) table.Cell {
	name := c.Accent
	if name == "" {
		name = "–"
	}
	if s.swatches == nil { // not drawn yet
		s.swatches = map[string]string{}
	}
	painted, known := s.swatches[c.Accent]
	if !known {
		look := s.looks
		look.Accent = c.Accent
		painted = theme.New(look).Paint(theme.Accent, theme.GlyphFull)
		s.swatches[c.Accent] = painted
	}
	return table.Cell{Draw: func(_ *theme.Theme, w int) string { return cell.Fit(painted+" "+printable.Line(name), w) }}
}

// updateTheme drops the swatches if they were painted with other theme options.
func (s *Screen) updateTheme(t *theme.Theme) {
	if s.swatches == nil || t.Options() != s.looks {
		s.looks = t.Options()
		s.swatches = map[string]string{}
	}
}
