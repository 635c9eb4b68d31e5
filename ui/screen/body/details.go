package body

import (
	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// detailNames is the width of the names of details.
const detailNames = 12

// Details returns a name and a wrapped value for each detail.
func Details(details []models.Detail, w int) []pane.Line {
	var lines []pane.Line
	for _, d := range details {
		name := d.Name
		for _, value := range IndentedMost(theme.Plain, d.Value, max(w-detailNames-3, 8), 0, 12) {
			lines = append(lines, append(pane.Line{S(theme.Muted, " "+cell.Fit(name, detailNames)+" ")}, value...))
			name = ""
		}
	}
	return lines
}
