// Package choose is a list to pick one thing from. Typing narrows it: what has the text
// comes first, then what has its letters in order. What cannot be picked stays in sight
// with the reason why.
package choose

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/widget/line"
)

// Item is something to pick. Only Title has to be there beside the ID.
type Item struct {
	ID     string
	Title  string
	Detail string // behind the title
	Note   string // at the right
	Key    string // the key that does the same, before the title
	// Disabled is why the item cannot be picked; empty where it can.
	Disabled string
}

// List is the items, the text that narrows them, and a cursor.
type List struct {
	items  []Item
	hay    []hay // of each item
	input  line.Line
	query  string
	shown  []int // places in items, best first
	cursor int   // place in shown
	top    int   // first of shown in sight
	body   int   // lines for items when last drawn

	keyWidth, titleWidth int
}

// New makes a list; the cursor is at the first item that can be picked.
func New(items []Item) *List {
	l := &List{}
	l.input.Placeholder = "type to narrow"
	l.SetItems(items)
	l.home()
	return l
}

// SetItems replaces the items. The text stays, and the cursor with its item.
func (l *List) SetItems(items []Item) {
	at, had := l.Current()
	l.items = items
	l.index()
	l.shown = l.filter(l.query)
	if had && !l.Select(at.ID) {
		l.move(0)
	}
}

// Complete replaces the items by all that there are. The text stays, and the cursor goes
// to what is best now.
func (l *List) Complete(items []Item) {
	l.SetItems(items)
	l.home()
}

// Len is how many items there are, shown or not.
func (l *List) Len() int { return len(l.items) }

// Reasons says that there are items that cannot be picked.
func (l *List) Reasons() bool {
	return slices.ContainsFunc(l.items, func(i Item) bool { return i.Disabled != "" })
}

// Current is the item the cursor is at.
func (l *List) Current() (Item, bool) {
	if l.cursor >= len(l.shown) {
		return Item{}, false
	}
	return l.items[l.shown[l.cursor]], true
}

// Select moves the cursor to an item, and says whether it is shown.
func (l *List) Select(id string) bool {
	i := slices.IndexFunc(l.shown, func(i int) bool { return l.items[i].ID == id })
	if i < 0 {
		return false
	}
	l.cursor = i
	return true
}

// Update takes a key or a paste. It is done when an item was picked, or with none when
// the list was left.
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
	}
	l.input.Update(msg)
	if query := l.input.Value(); query != l.query {
		l.query = query
		l.shown = l.filter(query)
		l.home()
	}
	return "", false
}

// key does the keys that move the cursor.
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

func (l *List) move(by int) {
	l.cursor = max(min(l.cursor+by, len(l.shown)-1), 0)
}

// home puts the cursor at the first item that can be picked. But where a text was
// written it is at the best one, even if that cannot be: enter must not pick something
// that is only like what was meant.
func (l *List) home() {
	l.cursor, l.top = 0, 0
	if l.query != "" {
		return
	}
	i := slices.IndexFunc(l.shown, func(i int) bool { return l.items[i].Disabled == "" })
	l.cursor = max(i, 0)
}
