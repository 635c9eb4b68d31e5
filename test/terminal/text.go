package terminal

import (
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Cell describes a cell of the screen.
type Cell struct {
	// Text is the text of the cell. It is a space for an empty cell, and "" for the right half of a wide character.
	Text                                    string
	Bold, Faint, Italic, Underline, Reverse bool
	// Foreground and Background are nil for the terminal's default colors. The 16 and the 256 colors are
	// ansi.BasicColor and ansi.IndexedColor of x/ansi.
	Foreground, Background color.Color
}

// Text returns the screen as lines, without trailing blanks.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text()
}

// text is like Text, but the caller holds mu.
func (s *Screen) text() string {
	var text strings.Builder
	for y := range s.emulator.Height() {
		if y > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(s.line(y))
	}
	return text.String()
}

// Lines returns all lines of the screen, including empty ones.
func (s *Screen) Lines() []string { return strings.Split(s.Text(), "\n") }

// Line returns line y, counted from 0, or "" if y is outside the screen.
func (s *Screen) Line(y int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line(y)
}

func (s *Screen) line(y int) string {
	var line strings.Builder
	for x := 0; x < s.emulator.Width(); {
		text, width := content(s.emulator.CellAt(x, y))
		line.WriteString(text)
		x += width
	}
	return strings.TrimRight(line.String(), " ")
}

// content returns a cell's text and its width in cells.
func content(cell *uv.Cell) (text string, width int) {
	if cell == nil || cell.Content == "" {
		return " ", 1
	}
	return cell.Content, max(1, cell.Width)
}

// Contains reports whether text is on the screen.
func (s *Screen) Contains(text string) bool { return strings.Contains(s.Text(), text) }

// Size returns the size of the terminal in cells.
func (s *Screen) Size() (width, height int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emulator.Width(), s.emulator.Height()
}

// Find returns the cell in which the first occurrence of text starts. ok is false if text is not on the screen.
func (s *Screen) Find(text string) (x, y int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for y := range s.emulator.Height() {
		before, _, ok := strings.Cut(s.line(y), text)
		if !ok {
			continue
		}
		x := 0
		for length := 0; length < len(before); {
			text, width := content(s.emulator.CellAt(x, y))
			length += len(text)
			x += width
		}
		return x, y, true
	}
	return 0, 0, false
}

// Cell returns the cell at the given position, counted from 0, or a zero Cell if the position is outside the screen.
func (s *Screen) Cell(x, y int) Cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	cell := s.emulator.CellAt(x, y)
	if cell == nil {
		return Cell{}
	}
	text := cell.Content
	if text == "" && cell.Width > 0 {
		text = " "
	}
	has := func(attribute uint8) bool { return cell.Style.Attrs&attribute != 0 }
	return Cell{
		Text: text,
		Bold: has(uv.AttrBold), Faint: has(uv.AttrFaint), Italic: has(uv.AttrItalic), Reverse: has(uv.AttrReverse),
		Underline:  cell.Style.Underline != uv.UnderlineNone,
		Foreground: cell.Style.Fg, Background: cell.Style.Bg,
	}
}
