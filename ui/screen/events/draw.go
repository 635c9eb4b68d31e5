package events

import (
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
)

// Draw draws the list and, below it, the full text of the event at the cursor.
func (s *Screen) Draw(t *theme.Theme, w, h int) string {
	return body.Page(t, w, h, s.heading(t, w), s.prompt.Draw(t, w, s.filter.String()), func(h int) string {
		below := detailLines(h)
		s.table.Empty = "No events yet. Changes of nodes appear here."
		if len(s.all) > 0 {
			s.table.Empty = s.env.Keys.Text("No events match the filter. {back} clears it.")
		}
		if roomy := w >= 120; roomy != s.roomy {
			s.setColumns(roomy)
		}
		s.table.Resize(w, h-below)
		lines := body.Split(s.table.Draw(t))
		if below > 0 {
			lines = append(lines, t.Rule(w))
			lines = append(lines, s.detail(t, w, below-1)...)
		}
		return cell.Block(lines, w, h)
	})
}

// detailLines returns the number of lines, with the rule, for the event at the cursor on a screen of h lines.
func detailLines(h int) int {
	switch {
	case h >= 30:
		return 5
	case h >= 12:
		return 3
	}
	return 0
}

func (s *Screen) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " Events")}
	switch fresh := s.next - s.since; {
	case !s.paused:
		left = append(left, body.S(theme.Good, "  following"))
	case fresh > 0:
		left = append(left, body.S(theme.Hold, fmt.Sprintf("  paused, %d new below", fresh)))
	default:
		left = append(left, body.S(theme.Hold, "  paused"))
	}
	count := fmt.Sprintf("%s since %s", models.Counted(len(s.all), "event"), s.env.Started.Local().Format(time.TimeOnly))
	if !s.filter.IsZero() {
		count = fmt.Sprintf("%d of %s", len(s.shown), count)
	}
	if dropped := s.env.Events.Dropped(); dropped > 0 {
		count += fmt.Sprintf(" · %d older events dropped", dropped)
	}
	return body.Line(t, w, left, []body.Span{body.S(theme.Muted, count)})
}

func (s *Screen) detail(t *theme.Theme, w, n int) []string {
	r, ok := s.table.Cursor()
	if !ok {
		return nil
	}
	text := r.event.Time.Local().Format(time.DateTime) + "  " + r.event.Node.Label() + ": " + r.text
	return body.Draw(t, body.IndentedMost(screen.EventRole(&r.event), text, w-1, 1, n), w)
}
