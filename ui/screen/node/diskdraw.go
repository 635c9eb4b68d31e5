package node

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/provision"
	"ironworks/ui/cell"
	"ironworks/ui/screen/body"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
)

// remark is a note that concerns all disks together.
type remark struct {
	glyph string
	role  theme.Role
	text  string
}

// remarks returns the sanitized notes above the list, about the selected disk, the hints and the inventory.
func (d *disks) remarks(now time.Time) []remark {
	var list []remark
	add := func(glyph string, role theme.Role, text string) {
		list = append(list, remark{glyph, role, text})
	}
	text, clear := d.search.Verdict(&d.explain)
	refused := d.search.Hints.Validate(d.Generation)
	switch {
	case !d.search.Hints.IsSet():
	case refused != nil:
		add(theme.GlyphFailed, theme.Bad, "Ironic rejects the hints: "+models.OnScreen(refused))
	case d.explain.Error != "":
		add(theme.GlyphDone, theme.Plain, "Ironic accepts the hints")
	}
	switch {
	case d.explain.Error != "":
		add(theme.GlyphFailed, theme.Bad, text)
	case clear:
		add(theme.GlyphDone, theme.Good, text)
	default:
		add(theme.GlyphMaint, theme.Warn, text)
	}
	for _, p := range d.explain.Problems {
		if p.Severity == hints.Fails {
			continue // each disk's verdict already shows it
		}
		add(theme.GlyphMaint, theme.Warn, strings.TrimPrefix(string(p.Hint)+": "+p.Text, ": "))
	}
	for _, note := range d.Notes(now, provision.InventoryAge) {
		add(theme.GlyphMaint, theme.Warn, note)
	}
	return list
}

// hintsLine returns a line with the effective hints and, if known, a line with the age of the inventory.
func (d *disks) hintsLine(now time.Time) []pane.Line {
	hints := []body.Span{body.S(theme.Muted, " no root device hints")}
	if d.search.Hints.IsSet() {
		hints = []body.Span{
			body.S(theme.Muted, " "+string(d.Hints.Source)+".root_device "), body.S(theme.Strong, d.search.Hints.String()),
		}
	}
	if d.Inspected.IsZero() {
		return []pane.Line{hints}
	}
	by := "by an agent"
	if d.Inventory.OutOfBand() {
		by = "by the BMC"
	}
	age := []body.Span{body.S(theme.Muted, fmt.Sprintf(" inspected %s, %s", body.Ago(now, d.Inspected), by))}
	return []pane.Line{hints, age}
}

func (s *Screen) drawDisks(t *theme.Theme, w, h int) []string {
	top := s.asked(t, w, s.disksErr())
	found, read := s.disks.Value()
	s.diskRows.Empty = s.noDisks()
	if !read {
		s.diskRows.Resize(w, h-len(top))
		return append(top, body.Split(s.diskRows.Draw(t))...)
	}
	top = append(top, s.aboutDisks(t, found, w, h)...)
	below := s.diskDetail(t, w, h)
	s.listAt = len(top)
	s.diskRows.Resize(w, h-len(top)-len(below))
	return append(append(top, body.Split(s.diskRows.Draw(t))...), below...)
}

// aboutDisks draws the notes in at most a third of the height. The dialog about a disk shows all of them.
func (s *Screen) aboutDisks(t *theme.Theme, found *disks, w, h int) []string {
	now := s.env.ServerNow()
	most := max(h/3, 1)
	lines := found.hintsLine(now)
	for _, r := range found.remarks(now) {
		text := body.IndentedMost(r.role, r.text, w-4, 0, 3)
		lines = append(lines, body.Prefixed(text, body.S(r.role, " "+r.glyph+" "), body.S(r.role, "   "))...)
	}
	if len(lines) > most {
		left := len(lines) - most + 1
		lines = append(lines[:most-1:most-1], pane.Line{body.S(theme.Muted, fmt.Sprintf(" … %d more lines: enter", left))})
	}
	return body.Draw(t, lines, w)
}

// diskDetail draws the details of the disk at the cursor. Their height does not depend on the disk.
func (s *Screen) diskDetail(t *theme.Theme, w, h int) []string {
	d, ok := s.diskRows.Cursor()
	if !ok || h < 12 {
		return nil
	}
	most := max(h*2/5, 6)
	var text []pane.Line
	if w >= twoColumns {
		text = sideBySide(append(title(d.name), body.Details(d.attributes, w/2)...), append([]pane.Line{nil}, d.hintLines(w/2-2)...), w/2)[1:]
	} else {
		text = append(text, pane.Line{body.S(theme.Strong, " "+cell.Cut(d.name, w-2))})
		hints := d.hintLines(w)
		text = append(text, body.IndentedMost(theme.Plain, d.flow(), w-1, 1, max(most-2-len(hints), 3))...)
		text = append(text, hints...)
	}
	return body.Padded(append([]string{t.Rule(w)}, body.Draw(t, text[:min(len(text), most-1)], w)...), most)
}

// hintMark returns how a hint compares with a disk.
func hintMark(h *hints.Check) (glyph string, role theme.Role, text string) {
	text = fmt.Sprintf("%s %s", h.Hint, h.Wants)
	if h.Matches {
		return theme.GlyphDone, theme.Good, text
	}
	return theme.GlyphFailed, theme.Bad, text + ": " + h.Why
}

// flow returns all facts about the disk as one line of text.
func (d *disk) flow() string {
	parts := make([]string, len(d.attributes))
	for i, a := range d.attributes {
		parts[i] = a.Name + " " + a.Value
	}
	return strings.Join(parts, " · ")
}

// hintLines compares every hint with the disk. If there are no hints, it shows the verdict.
func (d *disk) hintLines(w int) []pane.Line {
	lines := body.IndentedMost(theme.Plain, d.why, w-2, 1, 2)
	if len(d.check.Hints) == 0 {
		return lines
	}
	lines = nil
	for i := range d.check.Hints {
		glyph, role, text := hintMark(&d.check.Hints[i])
		lines = append(lines, pane.Line{body.S(role, " "+glyph+" "), body.S(theme.Plain, cell.Cut(text, max(w-4, 1)))})
	}
	if d.check.Skipped || d.check.Matches && !d.check.Picked {
		lines = slices.Concat(body.IndentedMost(theme.Warn, d.why, w-2, 1, 2), lines)
	}
	return lines
}
