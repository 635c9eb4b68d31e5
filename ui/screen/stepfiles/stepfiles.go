// Package stepfiles implements the screens for deploy templates and runbooks. They list these objects and the nodes
// that have their traits. The operator can create, edit and delete objects, and run runbooks.
package stepfiles

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/filter"
	"ironworks/provision"
	"ironworks/stepfile"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/declared"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/widget/table"
)

// Screen lists either the deploy templates or the runbooks.
type Screen struct {
	screen.Base
	declared.List
	env  *screen.Env
	kind stepfile.Kind
	api  provision.StepFileAPI // nil if there is no live Ironic

	source *fetch.Source[[]stepfile.Item]
	items  *table.Table[*stepfile.Item]
	// having maps each trait to the nodes that have it. It is nil until the traits of the nodes have been read.
	having   map[string][]models.NodeRef
	counting bool
	revision uint64

	shown *stepfile.Item // the object whose details are shown

	changes *declared.Changer

	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

// New returns the screen of the given kind, which is KindRunbooks or KindTemplates.
func New(env *screen.Env, of screen.Kind) *Screen {
	kind := stepfile.Template
	if of == screen.KindRunbooks {
		kind = stepfile.Runbook
	}
	s := &Screen{Base: screen.NewBase(screen.Ref{Kind: of}, string(of), action.StepFiles, action.List), env: env, kind: kind}
	s.items = s.newTable()
	s.life, s.finish = context.WithCancel(context.Background())
	s.Details.SetWrap(true)
	s.changes = declared.NewChanger(s.life, env, s, func() tea.Cmd { return s.source.Get() }, declared.Texts{
		Title: s.withNoun(textApplyTitle), FileHelp: s.withNoun(textApplyFile), HiddenHelp: textApplyHidden, NothingToDo: s.withNoun(textNothingToDo),
	}, s.planFile)
	if env.Session == nil || env.Session.StepFiles == nil {
		return s
	}
	s.api = env.Session.StepFiles
	s.source = fetch.New(func(ctx context.Context) ([]stepfile.Item, error) { return provision.StepFiles(ctx, s.api, kind) })
	s.source.Then(func(items []stepfile.Item) {
		rows := make([]*stepfile.Item, len(items))
		for i := range items {
			rows[i] = &items[i]
		}
		s.items.SetRows(rows)
		s.shown = nil
	})
	return s
}

// withNoun inserts "deploy template" or "runbook" into text.
func (s *Screen) withNoun(text string) string { return fmt.Sprintf(text, s.kind.Noun()) }

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
	return tea.Batch(s.count(), s.source.Renew())
}

// Close cancels all running requests.
func (s *Screen) Close() {
	s.finish()
	s.source.Close()
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
		return screen.NewLater(s, func() tea.Cmd {
			s.having, s.counting, s.shown = having, false, nil
			return nil
		})
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
	case screen.Later:
		return msg.Run(s)
	}
	return fetch.Handle(msg, s.source)
}

// DisabledReason returns the reason why an action is disabled, or "" if it is enabled.
func (s *Screen) DisabledReason(id action.ID) string {
	switch id {
	case action.StepsNew, action.StepsApply, action.StepsDelete, action.StepsRun, action.Open:
	default:
		return ""
	}
	_, selected := s.items.Cursor()
	switch {
	case s.api == nil:
		return strings.TrimSpace(declared.WhyEmpty(s.env, s.kind.Noun()+"s"))
	case id == action.StepsRun && s.kind == stepfile.Template:
		return "only runbooks can be run on nodes; templates are used by deployments"
	case s.env.WhyNoEditor != "" && (id == action.StepsNew || id == action.Open):
		return s.env.WhyNoEditor + fmt.Sprintf(textSendFile, s.env.Program, strings.TrimPrefix(s.kind.Collection(), "deploy_"))
	case !selected && (id == action.StepsDelete || id == action.StepsRun || id == action.Open):
		return s.withNoun("no %s selected")
	}
	return ""
}

// Do runs the screen's action with the given ID.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.StepsNew:
		return s.layOut(nil, s.kind.Draft(), s.kind.Draft())
	case action.Open:
		return s.edit()
	case action.StepsApply:
		return s.changes.AskApply()
	case action.StepsDelete:
		return s.askDelete()
	case action.StepsRun:
		return s.askRun()
	default:
		s.List.Do(id, s.items)
	}
	return nil
}

// Click selects the row at the given position.
func (s *Screen) Click(x, y int) (open bool, cmd tea.Cmd) {
	s.List.Click(x, y, s.items)
	return false, nil
}

// Copies returns the UUID of the object at the cursor, the object in file format, and the request and the command
// line that list all objects.
func (s *Screen) Copies() []screen.Copyable {
	if s.api == nil {
		return nil
	}
	var copies []screen.Copyable
	if item, ok := s.items.Cursor(); ok {
		copies = append(copies, screen.Copyable{Name: "UUID", Text: item.UUID})
		if text, err := stepfile.YAML([]stepfile.Item{*item}); err == nil {
			copies = append(copies, screen.Copyable{Name: s.kind.Noun(), Text: string(text), Shape: screen.Lines})
		}
	}
	return append(copies, screen.Copyable{Name: "request", Text: s.env.Request("/v1/" + s.kind.Collection() + "?detail=true")},
		screen.Copyable{Name: "command", Text: s.env.CommandLine(s.Title(), "list")})
}
