// Package stepfiles implements the screens for deploy templates and runbooks. They list these objects and the nodes
// that have their traits. The operator can create, edit and delete objects, and run runbooks.
package stepfiles

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
	"ironworks/stepfile"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/declared"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

// freshFor is the age at which the list is stale. A stale list is fetched again when the screen is shown.
const freshFor = 30 * time.Second

// Screen lists either the deploy templates or the runbooks.
type Screen struct {
	env    *screen.Env
	kind   stepfile.Kind
	api    provision.StepFileAPI // nil if there is no live Ironic
	listAt int                   // line at which the table was drawn

	source *fetch.Source[[]stepfile.Item]
	list   *table.Table[*stepfile.Item]
	// having maps each trait to the nodes that have it. It is nil until the traits of the nodes have been read.
	having   map[string][]models.NodeRef
	counting bool
	revision uint64

	// details shows the details of the row at the cursor, below the table.
	details pane.Pane
	shown   *stepfile.Item

	changes *declared.Changer

	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

var _ screen.Screen = (*Screen)(nil)

// New returns the screen of the given kind: the runbook screen for KindRunbooks, and the deploy template screen for
// any other kind.
func New(env *screen.Env, of screen.Kind) *Screen {
	kind := stepfile.Template
	if of == screen.KindRunbooks {
		kind = stepfile.Runbook
	}
	s := &Screen{env: env, kind: kind}
	s.list = s.newTable()
	s.life, s.finish = context.WithCancel(context.Background())
	s.details.SetWrap(true)
	s.changes = declared.NewChanger(s.life, env, declared.Texts{
		Title: s.withNoun(textApplyTitle), FileHelp: s.withNoun(textApplyFile), HiddenHelp: textApplyHidden, NothingToDo: s.withNoun(textNothingToDo),
	}, s.planFile)
	if env.Session == nil || env.Session.StepFiles == nil {
		return s
	}
	s.api = env.Session.StepFiles
	s.source = fetch.New(func(ctx context.Context) ([]stepfile.Item, error) { return provision.StepFiles(ctx, s.api, kind) })
	return s
}

// withNoun inserts "deploy template" or "runbook" into text.
func (s *Screen) withNoun(text string) string { return fmt.Sprintf(text, s.kind.Noun()) }

// Ref returns the reference that identifies the screen.
func (s *Screen) Ref() screen.Ref {
	if s.kind == stepfile.Runbook {
		return screen.Ref{Kind: screen.KindRunbooks}
	}
	return screen.Ref{Kind: screen.KindTemplates}
}

// Title returns the screen's title, which is shown in the header.
func (s *Screen) Title() string { return string(s.Ref().Kind) }

// Start fetches the list, and makes the poller read the traits of the nodes.
func (s *Screen) Start() tea.Cmd {
	if s.source == nil {
		return nil
	}
	s.env.Session.NeedFields("traits")
	return tea.Batch(s.source.Get(), s.count())
}

// Shown fetches the list again if it is old.
func (s *Screen) Shown() tea.Cmd {
	if s.source == nil {
		return nil
	}
	again := s.count()
	if s.source.Busy() || time.Since(s.source.At()) < freshFor {
		return again
	}
	return tea.Batch(again, s.source.Get())
}

// Close cancels all running requests.
func (s *Screen) Close() {
	s.finish()
	if s.source != nil {
		s.source.Close()
	}
}

// counted contains the result of count. having maps each trait to the nodes that have it.
type counted struct {
	of     *Screen
	having map[string][]models.NodeRef
}

// count returns a command that reads the traits of all nodes in the Store, or nil if the Store has not changed.
func (s *Screen) count() tea.Cmd {
	store := s.env.Session.Store
	revision := store.Revision()
	if s.counting || s.having != nil && s.revision == revision {
		return nil
	}
	s.counting, s.revision = true, revision
	return func() tea.Msg {
		having, known := map[string][]models.NodeRef{}, false
		for _, row := range store.Rows(filter.Filter{}, models.Column{}, false) {
			known = known || row.Node.Traits != nil
			for _, trait := range row.Node.Traits {
				having[trait] = append(having[trait], row.Node.Ref())
			}
		}
		if !known {
			having = nil
		}
		return counted{of: s, having: having}
	}
}

// Update handles a message from the root or the result of a command.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.source == nil {
		return nil
	}
	switch msg := msg.(type) {
	case screen.Reload:
		return tea.Batch(s.source.Get(), s.count())
	case screen.FleetChanged:
		return s.count()
	case counted:
		if msg.of == s {
			s.having, s.counting, s.shown = msg.having, false, nil
		}
		return nil
	case editFile:
		if msg.of == s {
			return s.openEditor(msg)
		}
	case edited:
		if msg.of == s {
			return s.takeEdit(msg)
		}
	}
	if cmd, mine := s.changes.Handle(msg, s.source.Get); mine {
		return cmd
	}
	if mine, next := s.source.Handle(msg); mine {
		items, _ := s.source.Value()
		rows := make([]*stepfile.Item, len(items))
		for i := range items {
			rows[i] = &items[i]
		}
		s.list.SetRows(rows)
		s.shown = nil
		return next
	}
	return nil
}

// Scopes returns the scopes of the actions that the screen offers.
func (s *Screen) Scopes() []action.Scope { return []action.Scope{action.StepFiles, action.List} }

// Typing always returns false, because the screen has no text input.
func (s *Screen) Typing() bool { return false }

// Targets always returns nil, because too many nodes may have a trait.
func (s *Screen) Targets() []models.NodeRef { return nil }

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.StepsNew, action.StepsApply, action.StepsDelete, action.StepsRun, action.Open:
	default:
		return ""
	}
	_, selected := s.list.Cursor()
	switch {
	case s.api == nil:
		return strings.TrimSpace(s.env.Keys.Text(s.nothing()))
	case id == action.StepsRun && s.kind == stepfile.Template:
		return textOnlyBooks
	case s.env.WhyNoEditor != "" && (id == action.StepsNew || id == action.Open):
		return s.env.WhyNoEditor + fmt.Sprintf(textSendFile, s.env.Program, strings.TrimPrefix(s.kind.Collection(), "deploy_"))
	case !selected && (id == action.StepsDelete || id == action.StepsRun || id == action.Open):
		return s.withNoun(textNoneChosen)
	}
	return ""
}

func (s *Screen) nothing() string {
	if s.env.Session == nil {
		return textNoContext
	}
	return s.withNoun(textNotHere)
}

// Do runs the screen's action with the given ID.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.StepsNew:
		return s.layOut(nil, s.kind.Draft())
	case action.Open:
		return s.edit()
	case action.StepsApply:
		return s.changes.AskApply()
	case action.StepsDelete:
		return s.askDelete()
	case action.StepsRun:
		return s.askRun()
	case action.ChecksDown, action.ChecksUp:
		body.Steer(&s.details, map[action.ID]action.ID{action.ChecksDown: action.PageDown, action.ChecksUp: action.PageUp}[id], 1)
	default:
		body.Steer(s.list, id, 1)
	}
	return nil
}

// Click selects the row at the given position.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	s.list.Click(x, y-s.listAt)
	return false, nil
}

// Copies returns the UUID of the object at the cursor, the object in file format, and the request and the command
// line that list all objects.
func (s *Screen) Copies() []screen.Copyable {
	if s.api == nil {
		return nil
	}
	var copies []screen.Copyable
	if item, ok := s.list.Cursor(); ok {
		copies = append(copies, screen.Copyable{Name: "UUID", Text: item.UUID})
		if text, err := stepfile.YAML([]stepfile.Item{*item}); err == nil {
			copies = append(copies, screen.Copyable{Name: s.kind.Noun(), Text: string(text), Shape: screen.Lines})
		}
	}
	return append(copies, screen.Copyable{Name: "request", Text: s.env.Request("/v1/" + s.kind.Collection() + "?detail=true")},
		screen.Copyable{Name: "command", Text: s.env.CommandLine(s.Title(), "list")})
}
