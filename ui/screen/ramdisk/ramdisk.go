// Package ramdisk is the Ignition screen: a form beside what comes of it, the check of a
// file, and what is served from here.
package ramdisk

import (
	"context"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

// tab is one of the screen's views.
type tab int

// The views. Where there is room the preview stands beside the form, too.
const (
	tabForm tab = iota
	tabPreview
	tabFile
	tabServing
)

var titles = []string{"Form", "Preview", "File", "Serving"}

// Screen is the Ignition screen. What outlives it is on the bench.
type Screen struct {
	env    *screen.Env
	bench  *screen.Bench
	ironic string // the address that is taken where none is given
	first  map[string]string

	tab  tab
	form *form.Inline
	// made is what came of the form last; turn numbers the attempts, and the answer to an
	// older one is dropped.
	made made
	turn int
	stop context.CancelFunc

	preview, file, serving pane.Pane
	search                 body.Prompt
	wide                   bool // the preview is beside the form

	check checking
	// fetched and troubles are what was served, as of the last second.
	fetched  []serve.Fetch
	troubles []serve.Event

	// life ends with the screen.
	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

// New makes the screen as it was left.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, bench: env.Bench}
	if s.bench == nil {
		s.bench = &screen.Bench{}
	}
	s.life, s.finish = context.WithCancel(context.Background())
	for _, p := range []*pane.Pane{&s.preview, &s.serving} {
		p.SetWrap(true)
	}
	if maker := env.Maker(); maker != nil {
		in, ironic := maker.Defaults()
		s.first, s.ironic = valuesOf(in), models.Printable(ironic)
	} else {
		s.first = valuesOf(inputsOf(nil))
	}
	if s.bench.Values == nil {
		s.bench.Values = maps.Clone(s.first)
	}
	s.form = form.NewInline(fieldsFor(s.bench.Values, s.ironic))
	if s.bench.File != "" {
		s.tab = tabFile
	}
	return s
}

// Ref names the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindIgnition} }

// Title is its crumb.
func (s *Screen) Title() string { return "ignition" }

// Start makes what the form asks for.
func (s *Screen) Start() tea.Cmd { return s.rebuild(0) }

// Shown looks at the file again, which may have changed meanwhile.
func (s *Screen) Shown() tea.Cmd {
	s.lookAtServing()
	return s.recheck()
}

// Close ends what is under way. What is served goes on: it is on the bench.
func (s *Screen) Close() {
	if s.stop != nil {
		s.stop()
	}
	s.finish()
}

// Update takes answers, the second's tick, and keys while something is written.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case made:
		s.take(msg)
	case checked:
		return s.takeChecked(msg)
	case offered:
		return s.takeOffer(msg)
	case served:
		return s.takeServed(msg)
	case lookedAt:
		if msg.of == s {
			return s.confirmEmbed(msg)
		}
	case later:
		if msg.of == s {
			return msg.cmd
		}
	case stopped:
		if msg.of == s {
			s.lookAtServing()
		}
	case fileChosen:
		if msg.of == s {
			return s.openFile(msg.path)
		}
	case screen.Tick:
		s.lookAtServing()
		if s.tab == tabFile {
			return s.recheck()
		}
	case screen.Reload:
		s.check.stamp = screen.FileStamp{}
		return tea.Batch(s.rebuild(0), s.recheck())
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	}
	return nil
}

// typed takes what is written into a field or a search.
func (s *Screen) typed(msg tea.Msg) tea.Cmd {
	if s.search.Typing() {
		switch s.search.Update(msg) {
		case body.Changed:
			s.reading().Search(s.search.Text())
		case body.Abandoned:
			s.reading().Search("")
		case body.Ignored, body.Taken:
		}
		return nil
	}
	if !s.form.Editing() {
		return nil
	}
	s.form.Typed(msg)
	return s.changed()
}

// changed takes over what the form holds now, and makes it anew if it is different.
func (s *Screen) changed() tea.Cmd {
	different, profile := false, s.bench.Values[keyProfile]
	for key, value := range s.form.Values() {
		if s.bench.Values[key] != value {
			s.bench.Values[key] = value
			different = true
		}
	}
	if !different {
		return nil
	}
	if s.bench.Values[keyProfile] != profile {
		// Another profile has other fields.
		focus := s.form.Focus()
		s.form = form.NewInline(fieldsFor(s.bench.Values, s.ironic))
		s.form.SetFocus(focus)
	}
	return s.rebuild(pause)
}

// Typing says that keys are text now.
func (s *Screen) Typing() bool { return s.search.Typing() || s.tab == tabForm && s.form.Editing() }

// Hints are what keys do while something is written.
func (s *Screen) Hints() []screen.Hint {
	if s.search.Typing() {
		return []screen.Hint{{Key: "enter", Text: "keep"}, {Key: "esc", Text: "drop"}}
	}
	return []screen.Hint{{Key: "enter", Text: "keep"}, {Key: "tab", Text: "keep, next field"}, {Key: "esc", Text: "drop"}}
}

// Targets are none: what is applied is asked for.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Widen ends a search.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.tab == tabForm || s.reading().Query() == "" {
		return nil, false
	}
	s.reading().Search("")
	return nil, true
}

// reading is the text of the view in front; the form's is the preview.
func (s *Screen) reading() *pane.Pane {
	switch s.tab {
	case tabFile:
		return &s.file
	case tabServing:
		return &s.serving
	case tabForm, tabPreview:
	}
	return &s.preview
}

// Scopes are its actions: those of a form, or of a text.
func (s *Screen) Scopes() []action.Scope {
	if s.tab == tabForm {
		return []action.Scope{action.Ignition, action.Filling}
	}
	return []action.Scope{action.Ignition, action.Reading}
}

// lookAtServing takes over who fetched what: it is in memory, and answers at once.
func (s *Screen) lookAtServing() {
	if s.bench.Serving == nil {
		return
	}
	s.fetched, s.troubles = s.bench.Serving.Fetches(), s.bench.Serving.Troubles()
	s.serving.SetLines(s.servingLines())
}

// pause is how long nothing has to be written before it is made anew.
const pause = 250 * time.Millisecond
