package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Completions carries a field's completions. It must be passed to the Update or Typed method of the form.
type Completions struct {
	of   *field
	text string
	list []string
}

// lookUp returns the command that looks up completions of the current text, or nil if that is not necessary.
func (f *Form) lookUp() tea.Cmd {
	if len(f.fields) == 0 {
		return nil
	}
	at := &f.fields[f.focus]
	text := at.value()
	if at.Complete == nil || text == at.requestedText {
		return nil
	}
	at.requestedText, at.pending = text, text != ""
	at.text.SetSuggestions(nil)
	if text == "" {
		return nil
	}
	complete := at.Complete
	return func() tea.Msg { return Completions{of: at, text: text, list: complete(text)} }
}

// due returns the messages to handle now. When completions arrive, these are the keys that were typed ahead after
// tab. If tab found nothing to complete, due first goes to the next field by calling the function move.
func (f *Form) due(msg tea.Msg, move func(by int)) (msgs []tea.Msg, cmds []tea.Cmd) {
	found, ok := msg.(Completions)
	if !ok {
		return []tea.Msg{msg}, nil
	}
	if f.complete(found) {
		move(1)
	}
	msgs, f.typedAhead = f.typedAhead, nil
	return msgs, []tea.Cmd{f.lookUp()}
}

// waits reports whether msg has to wait because tab is waiting for completions. If so, it stores msg; if not, msg has
// to be handled now. Esc ends the waiting.
func (f *Form) waits(msg tea.Msg) bool {
	if len(f.fields) == 0 || !f.fields[f.focus].tab {
		return false
	}
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "esc" {
		f.fields[f.focus].tab, f.typedAhead = false, nil
		return false
	}
	f.typedAhead = append(f.typedAhead, msg)
	return true
}

// complete stores completions that have arrived, unless they belong to another form or an older text. moves reports
// whether tab was waiting for these completions and has nothing to complete.
func (f *Form) complete(found Completions) (moves bool) {
	for i := range f.fields {
		at := &f.fields[i]
		if at != found.of || at.requestedText != found.text {
			continue
		}
		at.pending = false
		at.text.SetSuggestions(found.list)
		if at.tab {
			at.tab = false
			return !at.text.Complete() && i == f.focus
		}
	}
	return false
}

// completes handles the tab key: it completes the text, or waits for completions that have been requested. moves
// reports whether there is nothing to complete.
func (f *field) completes() (moves bool) {
	if f.pending {
		f.tab = true
		return false
	}
	return !f.isText() || !f.text.Complete()
}

// History maps the keys of fields to the input from earlier forms, oldest first.
type History map[string][]string

const historyMost = 20

// Recall sets the history of input to h. The up and down keys, or ctrl+p and ctrl+n, go through the values entered
// earlier in fields with the same key. The form adds its own input to h.
func (f *Form) Recall(h History) {
	f.history = h
	for i := range f.fields {
		for _, text := range h[f.fields[i].Key] {
			f.fields[i].text.Remember(text)
		}
	}
}

// remember adds the input of all fields, except for secrets, to the history.
func (f *Form) remember() {
	for i := range f.fields {
		f.fields[i].remember(f.history)
	}
}

func (f *field) remember(h History) {
	text := f.value()
	if h == nil || text == "" || f.Kind != Text || f.Secrets != nil && len(f.Secrets(text)) > 0 {
		return
	}
	texts := append(slices.DeleteFunc(h[f.Key], func(old string) bool { return old == text }), text)
	h[f.Key] = texts[max(len(texts)-historyMost, 0):]
	f.text.Remember(text)
}
