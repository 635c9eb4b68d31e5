package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/action"
	"ironworks/ui/screen"
)

const wheelRows = 3

// wheel scrolls the dialog in front or, if there is none, the screen.
func (c *Console) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	if c.watches() {
		return nil
	}
	id, by := action.Down, wheelRows
	switch msg.Mouse().Button {
	case tea.MouseWheelDown:
	case tea.MouseWheelUp:
		id, by = action.Up, -wheelRows
	default: // the wheel was moved sideways
		return nil
	}
	if n := len(c.overlays); n > 0 {
		if o, ok := c.overlays[n-1].(screen.Scrolling); ok {
			o.Scroll(by)
		}
		return nil
	}
	if s := c.history.front(); s != nil {
		return tea.Batch(s.Do(id), s.Do(id), s.Do(id))
	}
	return nil
}

// click selects the row, column title, tab, field or menu item at a cell. A click on a selected row opens it.
func (c *Console) click(msg tea.MouseClickMsg) tea.Cmd {
	if c.watches() || msg.Button != tea.MouseLeft || c.width < leastWidth || c.height < leastHeight {
		return nil
	}
	x, y, h := msg.X, msg.Y-c.bodyTop(), c.height-c.bodyTop()-1
	if y < 0 || y >= h {
		return nil
	}
	c.toasts.dismissRead(time.Now())
	if n := len(c.overlays); n > 0 {
		return c.clickOverlay(c.overlays[n-1], x, y, h)
	}
	s, ok := c.history.front().(screen.Clickable)
	if !ok || y >= h-len(c.toasts.draw(c.theme, c.env.Keys, c.width)) {
		return nil
	}
	open, cmd := s.Click(x, y)
	if !open || c.history.front().Typing() {
		return cmd
	}
	for _, a := range c.env.Keys.In(c.scopes()...) {
		if a.ID == action.Open && c.disabledReason(a) == "" {
			return tea.Batch(cmd, c.do(a))
		}
	}
	return cmd
}

// clickOverlay passes a click inside the dialog o to it. (x, y) is relative to the body, which has h lines.
func (c *Console) clickOverlay(o screen.Overlay, x, y, h int) tea.Cmd {
	at, ok := o.(screen.ClickableOverlay)
	if !ok {
		return nil
	}
	left, top, w, high := c.overlayPlace(o.Draw(c.theme, c.width, h), h)
	if x < left || x >= left+w || y < top || y >= top+high {
		return nil
	}
	done, cmd := at.Click(x-left, y-top)
	if done {
		c.Dismiss(o)
		return c.atOnce(cmd)
	}
	return cmd
}

func (c *Console) overlayPlace(drawn string, h int) (x, y, w, high int) {
	w, high = blockSize(drawn)
	return (c.width - w) / 2, max((h-high)/3, 0), w, high
}

// bodyTop returns the number of lines above the body: the header and, in a tall window, a rule.
func (c *Console) bodyTop() int {
	if c.height >= roomyHeight {
		return 2
	}
	return 1
}
