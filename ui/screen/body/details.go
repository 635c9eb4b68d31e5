package body

import (
	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// detailNames is the width of the name column, in cells.
const detailNames = 12

// Details returns lines that show the name and the value of each detail. A value is wrapped to fit w cells and takes
// at most 12 lines.
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
