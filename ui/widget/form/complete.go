package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Completions are the completions of a field's text, for Update or Typed of its form.
type Completions struct {
	of   *field
	text string
	list []string
}

// lookUp returns the command that asks for the completions of the current text; nil if they are known.
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

// due returns the messages to handle now. Arriving completions release the keys that were typed after a tab; if there
// was nothing to complete, move goes to the next field first.
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

// waits keeps a key that was typed while a tab waits for completions. Esc ends the waiting.
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

// complete takes completions that have arrived, unless they belong to another form or an older text. moves reports that
// tab was pressed before, and that there is nothing to complete.
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

// completes completes the text for tab, or waits for completions. moves reports that there is nothing to complete.
func (f *field) completes() (moves bool) {
	if f.pending {
		f.tab = true
		return false
	}
	return !f.isText() || !f.text.Complete()
}

// History is the earlier input of fields, by their keys.
type History map[string][]string

// historyMost is the number of texts kept for a field.
const historyMost = 20

// Recall lets up and down, or ctrl+p and ctrl+n, recall earlier input of fields with the same keys.
func (f *Form) Recall(h History) {
	f.history = h
	for i := range f.fields {
		for _, text := range h[f.fields[i].Key] {
			f.fields[i].text.Remember(text)
		}
	}
}

// remember adds the texts to the history, except secrets.
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
