package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// Note is something to read; esc, enter and q take it away.
type Note struct {
	title   string
	lines   []Text
	choices []Choice
	top     int
	page    int
}

// Choice is something that can be done from a note, by a key.
type Choice struct {
	Key, Text string
	Then      tea.Cmd
}

// With offers choices below what is to be read; each takes the note away. Enter then
// does nothing: what is chosen is chosen by its key.
func (n *Note) With(choices ...Choice) *Note {
	n.choices = append(n.choices, choices...)
	return n
}

// NewNote makes a note of sanitised lines.
func NewNote(title string, lines []Text) *Note { return &Note{title: title, lines: lines} }

// Update scrolls, or takes it away.
func (n *Note) Update(msg tea.Msg) (bool, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false, nil
	}
	for _, c := range n.choices {
		if key.String() == c.Key {
			return true, c.Then
		}
	}
	switch key.String() {
	case "enter":
		return len(n.choices) == 0, nil
	case "esc", "q", "!":
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
	bottom := n.bottom(t)
	room := max(ih-len(bottom), 0)
	n.page = max(room-1, 1)
	n.top = max(min(n.top, len(lines)-room), 0)
	lines = lines[n.top:min(n.top+room, len(lines))]
	return box(t, n.title, append(lines, bottom...), w, h, theme.Accent)
}

// bottom are the choices.
func (n *Note) bottom(t *theme.Theme) []string {
	if len(n.choices) == 0 {
		return nil
	}
	var keys []string
	for _, c := range n.choices {
		keys = append(keys, t.Paint(theme.Key, c.Key)+" "+c.Text)
	}
	return []string{"", strings.Join(append(keys, t.Paint(theme.Key, "esc")+" leave"), "   ")}
}

// Keys are the footer's hints.
func (n *Note) Keys() []screen.Hint {
	var hints []screen.Hint
	for _, c := range n.choices {
		hints = append(hints, screen.Hint{Key: c.Key, Text: c.Text})
	}
	return append(hints, screen.Hint{Key: "esc", Text: "leave"}, screen.Hint{Key: "↑↓", Text: "scroll"})
}

// Plain makes plain lines of text.
func Plain(text string) []Text {
	var lines []Text
	for _, l := range strings.Split(text, "\n") {
		lines = append(lines, Text{Text: l})
	}
	return lines
}
