package models

import "time"

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
