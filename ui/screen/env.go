package screen

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"ironworks/agentlog"
	"ironworks/fleet"
	"ironworks/models"
	"ironworks/models/explain"
	"ironworks/provision"
)

// Clock is how the console tells time and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// API is what screens have fetched for them beyond the Store; *ironicclient.Client has
// it. Nothing here reaches into a BMC, but for Validate.
type API interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Ports(ctx context.Context, node string) ([]models.Port, error)
	Portgroups(ctx context.Context, node string) ([]models.Portgroup, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Inventory(ctx context.Context, node string) (json.RawMessage, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	// Validate makes the conductor ask the BMC: only when somebody wants it.
	Validate(ctx context.Context, node string) ([]models.Validation, error)
	Version() (v models.APIVersion, agreed bool)
	Endpoint() string
	Refused() []string
}

// Journal is what was kept of past work; *journal.Journal has it.
type Journal interface {
	// OfNode gives the last pieces of work on a node, the newest first.
	OfNode(ctx context.Context, uuid string, most int) ([]models.Work, error)
	// Latest gives the last pieces of each kind of work that ended.
	Latest(ctx context.Context, most int) ([]models.Work, error)
	// Lines gives the lines of the log of a node that were kept of a time, the oldest
	// first; it ends with the first error.
	Lines(ctx context.Context, uuid string, from, to time.Time) iter.Seq2[models.LogLine, error]
}

// Logs follows the log of a node's ramdisk until ctx ends, and closes the channel then;
// more are sources that are followed on request only. An agentlog.Follower has it.
type Logs interface {
	Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan agentlog.Batch
}

// BMCs asks the controllers of nodes, and tells them what to do, when somebody wants it.
type BMCs interface {
	Look(ctx context.Context, node string) (*provision.BMCLook, error)
	// Facts asks for what an explanation may be made from.
	Facts(ctx context.Context, node string) (*explain.BMCFacts, error)
	Order(o models.BMCOrder) provision.Action
	// Remember takes a login for this run; Keep puts it into the keyring, which HasKeyring
	// says is there, and may take long.
	Remember(l BMCLogin)
	// Approve lets an address have logins that are meant for several BMCs, for this run.
	Approve(address string)
	Keep(ctx context.Context, l BMCLogin) error
	HasKeyring() bool
	// Pin takes the certificate with a fingerprint, and no other, of the BMC at an address,
	// for this run.
	Pin(address, fingerprint string)
}

// BMCLogin is what was typed to log in to a BMC.
type BMCLogin struct {
	// Address is the BMC's, as driver_info has it.
	Address, Username string
	Password          models.Secret
	// All says that it is for all BMCs of the context.
	All bool
}

// Context is one Ironic that can be gone to, as the configuration has it.
type Context struct {
	Name, Source string
	// Endpoint is its URL, or Keystone's; Auth the way to prove who we are.
	Endpoint string
	Auth     string
	Accent   string
	ReadOnly bool
	Current  bool
	// Lab says that its machines do not exist: so does every screen.
	Lab bool
	// Err is why it cannot be used, nil when it can.
	Err error
	// Looked is what was looked for, a line each, where the address is only a guess
	// because nothing was configured.
	Looked string
}

// Health is how an Ironic answered a small question.
type Health struct {
	Version models.APIVersion
	Latency time.Duration
}

// Defaults are what the fleet's list starts with.
type Defaults struct {
	Columns []string
	Sort    string
	Filter  string
}

// Poller keeps a Store up to date; *fleet.Poller is one.
type Poller interface {
	// Run polls until ctx ends, and tells of every answer.
	Run(ctx context.Context, notify func(fleet.Update)) error
	// Watch and Unwatch ask for a closer look at one node while it is on its way, Look for
	// a single one now.
	Watch(uuid string)
	Unwatch(uuid string)
	Look(uuid string)
	// Hurry asks for a look at what changed now, Refresh for a full listing.
	Hurry()
	Refresh()
	// Need adds API fields to what the Store has of every node.
	Need(fields ...string)
}

// Session is the connection to one context's Ironic, with the live picture of it.
type Session struct {
	Context  Context
	Defaults Defaults
	Store    *fleet.Store
	API      API
	// Runner acts; it is copied for each task, so that read-only holds for all of it.
	Runner provision.Runner
	// Checks are those before a deployment, as a pattern: what does them takes a Fresh one.
	Checks *provision.Preflighter
	// Poller keeps the Store up to date.
	Poller
	// Ramdisks makes ramdisks that find this Ironic; may be nil.
	Ramdisks Ramdisks
	// Journal is what was kept of past work; may be nil.
	Journal Journal
	// Logs follows logs of ramdisks; may be nil.
	Logs Logs
	// BMCs asks BMCs; nil where none can be asked.
	BMCs BMCs
	// Explain says what is the matter with a node; bmc is what its BMC said, nil where it was
	// not asked. May be nil.
	Explain func(ctx context.Context, uuid string, bmc *explain.BMCFacts) (*provision.Explained, error)
	// Changes gives what was changed of a node from here, at Ironic's time; may be nil.
	Changes func(uuid string, now time.Time) []models.NodeChange
	// Replay is what plays in the place of an Ironic; nil where there is one.
	Replay Replay
	// Options are the flags that lead the command line to this context.
	Options []string
	// Close drops the connection.
	Close func()
}

// Env is what screens may know. The root owns it and changes it only in Update.
type Env struct {
	Clock   Clock
	Session *Session
	// Status is the poller's last word; Started is when the session began.
	Status  fleet.Status
	Started time.Time
	// Conductors are those that were last heard of; nil where nobody was asked yet.
	Conductors []models.Conductor
	// ReadOnly refuses every change: by configuration, or because it was asked for.
	ReadOnly bool
	// Events are those since the console was opened, Tasks what was done from here.
	Events *EventLog
	Tasks  *TaskList
	// Watching are the nodes of the Watch screen.
	Watching *WatchList
	// Installs are how far installers are by their logs.
	Installs *Installs
	// Logs are those that screens follow.
	Logs *OpenLogs
	// Contexts are those that can be gone to.
	Contexts []Context
	// Probe asks another context's Ironic whether it answers.
	Probe func(ctx context.Context, name string) (Health, error)
	// Ramdisks makes ramdisks where there is no session; may be nil. Bench is what was
	// being made.
	Ramdisks Ramdisks
	Bench    *Bench
	// Drafts are the deployments that are being prepared.
	Drafts *Drafts
	// Chosen are the nodes that another screen is about: the marked ones of the fleet, or
	// the one that was looked at last. May be nil.
	Chosen func() []models.NodeRef
	// Program is the name of the command line equivalent.
	Program string
}

// ServerNow is the server's clock as far as it is known: ages are against that.
func (e *Env) ServerNow() time.Time { return e.Clock.Now().Add(e.Status.Skew) }
