// Package choose is a list to pick one item from. Typing filters it: items that contain the text first, then those
// that contain its letters in order. Disabled items stay visible with their reason.
package choose

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/widget/line"
)

// Item is an entry. Only ID and Title are required.
type Item struct {
	ID     string
	Title  string
	Detail string // shown after the title
	Note   string // shown at the right
	Key    string // the equivalent key, shown before the title
	// Keys are the equivalent keys. While the filter is empty, a key that cannot start a text picks its item. A
	// lowercase letter is text, and moves its item to the top.
	Keys []string
	// Heading means that the item is the heading of the items after it. A heading cannot be picked, and is shown only
	// without a filter text.
	Heading bool
	// Disabled is why the item cannot be picked, "" if it can.
	Disabled string
	// Why returns the current value of Disabled; nil if it does not change.
	Why func() string
}

// List is the items, the filter text, and a cursor.
type List struct {
	items       []Item
	searchTexts []searchText // the searched text of each item
	input       line.Line
	query       string
	shown       []int // indexes of items, best first
	cursor      int   // an index in shown
	top         int   // first visible index of shown
	head        int   // lines above the items at the last draw
	body        int   // lines for items

	keyWidth, titleWidth int
}

// New returns a list; the cursor is at the first enabled item.
func New(items []Item) *List {
	l := &List{}
	l.input.Placeholder = "type to filter"
	l.SetItems(items)
	l.home()
	return l
}

// SetItems replaces the items. The text stays, and the cursor with its item.
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

// Complete replaces the items with the full list. The text stays, and the cursor goes to the best match.
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

// item returns an item as it is now.
func (l *List) item(i int) Item {
	if why := l.items[i].Why; why != nil {
		l.items[i].Disabled = printable.Line(why())
	}
	return l.items[i]
}

// Current returns the item at the cursor.
func (l *List) Current() (Item, bool) {
	if l.cursor >= len(l.shown) {
		return Item{}, false
	}
	item := l.item(l.shown[l.cursor])
	return item, !item.Heading
}

// Select moves the cursor to an item, and reports whether it is shown.
func (l *List) Select(id string) bool {
	i := slices.IndexFunc(l.shown, func(i int) bool { return l.items[i].ID == id })
	if i < 0 {
		return false
	}
	l.cursor = i
	return true
}

// Update handles a key or a paste. done reports that an item was picked, or that the list was closed without one.
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

// key handles the keys that move the cursor.
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

// Scroll moves the cursor.
func (l *List) Scroll(by int) { l.move(by) }

// Click moves the cursor to the item at a line, and picks it unless it is disabled.
func (l *List) Click(y int) (picked string, done bool) {
	at := l.top + y - l.head
	if y < l.head || at >= len(l.shown) || l.items[l.shown[at]].Heading {
		return "", false
	}
	l.cursor = at
	item := l.item(l.shown[at])
	return item.ID, item.Disabled == ""
}

// hotkey returns the index of the item that a key picks while nothing is typed, or -1. Lowercase letters begin a
// filter, so neither they nor the keys that edit a filter are hotkeys.
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
	if step < 0 { // the line above the first item can only be its heading
		l.move(0)
	}
}

// home moves the cursor to the first enabled item. With a filter text it goes to the best match, even if disabled:
// enter must not pick a merely similar item.
func (l *List) home() {
	l.cursor, l.top = 0, 0
	if l.query != "" {
		return
	}
	i := slices.IndexFunc(l.shown, func(i int) bool { return l.items[i].Disabled == "" && !l.items[i].Heading })
	l.cursor = max(i, 0)
}
