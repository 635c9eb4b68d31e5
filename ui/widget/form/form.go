// Package form asks for some values: a line for each, the one in hand marked, and below
// them what is wrong with it or what it means.
package form

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/widget/line"
)

// Kind is how a field is filled in.
type Kind int

// The kinds.
const (
	Text   Kind = iota
	Secret      // as Text, but not shown
	Choice      // one of Options
	Toggle      // "true" or "false"
)

// Field is a value to ask for.
type Field struct {
	Key   string
	Label string
	// Section is the heading under which it stands in a form that is part of a screen.
	Section string
	Kind    Kind
	Value   string // at first
	Help    string
	// Placeholder is shown while a text is empty.
	Placeholder string
	// Options are those of a Choice.
	Options []string
	// Suggestions are what a text may be completed to.
	Suggestions []string
	// Required refuses an empty value, or a Toggle that is off.
	Required bool
	// Max is the most characters of a text; 0 is some thousands.
	Max int
	// Secrets are the parts of a text that are not shown, from and to in bytes; nil is none.
	Secrets func(text string) [][2]int
	// Tell says what a value that is not empty comes to, in the place of Help; empty for
	// nothing.
	Tell func(value string) string
	// Check says what is wrong with a value that is not empty; empty where nothing is.
	Check func(value string) string
}

// Form is fields with their values.
type Form struct {
	fields []field
	focus  int
	top    int // first field in sight
}

type field struct {
	Field
	text    line.Line
	option  int
	on      bool
	problem string
}

// New makes a form with the first field in hand.
func New(fields []Field) *Form {
	f := &Form{fields: make([]field, len(fields))}
	for i, spec := range fields {
		at := &f.fields[i]
		at.Field = spec
		at.text.Secret, at.text.Secrets = spec.Kind == Secret, spec.Secrets
		at.text.MaxRunes = spec.Max
		at.text.Placeholder = spec.Placeholder
		at.text.SetSuggestions(spec.Suggestions)
		at.set(spec.Value)
	}
	return f
}

// help is what stands below the form while the field is in hand.
func (f *field) help() string {
	if value := f.value(); f.Tell != nil && value != "" {
		if told := f.Tell(value); told != "" {
			return told
		}
	}
	return f.Help
}

// set gives the field a value; what cannot be chosen is the first that can.
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

// Values are the values by their fields' keys.
func (f *Form) Values() map[string]string {
	values := make(map[string]string, len(f.fields))
	for i := range f.fields {
		values[f.fields[i].Key] = f.fields[i].value()
	}
	return values
}

// Chooses says that the field in hand is chosen, and not written.
func (f *Form) Chooses() bool { return len(f.fields) > 0 && !f.fields[f.focus].isText() }

// SetError says what is wrong with a field, until it is changed, and goes to it.
func (f *Form) SetError(key, text string) {
	for i := range f.fields {
		if f.fields[i].Key == key {
			f.fields[i].problem = text
			f.focus = i
		}
	}
}

// Update takes a key or a paste. Enter is done when all fields are right; otherwise it
// goes to the next one that is not. Ctrl+s does the same, and escape cancels.
func (f *Form) Update(msg tea.Msg) (done, cancelled bool) {
	key, isKey := msg.(tea.KeyPressMsg)
	if isKey && key.String() == "esc" {
		return false, true
	}
	if len(f.fields) == 0 {
		return isKey && key.String() == "enter", false
	}
	at := &f.fields[f.focus]
	if isKey {
		switch key.String() {
		case "enter", "ctrl+s":
			return f.submit(), false
		case "tab":
			if !at.isText() || !at.text.Complete() {
				f.move(1)
			}
			return false, false
		case "down":
			f.move(1)
			return false, false
		case "up", "shift+tab":
			f.move(-1)
			return false, false
		}
	}
	before := at.value()
	at.update(msg)
	if at.value() != before {
		at.problem = ""
	}
	return false, false
}

// move goes to another field; beyond the last one is the first.
func (f *Form) move(by int) {
	n := len(f.fields)
	f.focus = (f.focus + by + n) % n
}

// submit says whether all is right. If not, the field in hand keeps the cursor until it
// is, and then the next one that is wrong gets it; what is wrong is told where somebody
// has been.
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

// check says what is wrong with the value, as far as the form knows.
func (f *field) check() string {
	value := f.value()
	switch {
	case f.Required && (value == "" || f.Kind == Toggle && !f.on):
		return "This is required."
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
