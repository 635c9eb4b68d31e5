// Package declared changes the objects that users declare in files: rules, deploy templates and runbooks.
package declared

import (
	"strings"

	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/overlay"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

func differences(steps []provision.Declared) []overlay.Text {
	var lines []overlay.Text
	for i := range steps {
		if len(steps[i].Requests) == 0 {
			continue
		}
		for line := range strings.Lines(steps[i].Difference()) {
			lines = append(lines, overlay.Text{Role: role(line), Text: strings.TrimRight(line, "\n"), Indent: 2})
		}
	}
	return lines
}

func role(line string) theme.Role {
	switch {
	case strings.HasPrefix(line, "+"):
		return theme.Good
	case strings.HasPrefix(line, "-"):
		return theme.Bad
	case strings.HasPrefix(line, " "), strings.HasPrefix(line, "@"):
		return theme.Muted
	}
	return theme.Strong
}

// WhyEmpty returns the reason why there are no objects of the given kind at all.
func WhyEmpty(env *screen.Env, objects string) string {
	if env.Session == nil {
		return env.Keys.Text(" No context is connected; {connect} chooses one.")
	}
	return " Recordings have no " + objects + "."
}

// List is a table above the details of the row at the cursor.
type List struct {
	// Details shows the details. It must wrap lines.
	Details pane.Pane
	at      int // line of the screen at which the table was drawn
}

// Draw draws the head, the table and the details in w by h cells. fill updates Details to show the row at the cursor.
func (l *List) Draw(t *theme.Theme, head []string, rows body.Table, fill func(), w, h int) string {
	room := max(h-len(head), 0)
	height := min(max(room/3, min(rows.Len()+1, room/2)), room)
	if rows.Len() == 0 {
		height = room
	}
	rows.Resize(w, height)
	l.at = body.PageTop + len(head)
	lines := append(head, body.Split(rows.Draw(t))...)
	if rest := room - height - 1; rest > 0 {
		fill()
		l.Details.Resize(w, rest)
		lines = append(append(lines, t.Rule(w)), body.Split(l.Details.Draw(t))...)
	}
	return cell.Block(lines, w, h)
}

// Do moves the cursor of the table or scrolls the details.
func (l *List) Do(id action.ID, rows body.Table) {
	switch id {
	case action.ChecksDown:
		l.Details.Page(1)
	case action.ChecksUp:
		l.Details.Page(-1)
	default:
		body.Steer(rows, id, 1)
	}
}

// Click selects the row of the table at the given position.
func (l *List) Click(x, y int, rows body.Table) table.Hit { return rows.Click(x, y-l.at) }
