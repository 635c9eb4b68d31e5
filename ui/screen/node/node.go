// Package node implements the screen of a node, which shows its operation, steps, disks, ports, BMC, log, history and
// fields.
package node

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ironworks/models"
	"ironworks/models/ports"
	"ironworks/provision"
	"ironworks/ui/action"
	"ironworks/ui/cell"
	"ironworks/ui/screen"
	"ironworks/ui/screen/body"
	"ironworks/ui/screen/fetch"
	"ironworks/ui/screen/logs"
	"ironworks/ui/theme"
	"ironworks/ui/widget/pane"
	"ironworks/ui/widget/table"
)

const (
	overviewTab = iota
	timelineTab
	stepsTab
	disksTab
	networkTab
	bmcTabPlace
	logTab
	historyTab
	rawTab
	tabCount
)

// tabActions returns, for each tab, the action that shows it.
func tabActions() [tabCount]action.ID {
	return [...]action.ID{
		overviewTab: action.ShowOverview, timelineTab: action.ShowTimeline, stepsTab: action.ShowSteps, disksTab: action.ShowDisks,
		networkTab: action.ShowNetwork, bmcTabPlace: action.ShowBMC, logTab: action.ShowLog, historyTab: action.ShowHistory, rawTab: action.ShowRaw,
	}
}

// tabOf returns the tab that the action shows. shows is false if the action does not show a tab.
func tabOf(id action.ID) (tab int, shows bool) {
	all := tabActions()
	tab = slices.Index(all[:], id)
	return tab, tab >= 0
}

// ShowsTab reports whether an action shows a tab.
func ShowsTab(id action.ID) bool {
	_, shows := tabOf(id)
	return shows
}

// tab describes a tab. A tab shows either a list or a text, except for the log.
type tab struct {
	title string
	draw  func(t *theme.Theme, w, h int) []string
	list  body.Table
	text  *pane.Pane
	// opens reports whether a click on the selected row opens it.
	opens bool
	// scope, if not empty, is the scope of the tab's own actions.
	scope  action.Scope
	copies func() []screen.Copyable
}

func (s *Screen) makeTabs() [tabCount]tab {
	none := func() []screen.Copyable { return nil }
	return [...]tab{
		overviewTab: {title: "Overview", draw: s.drawOverview, text: &s.overview, copies: none},
		timelineTab: {title: "Timeline", draw: s.drawTimeline, list: s.timeline.list, opens: true, copies: s.timelineCopies},
		stepsTab:    {title: "Steps", draw: s.drawSteps, list: s.steps, copies: s.stepCopies},
		disksTab:    {title: "Disks", draw: s.drawDisks, list: s.diskRows, opens: true, scope: action.NodeDisks, copies: s.diskCopies},
		networkTab:  {title: "Network", draw: s.drawNetwork, list: s.ports, scope: action.NodeNet, copies: s.portCopies},
		bmcTabPlace: {title: "BMC", draw: s.drawBMC, text: &s.bmc.pane, scope: action.NodeBMC, copies: s.bmcCopies},
		logTab: {
			title: "Log", draw: func(t *theme.Theme, w, h int) []string { return s.shownLog().Draw(t, w, h) },
			copies: func() []screen.Copyable { return s.shownLog().Copies() },
		},
		historyTab: {title: "History", draw: s.drawHistory, list: s.entries, copies: s.historyCopies},
		rawTab:     {title: "Raw", draw: s.drawRaw, text: &s.raw.pane, copies: s.rawCopies},
	}
}

// Tab returns the ID of the action that shows the current tab.
func (s *Screen) Tab() action.ID { return tabActions()[s.tab] }

const (
	// freshFor is the age at which a tab's data is stale. Stale data is fetched again when the tab is opened.
	freshFor = 20 * time.Second
	// patience is the minimum time between a failed request and its automatic retry.
	patience = 5 * time.Second
)

// Screen shows one node. The data in the Store is shown immediately. Other fields are fetched at the start, and again
// when the node in the Store changes.
type Screen struct {
	env     *screen.Env
	session *screen.Session
	uuid    string
	tab     int
	tabs    [tabCount]tab
	tabLine body.TabLine
	listAt  int // line of the tab's content at which its table was drawn
	watched bool

	// row is the node's last row in the Store, read at rowAt. seen reports whether the Store has ever contained a row
	// of the node; inStore reports whether it contains one now.
	row           models.Row
	evidence      models.Evidence
	rowAt         time.Time
	seen, inStore bool

	detail  *fetch.Source[*models.Node]
	disks   *fetch.Source[*disks]
	network *fetch.Source[network]
	wiring  *fetch.Source[[]ports.Finding]
	history *fetch.Source[[]models.HistoryEntry]
	sources []fetch.Requests

	overview pane.Pane
	room     int // number of visible lines of the overview or of the BMC tab
	steps    *table.Table[step]
	running  int // number of the running step, counted from 1, when the steps were last drawn
	diskRows *table.Table[disk]
	ports    *table.Table[models.Port]
	entries  *table.Table[models.HistoryEntry]
	raw      raw
	timeline *timeline
	bmc      *bmcTab
	prompt   body.Prompt
	log      *logs.Log
	// kept is the recorded log that the Log tab shows, or nil if it shows the live log.
	kept *logs.Log
}

var (
	_ screen.Screen   = (*Screen)(nil)
	_ screen.Narrowed = (*Screen)(nil)
	_ screen.Hinted   = (*Screen)(nil)
)

// New returns the screen of the node with the given UUID.
func New(env *screen.Env, uuid string) screen.Screen {
	s := &Screen{env: env, session: env.Session, uuid: uuid, raw: raw{diffing: true}, timeline: newTimeline(env, uuid), bmc: newBMCTab(env, uuid), log: logs.New(env)}
	var api screen.API
	if env.Session != nil {
		api = env.Session.API
	}
	s.steps, s.diskRows, s.ports = stepTable(), s.diskTable(), s.portTable()
	s.entries = table.New(func(e models.HistoryEntry) string { return e.UUID })
	if s.session != nil {
		s.setHistoryColumns()
	}
	s.detail = fetch.New(func(ctx context.Context) (*models.Node, error) { return api.Node(ctx, uuid) }).Then(s.detailStored)
	s.disks = fetch.New(func(ctx context.Context) (*disks, error) { return readDisks(ctx, api, uuid) }).Then(s.disksStored)
	s.network = fetch.New(func(ctx context.Context) (network, error) { return readNetwork(ctx, api, uuid) }).
		Then(func(net network) { s.ports.SetRows(net.ports) })
	s.wiring = fetch.New(func(ctx context.Context) ([]ports.Finding, error) { return readFindings(ctx, api, uuid) })
	s.history = fetch.New(func(ctx context.Context) ([]models.HistoryEntry, error) { return api.History(ctx, uuid) }).
		Then(s.historyStored)
	s.sources = []fetch.Requests{s.detail, s.timeline.recorded, s.timeline.others, s.disks, s.network, s.wiring, s.history}
	s.tabs = s.makeTabs()
	return s
}

// Ref returns the reference that identifies the screen.
func (s *Screen) Ref() screen.Ref { return screen.Ref{Kind: screen.KindNode, ID: s.uuid} }

// Title returns the node's name for the header.
func (s *Screen) Title() string { return cell.Cut(s.label(), 60) }

// Start shows the data in the Store and fetches the other fields.
func (s *Screen) Start() tea.Cmd {
	if s.session == nil {
		return nil
	}
	s.readStore()
	return tea.Batch(s.detail.Get(), s.network.Get())
}

// Shown makes the poller watch the node, and fetches the node again if it has changed or the data is old.
func (s *Screen) Shown() tea.Cmd {
	if s.session == nil {
		return nil
	}
	if !s.watched {
		s.watched = true
		s.session.Watch(s.uuid)
	}
	defer s.setSteps()
	defer s.setTimeline()
	if changed := s.readStore(); changed || s.isDue(s.detail) {
		return tea.Batch(s.detail.Get(), s.open())
	}
	return s.open()
}

func (s *Screen) isStale(at time.Time) bool { return time.Since(at) >= freshFor }

// open fetches the data of the current tab, unless it was fetched recently.
func (s *Screen) open() tea.Cmd {
	switch {
	case s.session == nil:
	case s.tab == timelineTab && s.isDue(s.timeline.recorded):
		return s.timeline.get()
	case s.tab == logTab:
		return s.shownLog().Follow(s.ref())
	case s.gone():
	case s.tab == bmcTabPlace:
		return s.openBMC()
	case s.tab == disksTab && s.isDue(s.disks):
		return s.disks.Get()
	case s.tab == networkTab:
		return s.openNetwork()
	case s.tab == historyTab && s.isDue(s.history) && s.hasHistory():
		return s.history.Get()
	}
	return nil
}

// isDue reports whether a tab's data must be fetched when the tab is opened.
func (s *Screen) isDue(from fetch.Requests) bool { return !from.Busy() && s.isStale(from.At()) }

// Update handles a message from the root or the response to a request.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	if s.session == nil {
		return nil
	}
	if mine, cmd := s.shownLog().Update(msg); mine {
		return cmd
	}
	if mine, cmd := s.log.Update(msg); mine {
		return cmd
	}
	cmd := s.handle(msg)
	switch s.tab {
	case stepsTab:
		s.setSteps()
	case timelineTab:
		s.setTimeline()
	}
	return cmd
}

func (s *Screen) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.FleetChanged:
		return s.fleetChanged(msg)
	case screen.TasksChanged:
		return s.tasksChanged()
	case screen.Reload:
		return s.reload()
	case screen.Rewound:
		return s.log.Rewound()
	case screen.Later:
		return msg.Run(s)
	case tea.KeyPressMsg, tea.PasteMsg:
		s.typed(msg)
		return nil
	}
	return s.answered(msg)
}

// fleetChanged fetches the node again if it has changed, or if Ironic responds again after a failed request.
func (s *Screen) fleetChanged(msg screen.FleetChanged) tea.Cmd {
	changed := s.readStore()
	retry := msg.Update.Status.Connected && s.detail.Err() != nil && time.Since(s.detail.At()) >= patience
	if s.gone() || !changed && !retry {
		return nil
	}
	return s.reread()
}

// tasksChanged fetches the tab's data again after a task on this node. The task may have written hints or changed
// ports, which the Store does not contain.
func (s *Screen) tasksChanged() tea.Cmd {
	if s.tab == bmcTabPlace && !s.gone() {
		return s.bmcOrdered()
	}
	asked, get := s.disks.Asked(), s.disks.Get
	switch {
	case s.tab == networkTab:
		asked, get = s.network.Asked(), func() tea.Cmd { return tea.Batch(s.network.Get(), s.wiring.Get()) }
	case s.tab != disksTab:
		return nil
	}
	if s.gone() {
		return nil
	}
	if !s.taskEnded(asked, func(provision.Action) bool { return true }) {
		return nil
	}
	return get()
}

// taskEnded reports whether a task on this node, with an action of the given kind, has ended since the given time.
func (s *Screen) taskEnded(since time.Time, of func(provision.Action) bool) bool {
	return slices.ContainsFunc(s.env.Tasks.All(), func(t *screen.Task) bool {
		mine := slices.ContainsFunc(t.Plan.Items, func(i provision.Item) bool { return i.Node.UUID == s.uuid })
		return mine && of(t.Plan.Action) && !t.Running() && t.Ended.After(since)
	})
}

// worked reports whether the node's operation has entered another phase or has ended since the timeline was updated.
func (s *Screen) worked() bool {
	w := s.timeline.current
	return w == nil || len(w.Phases) != len(s.evidence.Phases) || w.Outcome != s.evidence.Outcome
}

// reload fetches the node and all data of the current tab.
func (s *Screen) reload() tea.Cmd {
	s.readStore()
	switch s.tab {
	case timelineTab:
		return tea.Batch(s.detail.Get(), s.timeline.get())
	case logTab:
		return tea.Batch(s.detail.Get(), s.log.Restart(s.ref()))
	case networkTab:
		return tea.Batch(s.detail.Get(), s.network.Get(), s.wiring.Get())
	case overviewTab:
		return tea.Batch(s.detail.Get(), s.network.Get())
	case bmcTabPlace:
		return tea.Batch(s.detail.Get(), s.readBMC())
	}
	return s.reread()
}

// reread fetches the node, and the data of the current tab that depends on the node.
func (s *Screen) reread() tea.Cmd {
	switch {
	case s.tab == disksTab:
		return tea.Batch(s.detail.Get(), s.disks.Get())
	case s.tab == timelineTab && s.worked():
		return tea.Batch(s.detail.Get(), s.timeline.get())
	case s.tab == historyTab && s.hasHistory():
		return tea.Batch(s.detail.Get(), s.history.Get())
	}
	return s.detail.Get()
}

func (s *Screen) detailStored(n *models.Node) {
	if models.IsFault(s.detail.Err(), models.FaultNotFound) && s.inStore {
		s.session.PollNode(s.uuid) // so that the poller also notices that the node was deleted
	}
	if s.detail.Err() == nil {
		s.raw.setObject(n.Raw, s.detail.At())
	}
}

func (s *Screen) disksStored(found *disks) {
	if found != nil {
		s.diskRows.SetRows(found.rows)
	}
}

func (s *Screen) historyStored(entries []models.HistoryEntry) {
	s.setHistoryColumns() // the API version may not have been known earlier
	s.entries.SetRows(entries)
}

func (s *Screen) answered(msg tea.Msg) tea.Cmd {
	if mine, next := s.bmcAnswered(msg); mine {
		return next
	}
	return fetch.Handle(msg, s.sources...)
}

// Targets returns the node as the target of actions.
func (s *Screen) Targets() []models.NodeRef {
	if !s.known() {
		return nil
	}
	return []models.NodeRef{s.ref()}
}

// ref returns a reference to the node. It consists of the UUID alone if nothing else is known.
func (s *Screen) ref() models.NodeRef {
	if !s.known() {
		return models.NodeRef{UUID: s.uuid}
	}
	row := s.picture()
	return row.Node.Ref()
}

// Scopes returns the scopes of the actions that the current tab offers.
func (s *Screen) Scopes() []action.Scope {
	if s.tab == logTab {
		return append(logs.Scopes(), action.Node, action.Nodes)
	}
	scopes := []action.Scope{action.List, action.Node}
	if s.pane() != nil {
		scopes[0] = action.Reading
	}
	if own := s.tabs[s.tab].scope; own != "" {
		scopes = append(scopes, own)
	}
	return append(scopes, action.Nodes)
}

// Typing reports whether a search or filter is being edited, so that keys are text input.
func (s *Screen) Typing() bool { return s.prompt.Typing() || s.shownLog().Typing() }

// Hints returns the key hints of the log, to be shown while its search or filter is being edited.
func (s *Screen) Hints() []screen.Hint { return s.shownLog().Hints() }

// Close cancels all requests, stops following logs, and stops watching the node.
func (s *Screen) Close() {
	for _, source := range s.sources {
		source.Close()
	}
	s.bmc.look.Close()
	s.log.Close()
	if s.kept != nil {
		s.kept.Close()
	}
	if s.watched {
		s.watched = false
		s.session.Unwatch(s.uuid)
	}
}
