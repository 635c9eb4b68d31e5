package provision

import (
	"context"
	"slices"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// HardwareAPI is the part of Ironic's API that reads the hardware of machines.
type HardwareAPI interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	BIOSReader
	FirmwareReader
	Inventories
	Volumes(ctx context.Context, node string) (models.Volumes, error)
	VendorMethods(ctx context.Context, node string) ([]models.VendorMethod, error)
}

// hardwareAction is an action that runs steps, which may differ from node to node. It runs them by cleaning a
// manageable node or by servicing an active one.
type hardwareAction struct {
	watchedAction
	name string
	// only is the kind of operation to which the action is restricted. If it is empty, both kinds are allowed.
	only models.StepKind
	// work returns the work to do on the node. It may read from Ironic.
	work func(ctx context.Context, n *models.Node) hardwareWork

	works sync.Map // the hardwareWork of each node, by UUID
}

// hardwareWork holds the requests and the steps of a hardware action for one node.
type hardwareWork struct {
	steps []models.Step
	// before lists the entries to send before the verb.
	before []entry
	// refused is the reason why the action is impossible on the node, or nil if it is possible.
	refused *models.Refusal
	// text describes the change. danger is the minimum danger of the action.
	text     string
	danger   models.Danger
	warnings []string
}

// kindFor returns the kind of operation that can run steps on the node in its current state.
func (a *hardwareAction) kindFor(n *models.Node) models.StepKind {
	if a.only != "" {
		return a.only
	}
	if _, legal := models.FindTransition(n.ProvisionState, models.VerbService); legal {
		return models.ServiceSteps
	}
	return models.CleanSteps
}

func (a *hardwareAction) Name() string { return a.name }

func (a *hardwareAction) Preflight(ctx context.Context, nodes []models.Node) {
	InParallel(ctx, len(nodes), func(going context.Context, i int) {
		a.works.Store(nodes[i].UUID, a.work(going, &nodes[i]))
	})
}

// workOf returns the work on a node, or no work before the preflight.
func (a *hardwareAction) workOf(n *models.Node) hardwareWork {
	stored, _ := a.works.Load(n.UUID)
	w, _ := stored.(hardwareWork)
	return w
}

func (a *hardwareAction) verb(n *models.Node) verbAction {
	w := a.workOf(n)
	req := models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: w.steps}
	if a.kindFor(n) == models.ServiceSteps {
		req = models.ProvisionRequest{Verb: models.VerbService, ServiceSteps: w.steps}
	}
	return verbAction{req: req, setsRAID: len(w.before) > 0}
}

func (a *hardwareAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if r := a.workOf(n).refused; r != nil {
		return refusal(a, n, r.Kind, r.Why, r.Hint).WithScreenHint(r.ScreenHint)
	}
	r := a.verb(n).Refuse(n, v)
	if r != nil {
		r.Action = a.name
	}
	return r
}

func (a *hardwareAction) Effect(n *models.Node) models.Effect {
	w, verb := a.workOf(n), a.verb(n)
	danger := models.DangerInterrupts
	if verb.req.Verb == models.VerbService {
		danger = verb.Effect(n).Danger
	}
	return models.Effect{Danger: max(danger, w.danger), Text: w.text + ", then reboots the machine"}
}

func (a *hardwareAction) warnings(n *models.Node) []string {
	return slices.Concat(a.workOf(n).warnings, a.verb(n).warnings(n))
}

func (a *hardwareAction) entries(n *models.Node) ([]entry, error) {
	list, err := a.verb(n).entries(n)
	return slices.Concat(a.workOf(n).before, list), err
}

func (a *hardwareAction) ended(before, now *models.Node, waited time.Duration) (verdict, bool) {
	return a.verb(before).ended(before, now, waited)
}

// refusedWork returns the work for a node on which the action is impossible.
func refusedWork(why, hint string) hardwareWork {
	return hardwareWork{refused: &models.Refusal{Kind: models.RefusedArguments, Why: printable.Line(why), Hint: hint}}
}

// onScreen sets the remedy that the console shows. The work must be refused.
func (w hardwareWork) onScreen(hint string) hardwareWork {
	w.refused.ScreenHint = hint
	return w
}
