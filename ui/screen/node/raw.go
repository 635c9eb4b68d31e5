package node

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// raw is the node as Ironic gave it, and what changed in it.
type raw struct {
	pane pane.Pane
	text string
	// lines are those of the last text, before those of the last one that was different,
	// nil where there was none; it was read at beforeAt.
	lines, before []string
	readAt        time.Time
	beforeAt      time.Time
	// marked says that changes are shown, in and out how many lines they are.
	marked  bool
	in, out int
	err     error
}

// put takes a node in that was read. One that is the same as before changes nothing: the
// last difference is more worth than none.
func (r *raw) put(object json.RawMessage, at time.Time) {
	text, err := yamlText(object)
	r.err = err
	if err != nil || text == r.text {
		r.readAt = at
		return
	}
	if r.lines != nil {
		r.before, r.beforeAt = r.lines, r.readAt
	}
	r.text, r.readAt = text, at
	r.lines = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	r.lay()
}

// mark shows what changed, or not.
func (r *raw) mark(marked bool) {
	r.marked = marked
	r.lay()
}

// lay makes the lines of the pane.
func (r *raw) lay() {
	changes := make([]change, 0, len(r.lines))
	if r.before != nil {
		changes = diff(r.before, r.lines)
	} else {
		for _, line := range r.lines {
			changes = append(changes, change{same, line})
		}
	}
	r.in, r.out = count(changes)
	lines := make([]pane.Line, 0, len(changes))
	for _, c := range changes {
		switch {
		case !r.marked && c.op == removed:
		case !r.marked || c.op == same:
			lines = append(lines, pane.Text(theme.Plain, "   "+c.line))
		case c.op == added:
			lines = append(lines, pane.Text(theme.Added, " + "+c.line))
		default:
			lines = append(lines, pane.Text(theme.Removed, " - "+c.line))
		}
	}
	r.pane.SetLines(lines)
}

// status says what is shown.
func (r *raw) status() string {
	clock := func(at time.Time) string { return at.Local().Format(time.TimeOnly) }
	switch {
	case r.before == nil:
		return "read " + clock(r.readAt) + "; what changes is marked from the next fetch on"
	case !r.marked:
		return fmt.Sprintf("read %s; d marks what changed since %s", clock(r.readAt), clock(r.beforeAt))
	}
	return fmt.Sprintf("read %s; +%d -%d lines since %s", clock(r.readAt), r.in, r.out, clock(r.beforeAt))
}

func (s *Screen) drawRaw(t *theme.Theme, w, h int) []string {
	r := &s.raw
	if r.err != nil {
		return body.Draw(t, body.Indented(theme.Bad, models.Printable(r.err.Error()), w-1, 3), w)
	}
	if r.lines == nil {
		return []string{"", t.Paint(theme.Muted, "   The node's fields are not read yet.")}
	}
	left := []body.Span{body.S(theme.Muted, " "+r.status())}
	if q := r.pane.Query(); q != "" {
		left = append(left, body.S(theme.Accent, "  / "+models.Printable(q)))
	}
	r.pane.Resize(w, h-1)
	head := body.Line(t, w, left, []body.Span{body.S(theme.Muted, r.pane.Position())})
	return append([]string{head}, body.Split(r.pane.Draw(t))...)
}
