// Package form implements forms that ask for values. Each field takes one line. Below the fields, the form shows the
// help or the problem of the current field.
package form

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/widget/line"
)

// Kind determines the values that a field takes.
type Kind int

// The kinds of fields. A Text field takes any text.
const (
	Text   Kind = iota
	Secret      // a Text whose characters are not shown
	Choice      // one of the field's Options
	Toggle      // "true" or "false"
)

// Field describes a value that the form asks for.
type Field struct {
	Key   string
	Label string
	// Section is the heading shown above the field in an Inline form.
	Section string
	Kind    Kind
	Value   string // the initial value
	Help    string
	// Placeholder is shown while the field's text is empty.
	Placeholder string
	// Options lists the possible values of a Choice.
	Options []string
	// Suggestions lists completions. Complete, if not nil, returns those of a given text, and may read files.
	Suggestions []string
	Complete    func(text string) []string
	// Files means that the field names a file. Its Complete function replaces that of the field.
	Files *Files
	// Required means that the field must not be empty or, if it is a Toggle, that it must be on.
	Required bool
	// Max is the maximum length in characters. If 0, the default of package line applies.
	Max int
	// Secrets returns the byte offsets of the starts and ends of the parts of a text that must be hidden.
	Secrets func(text string) [][2]int
	// Describe returns the help for a value that is not empty, or "" to show Help.
	Describe func(value string) string
	// Check returns the problem with a value that is not empty, or "" if the value is valid.
	Check func(value string) string
}

// Files completes the paths of files. It is a type rather than just a function so that a console on a server can
// recognize and refuse every field that names a file.
type Files struct {
	Complete func(text string) []string
}

// Form is a list of fields with their current values.
type Form struct {
	fields  []field
	focus   int
	top     int // index of the first visible field
	history History
	// typedAhead holds the keys that were typed after a tab that still waits for completions.
	typedAhead []tea.Msg
}

type field struct {
	Field
	text    line.Line
	option  int
	on      bool
	problem string
	// requestedText is the text for which completions were last requested. pending means that they have not arrived
	// yet. tab means that tab was pressed while they were pending.
	requestedText string
	pending, tab  bool
}

// New returns a form in which the first field is current.
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

// WithoutFiles returns a copy of fields in which every field that names a file rejects all values. The argument why
// is the reason that these fields show; if it is empty, WithoutFiles returns fields unchanged.
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

func (f *field) help() string {
	if value := f.value(); f.Describe != nil && value != "" {
		if text := f.Describe(value); text != "" {
			return text
		}
	}
	return f.Help
}

// set sets the field's value. For a Choice, an unknown value selects the first option.
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

// Values maps the keys of all fields to their current values.
func (f *Form) Values() map[string]string {
	values := make(map[string]string, len(f.fields))
	for i := range f.fields {
		values[f.fields[i].Key] = f.fields[i].value()
	}
	return values
}

// Chooses reports whether the current field is a Choice or a Toggle.
func (f *Form) Chooses() bool { return len(f.fields) > 0 && !f.fields[f.focus].isText() }

// SetError makes the field with the given key current, and shows a problem there until the field is changed.
func (f *Form) SetError(key, text string) {
	for i := range f.fields {
		if f.fields[i].Key == key {
			f.fields[i].problem = text
			f.focus = i
		}
	}
}

// Update handles a key or a paste. Enter and ctrl+s end the form if all fields are valid; otherwise, they move to the
// next invalid field. Esc cancels the form. cmd looks up completions.
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

// key handles the keys that move between fields, and reports whether key is one of them. If the form consists of a
// single text field, up and down recall earlier input instead.
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

// move makes another field current. It wraps around at both ends.
func (f *Form) move(by int) {
	n := len(f.fields)
	f.focus = (f.focus + by + n) % n
}

// submit reports whether all fields are valid. If the current field is invalid, that field shows its problem and
// stays current. If another field is invalid, that field becomes current but does not show its problem yet.
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
	by := map[string]int{"right": 1, "space": 1, "left": -1}[key.String()]
	if f.Kind == Toggle && by != 0 {
		f.on = !f.on
	} else if n := len(f.Options); n > 0 {
		f.option = (f.option + by + n) % n
	}
}
