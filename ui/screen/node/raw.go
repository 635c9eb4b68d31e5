package node

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ironworks/document"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// raw holds the node's JSON, converted to YAML, and the changes since its previous version.
type raw struct {
	pane pane.Pane
	text string
	// lines holds the current text. before holds the most recent text that differed from lines, and beforeAt is the
	// time when it was last read. before is nil if there is no such text.
	lines, before []string
	readAt        time.Time
	beforeAt      time.Time
	// diffing is true if changes are shown. added and removed count the changed lines.
	diffing        bool
	added, removed int
	err            error
}

// setObject stores the node's JSON, which was read at the given time. If the JSON has not changed, the earlier
// changes are still shown.
func (r *raw) setObject(object json.RawMessage, at time.Time) {
	// The keys are sorted, so that the texts differ only where the objects differ.
	converted, err := document.JSONToYAML(object, true)
	text := string(converted)
	if r.err = err; err != nil {
		r.err = fmt.Errorf("read the node's JSON: %w", err)
	}
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

func (r *raw) mark(marked bool) {
	r.diffing = marked
	r.lay()
}

// lay sets the lines of the pane.
func (r *raw) lay() {
	changes := make([]change, 0, len(r.lines))
	if r.before != nil {
		changes = diff(r.before, r.lines)
	} else {
		for _, line := range r.lines {
			changes = append(changes, change{unchanged, line})
		}
	}
	r.added, r.removed = count(changes)
	lines := make([]pane.Line, 0, len(changes))
	for _, c := range changes {
		switch {
		case !r.diffing && c.op == removed:
		case !r.diffing || c.op == unchanged:
			lines = append(lines, pane.Text(theme.Plain, "   "+c.line))
		case c.op == added:
			lines = append(lines, pane.Text(theme.Added, " + "+c.line))
		default:
			lines = append(lines, pane.Text(theme.Removed, " - "+c.line))
		}
	}
	r.pane.SetLines(lines)
}

// status returns a text that says when the object was fetched. keys provides the name of the key that marks changes.
func (r *raw) status(keys *action.Keymap) string {
	clock := func(at time.Time) string { return at.Local().Format(time.TimeOnly) }
	switch {
	case r.before == nil:
		return "fetched " + clock(r.readAt) + textDiffLater
	case !r.diffing:
		return fmt.Sprintf(keys.Text(textDiffHint), clock(r.readAt), clock(r.beforeAt))
	}
	return fmt.Sprintf(textDiffCount, clock(r.readAt), r.added, r.removed, clock(r.beforeAt))
}

func (s *Screen) drawRaw(t *theme.Theme, w, h int) []string {
	r := &s.raw
	if r.err != nil {
		return body.Draw(t, body.Indented(theme.Bad, models.OnScreen(r.err), w-1, 3), w)
	}
	if r.lines == nil {
		return []string{"", t.Paint(theme.Muted, textFieldsNotRead)}
	}
	left := []body.Span{body.S(theme.Muted, " "+r.status(s.env.Keys))}
	if q := r.pane.Query(); q != "" {
		left = append(left, body.S(theme.Accent, "  / "+q))
	}
	r.pane.Resize(w, h-1)
	head := body.Line(t, w, left, []body.Span{body.S(theme.Muted, r.pane.Position())})
	return append([]string{head}, body.Split(r.pane.Draw(t))...)
}
