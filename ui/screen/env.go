package screen

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"ironworks/agentlog"
	"ironworks/enroll"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/models/filter"
	"ironworks/plugin"
	"ironworks/presence"
	"ironworks/provision"
	"ironworks/replay"
	"ironworks/ui/action"
	"ironworks/ui/widget/form"
	"ironworks/viewstate"
)

const textReadOnlyContext = "context %s is configured read-only; --read-only=false overrides it"

// API sends the requests that screens need in addition to the data in the Store; *ironicclient.Client implements it.
// Only Validate contacts a BMC.
type API interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Ports(ctx context.Context, node string) ([]models.Port, error)
	Portgroups(ctx context.Context, node string) ([]models.Portgroup, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Inventory(ctx context.Context, node string) (json.RawMessage, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	// Validate makes the conductor contact the BMC. It must be called only when the operator requests it.
	Validate(ctx context.Context, node string) ([]models.Validation, error)
	Version() (v models.APIVersion, agreed bool)
	Endpoint() string
	Refused() []string
	// MissingFields returns the given fields that this Ironic does not return for nodes.
	MissingFields(fields []string) []string
}

// Journal reads recorded operations and log lines; *journal.Journal implements it.
type Journal interface {
	// OfNode returns the most recent operations of a node, newest first. The argument most limits their number.
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	// Latest returns the most recent finished operations of each kind, at most the given number of each.
	Latest(ctx context.Context, most int) ([]models.Work, error)
	// Lines yields the lines of a node's recorded logs, oldest first. It yields only the lines between the times from
	// and to, both inclusive, and stops at the first error.
	Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error]
}

// Shells opens shells on the machines that Ironic manages as nodes.
type Shells interface {
	// Refusal returns the reason why no shell can be opened on the machine of the given node, or nil if no such
	// reason is known. It contacts no machine.
	Refusal(n *models.Node) *models.Refusal
	// Host returns the host that Open connects to if no address is given. It returns "" if the host is unknown.
	Host(n models.NodeRef) string
	// Open connects to the node's machine, at the given address unless it is empty, until ctx is done.
	Open(ctx context.Context, n *models.Node, address string) (Shell, error)
}

// Shell is a connection to a machine; *session.Shell implements it.
type Shell interface {
	// Target returns the login name and the host. Note returns the reason why an unknown host key is trusted, or "".
	Target() string
	Note() string
	// AtTerminal runs the given command, or a login shell if command is empty. The command uses the terminal until it
	// ends. AtTerminal returns the exit status of the command.
	AtTerminal(ctx context.Context, in io.Reader, out io.Writer, command string) (status int, err error)
	Close()
}

// BMCs queries the nodes' BMCs and sends commands to these BMCs, but only when the operator requests it.
type BMCs interface {
	Query(ctx context.Context, node string) (*provision.BMCReport, error)
	// Facts reads the facts about the BMC that are needed to explain the state of a node.
	Facts(ctx context.Context, node string) (*explain.BMCFacts, error)
	Order(o models.BMCOrder) provision.Action
	// Remember stores credentials until the program ends. Keep stores them in the keyring, which may block.
	// HasKeyring reports whether there is a keyring.
	Remember(l models.BMCCredentials)
	// Approve allows credentials that several BMCs share to be sent to the given address until the program ends.
	Approve(address string)
	Keep(ctx context.Context, l models.BMCCredentials) error
	HasKeyring() bool
	// Pin makes the program trust a certificate of the BMC at address until the program ends.
	Pin(address, fingerprint string)
}

// Enrolling compares nodes to be enrolled with those in Ironic. Its methods do I/O, so only commands may call them.
type Enrolling interface {
	// Compare reads nodes from the files or BMCs of the given source, and compares them with the nodes in Ironic.
	// Several goroutines may call progress; its arguments are the number of BMCs read so far and the total number of
	// BMCs. The login is not stored. If Compare fails, the result contains everything that was read before the error.
	Compare(
		ctx context.Context, in *provision.EnrollSource, login enroll.Login, progress func(done, of int),
	) (provision.EnrollFound, enroll.Plan, error)
	// API returns the API that the enrollment requests are sent to.
	API() provision.EnrollAPI
}

// Context describes a configured connection to an Ironic.
type Context struct {
	Name, Source string
	// Endpoint is the URL of Ironic or of Keystone. Auth is the authentication method.
	Endpoint string
	Auth     string
	Accent   string
	ReadOnly bool
	// WhyReadOnly is the reason why the context is read-only. It is "" if the reason is the configuration.
	WhyReadOnly string
	Current     bool
	// Lab is true if the machines are simulated. If so, every screen shows a LAB mark.
	Lab bool
	// Err is the reason why the context is unusable, or nil if it is usable.
	Err error
	// Searched lists the places that were searched for a configuration, one per line. It is set only if nothing was
	// configured; the endpoint is then the default.
	Searched string
}

// Health is the result of testing the connection to Ironic.
type Health struct {
	Version models.APIVersion
	Latency time.Duration
}

// Defaults holds the initial settings of the fleet list.
type Defaults struct {
	Columns []string
	Sort    string
	Filter  string
}

// Poller keeps the Store up to date; *fleet.Poller implements it.
type Poller interface {
	// Run polls until ctx is done, and calls notify for every response.
	Run(ctx context.Context, notify func(fleet.Update)) error
	// Watch makes the poller read a node more often, until Unwatch is called. PollNode reads it once, now.
	Watch(uuid string)
	Unwatch(uuid string)
	PollNode(uuid string)
	// PollNow polls for changes immediately; Refresh lists all nodes immediately.
	PollNow()
	Refresh()
	// NeedFields makes the poller read additional API fields of the nodes in the Store.
	NeedFields(fields ...string)
}

// Session is the connection to the Ironic of one context, with the current data of its nodes.
type Session struct {
	Context  Context
	Defaults Defaults
	// Filters holds the saved filters; it may be nil.
	Filters *filter.Saved
	Store   *fleet.Store
	API     API
	// Runner runs actions. Each task gets a copy, so that read-only mode does not change during a task.
	Runner provision.Runner
	// Checks is the template for preflight checks: its Fresh method returns a copy that runs them.
	Checks *provision.Preflighter
	Poller

	// The following services are nil if they are not possible in this session.
	Ramdisks  Ramdisks
	Journal   Journal
	Logs      agentlog.Follower
	Shells    Shells
	Consoles  *provision.Consoles
	Ports     provision.PortAPI
	Rules     provision.RulesAPI
	StepFiles provision.StepFileAPI
	Hardware  provision.HardwareAPI
	BMCs      BMCs
	Enroll    Enrolling
	// Explain explains a node's state. bmc holds the facts about its BMC, or is nil. Explain may be nil.
	Explain func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error)
	// Changes returns the changes that this console has made to a node. Their times are on Ironic's clock; the
	// argument now is the current time on the same clock. Changes may be nil.
	Changes func(uuid string, now time.Time) []models.NodeChange
	// Replay plays a recording; it is nil if the session uses a live Ironic. Its methods do not block.
	Replay *replay.Player
	// Options holds the command line flags that select this context, each followed by its value.
	Options []string
	// View is the state of the screens when it was last stored. ViewFile, unless nil, stores later states.
	View     viewstate.State
	ViewFile *viewstate.File
	// Close closes the connection.
	Close func()
}

// Env is the state that all screens share. The root owns it and changes it only in Update.
type Env struct {
	Session *Session
	// Status is the last status reported by the poller. Started is the time when the session started.
	Status  fleet.Status
	Started time.Time
	// Conductors is the most recent list of conductors; it is nil before the first response.
	Conductors []models.Conductor
	// ReadOnly is true if changes are refused, by the configuration or because the operator has said so.
	ReadOnly bool
	// Events holds the changes observed by this console; Tasks holds the tasks started from it.
	Events *EventLog
	Tasks  *TaskList
	// Watching holds the nodes of the Watch screen.
	Watching *WatchList
	// Installs tracks the progress that installers report in their logs.
	Installs *Installs
	// Logs limits the number of logs that screens follow simultaneously.
	Logs *OpenLogs
	// Contexts lists all configured contexts.
	Contexts []Context
	// Probe tests the connection to the context with the given name.
	Probe func(ctx context.Context, name string) (Health, error)
	// Ramdisks builds ramdisks without a session; it may be nil. Bench is the state of the Ignition screen.
	Ramdisks Ramdisks
	Bench    *Bench
	// Drafts holds the deployments that are being prepared.
	Drafts *Drafts
	// Entered is the history of the values entered in forms.
	Entered form.History
	// Chosen, if not nil, returns the nodes marked in the fleet list, or the last visited node.
	Chosen func() []models.NodeRef
	// WhyNoFiles is the reason why the operator cannot name files, such as a console on a server, or "".
	WhyNoFiles string
	// WhyNoEditor is the reason why no editor can be opened, or "". It is checked before a file is written.
	WhyNoEditor string
	// Seat represents this console among those of other users on a server; elsewhere, it is nil.
	Seat *presence.Seat
	// Forbidden holds the actions that are never possible in this console, each with the reason.
	Forbidden map[action.ID]string
	// Keys holds the actions with the operator's key bindings; if it is nil, the built-in bindings apply.
	Keys *action.Keymap
	// Plugins maps each plugin action to the operator's program that it runs.
	Plugins map[action.ID]*plugin.Plugin
	// Program is the name of the command line program.
	Program string
}

// WhyReadOnly returns the reason why changes are refused, or "" if they are allowed.
func (e *Env) WhyReadOnly() string {
	if !e.ReadOnly {
		return ""
	}
	return cmp.Or(e.ReadOnlyByConfig(), e.Keys.Text("read-only mode; {read-only} turns it off"))
}

// ReadOnlyByConfig returns the reason why changes are refused if no key can allow them, and "" otherwise.
func (e *Env) ReadOnlyByConfig() string {
	if e.Session == nil || !e.Session.Context.ReadOnly {
		return ""
	}
	return cmp.Or(e.Session.Context.WhyReadOnly, fmt.Sprintf(textReadOnlyContext, e.Session.Context.Name))
}

// Node returns a reference to the node with the given UUID. It lacks the node's name if the node is not in the Store.
func (e *Env) Node(uuid string) models.NodeRef {
	if e.Session != nil {
		if row, _, ok := e.Session.Store.Get(uuid); ok {
			return row.Node.Ref()
		}
	}
	return models.NodeRef{UUID: uuid}
}

// ServerNow returns the current time on the server's clock, as far as it is known. Ages are relative to it.
func (e *Env) ServerNow() time.Time { return time.Now().Add(e.Status.Skew) }

// logsAtMost is the maximum number of followed logs. Each may use 40 MiB and a connection.
const logsAtMost = 3

// Suspender is implemented by logs that can stop following and drop their lines until they are shown again.
type Suspender interface{ Suspend() }

// OpenLogs limits the followed logs: only those of the most recently visited screens stay connected.
type OpenLogs struct{ open []Suspender }

// Use records that l is shown. It suspends the log that was shown least recently if there are too many.
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

// Remove removes a log that has been closed.
func (o *OpenLogs) Remove(l Suspender) {
	if o != nil {
		o.open = slices.DeleteFunc(o.open, func(other Suspender) bool { return other == l })
	}
}

// Installs tracks the progress in the logs that screens follow, so that all screens show the same.
type Installs struct {
	paces map[string]models.InstallPace
}

// Add reads the progress from a log line. seen is the time when the line arrived, on the server's clock.
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

// Reset removes all progress. It is called before a recording is played again.
func (i *Installs) Reset() { i.paces = nil }

// Of returns the progress and speed of the installer on the node with the given UUID.
func (i *Installs) Of(uuid string) models.InstallPace {
	if i == nil {
		return models.InstallPace{}
	}
	return i.paces[uuid]
}

// NodeCopies returns what every screen offers for copying from a node: the UUID and the name of n, the curl command
// that requests n, and the command line that shows n. It omits an empty name and, without a session, the two
// commands.
func NodeCopies(env *Env, n *models.Node) []Copyable {
	copies := []Copyable{{Name: "uuid", Text: n.UUID}}
	if n.Name != "" {
		copies = append(copies, Copyable{Name: "name", Text: n.Name})
	}
	if env.Session == nil {
		return copies
	}
	return append(copies,
		Copyable{Name: "request", Text: env.Request("/v1/nodes/" + n.UUID)},
		Copyable{Name: "command", Text: env.CommandLine("node", n.Label())},
	)
}

// Request returns the curl command that sends a GET request for path to Ironic. The command contains no credentials.
func (e *Env) Request(path string) string {
	v, _ := e.Session.API.Version()
	endpoint := strings.TrimSuffix(strings.TrimSuffix(e.Session.API.Endpoint(), "/"), "/v1")
	return fmt.Sprintf("curl -H 'X-OpenStack-Ironic-API-Version: %s' %s", v, shellescape.Quote(endpoint+path))
}

// CommandLine returns the shell command that runs the program in the current context with the arguments.
func (e *Env) CommandLine(args ...string) string {
	if e.Session != nil {
		args = slices.Concat(args, e.Session.Options)
	}
	return strings.TrimSpace(e.Program + " " + shellescape.QuoteCommand(args))
}

// othersMost is the maximum number of nodes for which Looking looks for other users.
const othersMost = 50

// Others describes what other users do on the given nodes: the screens that they see, and their tasks.
func (e *Env) Others(nodes []models.NodeRef) []string {
	if e.Seat == nil {
		return nil
	}
	return append(Looking(e.Seat.AtNode, nodes), e.Tasks.Acting(nodes)...)
}

// Looking returns a message for each node that other users are looking at. The function at returns the names of the
// users who are looking at the node with the given UUID.
func Looking(at func(uuid string) []string, nodes []models.NodeRef) []string {
	var found []string
	for _, n := range nodes[:min(len(nodes), othersMost)] {
		if users := at(n.UUID); len(users) > 0 {
			found = append(found, fmt.Sprintf("%s is looking at %s", strings.Join(users, ", "), n.Label()))
		}
	}
	return found
}
