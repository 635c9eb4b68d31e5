package bios

import (
	"time"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
)

// Draw draws the table.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	return body.Page(t, w, h, s.heading(t, w), s.prompt.Draw(t, w, s.filter), func(h int) string {
		if s.source == nil {
			return cell.Block([]string{"", t.Paint(theme.Muted, textNotHere)}, w, h)
		}
		var head []string
		if err := s.source.Err(); err != nil {
			head = append(body.Draw(t, body.Fault(err, w), w), "")
		}
		s.list.Empty = s.empty()
		s.list.Resize(w, max(h-len(head), 0))
		return cell.Block(append(head, body.Split(s.list.Draw(t))...), w, h)
	})
}

func (s *Screen) empty() string {
	settings, known := s.source.Value()
	switch {
	case s.source.Err() != nil && !known:
		return ""
	case !known:
		return textLoading
	case len(settings) > 0:
		return s.env.Keys.Text(textNoMatch)
	}
	return textNone
}

func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " BIOS "), body.S(theme.Plain, s.node().Label())}
	if s.source == nil {
		return body.Line(t, w, left, nil)
	}
	if n := len(s.changes); n > 0 {
		left = append(left, body.S(theme.Hold, "  "+models.Counted(n, "change")+" not applied"))
	}
	_, known := s.source.Value()
	return body.Line(t, w, left, []body.Span{body.Freshness(time.Now(), s.source.Asked(), known, s.source.Busy(), s.source.Err())})
}
