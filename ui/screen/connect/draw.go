package connect

import (
	"cmp"
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
	if t.Options() != s.looks {
		s.looks, s.swatches = t.Options(), map[string]string{}
	}
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
	left := []body.Span{body.S(theme.Strong, " Contexts")}
	if name := s.current().Name; name != "" {
		glyph, word, role := s.health()
		left = append(left, body.S(theme.Plain, "  "+name+"  "), body.S(role, glyph+" "+word))
	}
	return body.Line(t, w, left, []body.Span{body.S(theme.Muted, models.Counted(s.table.Len(), "context"))})
}

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
	glyph, word, role := s.state(c)
	return table.Cell{Glyph: glyph, GlyphRole: role, Text: word, Role: role}
}

// state returns a glyph, a word and a role for the state of a context: of the connection, if it is the current one, and
// otherwise of the connection test.
func (s *Screen) state(c screen.Context) (glyph, word string, role theme.Role) {
	p := s.probes[c.Name]
	switch {
	case c.Err != nil:
		return theme.GlyphFailed, "unusable", theme.Bad
	case s.isCurrent(c):
		return s.health()
	case p == nil:
		return theme.GlyphIdle, "not open", theme.Muted
	}
	var f *models.Fault
	switch {
	case p.Busy():
		return theme.GlyphWorking, "asking", theme.Busy
	case errors.As(p.Err(), &f):
		return theme.GlyphFailed, string(f.Kind), theme.Bad
	case p.Err() != nil:
		return theme.GlyphFailed, "test failed", theme.Bad
	case p.Known():
		return theme.GlyphActive, "answers", theme.Good
	}
	return theme.GlyphIdle, "not open", theme.Muted
}

func (s *Screen) modeCell(c screen.Context) table.Cell {
	if c.ReadOnly || s.isCurrent(c) && s.env.ReadOnly {
		return table.Cell{Text: "read-only", Role: theme.Hold}
	}
	return table.Cell{Text: "allowed"}
}

func (s *Screen) accentCell(c screen.Context) table.Cell {
	name := cmp.Or(c.Accent, "–")
	painted, known := s.swatches[c.Accent]
	if !known {
		look := s.looks
		look.Accent = c.Accent
		painted = theme.New(look).Paint(theme.Accent, theme.GlyphFull)
		s.swatches[c.Accent] = painted
	}
	return table.Cell{Draw: func(_ *theme.Theme, w int) string { return cell.Fit(painted+" "+printable.Line(name), w) }}
}
