package body

import "ironworks/ui/action"

// Mover is whatever scrolls or has a cursor: tables and panes.
type Mover interface {
	Move(by int)
	Page(by int)
	Top()
	Bottom()
	Scroll(by int)
}

// Steer does what an action means to whatever scrolls, and says whether it meant
// something. Sideways a table goes by columns and a text by step cells.
func Steer(m Mover, id action.ID, step int) bool {
	switch id {
	case action.Up:
		m.Move(-1)
	case action.Down:
		m.Move(1)
	case action.PageUp:
		m.Page(-1)
	case action.PageDown:
		m.Page(1)
	case action.Top:
		m.Top()
	case action.Bottom:
		m.Bottom()
	case action.ScrollLeft:
		m.Scroll(-step)
	case action.ScrollRight:
		m.Scroll(step)
	default:
		return false
	}
	return true
}
