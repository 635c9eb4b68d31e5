package provision

import (
	"context"
	"time"

	"ironworks/models"
)

// API is what acting needs of Ironic; *ironicclient.Client has it.
type API interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Version() (v models.APIVersion, agreed bool)

	Provision(ctx context.Context, id string, r models.ProvisionRequest) (requestID string, err error)
	SetPower(ctx context.Context, id string, target models.PowerTarget) (requestID string, err error)
	SetBootDevice(ctx context.Context, id, device string, persistent bool) (requestID string, err error)
	SetMaintenance(ctx context.Context, id string, on bool, reason string) (requestID string, err error)
	PatchNode(ctx context.Context, id string, ops []models.PatchOp) (n *models.Node, requestID string, err error)
	SetTraits(ctx context.Context, id string, traits []string) (requestID string, err error)
	AddTrait(ctx context.Context, id, trait string) (requestID string, err error)
	RemoveTrait(ctx context.Context, id, trait string) (requestID string, err error)
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
	// requests lists what is to be sent, in order.
	requests(n *models.Node) ([]request, error)
	// ended judges a node that is followed: still on its way, or how it ended.
	ended(before, now *models.Node, waited time.Duration) (verdict, bool)
}

// request is one change that is sent and audited by itself.
type request struct {
	// verb is what the audit calls it.
	verb string
	// sensitive says that what is sent may hold secrets, which a server that turns it
	// down may repeat in its answer.
	sensitive bool
	send      func(ctx context.Context, api API) (requestID string, err error)
	// ask is a question instead of a change; its error keeps the rest from being sent.
	ask func(ctx context.Context, api API) error
	// undo takes the change back when a later request fails; empty when it stays.
	undo undo
	// overrides are the checks that somebody has overridden for it.
	overrides []string
	// sent says that an earlier try has sent it: it is only taken back, where need be.
	sent bool
	// stage is written down before it is sent; empty for none of its own.
	stage Stage
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

// immediate is the part of actions that are done when Ironic has answered.
type immediate struct{}

func (immediate) ended(_, now *models.Node, _ time.Duration) (verdict, bool) {
	return verdict{ok: true, state: string(now.ProvisionState)}, true
}
