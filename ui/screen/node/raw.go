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

// setObject stores the node's JSON, read at the given time. If it is unchanged, earlier changes stay visible.
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

// status says when the object was fetched. keys provides the name of the key that marks changes.
func (r *raw) status(keys *action.Keymap) string {
	clock := func(at time.Time) string { return at.Local().Format(time.TimeOnly) }
	switch {
	case r.before == nil:
		return "fetched " + clock(r.readAt) + "; the next fetch marks changes"
	case !r.diffing:
		return fmt.Sprintf(keys.Text("fetched %s; {diff} marks changes since %s"), clock(r.readAt), clock(r.beforeAt))
	}
	return fmt.Sprintf("fetched %s; +%d -%d lines since %s", clock(r.readAt), r.added, r.removed, clock(r.beforeAt))
}

func (s *Screen) drawRaw(t *theme.Theme, w, h int) []string {
	r := &s.raw
	if r.err != nil {
		return body.Draw(t, body.Indented(theme.Bad, models.OnScreen(r.err), w-1, 3), w)
	}
	if r.lines == nil {
		return []string{"", t.Paint(theme.Muted, "   Not loaded yet.")}
	}
	left := []body.Span{body.S(theme.Muted, " "+r.status(s.env.Keys))}
	if q := r.pane.Query(); q != "" {
		left = append(left, body.S(theme.Accent, "  / "+q))
	}
	r.pane.Resize(w, h-1)
	head := body.Line(t, w, left, []body.Span{body.S(theme.Muted, r.pane.Position())})
	return append([]string{head}, body.Split(r.pane.Draw(t))...)
}

type op byte

const (
	unchanged op = ' '
	added     op = '+'
	removed   op = '-'
)

// change is a line of a diff, with the operation that produced it.
type change struct {
	op   op
	line string
}

// mostCells is the maximum number of cells in the table that diff uses to find the longest common subsequence. The
// table has one cell for each pair of lines; the YAML of a node has several hundred lines.
const mostCells = 1 << 20

// diff returns the lines of both texts, each marked as unchanged, removed or added. Where lines were replaced, the
// removed ones come first. If the texts differ too much, all lines between their common start and their common end
// count as changed.
func diff(before, after []string) []change {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	out := make([]change, 0, len(before)+len(after))
	put := func(o op, lines []string) {
		for _, line := range lines {
			out = append(out, change{o, line})
		}
	}
	put(unchanged, after[:head])
	old, fresh := before[head:len(before)-tail], after[head:len(after)-tail]
	if len(old) == 0 || len(fresh) == 0 || len(old)*len(fresh) > mostCells {
		put(removed, old)
		put(added, fresh)
	} else {
		out = append(out, middle(old, fresh)...)
	}
	put(unchanged, after[len(after)-tail:])
	return out
}

// middle compares two texts by their longest common subsequence, computed from the end of the texts.
func middle(old, fresh []string) []change {
	w := len(fresh) + 1
	// longest[i*w+j] is the length of the longest common subsequence of old[i:] and fresh[j:].
	longest := make([]int32, (len(old)+1)*w)
	for i := len(old) - 1; i >= 0; i-- {
		for j := len(fresh) - 1; j >= 0; j-- {
			if old[i] == fresh[j] {
				longest[i*w+j] = longest[(i+1)*w+j+1] + 1
			} else {
				longest[i*w+j] = max(longest[(i+1)*w+j], longest[i*w+j+1])
			}
		}
	}
	out := make([]change, 0, len(old)+len(fresh))
	i, j := 0, 0
	for i < len(old) || j < len(fresh) {
		switch {
		case i < len(old) && j < len(fresh) && old[i] == fresh[j]:
			out = append(out, change{unchanged, fresh[j]})
			i++
			j++
		case j == len(fresh) || i < len(old) && longest[(i+1)*w+j] >= longest[i*w+j+1]:
			out = append(out, change{removed, old[i]})
			i++
		default:
			out = append(out, change{added, fresh[j]})
			j++
		}
	}
	return out
}

func count(changes []change) (in, out int) {
	for _, c := range changes {
		switch c.op {
		case added:
			in++
		case removed:
			out++
		case unchanged:
		}
	}
	return in, out
}
