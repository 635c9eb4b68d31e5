package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/cell"
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
	// loading says that not all items are there yet, entered that enter was pressed
	// meanwhile: it counts when they are, as the one that was meant may be among them.
	loading, entered bool
}

// Items are all items of a Pick that began with some of them.
type Items struct {
	Of    *Pick
	Items []Item
}

// NewPick makes a list; then gives the command for what was picked.
func NewPick(title string, items []Item, then func(id string) tea.Cmd) *Pick {
	return &Pick{title: title, list: choose.New(items), then: then}
}

// Loading says that Items will come, with those that are there and more.
func (p *Pick) Loading() *Pick {
	p.loading = true
	return p
}

// Update takes keys: enter picks, esc leaves.
func (p *Pick) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case Items:
		return p.loaded(msg)
	case tea.KeyPressMsg:
		if key := msg.String(); p.loading && key != "esc" && (p.entered || key == "enter") {
			p.entered = true
			return false, nil
		}
	}
	return p.update(msg)
}

func (p *Pick) loaded(all Items) (bool, tea.Cmd) {
	if all.Of != p {
		return false, nil
	}
	p.loading = false
	p.list.Complete(all.Items)
	if !p.entered {
		return false, nil
	}
	p.entered = false
	return p.update(tea.KeyPressMsg{Code: tea.KeyEnter})
}

func (p *Pick) update(msg tea.Msg) (bool, tea.Cmd) {
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
	why := p.why(t, iw)
	lines := strings.Split(p.list.Draw(t, iw, max(min(ih-len(why), p.list.Len()+2), 0)), "\n")
	return box(t, p.title, append(lines, why...), w, h, theme.Accent)
}

// whyLines is the room for why an item cannot be picked: it is there even where nothing
// has to be said, so that the list stays where it is.
const whyLines = 2

// why is the whole reason why the item at the cursor cannot be picked, which the line of
// the item may have to cut.
func (p *Pick) why(t *theme.Theme, w int) []string {
	if !p.list.Reasons() {
		return nil
	}
	lines := make([]string, whyLines)
	item, ok := p.list.Current()
	if !ok || item.Disabled == "" {
		return lines
	}
	for i, part := range cell.Wrap(item.Title+": "+item.Disabled, w) {
		if i < whyLines {
			lines[i] = t.Paint(theme.Warn, part)
		}
	}
	return lines
}

// Keys are the footer's hints.
func (p *Pick) Keys() []screen.Hint {
	return []screen.Hint{{Key: "enter", Text: "choose"}, {Key: "esc", Text: "leave"}, {Key: "type", Text: "to narrow"}}
}
