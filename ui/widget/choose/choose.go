// Package choose implements a list to choose one item from. Typed text filters the list. Items that contain the text
// come first, followed by items that contain its letters in the same order. Disabled items remain visible, with the
// reason.
package choose

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/widget/line"
)

// Item is an entry of the list. Only ID and Title are required.
type Item struct {
	ID     string
	Title  string
	Detail string // shown after the title
	Note   string // shown at the right
	Key    string // the key that is equivalent to choosing the item, shown before the title
	// Keys lists the keys that are equivalent to choosing the item. While the filter is empty, such a key chooses the
	// item, unless it could start a filter text. A lowercase letter is always typed as text, and moves its item to
	// the top.
	Keys []string
	// Heading means that the item is the heading of the next items. It cannot be chosen, and any filter text hides it.
	Heading bool
	// Disabled is the reason why the item cannot be chosen, or "" if it can.
	Disabled string
	// Why returns the current reason, which replaces Disabled. It is nil if the reason does not change.
	Why func() string
}

// List is a list of items with a filter text and a cursor.
type List struct {
	items       []Item
	searchTexts []searchText // the searchable text of each item
	input       line.Line
	query       string
	shown       []int // indexes of the items that match, best match first
	cursor      int   // an index into shown
	top         int   // index into shown of the first visible item
	head        int   // number of lines above the items when last drawn
	body        int   // number of lines for items when last drawn

	keyWidth, titleWidth int
}

// New returns a list with the cursor at the first enabled item.
func New(items []Item) *List {
	l := &List{}
	l.input.Placeholder = "type to filter"
	l.SetItems(items)
	l.home()
	return l
}

// SetItems replaces the items. It keeps the filter text and, if possible, the cursor's item.
func (l *List) SetItems(items []Item) {
	at, had := l.Current()
	l.items = make([]Item, len(items))
	for i, item := range items {
		item.Title, item.Detail = printable.Line(item.Title), printable.Line(item.Detail)
		item.Note, item.Disabled = printable.Line(item.Note), printable.Line(item.Disabled)
		l.items[i] = item
	}
	l.index()
	l.shown = l.filter(l.query)
	if had && !l.Select(at.ID) {
		l.move(0)
	}
}

// Complete replaces a preliminary list with the full one. The cursor moves to the best match.
func (l *List) Complete(items []Item) {
	l.SetItems(items)
	l.home()
}

// Len returns the number of items, including those that the filter hides.
func (l *List) Len() int { return len(l.items) }

// Reasons reports whether any item is disabled.
func (l *List) Reasons() bool {
	return slices.ContainsFunc(l.items, func(i Item) bool { return i.Disabled != "" })
}

// item returns the item with index i, with its current reason for being disabled.
func (l *List) item(i int) Item {
	if why := l.items[i].Why; why != nil {
		l.items[i].Disabled = printable.Line(why())
	}
	return l.items[i]
}

// Current returns the item at the cursor. It returns false if there is no item, or if the item is a heading.
func (l *List) Current() (Item, bool) {
	if l.cursor >= len(l.shown) {
		return Item{}, false
	}
	item := l.item(l.shown[l.cursor])
	return item, !item.Heading
}

// Select moves the cursor to the item with the given ID, and reports whether the list shows such an item.
func (l *List) Select(id string) bool {
	i := slices.IndexFunc(l.shown, func(i int) bool { return l.items[i].ID == id })
	if i >= 0 {
		l.cursor = i
	}
	return i >= 0
}

// Update handles a key or a paste. done reports whether an item was chosen or the list was closed. If the list was
// closed without a choice, picked is empty.
func (l *List) Update(msg tea.Msg) (picked string, done bool) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc":
			return "", true
		case "enter":
			if item, ok := l.Current(); ok && item.Disabled == "" {
				return item.ID, true
			}
			return "", false
		}
		if l.key(key.String()) {
			return "", false
		}
		if i := l.hotkey(key.String()); i >= 0 {
			l.Select(l.items[i].ID)
			if item := l.item(i); item.Disabled == "" {
				return item.ID, true
			}
			return "", false
		}
	}
	l.input.Update(msg)
	if query := l.input.Value(); query != l.query {
		l.query = query
		l.shown = l.filter(query)
		l.home()
	}
	return "", false
}

// key handles keys that move the cursor, and reports whether key is one of them.
func (l *List) key(key string) bool {
	switch key {
	case "up", "ctrl+p", "shift+tab":
		l.move(-1)
	case "down", "ctrl+n", "tab":
		l.move(1)
	case "pgup":
		l.move(-max(l.body-1, 1))
	case "pgdown":
		l.move(max(l.body-1, 1))
	case "home":
		l.move(-len(l.shown))
	case "end":
		l.move(len(l.shown))
	default:
		return false
	}
	return true
}

// Scroll moves the cursor by the given number of items.
func (l *List) Scroll(by int) { l.move(by) }

// Click moves the cursor to the item at line y and chooses it, unless it is disabled.
func (l *List) Click(y int) (picked string, done bool) {
	at := l.top + y - l.head
	if y < l.head || at >= len(l.shown) || l.items[l.shown[at]].Heading {
		return "", false
	}
	l.cursor = at
	item := l.item(l.shown[at])
	return item.ID, item.Disabled == ""
}

// hotkey returns the index of the item that a key chooses while no text is typed, or -1. Lowercase letters start a
// filter text, so neither they nor keys that edit the text are hotkeys.
func (l *List) hotkey(key string) int {
	ctrl, is := strings.CutPrefix(key, "ctrl+")
	switch {
	case l.query != "" || is && strings.Contains("abdefhknpuw", ctrl):
		return -1
	case !is && (utf8.RuneCountInString(key) != 1 || key == " " || key == "/" || strings.ToUpper(key) != key):
		return -1
	}
	return slices.IndexFunc(l.items, func(i Item) bool { return slices.Contains(i.Keys, key) })
}

func (l *List) move(by int) {
	l.cursor = max(min(l.cursor+by, len(l.shown)-1), 0)
	step := 1
	if by < 0 {
		step = -1
	}
	for i := l.cursor; i >= 0 && i < len(l.shown); i += step {
		if !l.items[l.shown[i]].Heading {
			l.cursor = i
			return
		}
	}
	if step < 0 { // above the first item there can only be its heading
		l.move(0)
	}
}

// home moves the cursor to the first enabled item. If there is a filter text, the cursor moves to the best match even
// if that is disabled, so that enter does not choose an item that is merely similar.
func (l *List) home() {
	l.cursor, l.top = 0, 0
	if l.query == "" {
		enabled := func(i int) bool { return l.items[i].Disabled == "" && !l.items[i].Heading }
		l.cursor = max(slices.IndexFunc(l.shown, enabled), 0)
	}
}
