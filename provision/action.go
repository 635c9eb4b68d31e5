package provision

import (
	"context"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// API is what acting needs of Ironic; *ironicclient.Client has it.
type API interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Version() (v models.APIVersion, agreed bool)

	// Send sends a change; Allocation reads how a reservation is.
	Send(ctx context.Context, r request.Request) (requestID string, err error)
	Allocation(ctx context.Context, id string) (*models.Allocation, error)
}

// Clock is how a runner tells time and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Action is one thing that can be asked of a node. The implementations are made by
// [Provision], [Power], [BootDevice], [Maintenance], [Protect], [Retire] and [Set].
type Action interface {
	// Name is how an operator would say it: "manage", "power off".
	Name() string
	// Refuse says why it cannot be done to the node now, nil when it can.
	Refuse(n *models.Node, v models.APIVersion) *models.Refusal
	// Effect says what it does to the machine.
	Effect(n *models.Node) models.Effect
	// entries lists what is sent, in order. It changes nothing: what is shown is the same.
	entries(n *models.Node) ([]entry, error)
	// ended judges a node that is followed: still on its way, or how it ended.
	ended(before, now *models.Node, waited time.Duration) (verdict, bool)

	// warnings are what is legal and may not work, a sentence each.
	warnings(n *models.Node) []string
	// begin does what comes before the first entry. Over says that the result is final and
	// nothing is sent; the log, which may be nil, is told how far sending is, and closed.
	begin(ctx, going context.Context, r *Runner, n *models.Node, opts RunOptions) (log *deploymentLog, res Result, over bool)
	// atOnce says that the action is done when Ironic has answered: nothing is followed.
	atOnce() bool
	// looked is told of a node that is followed, each time that it was asked for.
	looked(now *models.Node)
	// conclusion is what is written to the node, as it is then, once the action has ended
	// well; nil for nothing.
	conclusion(ctx context.Context, api API, node string) (*entry, error)
	// note is what has to be known of a node although all went well; mostly empty.
	note(n models.NodeRef) string
}

// plain is the part of actions that send their entries and are followed.
type plain struct{}

func (plain) warnings(*models.Node) []string { return nil }
func (plain) begin(_, _ context.Context, _ *Runner, n *models.Node, _ RunOptions) (*deploymentLog, Result, bool) { //nolint:unparam // others have a log
	return nil, Result{Node: n.Ref(), State: string(n.ProvisionState)}, false
}
func (plain) atOnce() bool        { return false }
func (plain) looked(*models.Node) {}
func (plain) conclusion(context.Context, API, string) (*entry, error) {
	return nil, nil //nolint:nilnil // nothing is written
}
func (plain) note(models.NodeRef) string { return "" }

// immediate is the part of actions that are done when Ironic has answered.
type immediate struct{ plain }

func (immediate) atOnce() bool { return true }

func (immediate) ended(_, now *models.Node, _ time.Duration) (verdict, bool) {
	return verdict{ok: true, state: string(now.ProvisionState)}, true
}

// entry is one request of an action. It is shown, sent and audited by itself.
type entry struct {
	request.Request
	// verb is what the audit calls it.
	verb string
	// send stands for the request where that does not go to Ironic.
	send func(ctx context.Context) error
	// judge may explain an error of the request, or say that it is none.
	judge func(ctx context.Context, api API, err error) error
	// ask is a question instead of a change; its error keeps the rest from being sent.
	ask func(ctx context.Context, api API) error
	// undo takes the change back when a later request fails; empty when it stays.
	undo undo
	// overrides are the checks that somebody has overridden for it.
	overrides []string
	// sent says that an earlier try has sent it: it is only taken back, where need be.
	sent bool
	// last says that it is sent by the conclusion, as it is then.
	last bool
	// stage is written down before it is sent; empty for none of its own.
	stage Stage
}

// carryOut sends the entry's request.
func (e *entry) carryOut(ctx context.Context, api API) (requestID string, err error) {
	if e.send != nil {
		return "", e.send(ctx)
	}
	requestID, err = api.Send(ctx, e.Request)
	if err != nil && e.judge != nil {
		err = e.judge(ctx, api, err)
	}
	return requestID, err
}

// requestsOf are the entries that are requests to Ironic, commandsOf the same for a shell.
func requestsOf(entries []entry) []request.Request {
	var list []request.Request
	for i := range entries {
		if e := &entries[i]; e.Path != "" && !e.sent {
			list = append(list, e.Request)
		}
	}
	return list
}

func commandsOf(entries []entry) []string {
	var list []string
	for i := range entries {
		if e := &entries[i]; !e.last && !e.sent {
			list = append(list, e.Commands...)
		}
	}
	return list
}

// patchEntry changes fields of a node.
func patchEntry(verb string, n *models.Node, ops []models.PatchOp) entry {
	return entry{verb: verb, Request: request.Patch(n.UUID, ops)}
}

// pathsOf names what operations change. Values are left out: they may be secrets.
func pathsOf(ops []models.PatchOp) string {
	paths := make([]string, len(ops))
	for i, op := range ops {
		paths[i] = op.Path
	}
	return strings.Join(paths, " ")
}

// verdict is how a followed action ended.
type verdict struct {
	ok bool
	// state is where the node came to rest.
	state string
}

// refusal is a refusal of an action by name.
func refusal(a Action, n *models.Node, kind models.RefusalKind, why, hint string) *models.Refusal {
	return &models.Refusal{Kind: kind, Action: a.Name(), Node: n.Label(), Why: why, Hint: hint}
}
