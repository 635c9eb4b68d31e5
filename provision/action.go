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

	// Send sends a request that changes something in Ironic. Allocation returns an allocation in its current state.
	Send(ctx context.Context, r request.Request) (request.Answer, error)
	Allocation(ctx context.Context, id string) (*models.Allocation, error)
}

// Action is an operation on a node, such as those that [Provision], [Power] and [Set] return.
type Action interface {
	// Name returns the action as an operator writes it, such as "manage" or "power off".
	Name() string
	// Refuse returns the reason why the action is not possible on the node now, or nil if it is possible.
	Refuse(n *models.Node, v models.APIVersion) *models.Refusal
	// Effect describes the effect of the action on the machine, and how dangerous it is.
	Effect(n *models.Node) models.Effect
	// entries returns the requests in the order in which they are sent. It has no side effects, because the preview
	// calls it, too.
	entries(n *models.Node) ([]entry, error)
	// ended reports whether the action has ended, and with which verdict. before is the node before the action, now
	// is its latest reading, and waited is the time since watching began.
	ended(before, now *models.Node, waited time.Duration) (verdict, bool)

	// Preflight runs the checks of the action and stores their results for Refuse.
	Preflight(ctx context.Context, nodes []models.Node)
	// warnings returns one sentence for each setting that is legal but may not work.
	warnings(n *models.Node) []string
	// prepare runs before the first entry. If over is true, the entries are not sent, and res is the final result.
	// The log, which may be nil, records the progress of sending; the caller closes it.
	prepare(ctx, going context.Context, r *Runner, n *models.Node, opts RunOptions) (log *deploymentLog, res Result, over bool)
	// immediate reports whether the action is done as soon as Ironic has answered, without watching.
	immediate() bool
	// observed is called each time a watched node has been read.
	observed(now *models.Node)
	// conclusion returns the request to send to the node after the action has succeeded, or nil if there is none.
	conclusion(ctx context.Context, api API, node string) (*entry, error)
	// resultText returns a note about a node on which the action has succeeded. It is empty for most actions.
	resultText(n models.NodeRef) string
}

// watchedAction provides the default methods of actions whose nodes are watched after the requests have been sent.
type watchedAction struct{}

// Preflight does nothing: the action has no checks.
func (watchedAction) Preflight(context.Context, []models.Node) {}

// Refuse refuses no node.
func (watchedAction) Refuse(*models.Node, models.APIVersion) *models.Refusal { return nil }

// Effect returns an empty effect, because nothing changes on the machine.
func (watchedAction) Effect(*models.Node) models.Effect { return models.Effect{} }

// ended waits until the node reaches a stable state.
func (watchedAction) ended(_, now *models.Node, _ time.Duration) (verdict, bool) {
	return verdict{ok: true, state: string(now.ProvisionState)}, now.ProvisionState.Resting()
}

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

// immediateAction provides the default methods of actions that are done as soon as Ironic has answered.
type immediateAction struct{ watchedAction }

func (immediateAction) immediate() bool { return true }

// requestAction is an action that sends one request to each node. refuse and effect may be nil.
type requestAction struct {
	immediateAction
	name    string
	refuse  func(a Action, n *models.Node) *models.Refusal
	effect  func(n *models.Node) models.Effect
	request func(n *models.Node) request.Request
}

func (a requestAction) Name() string { return a.name }

func (a requestAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if a.refuse == nil {
		return nil
	}
	return a.refuse(a, n)
}

func (a requestAction) Effect(n *models.Node) models.Effect {
	if a.effect == nil {
		return models.Effect{}
	}
	return a.effect(n)
}

func (a requestAction) entries(n *models.Node) ([]entry, error) {
	return []entry{{verb: a.name, Request: a.request(n)}}, nil
}

// entry is one request of an action. Each entry is shown, sent and audited separately.
type entry struct {
	request.Request
	// verb names the request in the audit log.
	verb string
	// object names the object that the request changes, if that is not a node.
	object string
	// send, if not nil, is called instead of sending the request. It is for changes that do not go to Ironic.
	send func(ctx context.Context) error
	// answered, if not nil, is called with the node that Ironic returned in response to a PATCH.
	answered func(node *models.Node)
	// judge, if not nil, is called if the request fails. It returns the error to report, or nil to ignore it.
	judge func(ctx context.Context, api API, err error) error
	// ask, if not nil, reads from Ironic instead of sending a change. After an error, no later entry is sent.
	ask func(ctx context.Context, api API) error
	// undo describes how to revert the change if a later request fails. It is empty if the change cannot be reverted.
	undo undo
	// overrides names the checks that the operator has overridden for the request.
	overrides []string
	// sent marks a request that an earlier attempt has sent. It is not sent again, but it is reverted if necessary.
	sent bool
	// last marks the request to send after the action has succeeded. The entry only shows the request in advance;
	// conclusion computes the actual one from the node's state at that time.
	last bool
	// stage is the stage to record before the request is sent. If it is empty, the recorded stage does not change.
	stage Stage
}

// requestsOf returns those requests of the entries that go to Ironic and that no earlier attempt has sent.
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

func patchEntry(verb string, n *models.Node, ops []models.PatchOp) entry {
	return entry{verb: verb, Request: request.Patch(n.UUID, ops)}
}

// pathsOf returns the paths of ops, separated by spaces. It omits the values, which may be secrets.
func pathsOf(ops []models.PatchOp) string {
	return strings.Join(textsOf(ops, func(op models.PatchOp) string { return op.Path }), " ")
}

// textsOf returns a text for each element of a list.
func textsOf[T any](list []T, text func(T) string) []string {
	texts := make([]string, len(list))
	for i, element := range list {
		texts[i] = text(element)
	}
	return texts
}

type verdict struct {
	ok bool
	// state is the final state of the node.
	state string
}

// refusal returns the refusal of action a on node n. The hint, which may be empty, suggests a remedy.
func refusal(a Action, n *models.Node, kind models.RefusalKind, why, hint string) *models.Refusal {
	return &models.Refusal{Kind: kind, Action: a.Name(), Node: n.Label(), Why: why, Hint: hint}
}
