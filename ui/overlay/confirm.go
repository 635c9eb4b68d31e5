package overlay

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/line"
)

// A new Confirm ignores all keys except esc, because keys typed for the list behind it must not confirm anything.
// This grace period ends when no key has arrived for graceQuiet, or after graceMost at the latest.
const (
	graceQuiet = 425 * time.Millisecond
	graceMost  = 1500 * time.Millisecond
)

// Question describes what a Confirm asks.
type Question struct {
	Title string
	// Lines is the text above the question. Control characters in it are replaced.
	Lines []Text
	// Ask is the question, one or more sentences.
	Ask string
	// Type is the text that the operator has to type to confirm. If empty, y confirms.
	Type string
	// Danger paints the frame red.
	Danger bool
	// Yes and No are the commands returned when the operator confirms or cancels. Both may be nil.
	Yes, No tea.Cmd
}

// Text is a line of text with the role that determines its color.
type Text struct {
	Role theme.Role
	Text string
	// Indent is the number of blanks before continuation lines if the line is wrapped.
	Indent int
}

func (x Text) lines(t *theme.Theme, w int) []string {
	text := printable.Lines(x.Text)
	parts := cell.Wrap(text, w)
	if x.Indent > 0 && x.Indent < w/2 && len(parts) > 1 {
		first := parts[0]
		// A space before an overlong word would push the last cell of the word to the next line.
		parts = cell.Wrap(strings.TrimLeft(strings.TrimPrefix(text, first), " "), w-x.Indent)
		for i := range parts {
			parts[i] = cell.Blanks(x.Indent) + strings.TrimLeft(parts[i], " ")
		}
		parts = append([]string{first}, parts...)
	}
	for i := range parts {
		parts[i] = t.Paint(x.Role, parts[i])
	}
	return parts
}

// Confirm asks for confirmation before a change. Only the requested answer confirms it. Esc cancels, as does n if the
// answer is y. All other keys, including enter alone, change nothing.
type Confirm struct {
	q     Question
	input line.Line
	// opened is the time when the dialog was opened. last is the time of the last key press during the grace period,
	// or the same as opened if there was none.
	opened, last time.Time
	ready        bool
	wrong        bool
	scroller
}

// graceOver is sent when the grace period may have ended.
type graceOver struct{ of *Confirm }

// NewConfirm returns a dialog that asks q.
func NewConfirm(q Question) *Confirm {
	now := time.Now()
	return &Confirm{q: q, opened: now, last: now}
}

// Start starts the grace period.
func (c *Confirm) Start() tea.Cmd { return c.wait(graceQuiet) }

func (c *Confirm) wait(d time.Duration) tea.Cmd {
	return func() tea.Msg {
		<-time.After(d)
		return graceOver{c}
	}
}

// Update handles keys, pasted text, and the end of the grace period.
func (c *Confirm) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case graceOver:
		return false, c.grace(msg)
	case tea.PasteMsg:
		if c.ready && c.q.Type != "" {
			c.input.Update(msg)
		}
	case tea.KeyPressMsg:
		if msg.String() == "esc" {
			return true, c.q.No
		}
		if !c.ready {
			c.last = time.Now()
			return false, nil
		}
		return c.answer(msg)
	}
	return false, nil
}

// grace ends the grace period if no key has arrived for graceQuiet, or if graceMost has passed since the dialog was
// opened. Otherwise, it waits for the rest of that time.
func (c *Confirm) grace(msg graceOver) tea.Cmd {
	if msg.of != c || c.ready {
		return nil
	}
	now := time.Now()
	left := min(graceQuiet-now.Sub(c.last), graceMost-now.Sub(c.opened))
	if left > 0 {
		return c.wait(left)
	}
	c.ready = true
	return nil
}

func (c *Confirm) answer(msg tea.KeyPressMsg) (bool, tea.Cmd) {
	key := msg.String()
	switch {
	case c.scroll(key):
	case c.q.Type == "" && (key == "y" || key == "Y"):
		return true, c.q.Yes
	case c.q.Type == "" && (key == "n" || key == "N"):
		return true, c.q.No
	case c.q.Type == "":
	case key == "enter":
		if strings.TrimSpace(c.input.Value()) == c.q.Type {
			return true, c.q.Yes
		}
		c.wrong = true
	default:
		c.wrong = false
		c.input.Update(msg)
	}
	return false, nil
}

// Draw draws the lines, scrolled if they do not fit, with the question below them.
func (c *Confirm) Draw(t *theme.Theme, w, h int) string {
	w = min(w, 100)
	iw, ih := inside(w, h)
	bottom := c.question(t, iw)
	var lines []string
	for _, l := range c.q.Lines {
		lines = append(lines, l.lines(t, iw)...)
	}
	room := max(ih-len(bottom), 0)
	c.page = max(room-2, 1) // one line remains from the previous page, and one shows that there is more
	if len(lines) > room && room > 0 {
		c.top = max(min(c.top, len(lines)-room+1), 0)
		more := len(lines) - c.top - (room - 1)
		hint := "↑ back to the top"
		if more > 0 {
			hint = "↓ " + strconv.Itoa(more) + " more lines"
		}
		lines = append(append([]string{}, lines[c.top:min(c.top+room-1, len(lines))]...), t.Paint(theme.Muted, hint))
	}
	role := theme.Accent
	if c.q.Danger {
		role = theme.Danger
	}
	return box(t, c.q.Title, append(lines[:min(room, len(lines))], bottom...), w, h, role)
}

func (c *Confirm) question(t *theme.Theme, w int) []string {
	lines := []string{""}
	for _, part := range cell.Wrap(printable.Line(c.q.Ask), w) {
		lines = append(lines, t.Paint(theme.Strong, part))
	}
	switch {
	case !c.ready:
		return append(lines, t.Paint(theme.Muted, "Read first: keys work in a moment."))
	case c.q.Type == "":
		return append(lines, t.Paint(theme.Key, "y")+" yes   "+t.Paint(theme.Key, "esc")+" cancel")
	}
	lines = append(lines, "> "+c.input.Draw(t, max(min(w-2, 40), 1)))
	hint := "Type " + printable.Line(c.q.Type) + " and press enter; esc cancels."
	if c.wrong {
		return append(lines, t.Paint(theme.Warn, cell.Cut("No match. "+hint, w)))
	}
	return append(lines, t.Paint(theme.Muted, cell.Cut(hint, w)))
}

// Keys returns the key hints for the footer.
func (c *Confirm) Keys() []screen.Hint {
	if c.q.Type == "" {
		return []screen.Hint{{Key: "y", Text: "yes"}, {Key: "esc", Text: "cancel"}}
	}
	return []screen.Hint{{Key: "enter", Text: "after typing " + c.q.Type}, {Key: "esc", Text: "cancel"}}
}
