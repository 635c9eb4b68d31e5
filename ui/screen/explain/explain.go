// Package explain implements the screen that explains the state of a node: the most likely cause, the confidence in
// it, the evidence for it, and the next safe action.
package explain

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/fetch"
)

const (
	// freshFor is the maximum age of an explanation during an operation, when time alone can make it outdated.
	freshFor = 30 * time.Second
	// patience is the minimum time between an error and a retry, which follows when Ironic answers again.
	patience = 5 * time.Second
)

// Screen explains the state of one node. It requests a new explanation whenever the node changes.
type Screen struct {
	screen.Base
	env     *screen.Env
	session *screen.Session
	uuid    string
	watched bool

	// row is the last row of the node in the store. seen and inStore report whether it was, and is, there.
	row           models.Row
	seen, inStore bool

	found *fetch.Source[*provision.Explained]
	bmc   *controller
	// shown is the index of the explanation that is shown in full. rule is the ID of the rule that produced it; after
	// an update, it identifies the explanation to show.
	shown int
	rule  explain.RuleID
	// cursor is 0 at the suggested action, and n at the n-th other explanation. top is the index of the first visible
	// line. The area for the lines is width by height cells.
	cursor, top   int
	width, height int
}

var _ screen.Narrowed = (*Screen)(nil)

// New returns the screen that explains the node with the given UUID.
func New(env *screen.Env, uuid string) screen.Screen {
	ref := screen.Ref{Kind: screen.KindExplain, ID: uuid}
	s := &Screen{
		Base: screen.NewBase(ref, "", action.List, action.Explaining, action.Nodes),
		env:  env, session: env.Session, uuid: uuid, bmc: &controller{},
	}
	s.bmc.facts = fetch.New(func(ctx context.Context) (*explain.BMCFacts, error) { return s.session.BMCs.Facts(ctx, uuid) })
	s.found = fetch.New(func(ctx context.Context) (*provision.Explained, error) {
		return s.session.Explain(ctx, uuid, s.bmc.latest.Load())
	})
	return s
}

// Title returns the screen's title, which is shown in the header.
func (s *Screen) Title() string { return "explain " + cell.Cut(s.label(), 52) }

func (s *Screen) canExplain() bool { return s.session != nil && s.session.Explain != nil }

// Start requests the first explanation. If Ironic waits for the machine, it also queries the BMC.
func (s *Screen) Start() tea.Cmd {
	if !s.canExplain() {
		return nil
	}
	s.readStore()
	return tea.Batch(s.read(), s.queryWaiting())
}

// Shown polls the node more often, and requests a new explanation if the node has changed or it is old.
func (s *Screen) Shown() tea.Cmd {
	if !s.canExplain() {
		return nil
	}
	if !s.watched {
		s.watched = true
		s.session.Watch(s.uuid)
	}
	if changed := s.readStore(); (changed || s.isStale()) && !s.found.Busy() {
		return s.read()
	}
	return nil
}

func (s *Screen) isStale() bool { return time.Since(s.found.At()) >= freshFor }

// readStore reads the node from the store, and reports whether its explanation may have changed.
func (s *Screen) readStore() (changed bool) {
	row, _, ok := s.session.Store.Get(s.uuid)
	s.inStore = ok
	if !ok {
		return false
	}
	same := s.seen && row.SameButLog(&s.row) && explain.BootOf(&row).Same(explain.BootOf(&s.row))
	s.row, s.seen = row, true
	return !same
}

func (s *Screen) gone() bool {
	return s.seen && !s.inStore || models.IsFault(s.found.Err(), models.FaultNotFound)
}

// Update requests new explanations when the node changes, and handles the results of requests.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if !s.canExplain() {
		return nil
	}
	switch msg := msg.(type) {
	case screen.FleetChanged:
		changed := s.readStore()
		retry := msg.Update.Status.Connected && s.found.Err() != nil && time.Since(s.found.At()) >= patience
		if !s.gone() && (changed || retry) {
			return s.read()
		}
	case screen.Tick:
		if s.row.Node.ProvisionState.Busy() && s.seen && !s.gone() && !s.found.Busy() && s.found.Err() == nil && s.isStale() {
			return s.read()
		}
	case screen.Reload, screen.Rewound:
		s.readStore()
		return s.read()
	default:
		return s.answered(msg)
	}
	return nil
}

func (s *Screen) answered(msg tea.Msg) tea.Cmd {
	if mine, next := s.bmcAnswered(msg); mine {
		return next
	}
	mine, next := s.found.Handle(msg)
	if !mine {
		return nil
	}
	if models.IsFault(s.found.Err(), models.FaultNotFound) && s.inStore {
		s.session.PollNode(s.uuid) // updates the fleet list as well
	}
	at := slices.IndexFunc(s.all(), func(e explain.Explanation) bool { return e.Rule == s.rule })
	if s.shown > 0 && at < 0 || s.cursor >= len(s.all()) {
		s.cursor, s.top = 0, 0
	}
	if s.shown > 0 {
		s.shown = max(at, 0)
	}
	return next
}

// all returns the explanations, best first.
func (s *Screen) all() []explain.Explanation {
	if found, read := s.found.Value(); read {
		return found.Explanations
	}
	return nil
}

// current returns the explanation that is shown in full, or nil if there is none.
func (s *Screen) current() *explain.Explanation {
	if all := s.all(); s.shown < len(all) {
		return &all[s.shown]
	}
	return nil
}

// others returns the indexes of the explanations that are not shown in full. The screen shows only their verdicts.
func (s *Screen) others() []int {
	var places []int
	for i := range s.all() {
		if i != s.shown {
			places = append(places, i)
		}
	}
	return places
}

// ref returns the node. If nothing else is known, it contains only the UUID.
func (s *Screen) ref() models.NodeRef {
	found, read := s.found.Value()
	switch {
	case s.seen:
		return s.row.Node.Ref()
	case read:
		return found.Node
	}
	return models.NodeRef{UUID: s.uuid}
}

func (s *Screen) label() string { return s.ref().Label() }

// Targets returns the explained node, or nil before anything is known about it.
func (s *Screen) Targets() []models.NodeRef {
	if _, read := s.found.Value(); !read && !s.seen {
		return nil
	}
	return []models.NodeRef{s.ref()}
}

// Close cancels running requests and stops watching the node.
func (s *Screen) Close() {
	s.found.Close()
	s.bmc.facts.Close()
	if s.watched {
		s.watched = false
		s.session.Unwatch(s.uuid)
	}
}
