package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/presence"
	"ironworks/printable"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
)

// View draws the whole screen. It runs after every message, so it does neither I/O nor lengthy work.
func (c *Console) View() (v tea.View) {
	defer func() {
		if p := recover(); p != nil {
			if c.crash == nil {
				c.crash = newCrash(p)
				c.cancel()
			}
			// The console quits at the next message, which is the next tick if nothing else arrives.
			v = tea.NewView(" ")
			v.AltScreen = true
		}
	}()
	if c.unchanged {
		return c.shown
	}
	painted := c.paint()
	if painted == c.painted {
		painted = c.painted // in each frame, Bubble Tea compares the last two views; the comparison costs nothing if both contain the same string
	}
	c.painted = painted
	v = tea.NewView(painted)
	if c.env.Seat != nil {
		c.env.Seat.Show(presence.Frame{Content: v.Content, Width: c.width, Height: c.height})
	}
	v.AltScreen = true
	v.WindowTitle = c.windowTitle()
	if c.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	if c.painter != nil {
		c.painter.show(v)
	}
	c.shown = v
	return v
}

// windowTitle returns the context's name and the number of running tasks, for a terminal in the background.
func (c *Console) windowTitle() string {
	title := "ironworks"
	if c.env.Session != nil {
		title += " " + c.env.Session.Context.Name
	}
	if n := c.env.Tasks.Running(); n > 0 {
		title += fmt.Sprintf(" · %s running", models.Counted(n, "task"))
	}
	return title
}

// leastWidth and leastHeight are the dimensions of the smallest usable window.
const (
	leastWidth  = 30
	leastHeight = 7
	// roomyHeight is the smallest window height at which a rule is drawn below the header.
	roomyHeight = 30
)

func (c *Console) paint() string {
	w, h := max(c.width, 1), max(c.height, 1)
	if w < leastWidth || h < leastHeight {
		return c.theme.Plain(c.card(w, h))
	}
	t := c.theme
	if frame, person, is := c.following(); is {
		return t.Plain(c.mirror(frame, person, w, h))
	}
	lines := []string{c.header(w)}
	if c.bodyTop() > 1 {
		lines = append(lines, t.Paint(theme.Accent, strings.Repeat(theme.GlyphRule, w)))
	}
	bodyHeight := h - len(lines) - 1
	body := c.body(w, bodyHeight)
	if n := len(c.overlays); n > 0 {
		top := c.overlays[n-1].Draw(t, w, bodyHeight)
		x, y, _, _ := c.overlayPlace(top, bodyHeight)
		body = cell.Over(body, top, x, y)
	}
	return t.Plain(strings.Join(append(lines, body, c.footer(w)), "\n"))
}

// body draws the current screen with the toast over its last lines. The Explain screen is an exception, because its
// last lines describe the action that enter runs, and an error of this action appears as a toast. There, the toast is
// drawn below the text.
func (c *Console) body(w, h int) string {
	var toast []string
	if len(c.overlays) == 0 {
		toast = c.toasts.draw(c.theme, c.env.Keys, w)
	}
	body := ""
	switch s := c.history.front(); {
	case s == nil:
		body = cell.Block(nil, w, h)
	case s.Ref().Kind == screen.KindExplain && len(toast) < h:
		return strings.Join(append([]string{s.Draw(c.bodyTheme(), w, h-len(toast))}, toast...), "\n")
	default:
		body = s.Draw(c.bodyTheme(), w, h)
	}
	if len(toast) == 0 {
		return body
	}
	return cell.Over(body, strings.Join(toast, "\n"), 0, max(h-len(toast), 0))
}

func blockSize(block string) (w, h int) {
	for _, line := range strings.Split(block, "\n") {
		w = max(w, cell.Width(line))
		h++
	}
	return w, h
}

// bodyTheme returns the theme for the body: dimmed while the body shows old data because polling has failed.
func (c *Console) bodyTheme() *theme.Theme {
	s := c.env.Status
	if s.Fault != nil && !s.Answered.IsZero() {
		return c.dimmed
	}
	return c.theme
}

// card returns the text shown in place of the screen if the window is too small.
func (c *Console) card(w, h int) string {
	text, _ := c.connection(w)
	lines := []string{"ironworks"}
	if c.env.Session != nil {
		lines = append(lines, c.mark()+printable.Line(c.env.Session.Context.Name))
	}
	lines = append(lines, cell.Wrap(text, w)...)
	lines = append(lines, cell.Wrap(c.env.Keys.Text("too small (minimum 30×7); {quit} quits"), w)...)
	if n := len(c.overlays); n > 0 {
		lines = append([]string{"a dialog is open"}, lines...)
	}
	return cell.Block(lines, w, h)
}

func (c *Console) footer(w int) string {
	line, used := " ", 1
	for _, hint := range c.hints() {
		hint.Text = printable.Line(hint.Text)
		size := hintWidth(hint)
		if used+size > w {
			break
		}
		line += c.theme.Paint(theme.Key, hint.Key) + " " + c.theme.Paint(theme.Muted, hint.Text) + "  "
		used += size
	}
	return line + cell.Blanks(w-used)
}

// hints returns the keys for the footer; keys of disabled actions are left out.
func (c *Console) hints() []screen.Hint {
	if n := len(c.overlays); n > 0 {
		return c.overlays[n-1].Keys()
	}
	s := c.history.front()
	if hinted, ok := s.(screen.Hinted); ok && s.Typing() {
		return hinted.Hints()
	}
	if s != nil && s.Typing() {
		return []screen.Hint{{Key: "enter", Text: "apply"}, {Key: "esc", Text: "cancel"}, {Key: "keys", Text: strings.Join(filter.Keys(), " ")}}
	}
	// General keys keep their place. The help lists whatever does not fit.
	var hints []screen.Hint
	for _, a := range c.footActions() {
		if a.ID == action.Back && c.history.at == 0 {
			continue
		}
		hints = append(hints, screen.Hint{Key: action.KeyText(a.Key()), Text: a.Name})
	}
	width := 1
	for _, h := range hints {
		width += hintWidth(h)
	}
	// The last hint, which opens the help, always stays.
	for n := len(hints); n > 1 && width > c.width; n-- {
		width -= hintWidth(hints[n-2])
		hints = slices.Delete(hints, n-2, n-1)
	}
	return hints
}

func hintWidth(h screen.Hint) int { return cell.Width(h.Key) + 1 + cell.Width(h.Text) + 2 }
