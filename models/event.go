package models

import (
	"strings"
	"time"
)

// EventKind says what changed.
type EventKind string

// The kinds of events. A heartbeat is none: it is a pulse.
const (
	EventProvisionState EventKind = "provision_state" // from, to: provision states
	EventStep           EventKind = "step"            // from, to: interface.step
	EventPower          EventKind = "power"           // from, to: power states
	EventMaintenance    EventKind = "maintenance"     // to: on or off; reason
	EventError          EventKind = "error"           // to: the new last_error
	EventAgent          EventKind = "agent"           // to: the agent's address, the ramdisk called back
	EventRamdisk        EventKind = "ramdisk"         // from, to: stages of its boot, by its log; reason: what is in the way
	EventInstance       EventKind = "instance"        // from, to: instance uuids
	EventAdded          EventKind = "added"           // to: the provision state
	EventRemoved        EventKind = "removed"         // from: the last provision state
	EventFault          EventKind = "fault"           // from, to: Ironic's fault field
)

// Event is one thing that happened to a node, as far as it can be seen from outside.
type Event struct {
	// Time is the server's clock where it is known.
	Time time.Time `json:"time"`
	Node NodeRef   `json:"node"`
	Kind EventKind `json:"kind"`
	From string    `json:"from"`
	To   string    `json:"to"`
	// Reason is why, as Ironic put it: last_error, the node's history, or the
	// maintenance reason. Empty when there is none.
	Reason string `json:"reason"`
	// Inferred is true when nobody saw the state itself: it lies on the only way
	// between the two states that were seen.
	Inferred bool `json:"inferred,omitempty"`
}

// Text says what happened, without when and to which node; it is safe to show.
func (e *Event) Text() string {
	text := Printable(e.what())
	if e.Inferred {
		text += "  (passed unseen)"
	}
	return text
}

func (e *Event) what() string {
	arrow := func(what string) string {
		text := what + e.To
		if e.From != "" { // it was not known before
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
