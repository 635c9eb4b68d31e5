package provision

import (
	"context"
	"slices"
	"sync"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// HardwareAPI is the part of Ironic's API that shows settings, firmware, disks, volumes and vendor methods of machines;
// *ironicclient.Client implements it.
type HardwareAPI interface {
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	BIOSReader
	FirmwareReader
	Inventories
	Volumes(ctx context.Context, node string) (models.Volumes, error)
	VendorMethods(ctx context.Context, node string) ([]models.VendorMethod, error)
}

// hardwareAction is an action that runs steps that may differ from node to node. It cleans a manageable node, and
// services an active one.
type hardwareAction struct {
	watchedAction
	name string
	// only restricts the action to one kind of operation; if empty, both are allowed.
	only models.StepKind
	// work returns the work for a node. It may read from Ironic.
	work func(ctx context.Context, n *models.Node) hardwareWork

	mu    sync.Mutex
	works map[string]hardwareWork // the works of the nodes, by UUID
}

// hardwareWork has the requests and steps of a hardware action for one node.
type hardwareWork struct {
	steps []models.Step
	// before are the entries that are sent before the verb.
	before []entry
	// refused is the refusal of a node on which the action is impossible; nil if it is possible.
	refused *models.Refusal
	// text describes the change; danger is the minimum danger of the change.
	text     string
	danger   models.Danger
	warnings []string
}

// kindFor returns the operation that runs steps on a node in its state.
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
	inParallel(ctx, len(nodes), func(going context.Context, i int) {
		n := &nodes[i]
		w := a.work(going, n)
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.works == nil {
			a.works = map[string]hardwareWork{}
		}
		a.works[n.UUID] = w
	})
}

func (a *hardwareAction) workOf(n *models.Node) hardwareWork {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.works[n.UUID]
}

// verb returns the action of the clean or service verb, with the steps of a node.
func (a *hardwareAction) verb(n *models.Node) verbAction {
	w := a.workOf(n)
	if a.kindFor(n) == models.ServiceSteps {
		return verbAction{req: models.ProvisionRequest{Verb: models.VerbService, ServiceSteps: w.steps}, setsRAID: len(w.before) > 0}
	}
	return verbAction{req: models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: w.steps}, setsRAID: len(w.before) > 0}
}

func (a *hardwareAction) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	w := a.workOf(n)
	if w.refused != nil {
		r := *w.refused // a copy, because several goroutines may ask
		r.Action, r.Node = a.name, n.Label()
		return &r
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

// onScreen returns refused work with a remedy for the console.
func (w hardwareWork) onScreen(hint string) hardwareWork {
	w.refused.ScreenHint = hint
	return w
}
