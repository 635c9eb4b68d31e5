// Package watch implements the screen that shows running operations. Each node has a bar that shows the phases of its
// operation. All bars share one time axis. The events and logs of the nodes are shown below.
package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/screen/logs"
	"ironworks/ui/screen/phase"
	"ironworks/ui/widget/table"
	"ironworks/ui/widget/timebar"
)

const (
	textNoContext = "No context is open; {connect} shows why."
	textEmpty     = "No running operations. Tasks started from this console appear here; " +
		"to watch other nodes, mark them in the fleet and press {watch}."
)

// polledAtMost is the number of nodes that are polled every second. Normal polls update the others.
const polledAtMost = 8

// learnAgain is the minimum time between two reads of past durations, which follow the end of an operation.
const learnAgain = 20 * time.Second

// Screen shows the watched nodes. Their data is in the Store.
type Screen struct {
	screen.Base
	env     *screen.Env
	session *screen.Session
	table   *table.Table[*row]
	others  *fetch.Source[*models.Experience]
	// watched contains the UUIDs of the nodes that are polled individually.
	watched map[string]bool
	rows    []*row
	scale   time.Duration
	// ended is the number of operations that had finished when the durations of past operations were last read.
	ended int
	// running reports whether an operation or a task was running when the rows were last built.
	running bool
	// choosing keeps this screen from returning its own node while it asks other screens for theirs.
	choosing bool
	lines    events
	// roomy is true if the columns for a wide screen are shown.
	roomy bool
	// log shows the logs of the running nodes. reading is true while keys are sent to the log.
	log     *logs.Log
	reading bool
}

type row struct {
	ref models.NodeRef
	// node is the node's row in the Store. inStore reports whether the Store contains the node.
	node    models.Row
	inStore bool
	work    models.Work
	seen    bool
	// estimate is the estimated remaining time, derived from past operations.
	estimate models.Estimate
	// pace is the progress and the speed of the installer.
	pace models.InstallPace
	// waiting is true if a task has not reported any progress on the node yet, or if it will retry its request for
	// the node. trouble describes the last fault that the task reported for the node.
	waiting bool
	trouble string
	// endedEarlier is true if the node's operation ended before the running operations started.
	endedEarlier bool
}

var (
	_ screen.Narrowed = (*Screen)(nil)
	_ screen.Hinted   = (*Screen)(nil)
)

// New returns the Watch screen.
func New(env *screen.Env) screen.Screen {
	s := &Screen{
		Base: screen.NewBase(screen.Ref{Kind: screen.KindWatch}, "watch", action.Watch, action.List, action.Nodes),
		env:  env, session: env.Session, table: table.New(func(r *row) string { return r.ref.UUID }), log: logs.New(env),
	}
	var kept screen.Journal
	if env.Session != nil {
		kept = env.Session.Journal
	}
	s.others = fetch.New(func(ctx context.Context) (*models.Experience, error) {
		if kept == nil {
			return nil, nil //nolint:nilnil // without a journal there is no experience
		}
		past, err := kept.Latest(ctx, phase.LearnFrom)
		return models.NewExperience(past), err
	})
	s.table.Empty = env.Keys.Text(textEmpty)
	s.setColumns(false)
	return s
}

// Start adds the nodes of new tasks, and reads the durations of past operations.
func (s *Screen) Start() tea.Cmd {
	if s.session == nil {
		return nil
	}
	s.env.Watching.AddTasks(s.env.Tasks, s.session.Context.Name)
	return s.others.Get()
}

// Shown adds the nodes of new tasks. It also adds the nodes selected on the previous screen if there are several of
// them, or if one of them is busy and no nodes are watched yet.
func (s *Screen) Shown() tea.Cmd {
	if s.session == nil {
		return nil
	}
	list := s.env.Watching
	list.AddTasks(s.env.Tasks, s.session.Context.Name)
	if chosen := s.chosen(); len(chosen) > 1 || len(list.Nodes()) == 0 && s.busy(chosen) {
		list.Add(chosen...)
	}
	s.readStore()
	return tea.Batch(s.readDurations(), s.follow())
}

func (s *Screen) busy(nodes []models.NodeRef) bool {
	return slices.ContainsFunc(nodes, func(n models.NodeRef) bool {
		row, _, there := s.session.Store.Get(n.UUID)
		return there && row.Node.ProvisionState.Busy()
	})
}

// chosen returns the nodes that are selected on the previous screen.
func (s *Screen) chosen() []models.NodeRef {
	if s.env.Chosen == nil {
		return nil
	}
	s.choosing = true
	defer func() { s.choosing = false }()
	return s.env.Chosen()
}

// Update handles a message from the root or the result of a command.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.session == nil {
		return nil
	}
	if mine, cmd := s.log.Update(msg); mine {
		return cmd
	}
	switch msg.(type) {
	case screen.TasksChanged:
		s.env.Watching.AddTasks(s.env.Tasks, s.session.Context.Name)
		s.readStore()
	case screen.FleetChanged, screen.Tick:
		s.readStore()
	case screen.Rewound:
		s.lines = events{}
		return s.log.Rewound()
	case screen.Reload:
		s.readStore()
		return tea.Batch(s.others.Get(), s.follow())
	default:
		mine, next := s.others.Handle(msg)
		if mine {
			s.readStore()
		}
		return next
	}
	return tea.Batch(s.readDurations(), s.follow())
}

// follow follows the logs of the first few nodes that are running or held, or that failed while they were watched.
// Failed nodes are included because the ramdisk often still runs after a failure.
func (s *Screen) follow() tea.Cmd {
	var nodes []models.NodeRef
	for _, rank := range []int{rankRunning, rankHeld, rankFailed} {
		for _, r := range s.rows {
			if len(nodes) < polledAtMost && r.rank() == rank && (rank != rankFailed || r.seen) {
				nodes = append(nodes, r.ref)
			}
		}
	}
	return s.log.Follow(nodes...)
}

func (s *Screen) hasLog() bool { return s.session != nil && s.session.Logs != nil }

// readDurations reads past durations again after an operation has ended, at most once per learnAgain.
func (s *Screen) readDurations() tea.Cmd {
	ended := 0
	for _, r := range s.rows {
		if r.seen && !r.work.End.IsZero() {
			ended++
		}
	}
	if ended == s.ended || s.others.Busy() || time.Since(s.others.At()) < learnAgain {
		return nil
	}
	s.ended = ended
	return s.others.Get()
}

// readStore builds the rows from the Store, the tasks and the durations of past operations.
func (s *Screen) readStore() {
	now := s.env.ServerNow()
	past, _ := s.others.Value()
	tasks := s.inTasks()
	nodes := s.env.Watching.Nodes()
	rows := make([]*row, 0, len(nodes))
	for _, ref := range nodes {
		r := &row{ref: ref}
		var evidence models.Evidence
		if r.node, evidence, r.inStore = s.session.Store.Get(ref.UUID); r.inStore {
			r.ref = r.node.Node.Ref()
			r.work, r.seen = evidence.Work(&r.node)
		}
		if p, in := tasks[ref.UUID]; in {
			r.waiting = p == nil || p.Retry != nil
			switch {
			case p == nil:
			case p.Fault != nil:
				r.trouble = p.Fault.Reason()
			case p.Retry != nil:
				r.trouble = fmt.Sprintf("%s, try %d of %d", p.Retry.Fault.Reason(), p.Retry.Attempt+1, p.Retry.Tries)
			}
		}
		if r.seen {
			r.pace = s.env.Installs.Of(ref.UUID)
			r.estimate = past.Estimate(&r.work, now).Pace(past, &r.work, r.pace, now)
		}
		rows = append(rows, r)
	}
	since := s.runningSince(rows)
	var longest time.Duration
	for _, r := range rows {
		r.endedEarlier = !since.IsZero() && r.endedBefore(since)
		if r.seen && !r.endedEarlier {
			longest = max(longest, phase.Longest(&r.work, past, r.pace, now))
		}
	}
	slices.SortStableFunc(rows, func(a, b *row) int { return cmp.Compare(a.rank(), b.rank()) })
	s.rows, s.scale = rows, timebar.NewScale(longest, 1).Total
	s.table.SetRows(rows)
	begins := !s.running && !since.IsZero()
	s.running = !since.IsZero()
	if r, ok := s.table.Cursor(); ok && begins && r.endedEarlier {
		body.Steer(s.table, action.Top, 1) // new operations matter more than the row that was selected before
	}
	s.watch()
}

// runningSince returns when, on the server's clock, the oldest running operation or task started, or zero.
func (s *Screen) runningSince(rows []*row) (since time.Time) {
	begun := func(at time.Time) {
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	for _, r := range rows {
		if r.seen && r.busy() {
			begun(r.work.Begin)
		}
	}
	for _, t := range s.env.Tasks.All() {
		if t.Running() && t.Context == s.session.Context.Name && screen.Moves(t) {
			begun(t.Began.Add(s.env.Status.Skew))
		}
	}
	return since
}

// endedBefore reports whether the node's last operation ended before the given time, or none was observed.
func (r *row) endedBefore(at time.Time) bool {
	switch {
	case r.waiting || r.busy() || !r.inStore:
		return false
	case !r.seen:
		return true
	}
	return !r.work.End.IsZero() && r.work.End.Before(at)
}

func (r *row) busy() bool { return r.inStore && r.node.Node.ProvisionState.Busy() }

// failed includes a failed verification, for which Ironic has no failure state.
func (r *row) failed() bool {
	return r.inStore && !r.busy() && (r.node.Node.ProvisionState.Failed() || r.seen && r.work.Outcome == models.OutcomeFailed)
}

// The ranks by which rows are sorted. Rows that need attention come first.
const (
	rankFailed = iota
	rankHeld
	rankRunning
	rankQueued
	rankDone
	rankEarlier // the operation ended before the running operations started
)

// rank returns the constant, such as rankFailed, by which the row is sorted.
func (r *row) rank() int {
	switch {
	case r.endedEarlier:
		return rankEarlier
	case r.waiting && !r.busy():
		return rankQueued
	case r.failed():
		return rankFailed
	case r.inStore && r.node.Node.ProvisionState.Class() == models.ClassHold:
		return rankHeld
	case r.busy():
		return rankRunning
	}
	return rankDone
}

// inTasks returns the last progress of each node of a running task by UUID, or nil if it has reported none.
func (s *Screen) inTasks() map[string]*provision.Progress {
	in := map[string]*provision.Progress{}
	for _, t := range s.env.Tasks.All() {
		if !t.Running() || t.Context != s.session.Context.Name {
			continue
		}
		for i := range t.Plan.Items {
			uuid := t.Plan.Items[i].Node.UUID
			if t.Plan.Items[i].Refusal != nil {
				continue
			}
			in[uuid] = nil
			if p, known := t.Progress[uuid]; known {
				in[uuid] = &p
			}
		}
	}
	return in
}

// watch makes the poller poll the first few running nodes individually.
func (s *Screen) watch() {
	want := map[string]bool{}
	for _, r := range s.rows {
		if len(want) < polledAtMost && r.inStore && r.node.Node.ProvisionState.Busy() {
			want[r.ref.UUID] = true
		}
	}
	for uuid := range s.watched {
		if !want[uuid] {
			s.session.Unwatch(uuid)
		}
	}
	for uuid := range want {
		if !s.watched[uuid] {
			s.session.Watch(uuid)
		}
	}
	s.watched = want
}

// Targets returns the node at the cursor.
func (s *Screen) Targets() []models.NodeRef {
	if r, ok := s.table.Cursor(); ok && !s.choosing {
		return []models.NodeRef{r.ref}
	}
	return nil
}

// Scopes returns the scopes of the actions that the screen offers.
func (s *Screen) Scopes() []action.Scope {
	if s.reading {
		return append(logs.Scopes(), action.Watch, action.Nodes)
	}
	return s.Base.Scopes()
}

// Typing reports whether a search or filter of the log is being edited.
func (s *Screen) Typing() bool { return s.log.Typing() }

// Hints returns the key hints of the log, to be shown while its search or filter is being edited.
func (s *Screen) Hints() []screen.Hint { return s.log.Hints() }

// Widen clears the search or the filter of the log. If there is none, keys are sent to the list of nodes again.
func (s *Screen) Widen() (tea.Cmd, bool) {
	if !s.reading || s.log.Widen() {
		return nil, s.reading
	}
	s.reading = false
	return nil, true
}

// Copies returns the result of [screen.NodeCopies] for the node at the cursor, and the phases of the node's
// operation. While keys are sent to the log, it returns the result of the log's Copies method instead.
func (s *Screen) Copies() []screen.Copyable {
	if s.reading {
		return s.log.Copies()
	}
	r, ok := s.table.Cursor()
	if !ok {
		return nil
	}
	copies := screen.NodeCopies(s.env, &models.Node{UUID: r.ref.UUID, Name: r.ref.Name})
	if r.seen {
		copies = append(copies, screen.Copyable{Name: "phases", Text: phase.Line(&r.work, s.env.ServerNow())})
	}
	return copies
}

// Close cancels all requests, stops following logs, and stops polling nodes individually.
func (s *Screen) Close() {
	s.others.Close()
	s.log.Close()
	for uuid := range s.watched {
		s.session.Unwatch(uuid)
	}
	s.watched = nil
}
