package screen

import "ironworks/models"

// maxEvents bounds the memory for events: about an hour of a busy fleet.
const maxEvents = 10_000

// EventLog has the last events in order of arrival.
type EventLog struct {
	events []models.Event
	// dropped counts the events that no longer fit.
	dropped, before int
	revision        int
}

// Add appends events.
func (l *EventLog) Add(events []models.Event) {
	if len(events) == 0 {
		return
	}
	l.revision++
	l.events = append(l.events, events...)
	if more := len(l.events) - maxEvents; more > 0 {
		l.dropped += more
		l.before += more
		// Reslicing is cheap: append copies only when the capacity is used up.
		clear(l.events[:more])
		l.events = l.events[more:]
	}
}

// Reset removes all events, before a recording is played again.
func (l *EventLog) Reset() {
	l.revision++
	l.before += len(l.events)
	l.events, l.dropped = nil, 0
}

// Last returns the last n events, oldest first.
func (l *EventLog) Last(n int) []models.Event { return l.events[max(len(l.events)-n, 0):] }

// Dropped returns the number of events that no longer fit.
func (l *EventLog) Dropped() int { return l.dropped }

// Revision changes with every change of the log.
func (l *EventLog) Revision() int { return l.revision }

// First returns the number of the oldest stored event; numbers are stable.
func (l *EventLog) First() int { return l.before }

// Of returns the events of one node.
func (l *EventLog) Of(uuid string) []models.Event {
	var of []models.Event
	for i := range l.events {
		if l.events[i].Node.UUID == uuid {
			of = append(of, l.events[i])
		}
	}
	return of
}
