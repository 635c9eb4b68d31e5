// Package form asks for values: one line for each field, and below them the help or problem of the current one.
package form

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/widget/line"
)

// Kind is the type of a field.
type Kind int

// The kinds of fields.
const (
	Text   Kind = iota
	Secret      // a Text whose characters are hidden
	Choice      // one of Options
	Toggle      // "true" or "false"
)

// Field describes a value that the form asks for.
type Field struct {
	Key   string
	Label string
	// Section is the heading above the field in an Inline form.
	Section string
	Kind    Kind
	Value   string // the initial value
	Help    string
	// Placeholder is shown while a text is empty.
	Placeholder string
	// Options are the values of a Choice.
	Options []string
	// Suggestions are completions of a text. Complete, if set, returns them for a text; it may read files.
	Suggestions []string
	Complete    func(text string) []string
	// Files completes the text instead, if the field names a file; nil for other fields.
	Files *Files
	// Required refuses an empty value, and a Toggle that is off.
	Required bool
	// Max is the maximum length in characters; 0 is the line's default.
	Max int
	// Secrets returns the hidden parts of a text, from and to in bytes.
	Secrets func(text string) [][2]int
	// Describe returns the help for a value that is not empty, "" for the default help.
	Describe func(value string) string
	// Check returns the problem of a value that is not empty, "" if it is valid.
	Check func(value string) string
}

// Files completes the paths of files. It is a type and not a plain function, so that a console on a server can
// recognize and refuse every field that names a file.
type Files struct {
	Complete func(text string) []string
}

// Form is a list of fields with their values.
type Form struct {
	fields  []field
	focus   int
	top     int // the first visible field
	history History
	// typedAhead are the keys typed after a tab that waits for completions.
	typedAhead []tea.Msg
}

type field struct {
	Field
	text    line.Line
	option  int
	on      bool
	problem string
	// requestedText is the text whose completions were asked for last. pending means that they have not arrived, tab
	// that tab was pressed meanwhile.
	requestedText string
	pending, tab  bool
}

// New returns a form with the first field current.
func New(fields []Field) *Form {
	f := &Form{fields: make([]field, len(fields))}
	for i, spec := range fields {
		at := &f.fields[i]
		at.Field = spec
		at.text.Secret, at.text.Secrets = spec.Kind == Secret, spec.Secrets
		at.text.MaxRunes = spec.Max
		at.text.Placeholder = spec.Placeholder
		at.text.SetSuggestions(spec.Suggestions)
		if spec.Files != nil {
			at.Complete = spec.Files.Complete
		}
		at.set(spec.Value)
	}
	return f
}

// WithoutFiles returns the fields so that those for files refuse every value, with why as the reason; "" changes
// nothing.
func WithoutFiles(fields []Field, why string) []Field {
	if why == "" {
		return fields
	}
	fields = slices.Clone(fields)
	for i := range fields {
		if fields[i].Files != nil {
			fields[i].Files, fields[i].Suggestions, fields[i].Value, fields[i].Help = nil, nil, "", why
			fields[i].Check = func(string) string { return why }
		}
	}
	return fields
}

// help returns the text below the form while the field is current.
func (f *field) help() string {
	if value := f.value(); f.Describe != nil && value != "" {
		if text := f.Describe(value); text != "" {
			return text
		}
	}
	return f.Help
}

// set sets the value; an unknown choice becomes the first option.
func (f *field) set(value string) {
	switch f.Kind {
	case Choice:
		f.option = max(slices.Index(f.Options, value), 0)
	case Toggle:
		f.on, _ = strconv.ParseBool(value)
	case Text, Secret:
		f.text.SetValue(value)
	}
}

// Values returns the values by key.
func (f *Form) Values() map[string]string {
	values := make(map[string]string, len(f.fields))
	for i := range f.fields {
		values[f.fields[i].Key] = f.fields[i].value()
	}
	return values
}

// Chooses reports whether the current field is a choice or toggle.
func (f *Form) Chooses() bool { return len(f.fields) > 0 && !f.fields[f.focus].isText() }

// SetError shows a problem at a field until it changes, and makes the field current.
func (f *Form) SetError(key, text string) {
	for i := range f.fields {
		if f.fields[i].Key == key {
			f.fields[i].problem = text
			f.focus = i
		}
	}
}

// Update handles a key or a paste. Enter and ctrl+s end the form if all fields are valid, else they go to the next
// invalid field. Esc cancels. The command looks up completions.
func (f *Form) Update(msg tea.Msg) (done, cancelled bool, cmd tea.Cmd) {
	msgs, cmds := f.due(msg, f.move)
	for _, msg := range msgs {
		if f.waits(msg) {
			continue
		}
		if done, cancelled = f.update(msg); done {
			f.remember()
		}
		if done || cancelled {
			return done, cancelled, nil
		}
		cmds = append(cmds, f.lookUp())
	}
	return false, false, tea.Batch(cmds...)
}

func (f *Form) update(msg tea.Msg) (done, cancelled bool) {
	key, isKey := msg.(tea.KeyPressMsg)
	if isKey && key.String() == "esc" {
		return false, true
	}
	if len(f.fields) == 0 {
		return isKey && key.String() == "enter", false
	}
	at := &f.fields[f.focus]
	if isKey && f.key(at, key.String()) {
		return false, false
	}
	if isKey && (key.String() == "enter" || key.String() == "ctrl+s") {
		return f.submit(), false
	}
	before := at.value()
	at.update(msg)
	if at.value() != before {
		at.problem = ""
	}
	return false, false
}

// key handles the keys that move between fields. In a single text, up and down recall earlier ones.
func (f *Form) key(at *field, key string) bool {
	single := len(f.fields) == 1 && at.isText()
	switch {
	case key == "tab":
		if at.completes() {
			f.move(1)
		}
	case key == "shift+tab", key == "up" && !single:
		f.move(-1)
	case key == "down" && !single:
		f.move(1)
	default:
		return false
	}
	return true
}

// move goes to another field, and wraps around.
func (f *Form) move(by int) {
	n := len(f.fields)
	f.focus = (f.focus + by + n) % n
}

// submit reports whether all fields are valid. If not, the current field stays until it is valid, then the next
// invalid one becomes current. Only visited fields show problems.
func (f *Form) submit() bool {
	at := &f.fields[f.focus]
	if at.problem = at.check(); at.problem != "" {
		return false
	}
	for i := range f.fields {
		k := (f.focus + 1 + i) % len(f.fields)
		if f.fields[k].check() != "" {
			f.focus = k
			return false
		}
	}
	return true
}

func (f *field) isText() bool { return f.Kind == Text || f.Kind == Secret }

func (f *field) value() string {
	switch f.Kind {
	case Choice:
		if f.option < len(f.Options) {
			return f.Options[f.option]
		}
		return ""
	case Toggle:
		return strconv.FormatBool(f.on)
	case Text, Secret:
	}
	return f.text.Value()
}

// check returns the problem of the field's value, "" if the value is valid.
func (f *field) check() string {
	value := f.value()
	switch {
	case f.Required && (strings.TrimSpace(value) == "" || f.Kind == Toggle && !f.on):
		return "Required."
	case f.Check != nil && value != "":
		return f.Check(value)
	}
	return ""
}

func (f *field) update(msg tea.Msg) {
	if f.isText() {
		f.text.Update(msg)
		return
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return
	}
	by := 0
	switch key.String() {
	case "right", "space":
		by = 1
	case "left":
		by = -1
	}
	if by == 0 {
		return
	}
	if f.Kind == Toggle {
		f.on = !f.on
	} else if n := len(f.Options); n > 0 {
		f.option = (f.option + by + n) % n
	}
}
