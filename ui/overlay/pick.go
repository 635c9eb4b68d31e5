package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/choose"
)

// Item is something to pick.
type Item = choose.Item

// Pick is a list to pick one thing from; typing narrows it.
type Pick struct {
	title string
	list  *choose.List
	then  func(id string) tea.Cmd
}

// NewPick makes a list; then gives the command for what was picked.
func NewPick(title string, items []Item, then func(id string) tea.Cmd) *Pick {
	return &Pick{title: title, list: choose.New(items), then: then}
}

// Update takes keys: enter picks, esc leaves.
func (p *Pick) Update(msg tea.Msg) (bool, tea.Cmd) {
	picked, done := p.list.Update(msg)
	if done && picked != "" {
		return true, p.then(picked)
	}
	return done, nil
}

// Draw paints the list in a box.
func (p *Pick) Draw(t *theme.Theme, w, h int) string {
	w = min(w, 100)
	iw, ih := inside(w, h)
	return box(t, p.title, strings.Split(p.list.Draw(t, iw, min(ih, p.list.Len()+2)), "\n"), w, h, theme.Accent)
}

// Keys are the footer's hints.
func (p *Pick) Keys() []screen.Hint {
	return []screen.Hint{{Key: "enter", Text: "choose"}, {Key: "esc", Text: "leave"}, {Key: "type", Text: "to narrow"}}
}
