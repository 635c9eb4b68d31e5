package line

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/cell"
)

// commands is the set of modifiers that turn a key into a command, so that it does not insert text.
const commands = tea.ModCtrl | tea.ModAlt | tea.ModMeta | tea.ModHyper | tea.ModSuper

// Update handles a key or a paste. It returns false for keys that it does not use, such as enter and esc.
func (l *Line) Update(msg tea.Msg) (used bool) {
	switch msg := msg.(type) {
	case tea.PasteMsg:
		// Text copied as a line ends with a line break. In a password, the line break would become a space.
		l.write(strings.TrimRight(msg.Content, "\r\n"))
		return true
	case tea.KeyPressMsg:
		if msg.Text != "" && msg.Mod&commands == 0 {
			l.write(msg.Text)
			return true
		}
		return l.key(msg.String())
	}
	return false
}

func (l *Line) write(s string) {
	l.historyBack = 0
	l.insert(s)
}

func (l *Line) key(key string) bool {
	switch key {
	case "left", "ctrl+b":
		l.cursor = l.before(l.cursor)
	case "right", "ctrl+f":
		if l.cursor < len(l.value) {
			l.cursor = l.after(l.cursor)
		} else {
			l.Complete()
		}
	case "tab":
		return l.Complete()
	case "home", "ctrl+a":
		l.cursor = 0
	case "end", "ctrl+e":
		l.CursorEnd()
	case "ctrl+left", "alt+left", "alt+b":
		l.cursor = l.wordBefore()
	case "ctrl+right", "alt+right", "alt+f":
		l.cursor = l.wordAfter()
	case "up", "ctrl+p":
		return l.recall(1)
	case "down", "ctrl+n":
		return l.recall(-1)
	default:
		return l.erase(key)
	}
	return true
}

// erase handles the keys that delete text, and reports whether key is one of them.
func (l *Line) erase(key string) bool {
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		l.cut(l.before(l.cursor), l.cursor)
	case "delete", "ctrl+d":
		l.cut(l.cursor, l.after(l.cursor))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		l.cut(l.wordBefore(), l.cursor)
	case "alt+d", "ctrl+delete":
		l.cut(l.cursor, l.wordAfter())
	case "ctrl+u":
		l.cut(0, l.cursor)
	case "ctrl+k":
		l.cut(l.cursor, len(l.value))
	default:
		return false
	}
	return true
}

func (l *Line) cut(from, to int) {
	l.historyBack = 0
	l.value = l.value[:from] + l.value[to:]
	l.cursor = from
	l.align()
}

// after returns the end offset of the character that starts at the given offset.
func (l *Line) after(at int) int {
	char, _ := cell.First(l.value[at:])
	return at + len(char)
}

// before returns the start offset of the character that ends at the given offset. It searches from the start of the
// text, because character boundaries can only be found in that direction.
func (l *Line) before(at int) int {
	last := 0
	for i := 0; i < at; i = l.after(i) {
		last = i
	}
	return last
}

// In a secret, moving by words would reveal where its words are.

func (l *Line) wordBefore() int {
	if l.Secret {
		return 0
	}
	s := strings.TrimRightFunc(l.value[:l.cursor], notWord)
	return len(strings.TrimRightFunc(s, isWord))
}

func (l *Line) wordAfter() int {
	if l.Secret {
		return len(l.value)
	}
	s := strings.TrimLeftFunc(l.value[l.cursor:], notWord)
	return len(l.value) - len(strings.TrimLeftFunc(s, isWord))
}

func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r >= utf8.RuneSelf && !unicode.IsSpace(r)
}

func notWord(r rune) bool { return !isWord(r) }
