package overlay

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/line"
)

// A dialog that opens by itself, after nodes were fetched, takes no key before there
// was none for a while: what was typed for the list behind it must not confirm.
const (
	graceQuiet = 425 * time.Millisecond
	graceMost  = 1500 * time.Millisecond
)

// Question is what a Confirm asks.
type Question struct {
	Title string
	// Lines are what is to be read first, already painted-safe: sanitised text with
	// roles.
	Lines []Text
	// Ask is the question itself.
	Ask string
	// Type has to be typed; empty asks for y alone.
	Type string
	// Danger paints the frame red.
	Danger bool
	// Yes and No say what happens then; either may be nil.
	Yes, No tea.Cmd
}

// Text is a line with what it means.
type Text struct {
	Role theme.Role
	Text string
	// Indent is where the line goes on when it is broken.
	Indent int
}

// lines are the text broken to w cells and painted.
func (x Text) lines(t *theme.Theme, w int) []string {
	parts := cell.Wrap(x.Text, w)
	if x.Indent > 0 && x.Indent < w/2 && len(parts) > 1 {
		first := parts[0]
		// A blank before a word that is too long would push its last cell to a line of its own.
		parts = cell.Wrap(strings.TrimLeft(strings.TrimPrefix(x.Text, first), " "), w-x.Indent)
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

// Confirm asks before something that cannot be undone. The safe answer is the default:
// enter alone, esc and every other key change nothing.
type Confirm struct {
	q     Question
	clock screen.Clock
	input *line.Line
	// opened and last are when it opened and when the last key came during the grace.
	opened, last time.Time
	ready        bool
	wrong        bool
	top, page    int
}

// graceOver comes when the grace may be over.
type graceOver struct{ of *Confirm }

// NewConfirm makes the dialog.
func NewConfirm(clock screen.Clock, q Question) *Confirm {
	now := clock.Now()
	return &Confirm{q: q, clock: clock, input: line.New(), opened: now, last: now}
}

// Start begins the grace.
func (c *Confirm) Start() tea.Cmd { return c.wait(graceQuiet) }

func (c *Confirm) wait(d time.Duration) tea.Cmd {
	return func() tea.Msg {
		<-c.clock.After(d)
		return graceOver{c}
	}
}

// Update takes the answer.
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
			c.last = c.clock.Now()
			return false, nil
		}
		return c.answer(msg)
	}
	return false, nil
}

// grace ends when there was no key for a while, or after a while in any case.
func (c *Confirm) grace(msg graceOver) tea.Cmd {
	if msg.of != c || c.ready {
		return nil
	}
	now := c.clock.Now()
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
	case key == "down":
		c.top++
	case key == "pgdown":
		c.top += max(c.page, 1)
	case key == "up":
		c.top = max(c.top-1, 0)
	case key == "pgup":
		c.top = max(c.top-max(c.page, 1), 0)
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

// Draw paints what is at stake, scrolled, and the question below it.
func (c *Confirm) Draw(t *theme.Theme, w, h int) string {
	w = min(w, 100)
	iw, ih := inside(w, h)
	bottom := c.question(t, iw)
	var lines []string
	for _, l := range c.q.Lines {
		lines = append(lines, l.lines(t, iw)...)
	}
	room := max(ih-len(bottom), 0)
	c.page = room - 2 // a line of the page before stays, and one says that there is more
	if len(lines) > room && room > 0 {
		c.top = min(c.top, len(lines)-room+1)
		more := len(lines) - c.top - (room - 1)
		hint := "↑ back to the beginning"
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
	for _, part := range cell.Wrap(c.q.Ask, w) {
		lines = append(lines, t.Paint(theme.Strong, part))
	}
	switch {
	case !c.ready:
		return append(lines, t.Paint(theme.Muted, "One moment: read first."))
	case c.q.Type == "":
		return append(lines, t.Paint(theme.Key, "y")+" yes   "+t.Paint(theme.Key, "esc")+" no, change nothing")
	}
	lines = append(lines, "> "+c.input.Draw(t, max(min(w-2, 40), 1)))
	hint := "Type " + c.q.Type + " and press enter; esc changes nothing."
	if c.wrong {
		return append(lines, t.Paint(theme.Warn, cell.Cut("That is not it. "+hint, w)))
	}
	return append(lines, t.Paint(theme.Muted, cell.Cut(hint, w)))
}

// Keys are the footer's hints.
func (c *Confirm) Keys() []screen.Hint {
	if c.q.Type == "" {
		return []screen.Hint{{Key: "y", Text: "yes"}, {Key: "esc", Text: "no"}}
	}
	return []screen.Hint{{Key: "enter", Text: "after typing " + c.q.Type}, {Key: "esc", Text: "no"}}
}
