package body

import (
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/tabs"
)

// Tabs is a rule in which the names of a screen's views stand, and at its end, where
// there is room, where one is in the view.
func Tabs(t *theme.Theme, titles []string, current int, place string, w int) string {
	need := len(titles) - 1 + tabs.Tight(titles)
	if need+3 > w {
		return tabs.Draw(t, titles, current, w)
	}
	if place != "" {
		place = " " + place + " "
		// Where only one of the two fits, the gaps between the names go.
		if tight := tabs.Tight(titles); need+3+cell.Width(place) > w && tight+3+cell.Width(place) <= w {
			need = tight
		}
	}
	rest := w - need - 1 - cell.Width(place) - 1
	if rest < 1 {
		place, rest = "", w-need-2
	}
	return t.Rule(1) + tabs.Draw(t, titles, current, need) + t.Rule(rest) + t.Paint(theme.Muted, place) + t.Rule(1)
}
