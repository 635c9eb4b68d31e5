package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/choose"
)

// Item is an entry of a Pick.
type Item = choose.Item

// Pick is a dialog with a list to choose one item from. Typed text filters the list.
type Pick struct {
	title string
	list  *choose.List
	then  func(id string) tea.Cmd
	// loading means that more items will arrive. entered means that enter was pressed while they were loading; it
	// takes effect once they have arrived, because the best match may be among them.
	loading, entered bool
}

// Items is a message that completes a Pick that was loading.
type Items struct {
	Of    *Pick
	Items []Item
}

// NewPick returns a list of items to choose from. then returns the command for the chosen item.
func NewPick(title string, items []Item, then func(id string) tea.Cmd) *Pick {
	return &Pick{title: title, list: choose.New(items), then: then}
}

// Loading marks the list as incomplete until an Items message completes it, and returns p.
func (p *Pick) Loading() *Pick {
	p.loading = true
	return p
}

// Update handles keys: enter chooses the item at the cursor, esc closes the dialog, others move or filter.
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

// Click chooses the item at the clicked cell of the box.
func (p *Pick) Click(_, y int) (bool, tea.Cmd) {
	picked, done := p.list.Click(y - boxTop)
	if !done {
		return false, nil
	}
	return true, p.then(picked)
}

// Scroll moves the cursor by the given number of items.
func (p *Pick) Scroll(by int) { p.list.Scroll(by) }

// Draw draws the list in a box.
func (p *Pick) Draw(t *theme.Theme, w, h int) string {
	w = min(w, 100)
	iw, ih := inside(w, h)
	why := p.why(t, iw)
	lines := strings.Split(p.list.Draw(t, iw, max(min(ih-len(why), p.list.Len()+2), 0)), "\n")
	return box(t, p.title, append(lines, why...), w, h, theme.Accent)
}

// whyLines is the number of lines reserved for the reason why an item is disabled, so that the list does not jump.
const whyLines = 2

// why returns whyLines lines with the title of the item at the cursor and the reason why it is disabled, because the
// item's own line may not have enough space for it. A longer reason is cut off. It returns nil if no item is
// disabled.
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

// Keys returns the key hints for the footer.
func (p *Pick) Keys() []screen.Hint {
	return []screen.Hint{{Key: "enter", Text: "choose"}, {Key: "esc", Text: "cancel"}, {Key: "type", Text: "to filter"}}
}
