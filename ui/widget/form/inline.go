package form

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Inline is a form on a screen. Keys move between fields, and are text only while a field is being edited.
type Inline struct {
	Form
	editing bool
	before  string // the value before editing
	drawn   []int  // for each line drawn, the index of its field, or -1 for a section
	width   int    // the width of the lines drawn
}

// NewInline returns a form with the cursor at the first field. If whyNoFiles is not empty, fields that name a file
// reject every value; see [WithoutFiles].
func NewInline(fields []Field, whyNoFiles string) *Inline {
	return &Inline{Form: *New(WithoutFiles(fields, whyNoFiles))}
}

// Editing reports whether a field is being edited, so that keys are entered as text.
func (f *Inline) Editing() bool { return f.editing }

// Focus returns the key of the current field, or "" if the form has no fields.
func (f *Inline) Focus() string {
	if len(f.fields) == 0 {
		return ""
	}
	return f.fields[f.focus].Key
}

// SetFocus makes the field with the given key current, if it exists.
func (f *Inline) SetFocus(key string) {
	for i := range f.fields {
		if f.fields[i].Key == key {
			f.focus = i
		}
	}
}

// SetProblems replaces the problems shown at all fields. problems maps the keys of fields to their problems. A field
// without an entry shows no problem.
func (f *Inline) SetProblems(problems map[string]string) {
	for i := range f.fields {
		f.fields[i].problem = problems[f.fields[i].Key]
	}
}

// Move makes another field current. It does not wrap around.
func (f *Inline) Move(by int) { f.focus = max(min(f.focus+by, len(f.fields)-1), 0) }

// Page moves by pages of 8 fields.
func (f *Inline) Page(by int) { f.Move(by * 8) }

// Top makes the first field current.
func (f *Inline) Top() { f.focus = 0 }

// Bottom makes the last field current.
func (f *Inline) Bottom() { f.Move(len(f.fields)) }

// Scroll selects the next option of the current field, or the previous one, unless it is a text field.
func (f *Inline) Scroll(by int) {
	if len(f.fields) == 0 || f.fields[f.focus].isText() {
		return
	}
	key := tea.KeyPressMsg{Code: tea.KeyRight}
	if by < 0 {
		key.Code = tea.KeyLeft
	}
	f.fields[f.focus].update(key)
}

// Edit starts editing the current field if it is a text field. Otherwise, it selects the next option.
func (f *Inline) Edit() {
	if len(f.fields) == 0 {
		return
	}
	at := &f.fields[f.focus]
	if !at.isText() {
		f.Scroll(1)
		return
	}
	f.editing, f.before = true, at.value()
	at.text.CursorEnd()
}

// Click makes the field at the clicked cell current. If another field was being edited, that field's text is kept.
// again reports whether the clicked field was already current and is not being edited, so that the caller may start
// editing it.
func (f *Inline) Click(x, y int) (again bool) {
	if x < 0 || x >= f.width || y < 0 || y >= len(f.drawn) || f.drawn[y] < 0 {
		return false
	}
	at := f.drawn[y]
	if at == f.focus {
		return !f.editing
	}
	f.focus, f.editing = at, false
	return false
}

// Set sets the value of the current field.
func (f *Inline) Set(value string) {
	if len(f.fields) > 0 {
		f.fields[f.focus].set(value)
	}
}

// Typed handles a key or a paste while a field is being edited. Enter ends editing, and tab and the arrow keys move
// to another field; all of them keep the text. Esc restores the previous text. The returned command looks up
// completions.
func (f *Inline) Typed(msg tea.Msg) tea.Cmd {
	msgs, cmds := f.due(msg, f.editNext)
	for _, msg := range msgs {
		if !f.editing || f.waits(msg) {
			continue
		}
		at := &f.fields[f.focus]
		if key, ok := msg.(tea.KeyPressMsg); ok {
			f.typedKey(at, key)
		} else {
			at.update(msg)
		}
		cmds = append(cmds, f.lookUp())
	}
	return tea.Batch(cmds...)
}

func (f *Inline) typedKey(at *field, key tea.KeyPressMsg) {
	switch key.String() {
	case "enter":
		f.editing = false
		at.remember(f.history)
	case "esc":
		f.editing = false
		at.text.SetValue(f.before)
	case "tab":
		if at.completes() {
			f.editNext(1)
		}
	case "down":
		f.editNext(1)
	case "up", "shift+tab":
		f.editNext(-1)
	default:
		at.update(key)
	}
}

// editNext keeps the current field's text and moves to another field, which it edits if it is a text field.
func (f *Inline) editNext(by int) {
	f.editing = false
	f.fields[f.focus].remember(f.history)
	was := f.focus
	f.Move(by)
	if f.focus != was && f.fields[f.focus].isText() {
		f.Edit()
	}
}

// Draw draws the fields by section with their problems, and the current field's help, in exactly w by h cells.
func (f *Inline) Draw(t *theme.Theme, w, h int) string {
	help := f.help(t, w, h)
	body := h - len(help)
	label := f.labelWidth(w)
	var rows []string
	var fields []int          // for each row, the index of its field, or -1
	from, line, to := 0, 0, 0 // rows of the current field: the first one (its heading, if any), the one with the value, and the end
	section := ""
	for i := range f.fields {
		at := &f.fields[i]
		start := len(rows)
		if at.Section != section {
			section = at.Section
			rows, fields = append(rows, cell.Blanks(gutter)+t.Paint(theme.Muted, section)), append(fields, -1)
		}
		if i == f.focus {
			line = len(rows)
		}
		rows = append(rows, at.draw(t, i == f.focus, i == f.focus && f.editing, label, w))
		if at.problem != "" {
			for _, s := range few(cell.Wrap(printable.Lines(at.problem), w-2*gutter), 2) {
				rows = append(rows, cell.Blanks(2*gutter)+t.Paint(theme.Bad, s))
			}
		}
		if i == f.focus {
			from, to = start, len(rows)
		}
		for len(fields) < len(rows) {
			fields = append(fields, i)
		}
	}
	below := min(to+1, len(rows)) // show one more row, so that the operator sees that the form continues
	f.top = max(min(f.top, from, len(rows)-body), below-body, 0)
	f.top = min(f.top, line) // a problem may have more rows than the area
	shown, end := min(f.top, len(rows)), min(f.top+max(body, 0), len(rows))
	rows, f.drawn, f.width = rows[shown:end], fields[shown:end], w
	for len(rows) < body {
		rows = append(rows, "")
	}
	return cell.Block(append(rows, help...), w, h)
}

// help returns the lines with the help of the current field, or nil if there is not enough space.
func (f *Inline) help(t *theme.Theme, w, h int) []string {
	if h < 8 || len(f.fields) == 0 {
		return nil
	}
	lines := make([]string, notes)
	for i, s := range few(cell.Wrap(printable.Lines(f.fields[f.focus].help()), w-gutter), notes-1) {
		lines[i+1] = cell.Blanks(gutter) + t.Paint(theme.Muted, s)
	}
	return lines
}

// few limits the number of lines to most. If it omits lines, the last line that it returns ends with an ellipsis.
func few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	kept := append([]string{}, lines[:most]...)
	kept[most-1] += cell.Ellipsis
	return kept
}
