package provision

import (
	"context"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/models/request"
)

// API is the part of Ironic's API that actions need; *ironicclient.Client implements it.
type API interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Version() (v models.APIVersion, agreed bool)

	// Send sends a change; Allocation reads the state of a reservation.
	Send(ctx context.Context, r request.Request) (request.Answer, error)
	Allocation(ctx context.Context, id string) (*models.Allocation, error)
}

// Action is one operation on a node. Functions such as [Provision], [Power], [BootDevice], [Maintenance], [Protect],
// [Retire] and [Set] return one.
type Action interface {
	// Name returns the action as an operator writes it: "manage", "power off".
	Name() string
	// Refuse returns why the action is not possible on the node now, or nil.
	Refuse(n *models.Node, v models.APIVersion) *models.Refusal
	// Effect describes the effect of the action on the machine.
	Effect(n *models.Node) models.Effect
	// entries lists the requests in order, without side effects, because the preview also calls it.
	entries(n *models.Node) ([]entry, error)
	// ended reports whether the action has ended on a watched node, and how.
	ended(before, now *models.Node, waited time.Duration) (verdict, bool)

	// Preflight runs the checks of the action and stores their results for Refuse.
	Preflight(ctx context.Context, nodes []models.Node)
	// warnings describes settings that are legal but may not work, one sentence for each.
	warnings(n *models.Node) []string
	// prepare runs before the first entry. If over is true, res is final and nothing is sent. The
	// log, which may be nil, records the progress of sending; the caller closes it.
	prepare(ctx, going context.Context, r *Runner, n *models.Node, opts RunOptions) (log *deploymentLog, res Result, over bool)
	// immediate reports whether the action is done as soon as Ironic has answered, without watching.
	immediate() bool
	// observed is called with each reading of a watched node.
	observed(now *models.Node)
	// conclusion returns the request to send to the node after the action has succeeded; nil if nothing must be sent.
	conclusion(ctx context.Context, api API, node string) (*entry, error)
	// resultText returns information about a node on which the action succeeded; the text is mostly empty.
	resultText(n models.NodeRef) string
}

// watchedAction has the defaults of actions that send their entries and are watched.
type watchedAction struct{}

// Preflight does nothing: the action has no checks.
func (watchedAction) Preflight(context.Context, []models.Node) {}

func (watchedAction) warnings(*models.Node) []string { return nil }
func (watchedAction) prepare(_, _ context.Context, _ *Runner, n *models.Node, _ RunOptions) (*deploymentLog, Result, bool) { //nolint:unparam // others have a log
	return nil, Result{Node: n.Ref(), State: string(n.ProvisionState)}, false
}
func (watchedAction) immediate() bool       { return false }
func (watchedAction) observed(*models.Node) {}
func (watchedAction) conclusion(context.Context, API, string) (*entry, error) {
	return nil, nil //nolint:nilnil // nothing is written
}
func (watchedAction) resultText(models.NodeRef) string { return "" }

// immediateAction has the defaults of actions that are done when Ironic has answered.
type immediateAction struct{ watchedAction }

func (immediateAction) immediate() bool { return true }

func (immediateAction) ended(_, now *models.Node, _ time.Duration) (verdict, bool) {
	return verdict{ok: true, state: string(now.ProvisionState)}, true
}

// entry is one request of an action. It is shown, sent and audited separately.
type entry struct {
	request.Request
	// verb names the request in the audit log.
	verb string
	// object is the changed object, if it is not a node.
	object string
	// send, if not nil, is called in place of sending the request, for a change that does not go to Ironic.
	send func(ctx context.Context) error
	// answered is called with the node that Ironic has returned for a PATCH.
	answered func(node *models.Node)
	// judge may explain an error of the request, or return nil to ignore it.
	judge func(ctx context.Context, api API, err error) error
	// ask reads from Ironic instead of changing it; if it returns an error, the following entries are not sent.
	ask func(ctx context.Context, api API) error
	// undo reverts the change when a later request fails; it is empty if the change cannot be reverted.
	undo undo
	// overrides are the checks that the operator has overridden for the request.
	overrides []string
	// sent marks a request of an earlier attempt: the request is not repeated, only reverted if necessary.
	sent bool
	// last marks the request that conclusion sends at the end, computed from the node's state at that time.
	last bool
	// stage is the stage of a deployment that is recorded before the request is sent; if empty, the stage does not
	// change.
	stage Stage
}

// requestsOf returns the entries that are requests to Ironic; commandsOf returns the same as shell
// commands.
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

// pathsOf returns the paths that operations change. It omits values, which may be secrets.
func pathsOf(ops []models.PatchOp) string {
	paths := make([]string, len(ops))
	for i, op := range ops {
		paths[i] = op.Path
	}
	return strings.Join(paths, " ")
}

// verdict is the outcome of a watched action.
type verdict struct {
	ok bool
	// state is the state in which the node ended.
	state string
}

// refusal returns a refusal of an action.
func refusal(a Action, n *models.Node, kind models.RefusalKind, why, hint string) *models.Refusal {
	return &models.Refusal{Kind: kind, Action: a.Name(), Node: n.Label(), Why: why, Hint: hint}
}
