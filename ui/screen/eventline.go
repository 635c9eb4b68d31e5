package screen

import (
	"ironworks/models"
	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// EventLine draws an event on one line of w cells: time, node and change.
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
