package watch

import (
	"ironworks/models"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// keep bounds how many events of the watched nodes are kept to be shown.
const keep = 100

// events are the last ones of the watched nodes; only new ones are taken out of the log.
type events struct {
	last []models.Event
	// next is the number of the first that was not looked at yet, nodes how many nodes
	// were watched then.
	next, nodes int
}

// readLog takes the new events out of the log; all of them anew when other nodes are
// watched than before.
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
	if more := len(l.last) - keep; more > 0 {
		l.last = append([]models.Event(nil), l.last[more:]...)
	}
}

// happened is what happened to the watched nodes, in as much room as there is without a
// log.
func (s *Screen) happened(t *theme.Theme, w, h int) []string {
	most := 0
	switch {
	case h >= 30:
		most = h / 3
	case h >= 16:
		most = 5
	}
	return s.happenedIn(t, w, most)
}

// happenedIn is what happened last, in so many lines, the newest last, below a rule.
func (s *Screen) happenedIn(t *theme.Theme, w, most int) []string {
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
