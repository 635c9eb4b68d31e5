package overlay

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

const textNothingSentYet = "Nothing has been sent yet; esc cancels."

// Note is a dialog that shows text. It is closed by esc, q or !, and by enter if it offers no choices.
type Note struct {
	title   string
	lines   []Text
	choices []Choice
	scroller
}

// scroller is the scroll position of a dialog: the first visible line, and the number of lines of a page. Drawing limits
// the position.
type scroller struct{ top, page int }

// scroll handles the keys that scroll, and reports whether key is one of them.
func (s *scroller) scroll(key string) bool {
	switch key {
	case "down":
		s.top++
	case "up":
		s.top--
	case "pgdown":
		s.top += s.page
	case "pgup":
		s.top -= s.page
	default:
		return false
	}
	return true
}

// Choice is a key offered by a Note, with its label and the command that it runs.
type Choice struct {
	Key, Text string
	Then      tea.Cmd
}

// With adds choices, and returns n. Each choice closes the note. A note with choices ignores enter.
func (n *Note) With(choices ...Choice) *Note {
	n.choices = append(n.choices, choices...)
	return n
}

// NewNote returns a note. Control characters in its lines are replaced.
func NewNote(title string, lines []Text) *Note { return &Note{title: title, lines: lines} }

// Update scrolls or closes the note.
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
	case "home", "g":
		n.top = 0
	case "end", "G":
		n.top = 1 << 30
	default:
		same := map[string]string{"j": "down", "k": "up", "space": "pgdown"}
		n.scroll(cmp.Or(same[key.String()], key.String()))
	}
	return false, nil
}

// Scroll moves the text by the given number of lines.
func (n *Note) Scroll(by int) { n.top += by }

// Draw draws the lines from the scroll position on.
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

func (n *Note) bottom(t *theme.Theme) []string {
	if len(n.choices) == 0 {
		return nil
	}
	var keys []string
	for _, c := range n.choices {
		keys = append(keys, t.Paint(theme.Key, c.Key)+" "+printable.Line(c.Text))
	}
	return []string{"", strings.Join(append(keys, t.Paint(theme.Key, "esc")+" close"), "   ")}
}

// Keys returns the key hints for the footer.
func (n *Note) Keys() []screen.Hint {
	var hints []screen.Hint
	for _, c := range n.choices {
		hints = append(hints, screen.Hint{Key: c.Key, Text: c.Text})
	}
	return append(hints, screen.Hint{Key: "esc", Text: "close"}, screen.Hint{Key: "↑↓", Text: "scroll"})
}

// Plain splits text into lines that have no role.
func Plain(text string) []Text {
	var lines []Text
	for l := range strings.SplitSeq(text, "\n") {
		lines = append(lines, Text{Text: l})
	}
	return lines
}

// Wait is a dialog shown during a long operation. Esc cancels the operation; other keys are ignored.
type Wait struct {
	title, text string
	stop        func()
	// Done is the number of finished nodes, and Of is the total number of nodes.
	Done, Of int
}

// NewWait returns a dialog for an operation on the given number of nodes. stop cancels the operation.
func NewWait(title, text string, of int, stop func()) *Wait {
	return &Wait{title: title, text: text, Of: of, stop: stop}
}

// Update cancels the operation when esc is pressed.
func (w *Wait) Update(msg tea.Msg) (bool, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "esc" {
		w.stop()
		return true, nil
	}
	return false, nil
}

// Draw shows the text and, for more than one node, the progress.
func (w *Wait) Draw(t *theme.Theme, width, height int) string {
	width = min(width, 100)
	iw, _ := inside(width, height)
	lines := Text{Text: w.text}.lines(t, iw)
	if w.Of > 1 {
		lines = append(lines, fmt.Sprintf("%d of %d nodes checked", w.Done, w.Of))
	}
	return box(t, w.title, append(lines, t.Paint(theme.Muted, textNothingSentYet)), width, height, theme.Accent)
}

// Keys returns the key hints for the footer.
func (w *Wait) Keys() []screen.Hint { return []screen.Hint{{Key: "esc", Text: "cancel"}} }
