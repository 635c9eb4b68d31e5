package screen

import (
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// maxEvents bounds the memory used for events. A busy fleet produces about this many events per hour.
const maxEvents = 10_000

// EventLog holds the most recent events in order of arrival.
type EventLog struct {
	events []models.Event
	// dropped counts the events removed because the log was full, before those that preceded the oldest stored one.
	dropped, before int
}

// Add appends events.
func (l *EventLog) Add(events []models.Event) {
	if len(events) == 0 {
		return
	}
	l.events = append(l.events, events...)
	if more := len(l.events) - maxEvents; more > 0 {
		l.dropped += more
		l.before += more
		// Reslicing is cheap: append copies only when the capacity is used up.
		clear(l.events[:more])
		l.events = l.events[more:]
	}
}

// Reset removes all events. It is called before a recording is played again.
func (l *EventLog) Reset() {
	l.before += len(l.events)
	l.events, l.dropped = nil, 0
}

// Last returns the last n events, oldest first, or all events if there are fewer.
func (l *EventLog) Last(n int) []models.Event { return l.events[max(len(l.events)-n, 0):] }

// Since returns the stored events from the given number on, and the number that the next event will get.
func (l *EventLog) Since(number int) (fresh []models.Event, next int) {
	next = l.before + len(l.events)
	return l.Last(min(next-number, len(l.events))), next
}

// Dropped returns the number of events that were removed because the log was full.
func (l *EventLog) Dropped() int { return l.dropped }

// First returns the number of the oldest stored event. Events are numbered in order of arrival, and an event keeps
// its number when older ones are removed.
func (l *EventLog) First() int { return l.before }

// Of returns the stored events of the node with the given UUID.
func (l *EventLog) Of(uuid string) []models.Event {
	var of []models.Event
	for i := range l.events {
		if l.events[i].Node.UUID == uuid {
			of = append(of, l.events[i])
		}
	}
	return of
}

// EventLine draws the time, the node and the change of an event on one line of at most w cells.
func EventLine(t *theme.Theme, e *models.Event, w int) string {
	const clock, name = 8, 16
	node := cell.Fit(printable.Line(e.Node.Label()), min(name, max(w/4, 6)))
	used := 1 + clock + 2 + cell.Width(node) + 2
	return " " + t.Paint(theme.Muted, e.Time.Local().Format("15:04:05")) + "  " + node + "  " +
		t.Paint(EventRole(e), cell.Cut(printable.Line(e.Text()), max(w-used, 0)))
}

// EventRole returns the color of an event.
func EventRole(e *models.Event) theme.Role {
	switch e.Kind {
	case models.EventProvisionState:
		switch to := models.ProvisionState(e.To); {
		case to.Failed(), e.Reason != "":
			return theme.Bad
		case to == models.StateActive:
			return theme.Good
		}
	case models.EventError, models.EventFault:
		return theme.Bad
	case models.EventMaintenance:
		if e.To == "on" {
			return theme.Warn
		}
	case models.EventRamdisk:
		if e.Reason != "" {
			return theme.Warn
		}
	case models.EventRemoved:
		return theme.Warn
	case models.EventStep, models.EventPower, models.EventAgent, models.EventInstance, models.EventAdded:
	}
	return theme.Plain
}
