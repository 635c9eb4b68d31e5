package watch

import (
	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// eventsAtMost is the maximum number of events to show.
const eventsAtMost = 100

// events has the last events of the watched nodes; it reads only new ones from the log.
type events struct {
	last []models.Event
	// next is the number of the next event to read; nodes is the number of watched nodes at that time.
	next, nodes int
}

// readLog reads new events from the log, or all events if the watched nodes changed.
func (l *events) readLog(log *screen.EventLog, list *screen.WatchList) {
	if n := len(list.Nodes()); n != l.nodes {
		l.nodes, l.next, l.last = n, 0, nil
	}
	first := log.First()
	total := first + len(log.Last(1<<31-1))
	fresh := log.Last(min(total-l.next, total-first))
	l.next = total
	for i := range fresh {
		if list.Has(fresh[i].Node.UUID) {
			l.last = append(l.last, fresh[i])
		}
	}
	if more := len(l.last) - eventsAtMost; more > 0 {
		l.last = append([]models.Event(nil), l.last[more:]...)
	}
}

// drawEvents draws the events of the watched nodes in the space below.
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

// drawLastEvents draws the last events in at most so many lines, newest last, after a rule.
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
