package models

import (
	"strings"
	"time"

	"ironworks/printable"
)

// EventKind is the kind of change that an event reports.
type EventKind string

// The kinds of events. Heartbeats are not events. The comments describe the event's From, To and Reason fields.
const (
	EventProvisionState EventKind = "provision_state" // from, to: provision states
	EventStep           EventKind = "step"            // from, to: interface.step
	EventPower          EventKind = "power"           // from, to: power states
	EventMaintenance    EventKind = "maintenance"     // to: on or off; reason
	EventError          EventKind = "error"           // to: the new last_error
	EventAgent          EventKind = "agent"           // to: the agent's address; the ramdisk has called back
	EventRamdisk        EventKind = "ramdisk"         // from, to: boot stages according to the log; reason: what blocks the boot
	EventInstance       EventKind = "instance"        // from, to: instance uuids
	EventAdded          EventKind = "added"           // to: the provision state
	EventRemoved        EventKind = "removed"         // from: the last provision state
	EventFault          EventKind = "fault"           // from, to: Ironic's fault field
)

// Event is a change to a node.
type Event struct {
	// Time is on the server's clock if that clock is known.
	Time time.Time `json:"time"`
	Node NodeRef   `json:"node"`
	Kind EventKind `json:"kind"`
	From string    `json:"from"`
	To   string    `json:"to"`
	// Reason comes from last_error, the node's history, the maintenance reason or the ramdisk's log. It may be empty.
	Reason string `json:"reason"`
	// Inferred means that the state was not observed, but must have occurred because it is on the only path between
	// two observed states.
	Inferred bool `json:"inferred,omitempty"`
}

// Text describes the event without its time and node. The text is sanitized.
func (e *Event) Text() string {
	text := printable.Line(e.text())
	if e.Inferred {
		text += "  (inferred)"
	}
	return text
}

func (e *Event) text() string {
	arrow := func(what string) string {
		text := what + e.To
		if e.From != "" { // the previous value is known
			text = what + e.From + " → " + e.To
		}
		if e.Reason != "" {
			text += "  " + e.Reason
		}
		return text
	}
	switch e.Kind {
	case EventProvisionState, EventPower:
		return arrow("")
	case EventStep:
		return strings.TrimSpace("step " + e.To + " " + e.Reason)
	case EventMaintenance:
		return strings.TrimSpace("maintenance " + e.To + "  " + e.Reason)
	case EventError:
		return "error: " + e.Reason
	case EventAgent:
		return "agent called back from " + e.To
	case EventRamdisk:
		return strings.TrimSpace("ramdisk: " + e.To + "  " + e.Reason)
	case EventInstance:
		return arrow("instance ")
	case EventFault:
		return arrow("fault ")
	case EventAdded:
		return "added in " + e.To
	case EventRemoved:
		return "removed, was " + e.From
	}
	return arrow(string(e.Kind) + " ")
}
