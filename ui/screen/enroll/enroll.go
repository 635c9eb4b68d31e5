// Package enroll is the screen that enrolls nodes: a form for the input, its comparison with Ironic, the BMCs'
// answers, and the results.
package enroll

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ironworks/enroll"
	"ironworks/ignition/prepare"
	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/widget/form"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

type tab int

// The tabs.
const (
	tabForm tab = iota
	tabNodes
	tabBMCs
	tabResult
)

var titles = []string{"Form", "Nodes", "BMCs", "Result"}

// Screen is the Enroll screen. The password of its form lives as long as the screen, and is stored nowhere else.
type Screen struct {
	env     *screen.Env
	session *screen.Session

	tab    tab
	tabs   body.TabLine
	listAt int // the line at which the table was drawn
	form   *form.Inline
	values map[string]string
	// stale means that the form has changed since the comparison.
	stale bool
	// offered means that the form offers the ramdisk that the console serves.
	offered bool

	// reading is the running comparison, nil for none. turn numbers the comparisons: results of earlier ones are dropped.
	reading *reading
	turn    int
	read    bool
	result  comparison

	// started is the action that was last sent for confirmation. task is the task that carries it out; it is nil before
	// the task starts.
	started *provision.EnrollAction
	task    *screen.Task
	// items are the started items, by node UUID.
	items map[string]*enroll.Item

	nodes   *table.Table[*nodeRow]
	bmcs    *table.Table[*bmcRow]
	results *table.Table[*resultRow]
	// details is the text below or beside the table about the row at the cursor.
	details pane.Pane
	shown   string

	life   context.Context //nolint:containedctx // it is the life of the screen, not of a call
	finish context.CancelFunc
}

var (
	_ screen.Screen   = (*Screen)(nil)
	_ screen.Narrowed = (*Screen)(nil)
	_ screen.Hinted   = (*Screen)(nil)
)

// New returns the screen with an empty form.
func New(env *screen.Env) *Screen {
	s := &Screen{env: env, session: env.Session, values: map[string]string{keySource: fromFile, keyFormat: auto, keyRamdisk: ramdiskNone, keyGoal: string(provision.GoalEnroll)}}
	if s.env.WhyNoFiles != "" {
		s.values[keySource] = fromBMCs
	}
	s.life, s.finish = context.WithCancel(context.Background())
	s.offered = len(s.served()) > 0
	s.form = form.NewInline(fieldsFor(s.values, s.offered, s.env.WhyNoFiles != ""), s.env.WhyNoFiles)
	s.form.Recall(s.env.Entered)
	s.nodes, s.bmcs, s.results = nodeTable(s.detailsOf), bmcTable(), resultTable()
	s.details.SetWrap(true)
	return s
}

// Ref identifies the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindEnroll} }

// Title returns the text for the header.
func (s *Screen) Title() string { return "enroll" }

// Start does nothing: the form is empty.
func (s *Screen) Start() tea.Cmd { return nil }

// Shown reads the progress since the last visit.
func (s *Screen) Shown() tea.Cmd {
	s.follow()
	s.lookAtServed()
	return nil
}

// lookAtServed follows the Ignition screen, which may have started or stopped serving.
func (s *Screen) lookAtServed() {
	served := s.served()
	if offered := len(served) > 0; offered != s.offered && !s.form.Editing() {
		s.offered = offered
		s.refill()
	}
	if r, _ := ramdiskOf(s.values, served); s.values[keyRamdisk] == ramdiskServed && r != s.result.in.Ramdisk {
		s.stale = true
	}
}

// Close cancels a running comparison. A task continues.
func (s *Screen) Close() { s.finish() }

// Update handles results of commands, ticks, and keys while Typing.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case compared:
		s.takeCompared(msg)
	case screen.TasksChanged:
		s.follow()
	case screen.Tick:
		s.tick()
	case tea.KeyPressMsg, tea.PasteMsg, form.Completions:
		cmd := s.form.Typed(msg)
		s.changed()
		return cmd
	}
	return nil
}

// changed applies the form's values. If the source or the ramdisk has changed, the form gets the fields for it.
func (s *Screen) changed() {
	source, ramdisk := s.values[keySource], s.values[keyRamdisk]
	for key, value := range s.form.Values() {
		if s.values[key] != value {
			s.values[key] = value
			s.stale = s.stale || compares(key)
			s.form.SetProblems(nil)
		}
	}
	if s.values[keySource] != source || s.values[keyRamdisk] != ramdisk {
		s.refill()
	}
	s.shown = "" // the requests depend on the goal
}

// refill shows the fields that belong to the current values.
func (s *Screen) refill() {
	focus := s.form.Focus()
	s.form = form.NewInline(fieldsFor(s.values, s.offered, s.env.WhyNoFiles != ""), s.env.WhyNoFiles)
	s.form.Recall(s.env.Entered)
	s.form.SetFocus(focus)
}

// served returns the ramdisks that the console serves; nil for none.
func (s *Screen) served() []prepare.Target {
	if s.env.Bench == nil || s.env.Bench.Serving == nil {
		return nil
	}
	if ended, _ := s.env.Bench.Serving.Ended(); ended {
		return nil
	}
	return s.env.Bench.Serving.Targets()
}

// Typing reports whether keys are text input.
func (s *Screen) Typing() bool { return s.tab == tabForm && s.form.Editing() }

// Hints returns the key hints while Typing.
func (s *Screen) Hints() []screen.Hint { return screen.FormHints(true) }

// Widen cancels a running comparison.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.reading == nil {
		return nil, false
	}
	s.reading.cancel()
	s.reading = nil
	s.turn++
	return screen.Send(screen.Say{Text: s.env.Keys.Text(textCanceled)}), true
}

// Scopes returns the groups of actions, by tab.
func (s *Screen) Scopes() []action.Scope {
	if s.tab == tabForm {
		return []action.Scope{action.Enroll, action.Filling}
	}
	return []action.Scope{action.Enroll, action.List}
}

// mover returns the table of the tab, or the form.
func (s *Screen) mover() body.Mover {
	switch s.tab {
	case tabNodes:
		return s.nodes
	case tabBMCs:
		return s.bmcs
	case tabResult:
		return s.results
	case tabForm:
	}
	return s.form
}

// atCursor returns the UUID and the label of the node at the cursor.
func (s *Screen) atCursor() (ref models.NodeRef, ok bool) {
	switch s.tab {
	case tabNodes:
		if r, some := s.nodes.Cursor(); some {
			return models.NodeRef{UUID: r.item.UUID, Name: r.item.Node.Name()}, true
		}
	case tabResult:
		if r, some := s.results.Cursor(); some {
			return r.node, true
		}
	case tabForm, tabBMCs:
	}
	return models.NodeRef{}, false
}

// exists reports whether the list of nodes has the node.
func (s *Screen) exists(uuid string) bool {
	if s.session == nil {
		return false
	}
	_, _, there := s.session.Store.Get(uuid)
	return there
}

// Targets always returns nil: actions on nodes are for nodes that exist.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Copies returns the node at the cursor and the equivalent command.
func (s *Screen) Copies() []screen.Copyable {
	var copies []screen.Copyable
	if ref, ok := s.atCursor(); ok {
		copies = append(copies, screen.Copyable{Name: "uuid", Text: ref.UUID})
		if ref.Name != "" {
			copies = append(copies, screen.Copyable{Name: "name", Text: ref.Name})
		}
		if s.tab == tabNodes {
			r, _ := s.nodes.Cursor()
			if _, commands := s.requestsOf(r.item); len(commands) > 0 {
				copies = append(copies, screen.Copyable{Name: "commands", Text: strings.Join(commands, "\n"), Shape: screen.Lines})
			}
		}
	}
	if in, _, _, problem := inputOf(s.values, s.served()); problem == "" {
		copies = append(copies, screen.Copyable{Name: "command", Text: s.env.CommandLine(in.CommandLine(goalOf(s.values), s.values[keyNoInspect] == switchedOn)...)})
	}
	return copies
}

// plan returns the plan from the comparison.
func (s *Screen) plan() enroll.Plan { return s.result.plan }

// follow finds the task that this screen started, and reads its progress.
func (s *Screen) follow() {
	if s.started == nil {
		return
	}
	for _, t := range s.env.Tasks.All() {
		if t.Plan.Action != provision.Action(s.started) || s.task == t {
			continue
		}
		if s.task == nil {
			s.tab = tabResult
		}
		s.task = t // a retry replaces the first task
	}
	if s.task != nil {
		s.setResults()
	}
}

func number(i int) string { return strconv.Itoa(i) }
