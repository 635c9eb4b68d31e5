package watch

import (
	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// eventsAtMost is the maximum number of events to show.
const eventsAtMost = 100

// events holds the last events of the watched nodes. It reads only new events from the log.
type events struct {
	last []models.Event
	// next is the number of the next event to read. nodes is the number of nodes that were watched when events were
	// last read.
	next, nodes int
}

// readLog reads the new events from the log. If the number of watched nodes has changed, it reads all events again.
func (l *events) readLog(log *screen.EventLog, list *screen.WatchList) {
	if n := len(list.Nodes()); n != l.nodes {
		l.nodes, l.next, l.last = n, 0, nil
	}
	fresh, next := log.Since(l.next)
	l.next = next
	for i := range fresh {
		if list.Has(fresh[i].Node.UUID) {
			l.last = append(l.last, fresh[i])
		}
	}
	if more := len(l.last) - eventsAtMost; more > 0 {
		l.last = append([]models.Event(nil), l.last[more:]...)
	}
}

// drawEvents draws the last events of the watched nodes. How many events it draws depends on h, the height of the
// screen.
func (s *Screen) drawEvents(t *theme.Theme, w, h int) []string {
	most := 0
	switch {
	case h >= 30:
		most = h / 3
	case h >= 16:
		most = 5
	}
	return s.drawLastEvents(t, w, most)
}

// drawLastEvents draws a rule and, below it, at most the given number of events, with the newest at the bottom.
func (s *Screen) drawLastEvents(t *theme.Theme, w, most int) []string {
	if most == 0 || len(s.rows) == 0 {
		return nil
	}
	s.lines.readLog(s.env.Events, s.env.Watching)
	lines := []string{t.Rule(w)}
	last := s.lines.last[max(len(s.lines.last)-most, 0):]
	for i := range last {
		lines = append(lines, screen.EventLine(t, &last[i], w))
	}
	for len(lines) <= most {
		lines = append(lines, "")
	}
	return lines
}
