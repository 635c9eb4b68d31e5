package screen

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/plugin"
	"ironworks/presence"
	"ironworks/provision"
	"ironworks/replay"
	"ironworks/ui/action"
	"ironworks/ui/widget/form"
	"ironworks/viewstate"
)

// API has the requests that screens send beyond the Store; *ironicclient.Client implements it. Only Validate
// contacts a BMC.
type API interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Ports(ctx context.Context, node string) ([]models.Port, error)
	Portgroups(ctx context.Context, node string) ([]models.Portgroup, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Inventory(ctx context.Context, node string) (json.RawMessage, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	// Validate makes the conductor contact the BMC; call it only on request of the operator.
	Validate(ctx context.Context, node string) ([]models.Validation, error)
	Version() (v models.APIVersion, agreed bool)
	Endpoint() string
	Refused() []string
	// MissingFields returns the node fields, among the given ones, that this Ironic does not return.
	MissingFields(fields []string) []string
}

// Journal reads recorded operations; *journal.Journal implements it.
type Journal interface {
	// OfNode returns the last operations of a node, newest first.
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	// Latest returns the last finished operations of each kind.
	Latest(ctx context.Context, most int) ([]models.Work, error)
	// Lines returns recorded log lines of a node in a period, oldest first, up to the first error.
	Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error]
}

// Logs follows the log of a node's ramdisk until ctx ends, and then closes the channel. more are sources that are
// followed on request only. agentlog.Follower implements it.
type Logs interface {
	Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch
}

// WebConsoles opens the graphical consoles of nodes.
type WebConsoles interface {
	OpenGraphical(ctx context.Context, node models.NodeRef) (WebConsole, error)
}

// WebConsole is an open graphical console; *provision.GraphicalConsole implements it.
type WebConsole interface {
	Address() models.Secret
	// Enabled reports whether Ironic's console had to be enabled for this connection; Close then disables it again.
	Enabled() bool
	Close(ctx context.Context) error
}

// Shells opens shells on the machines of nodes.
type Shells interface {
	// Refusal returns why there is no shell on a node's machine, nil if there may be one. It contacts nothing.
	Refusal(n *models.Node) *models.Refusal
	// Host returns the host that Open connects to without an address; "" if unknown.
	Host(n models.NodeRef) string
	// Open connects to the machine, at an address if one is given; ctx bounds the lifetime of the connection.
	Open(ctx context.Context, n *models.Node, address string) (Shell, error)
}

// Shell is a connection to a machine; *session.Shell implements it.
type Shell interface {
	// Target returns the login and the host. Note returns why an unknown host key is trusted, or "".
	Target() string
	Note() string
	// AtTerminal gives the terminal to a command, or a login shell, and returns the exit status.
	AtTerminal(ctx context.Context, in io.Reader, out io.Writer, command string) (status int, err error)
	Close()
}

// BMCs queries the BMCs of nodes and sends them commands, on request of the operator.
type BMCs interface {
	Query(ctx context.Context, node string) (*provision.BMCReport, error)
	// Facts reads the facts for an explanation.
	Facts(ctx context.Context, node string) (*explain.BMCFacts, error)
	Order(o models.BMCOrder) provision.Action
	// Remember stores credentials for this run. Keep stores them in the keyring, which may block; HasKeyring
	// reports whether there is one.
	Remember(l BMCLogin)
	// Approve allows sending credentials that are shared by several BMCs to an address, for this run.
	Approve(address string)
	Keep(ctx context.Context, l BMCLogin) error
	HasKeyring() bool
	// Pin trusts the certificate with this fingerprint for the BMC at an address, for this run.
	Pin(address, fingerprint string)
}

// BMCLogin has the credentials that the operator entered for a BMC.
type BMCLogin struct {
	// Address is the address of the BMC as in driver_info.
	Address, Username string
	Password          models.Secret
	// All is true if the credentials are for all BMCs of the context.
	All bool
}

// Context is one configured Ironic.
type Context struct {
	Name, Source string
	// Endpoint is Ironic's URL, or Keystone's. Auth is the authentication method.
	Endpoint string
	Auth     string
	Accent   string
	ReadOnly bool
	// WhyReadOnly is why the context is read-only, if not by its configuration.
	WhyReadOnly string
	Current     bool
	// Lab is true for simulated machines; every screen shows a LAB mark.
	Lab bool
	// Err says why the context is unusable; nil if it is usable.
	Err error
	// Searched lists where configuration was searched, one place a line, if the endpoint is the default because
	// nothing was configured.
	Searched string
}

// Health is the result of testing the connection to an Ironic.
type Health struct {
	Version models.APIVersion
	Latency time.Duration
}

// Defaults are the initial settings of the fleet list.
type Defaults struct {
	Columns []string
	Sort    string
	Filter  string
}

// Poller keeps a Store up to date; *fleet.Poller implements it.
type Poller interface {
	// Run polls until ctx ends and reports every response.
	Run(ctx context.Context, notify func(fleet.Update)) error
	// Watch and Unwatch start and stop polling a node more often; PollNode reads a node once, now.
	Watch(uuid string)
	Unwatch(uuid string)
	PollNode(uuid string)
	// PollNow polls for changes now; Refresh lists all nodes now.
	PollNow()
	Refresh()
	// NeedFields adds API fields to the nodes in the Store.
	NeedFields(fields ...string)
}

// Session is the connection to one context's Ironic, with its live node data.
type Session struct {
	Context  Context
	Defaults Defaults
	// Filters are the saved filters, or nil.
	Filters *models.SavedFilters
	Store   *fleet.Store
	API     API
	// Runner runs actions. Each task gets a copy, so that read-only mode does not change during a task.
	Runner provision.Runner
	// Checks is the template for preflight checks; use a Fresh copy.
	Checks *provision.Preflighter
	// Poller keeps the Store up to date.
	Poller
	// Ramdisks builds ramdisks for this Ironic; may be nil.
	Ramdisks Ramdisks
	// Journal has recorded operations; may be nil.
	Journal Journal
	// Logs follows ramdisk logs; may be nil.
	Logs Logs
	// Shells opens shells on machines; nil if that is not possible.
	Shells Shells
	// Consoles opens graphical consoles; nil if that is not possible.
	Consoles WebConsoles
	// Ports changes ports, port groups and VIFs; nil if that is not possible.
	Ports provision.PortAPI
	// Rules reads inspection rules and tests them; nil if that is not possible.
	Rules provision.RulesAPI
	// StepFiles reads deploy templates and runbooks; nil if that is not possible.
	StepFiles provision.StepFileAPI
	// Hardware reads settings and firmware of machines; nil if that is not possible.
	Hardware provision.HardwareAPI
	// BMCs queries BMCs; nil if that is not possible.
	BMCs BMCs
	// Enroll compares nodes to enroll; nil if that is not possible.
	Enroll Enrolling
	// Explain explains the state of a node; bmc has the facts of its BMC, or nil. May be nil.
	Explain func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error)
	// Changes lists changes of a node that were made from this console, in Ironic's time; may be nil.
	Changes func(uuid string, now time.Time) []models.NodeChange
	// Replay plays a recording; nil for a live Ironic.
	Replay Replay
	// Options are the command line flags that select this context.
	Options []string
	// Plugins is the context for the programs of the operator.
	Plugins plugin.Context
	// View is the view of the screens that was stored last. ViewFile stores later views; nil stores nothing.
	View     viewstate.State
	ViewFile *viewstate.File
	// Close closes the connection.
	Close func()
}

// Env is the shared state of all screens. The root owns it and changes it only in Update.
type Env struct {
	Session *Session
	// Status is the last status of the poller. Started is the time when the session began.
	Status  fleet.Status
	Started time.Time
	// Conductors is the last list of conductors; nil before the first response.
	Conductors []models.Conductor
	// ReadOnly refuses every change, by configuration or on request.
	ReadOnly bool
	// Events are the changes since the console opened; Tasks the tasks started from this console.
	Events *EventLog
	Tasks  *TaskList
	// Watching has the nodes of the Watch screen.
	Watching *WatchList
	// Installs has the progress of installers, from their logs.
	Installs *Installs
	// Logs are the logs that screens follow.
	Logs *OpenLogs
	// Contexts lists all configured contexts.
	Contexts []Context
	// Probe tests the connection of another context.
	Probe func(ctx context.Context, name string) (Health, error)
	// Ramdisks builds ramdisks without a session; may be nil. Bench is the state of the Ignition screen.
	Ramdisks Ramdisks
	Bench    *Bench
	// Drafts are the deployments in preparation.
	Drafts *Drafts
	// Entered is the input history of forms.
	Entered form.History
	// Chosen returns the nodes selected on another screen: the marked nodes of the fleet, or the last visited
	// node. May be nil.
	Chosen func() []models.NodeRef
	// WhyNoFiles is why the operator cannot name files, for a console on a server; "" if that is possible.
	WhyNoFiles string
	// WhyNoEditor is why there is no editor; "" if there may be one. Screens check it before they write a file for an
	// editor.
	WhyNoEditor string
	// Seat is the console's place among those of other users; nil without a server.
	Seat *presence.Seat
	// Forbidden are actions that are never possible in this console, with the reason.
	Forbidden map[action.ID]string
	// Keys are the actions with the operator's key bindings; nil means the built-in keys.
	Keys *action.Keymap
	// Plugins are the programs of the operator, by their actions.
	Plugins map[action.ID]*plugin.Plugin
	// Program is the name of the command line program.
	Program string
}

// WhyReadOnly returns why changes are refused, "" if they are not.
func (e *Env) WhyReadOnly() string {
	switch {
	case !e.ReadOnly:
		return ""
	case e.ReadOnlyByConfig() != "":
		return e.ReadOnlyByConfig()
	}
	return e.Keys.Text(textReadOnlyMode)
}

// ReadOnlyByConfig returns why no key allows changes, "" if one does.
func (e *Env) ReadOnlyByConfig() string {
	if e.Session == nil || !e.Session.Context.ReadOnly {
		return ""
	}
	return cmp.Or(e.Session.Context.WhyReadOnly, fmt.Sprintf(textReadOnlyContext, e.Session.Context.Name))
}

// Node returns the reference of a node; without its name if the Store does not have it.
func (e *Env) Node(uuid string) models.NodeRef {
	if e.Session != nil {
		if row, _, ok := e.Session.Store.Get(uuid); ok {
			return row.Node.Ref()
		}
	}
	return models.NodeRef{UUID: uuid}
}

// ServerNow returns the server's time, as far as its skew is known. Ages are relative to it.
func (e *Env) ServerNow() time.Time { return time.Now().Add(e.Status.Skew) }

// Replay plays a recording in place of a live Ironic; *replay.Player implements it. No method blocks.
type Replay interface {
	State() replay.State
	Pause(on bool)
	SetSpeed(speed float64)
	Seek(to time.Time)
	Moments() []replay.Moment
}

// logsAtMost is the number of logs that are followed simultaneously: each may use 40 MiB and a connection.
const logsAtMost = 3

// Suspender is a log that can stop following and drop its lines until it is shown again.
type Suspender interface{ Suspend() }

// OpenLogs limits the logs of visited screens: the most recently shown ones stay connected.
type OpenLogs struct{ open []Suspender }

// Use marks a log as shown. Beyond the limit, it suspends the log that was shown least recently.
func (o *OpenLogs) Use(l Suspender) {
	if o == nil {
		return
	}
	o.Remove(l)
	o.open = append(o.open, l)
	if len(o.open) > logsAtMost {
		o.open[0].Suspend()
		o.open = o.open[1:]
	}
}

// Remove removes a log that has ended.
func (o *OpenLogs) Remove(l Suspender) {
	if o != nil {
		o.open = slices.DeleteFunc(o.open, func(other Suspender) bool { return other == l })
	}
}

// Installs tracks the progress of installers, from the logs that screens follow, so that all screens show the
// same.
type Installs struct {
	paces map[string]models.InstallPace
}

// Add reads progress from a log line; seen is its arrival in the server's time.
func (i *Installs) Add(l *models.LogLine, seen time.Time) {
	if l.Progress == nil {
		return
	}
	p := i.paces[l.Node.UUID]
	if !p.AddLine(l, seen) {
		return
	}
	if i.paces == nil {
		i.paces = map[string]models.InstallPace{}
	}
	i.paces[l.Node.UUID] = p
}

// Reset removes all progress, before a recording is played again.
func (i *Installs) Reset() { i.paces = nil }

// Of returns the pace of the installer on a node, by UUID.
func (i *Installs) Of(uuid string) models.InstallPace {
	if i == nil {
		return models.InstallPace{}
	}
	return i.paces[uuid]
}
