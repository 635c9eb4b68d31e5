package models

import "strings"

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
