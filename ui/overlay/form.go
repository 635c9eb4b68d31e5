package overlay

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/ui/screen"
	"ironworks/ui/theme"
	"ironworks/ui/widget/form"
)

// Form is a dialog that asks for the arguments of an action.
type Form struct {
	title  string
	fields []form.Field
	form   *form.Form
	// then returns the command to run with the values or, if a value is invalid, its field and the problem.
	then func(values map[string]string) (cmd tea.Cmd, field, problem string)
}

// NewForm returns a dialog with a form that consists of fields. The values are passed to then, which returns the
// command to run or, if a value is invalid, the key of the field and the problem.
func NewForm(title string, fields []form.Field, then func(map[string]string) (tea.Cmd, string, string)) *Form {
	return &Form{title: title, fields: fields, form: form.New(fields), then: then}
}

// WithoutFiles makes the form's fields reject file names. why is the reason that they show; if it is empty,
// WithoutFiles changes nothing. WithoutFiles must be called before the form is used.
func (f *Form) WithoutFiles(why string) {
	if why != "" {
		f.form = form.New(form.WithoutFiles(f.fields, why))
	}
}

// Recall lets the operator recall the values in h, which were entered in earlier forms.
func (f *Form) Recall(h form.History) { f.form.Recall(h) }

// Update handles keys. The dialog is done when all values are valid, or when esc cancels it.
func (f *Form) Update(msg tea.Msg) (bool, tea.Cmd) {
	done, cancelled, lookUp := f.form.Update(msg)
	switch {
	case cancelled:
		return true, nil
	case !done:
		return false, lookUp
	}
	cmd, field, problem := f.then(f.form.Values())
	if problem != "" {
		f.form.SetError(field, problem)
		return false, nil
	}
	return true, cmd
}

// Draw draws the form in a box.
func (f *Form) Draw(t *theme.Theme, w, h int) string {
	w = min(w, 100)
	iw, ih := inside(w, h)
	return box(t, f.title, strings.Split(f.form.Draw(t, iw, min(ih, f.form.Height())), "\n"), w, h, theme.Accent)
}

// Keys returns the key hints for the footer.
func (f *Form) Keys() []screen.Hint {
	hints := []screen.Hint{{Key: "enter", Text: "continue"}, {Key: "tab", Text: "next field"}, {Key: "esc", Text: "cancel"}}
	if f.form.Chooses() {
		hints = append([]screen.Hint{{Key: "space", Text: "change"}}, hints...)
	}
	return hints
}
