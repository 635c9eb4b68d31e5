package tasks

import (
	"cmp"
	"strconv"
	"time"

	"ironworks/models"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
)

// Draw draws the nodes of the task and, below them, the full reason for the result of the node at the cursor.
func (s *Task) Draw(t *theme.Theme, w, h int) string {
	return body.Page(t, w, h, s.heading(t, w), t.Rule(w), func(h int) string {
		below := s.below(t, w, h)
		s.table.Empty = "No task " + strconv.Itoa(s.number) + "."
		rows := max(h-len(below), 0)
		s.table.Resize(w, rows)
		return cell.Block(append(body.Split(s.table.Draw(t)), below...), w, h)
	})
}

func (s *Task) heading(t *theme.Theme, w int) string {
	left := []body.Span{body.S(theme.Strong, " Task "+strconv.Itoa(s.number))}
	task, ok := s.task()
	if !ok {
		return body.Line(t, w, left, nil)
	}
	glyph, word, role := state(task)
	on := nodes(task)
	left = append(left, body.S(theme.Plain, "  "+name(task)+" on "+cell.Cut(on, max(w/4, 12))+"  "), body.S(role, glyph+" "+word),
		body.S(theme.Plain, "  "+models.Age(duration(task, time.Now()))))
	right := "started " + task.Began.Local().Format(time.TimeOnly) + " · " + task.Context
	return body.Line(t, w, left, []body.Span{body.S(theme.Muted, right)})
}

// below draws a rule, the details of the node at the cursor, and the command line that would run the same task. The
// height does not depend on the node, so that the list does not jump.
func (s *Task) below(t *theme.Theme, w, h int) []string {
	if h < 10 {
		return nil
	}
	most := min(max(h-s.table.Len()-1, 5), h/2)
	lines := []string{t.Rule(w)}
	if r, ok := s.table.Cursor(); ok {
		text := cmp.Or(r.whole, r.now)
		head := r.node.Label() + "  " + r.look.word
		if r.requestID != "" {
			head += "  request " + r.requestID
		}
		lines = append(lines, body.Text(t, r.look.role, " "+r.look.glyph+" "+head, w))
		lines = append(lines, body.Draw(t, body.IndentedMost(theme.Plain, text, w-1, 3, most-3), w)...)
	}
	if task, ok := s.task(); ok && task.Command != "" {
		lines = append(body.Padded(lines, most-1), body.Text(t, theme.Muted, "   "+task.Command, w))
	}
	return body.Padded(lines, most)
}
