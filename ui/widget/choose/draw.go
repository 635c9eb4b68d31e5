package choose

import (
	"strconv"

	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

const (
	gutter = 2 // the cursor and a space
	gap    = 2 // spaces between columns
	// head is the number of lines above the items: the filter text and an empty line.
	head = 2
)

// Draw draws the list in exactly w by h cells: the filter text, an empty line, and the items around the cursor.
func (l *List) Draw(t *theme.Theme, w, h int) string {
	lines := make([]string, 0, max(h, 0))
	lines = append(lines, l.drawInput(t, w))
	if h > head+1 {
		lines = append(lines, "")
	}
	l.head, l.body = len(lines), max(h-len(lines), 0)
	l.top = max(min(l.top, l.cursor, len(l.shown)-l.body), l.cursor-max(l.body, 1)+1, 0)
	if l.top > 0 && l.top == l.cursor && l.body > 1 && l.items[l.shown[l.top-1]].Heading {
		l.top-- // show the heading above its first item
	}
	for i := l.top; i < min(l.top+l.body, len(l.shown)); i++ {
		lines = append(lines, l.drawItem(t, l.item(l.shown[i]), i == l.cursor, w))
	}
	if len(l.shown) == 0 {
		text := "No matches."
		if len(l.items) == 0 {
			text = "No choices."
		}
		lines = append(lines, cell.Blanks(gutter)+t.Paint(theme.Muted, text))
	}
	return cell.Block(lines, w, h)
}

func (l *List) drawInput(t *theme.Theme, w int) string {
	shown, all := 0, 0
	for _, i := range l.shown {
		if !l.items[i].Heading {
			shown++
		}
	}
	for i := range l.items {
		if !l.items[i].Heading {
			all++
		}
	}
	count := strconv.Itoa(shown) + "/" + strconv.Itoa(all)
	room := w - gutter - gap - len(count)
	if room < 8 {
		return cell.Blanks(gutter) + l.input.Draw(t, w-gutter)
	}
	return cell.Blanks(gutter) + l.input.Draw(t, room) + cell.Blanks(gap) + t.Paint(theme.Muted, count)
}

// drawItem draws one item: the cursor, key, title, the detail or the reason for being disabled, and the note.
func (l *List) drawItem(t *theme.Theme, item Item, current bool, w int) string {
	if item.Heading {
		return t.Paint(theme.Strong, cell.Fit(item.Title, w))
	}
	title, detail, key := theme.Plain, item.Detail, theme.Key
	if current {
		title = theme.Strong
	}
	if item.Disabled != "" {
		title, detail, key = theme.Muted, item.Disabled, theme.Muted
	}
	s := cell.Blanks(gutter)
	if current {
		s = t.Paint(theme.Accent, theme.GlyphCursor) + cell.Blanks(gutter-1)
	}
	room := w - gutter
	if kw := min(l.keyWidth, room/4); kw > 0 {
		s += t.Paint(key, cell.Fit(item.Key, kw)) + cell.Blanks(gap)
		room -= kw + gap
	}
	note := ""
	if n := cell.Width(item.Note); n > 0 && n+gap <= room/2 {
		note = cell.Blanks(gap) + t.Paint(theme.Muted, item.Note)
		room -= n + gap
	}
	if detail == "" {
		return s + t.Paint(title, cell.Fit(item.Title, room)) + note
	}
	// All details start in the same column, so titles are cut at half of the line.
	tw := min(l.titleWidth, max((w-gutter)/2, 1), room)
	s += t.Paint(title, cell.Fit(item.Title, tw))
	if dw := room - tw - gap; dw > 0 {
		return s + cell.Blanks(gap) + t.Paint(theme.Muted, cell.Fit(detail, dw)) + note
	}
	return s + cell.Blanks(room-tw) + note
}
