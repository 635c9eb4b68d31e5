// Package enroll implements the screen that enrolls nodes. Its tabs show a form for the input, the comparison of the
// input with Ironic, the responses of the BMCs, and the results.
package enroll

import (
	"context"
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

// The tabs, in the order of their titles.
const (
	tabForm tab = iota
	tabNodes
	tabBMCs
	tabResult
)

var titles = []string{"Form", "Nodes", "BMCs", "Result"}

// Screen is the Enroll screen. The password that was entered in its form is kept as long as the screen exists, and is
// stored nowhere else.
type Screen struct {
	env     *screen.Env
	session *screen.Session

	tab    tab
	tabs   body.TabLine
	listAt int // the line of the screen at which the table was drawn
	form   *form.Inline
	values map[string]string
	// stale reports whether the form has changed since the last comparison.
	stale bool
	// offered reports whether the form offers the ramdisk that the console serves.
	offered bool

	// reading is the running comparison, or nil. turn numbers the comparisons, so that the results of earlier ones
	// can be dropped. read reports whether result holds a successful comparison.
	reading *reading
	turn    int
	read    bool
	result  comparison

	// started is the action that was last sent to the root for confirmation. task is the task that runs it, or nil
	// before the task has started.
	started *provision.EnrollAction
	task    *screen.Task
	// items holds the items of the started action that were not refused, by node UUID.
	items map[string]*enroll.Item

	nodes   *table.Table[*nodeRow]
	bmcs    *table.Table[*bmcRow]
	results *table.Table[*resultRow]
	// lists holds the table of each tab except the form.
	lists map[tab]body.Table
	// details shows the row at the cursor, below or beside the table.
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
	s.nodes, s.bmcs, s.results = s.nodeTable(), bmcTable(), resultTable()
	s.lists = map[tab]body.Table{tabNodes: s.nodes, tabBMCs: s.bmcs, tabResult: s.results}
	s.details.SetWrap(true)
	return s
}

// Ref returns the reference that identifies the screen in the history and in links.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindEnroll} }

// Title returns the screen's title, which is shown in the header.
func (s *Screen) Title() string { return "enroll" }

// Start does nothing, because the form is still empty.
func (s *Screen) Start() tea.Cmd { return nil }

// Shown updates the progress of the task, and the ramdisk that the form offers.
func (s *Screen) Shown() tea.Cmd {
	s.follow()
	s.lookAtServed()
	return nil
}

// lookAtServed updates the form if the Ignition screen has started or stopped serving a ramdisk.
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

// Close cancels a running comparison. A running task continues.
func (s *Screen) Close() { s.finish() }

// Update handles the results of comparisons, changes to tasks, and ticks. While Typing reports true, it also handles
// keys.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Later:
		return msg.Run(s)
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

// changed applies the values of the form, and shows the fields for a new source or ramdisk.
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
	s.shown = "" // makes the details change, too, because the requests depend on the goal
}

func (s *Screen) refill() {
	focus := s.form.Focus()
	s.form = form.NewInline(fieldsFor(s.values, s.offered, s.env.WhyNoFiles != ""), s.env.WhyNoFiles)
	s.form.Recall(s.env.Entered)
	s.form.SetFocus(focus)
}

// served returns the ramdisks that the console currently serves, or nil if there are none.
func (s *Screen) served() []prepare.Target {
	if s.env.Bench == nil || s.env.Bench.Serving == nil {
		return nil
	}
	if ended, _ := s.env.Bench.Serving.Ended(); ended {
		return nil
	}
	return s.env.Bench.Serving.Targets()
}

// Typing reports whether keys are text input for a field of the form.
func (s *Screen) Typing() bool { return s.tab == tabForm && s.form.Editing() }

// Hints returns the key hints to show while Typing reports true.
func (s *Screen) Hints() []screen.Hint { return screen.FormHints(true) }

// Widen cancels a running comparison.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if s.reading == nil {
		return nil, false
	}
	s.reading.cancel()
	s.reading = nil
	s.turn++
	return screen.Send(screen.Say{Text: s.env.Keys.Text("Canceled. {enroll-compare} compares again.")}), true
}

// Scopes returns the groups of actions of the current tab.
func (s *Screen) Scopes() []action.Scope {
	if s.tab == tabForm {
		return []action.Scope{action.Enroll, action.Filling}
	}
	return []action.Scope{action.Enroll, action.List}
}

func (s *Screen) mover() body.Mover {
	if list := s.lists[s.tab]; list != nil {
		return list
	}
	return s.form
}

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

// Targets always returns nil, because node actions require nodes that already exist in Ironic.
func (s *Screen) Targets() []models.NodeRef { return nil }

// Copies returns the UUID, the name and the enrollment commands of the node at the cursor, and the command line that
// enrolls the compared nodes.
func (s *Screen) Copies() []screen.Copyable {
	var copies []screen.Copyable
	if ref, ok := s.atCursor(); ok {
		copies = append(copies, screen.Copyable{Name: "uuid", Text: ref.UUID})
		if ref.Name != "" {
			copies = append(copies, screen.Copyable{Name: "name", Text: ref.Name})
		}
		if s.tab == tabNodes {
			r, _ := s.nodes.Cursor()
			if _, commands := provision.EnrollRequests(r.item, s.goal(), s.withoutInspection()); len(commands) > 0 {
				copies = append(copies, screen.Copyable{Name: "commands", Text: strings.Join(commands, "\n"), Shape: screen.Lines})
			}
		}
	}
	if in, _, _, problem := inputOf(s.values, s.served()); problem == "" {
		copies = append(copies, screen.Copyable{Name: "command", Text: s.env.CommandLine(in.CommandLine(s.goal(), s.withoutInspection())...)})
	}
	return copies
}

// follow finds the task that runs the started action, and shows its progress.
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
		s.task = t // the task of a retry replaces the original task
	}
	if s.task != nil {
		s.setResults()
	}
}
