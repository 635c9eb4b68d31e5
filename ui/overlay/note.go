package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// Note is something to read; esc, enter and q take it away.
type Note struct {
	title string
	lines []Text
	top   int
	page  int
}

// NewNote makes a note of sanitised lines.
func NewNote(title string, lines []Text) *Note { return &Note{title: title, lines: lines} }

// Update scrolls, or takes it away.
func (n *Note) Update(msg tea.Msg) (bool, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false, nil
	}
	switch key.String() {
	case "esc", "enter", "q", "!":
		return true, nil
	case "down", "j":
		n.top++
	case "up", "k":
		n.top--
	case "pgdown", "space":
		n.top += n.page
	case "pgup":
		n.top -= n.page
	case "home", "g":
		n.top = 0
	case "end", "G":
		n.top = 1 << 30
	}
	return false, nil
}

// Draw paints the lines from the place scrolled to.
func (n *Note) Draw(t *theme.Theme, w, h int) string {
	w = min(w, 110)
	iw, ih := inside(w, h)
	var lines []string
	for _, l := range n.lines {
		lines = append(lines, l.lines(t, iw)...)
	}
	n.page = max(ih-1, 1)
	n.top = max(min(n.top, len(lines)-ih), 0)
	return box(t, n.title, lines[n.top:], w, h, theme.Accent)
}

// Keys are the footer's hints.
func (n *Note) Keys() []screen.Hint {
	return []screen.Hint{{Key: "esc", Text: "leave"}, {Key: "↑↓", Text: "scroll"}}
}

// Plain makes plain lines of text.
func Plain(text string) []Text {
	var lines []Text
	for _, l := range strings.Split(text, "\n") {
		lines = append(lines, Text{Text: l})
	}
	return lines
}
