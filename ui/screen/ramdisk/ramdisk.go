// Package ramdisk implements the Ignition screen. It contains a form with a preview, a checker for files, and a
// server for images.
package ramdisk

import (
	"context"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/ignition/prepare"
	"ironworks/ignition/serve"
	"ironworks/models"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
)

type tab int

// The tabs. On wide screens, the Form tab also shows the preview.
const (
	tabForm tab = iota
	tabPreview
	tabFile
	tabServing
)

var titles = []string{"Form", "Preview", "File", "Serving"}

// Screen is the Ignition screen. Data that must outlive it is stored in the Bench.
type Screen struct {
	env    *screen.Env
	bench  *screen.Bench
	ironic string // the default address of Ironic
	first  map[string]string

	tab  tab
	tabs body.TabLine
	form *form.Inline
	// built is the last configuration that was built from the form, and buildErr is the error of the last build.
	// hasBuilt reports whether there was a build. number counts the builds, so that results of earlier builds can be
	// dropped.
	built    prepare.Built
	buildErr error
	hasBuilt bool
	number   int
	stop     context.CancelFunc

	preview, file, serving pane.Pane
	search                 body.Prompt
	wide                   bool // whether the preview is drawn beside the form

	check checking
	// fetched and failures hold the server's log as of the last tick.
	fetched  []serve.Fetch
	failures []serve.Event

	// life is canceled when the screen is closed.
	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

// New returns the screen. It shows the form's values and the file that the Bench holds.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, bench: env.Bench, first: emptyValues()}
	if s.bench == nil {
		s.bench = &screen.Bench{}
	}
	s.life, s.finish = context.WithCancel(context.Background())
	for _, p := range []*pane.Pane{&s.preview, &s.serving} {
		p.SetWrap(true)
	}
	if maker := env.Maker(); maker != nil {
		s.ironic = maker.IronicURL()
	}
	if s.bench.Values == nil {
		s.bench.Values = maps.Clone(s.first)
	}
	s.form = form.NewInline(fieldsFor(s.bench.Values, s.ironic), s.env.WhyNoFiles)
	s.form.Recall(s.env.Entered)
	if s.bench.File != "" {
		s.tab = tabFile
	}
	return s
}

// Ref returns the reference that identifies the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindIgnition} }

// Title returns the screen's title, which is shown in the header.
func (s *Screen) Title() string { return "ignition" }

// Start builds the form's configuration.
func (s *Screen) Start() tea.Cmd { return s.rebuild(0) }

// Shown checks the file again if it has changed.
func (s *Screen) Shown() tea.Cmd {
	s.readServing()
	return s.recheck()
}

// Close cancels all running commands. The server keeps running, because it belongs to the Bench.
func (s *Screen) Close() {
	if s.stop != nil {
		s.stop()
	}
	s.finish()
}

// Update handles results of commands, ticks, and keys that are text input.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Later:
		return msg.Run(s)
	case screen.Tick:
		s.readServing()
		if s.tab == tabFile {
			return s.recheck()
		}
	case screen.Reload:
		s.check.stamp = prepare.FileStamp{}
		return tea.Batch(s.rebuild(0), s.recheck())
	case form.Completions: // this also releases the keys typed while waiting for completions
		cmd := s.form.Typed(msg)
		return tea.Batch(cmd, s.changed())
	case tea.KeyPressMsg, tea.PasteMsg:
		return s.typed(msg)
	}
	return nil
}

// typed handles a key press in a field or in the search.
func (s *Screen) typed(msg tea.Msg) tea.Cmd {
	if s.search.Typing() {
		switch s.search.Update(msg) {
		case body.Changed:
			s.reading().Search(s.search.Text())
		case body.Abandoned:
			s.reading().Search("")
		case body.Ignored, body.Accepted:
		}
		return nil
	}
	if !s.form.Editing() {
		return nil
	}
	cmd := s.form.Typed(msg)
	return tea.Batch(cmd, s.changed())
}

// changed stores the form's values, and rebuilds the configuration if they differ from the stored ones.
func (s *Screen) changed() tea.Cmd {
	different, profile, agent := false, profileOf(s.bench.Values), agentOf(s.bench.Values)
	for key, value := range s.form.Values() {
		if s.bench.Values[key] != value {
			s.bench.Values[key] = value
			different = true
		}
	}
	if !different {
		return nil
	}
	if profileOf(s.bench.Values) != profile || agentOf(s.bench.Values) != agent {
		// Forms for other profiles and agents contain other fields.
		focus := s.form.Focus()
		s.form = form.NewInline(fieldsFor(s.bench.Values, s.ironic), s.env.WhyNoFiles)
		s.form.Recall(s.env.Entered)
		s.form.SetFocus(focus)
	}
	return s.rebuild(pause)
}

// Typing reports whether keys are text input.
func (s *Screen) Typing() bool { return s.search.Typing() || s.tab == tabForm && s.form.Editing() }

// Hints returns the key hints to show while keys are text input.
func (s *Screen) Hints() []screen.Hint { return screen.FormHints(!s.search.Typing()) }

// Targets always returns nil, because the dialog for applying ramdisks asks for the nodes.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Widen clears the search.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.tab == tabForm || s.reading().Query() == "" {
		return nil, false
	}
	s.reading().Search("")
	return nil, true
}

// reading returns the pane with the text of the current tab. On the Form tab, it is the preview.
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

// Scopes returns the scopes of the actions that the current tab offers.
func (s *Screen) Scopes() []action.Scope {
	if s.tab == tabForm {
		return []action.Scope{action.Ignition, action.Filling}
	}
	return []action.Scope{action.Ignition, action.Reading}
}

// readServing reads the server's log. It does not block, because the log is in memory.
func (s *Screen) readServing() {
	if s.bench.Serving == nil {
		return
	}
	s.fetched, s.failures = s.bench.Serving.Fetches(), s.bench.Serving.Failures()
	s.serving.SetLines(s.servingLines())
}

// pause is the delay between the last change in the form and the start of the build.
const pause = 250 * time.Millisecond
