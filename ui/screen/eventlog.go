package screen

import "ironworks/models"

// maxEvents bounds what is remembered: an hour of a busy fleet.
const maxEvents = 10_000

// EventLog keeps the last events in the order in which they came.
type EventLog struct {
	events []models.Event
	// dropped counts those that were too many, before those that are not kept.
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
		// The slice moves on, and append copies what is left only when its room is used
		// up: an event costs the same however many there are.
		clear(l.events[:more])
		l.events = l.events[more:]
	}
}

// Reset forgets all: what happened is told anew.
func (l *EventLog) Reset() {
	l.revision++
	l.before += len(l.events)
	l.events, l.dropped = nil, 0
}

// Last gives the last n, oldest first.
func (l *EventLog) Last(n int) []models.Event { return l.events[max(len(l.events)-n, 0):] }

// Dropped is how many were forgotten; Revision grows with every change.
func (l *EventLog) Dropped() int { return l.dropped }

// Revision grows with every change.
func (l *EventLog) Revision() int { return l.revision }

// First is the number of the oldest event that is kept: numbers stay with their event.
func (l *EventLog) First() int { return l.before }

// Of lists the events of one node.
func (l *EventLog) Of(uuid string) []models.Event {
	var of []models.Event
	for i := range l.events {
		if l.events[i].Node.UUID == uuid {
			of = append(of, l.events[i])
		}
	}
	return of
}
