package form

import (
	tea "charm.land/bubbletea/v2"

	"ironworks/printable"
	"ironworks/ui/cell"
	"ironworks/ui/theme"
)

// Inline is a form that is part of a screen: keys move between fields, and are text only while one is edited.
type Inline struct {
	Form
	editing bool
	before  string // the value when editing began
	drawn   []int  // the field of each line that was drawn, -1 for a section
	width   int    // the width of the lines that were drawn
}

// NewInline makes a form with the cursor on the first field. If whyNoFiles is not empty, fields for files refuse every
// value, as with [WithoutFiles].
func NewInline(fields []Field, whyNoFiles string) *Inline {
	return &Inline{Form: *New(WithoutFiles(fields, whyNoFiles))}
}

// Editing reports whether keys are text input.
func (f *Inline) Editing() bool { return f.editing }

// Focus returns the key of the current field, "" without fields.
func (f *Inline) Focus() string {
	if len(f.fields) == 0 {
		return ""
	}
	return f.fields[f.focus].Key
}

// SetFocus makes a field current, if it exists.
func (f *Inline) SetFocus(key string) {
	for i := range f.fields {
		if f.fields[i].Key == key {
			f.focus = i
		}
	}
}

// SetProblems replaces the problems, by key.
func (f *Inline) SetProblems(problems map[string]string) {
	for i := range f.fields {
		f.fields[i].problem = problems[f.fields[i].Key]
	}
}

// Move goes to another field, without wrapping.
func (f *Inline) Move(by int) { f.focus = max(min(f.focus+by, len(f.fields)-1), 0) }

// Page moves by 8 fields.
func (f *Inline) Page(by int) { f.Move(by * 8) }

// Top goes to the first field.
func (f *Inline) Top() { f.focus = 0 }

// Bottom goes to the last field.
func (f *Inline) Bottom() { f.Move(len(f.fields)) }

// Scroll changes a choice.
func (f *Inline) Scroll(by int) { f.Change(by) }

// Change selects the next or previous option; texts stay.
func (f *Inline) Change(by int) {
	if len(f.fields) == 0 || f.fields[f.focus].isText() {
		return
	}
	key := tea.KeyPressMsg{Code: tea.KeyRight}
	if by < 0 {
		key.Code = tea.KeyLeft
	}
	f.fields[f.focus].update(key)
}

// Edit starts editing a text, or changes a choice.
func (f *Inline) Edit() {
	if len(f.fields) == 0 {
		return
	}
	at := &f.fields[f.focus]
	if !at.isText() {
		f.Change(1)
		return
	}
	f.editing, f.before = true, at.value()
	at.text.CursorEnd()
}

// Click goes to the field at a cell, and keeps the edited text of the previous field. again reports that the field was
// the current one already and is not being edited, so that the owner can begin to edit it.
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

// Typed handles a key or a paste during editing. Enter and tab keep the text, tab and the arrows go to another
// field, esc drops the text. The command looks up completions.
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

// editNext keeps the text, and edits the next field if it is a text.
func (f *Inline) editNext(by int) {
	f.editing = false
	f.fields[f.focus].remember(f.history)
	was := f.focus
	f.Move(by)
	if f.focus != was && f.fields[f.focus].isText() {
		f.Edit()
	}
}

// Draw draws the form in exactly w by h cells: the fields by section with their problems, and the help of the
// current one at the bottom.
func (f *Inline) Draw(t *theme.Theme, w, h int) string {
	help := f.help(t, w, h)
	body := h - len(help)
	label := f.labelWidth(w)
	var rows []string
	var fields []int          // the field of each row
	from, line, to := 0, 0, 0 // of the current field: first row, own row, end
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
		rows = append(rows, at.drawWith(t, i == f.focus, i == f.focus && f.editing, label, w))
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
	below := min(to+1, len(rows)) // one more line shows that the form continues
	f.top = max(min(f.top, from, len(rows)-body), below-body, 0)
	f.top = min(f.top, line) // the field's problem may be higher than the area
	shown, end := min(f.top, len(rows)), min(f.top+max(body, 0), len(rows))
	rows, f.drawn, f.width = rows[shown:end], fields[shown:end], w
	for len(rows) < body {
		rows = append(rows, "")
	}
	return cell.Block(append(rows, help...), w, h)
}

// help returns the help of the current field, if there is space.
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

// few keeps the first lines. If it removes lines, it adds an ellipsis.
func few(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	kept := append([]string{}, lines[:most]...)
	kept[most-1] += cell.Ellipsis
	return kept
}
