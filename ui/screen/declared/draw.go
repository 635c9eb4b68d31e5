package declared

import (
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// List is a table above the details of the row at the cursor.
type List struct {
	// Head holds the lines above the table.
	Head []string
	// Rows is the number of rows in the table. Draw draws the table in w by h cells.
	Rows int
	Draw func(w, h int) string
	// Fill updates Details to show the row at the cursor.
	Fill    func()
	Details *pane.Pane
}

// Content draws the list in w by h cells. at is the line of the screen at which the table begins.
func (l List) Content(t *theme.Theme, w, h int) (content string, at int) {
	room := max(h-len(l.Head), 0)
	rows := min(max(room/3, min(l.Rows+1, room/2)), room)
	if l.Rows == 0 {
		rows = room
	}
	lines := append(l.Head, body.Split(l.Draw(w, rows))...)
	if rest := room - rows - 1; rest > 0 {
		l.Fill()
		l.Details.Resize(w, rest)
		lines = append(lines, t.Rule(w))
		lines = append(lines, body.Split(l.Details.Draw(t))...)
	}
	return cell.Block(lines, w, h), body.PageTop + len(l.Head)
}
