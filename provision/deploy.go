package provision

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"ironworks/models"
	"ironworks/models/plan"
)

// DeployOptions say what is deployed to which node.
type DeployOptions struct {
	// For gives a node's deployment.
	For func(n *models.Node) (Deployment, error)
	// Checked is told of each node whose checks are done, from several goroutines; it
	// must not block. May be nil.
	Checked func(n models.NodeRef)
}

// DeployAction deploys nodes, each after its checks. It is made by [Deploy]; a node that
// [DeployAction.Preflight] has not seen is refused.
type DeployAction struct {
	plain
	// verb is deploy or rebuild.
	verb    models.Verb
	options DeployOptions
	checks  *Preflighter
	wish    wish
	// overrides are by the uuid of the node whose name was typed.
	overrides map[string][]plan.CheckID
	// earlier are nodes as an action before this one had them, by uuid.
	earlier map[string]*readyNode

	mu    sync.Mutex
	ready map[string]*readyNode
}

// Deploy is an action that takes a node by its instance_uuid, writes what the plan
// changes, asks Ironic whether that is valid, and sends the deployment. What fails
// before the last request is given back.
func Deploy(checks *Preflighter, options DeployOptions) *DeployAction {
	return &DeployAction{verb: models.VerbDeploy, options: options, checks: checks, ready: map[string]*readyNode{}}
}

// Rebuild is the same action for nodes that are deployed, or whose deployment failed:
// they stay the instance that they are, and their disk is written again.
func Rebuild(checks *Preflighter, options DeployOptions) *DeployAction {
	a := Deploy(checks, options)
	a.verb = models.VerbRebuild
	return a
}

// Overriding is the same action, with no node checked yet, and with checks overridden on
// nodes whose names somebody typed, by their uuids. Ones of an earlier Overriding are
// forgotten; instances that were given to nodes are not.
func (a *DeployAction) Overriding(overrides map[string][]plan.CheckID) *DeployAction {
	again := Deploy(a.checks, a.options)
	again.verb, again.wish, again.overrides, again.earlier = a.verb, a.wish, overrides, map[string]*readyNode{}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(again.earlier, a.earlier)
	maps.Copy(again.earlier, a.ready)
	return again
}

// OverridesOn are overrides of checks on those of the nodes whose names, or uuids, somebody
// typed: for [DeployAction.Overriding].
func OverridesOn(nodes []models.Node, typed []string, checks []plan.CheckID) map[string][]plan.CheckID {
	on := map[string][]plan.CheckID{}
	for i := range nodes {
		if n := &nodes[i]; slices.Contains(typed, n.UUID) || n.Name != "" && slices.Contains(typed, n.Name) {
			on[n.UUID] = checks
		}
	}
	return on
}

// Telling is the same action as [DeployAction.Overriding] makes, that tells somebody else
// of nodes whose checks are done.
func (a *DeployAction) Telling(checked func(n models.NodeRef)) *DeployAction {
	again := a.Overriding(a.overrides)
	again.options.Checked = checked
	return again
}

// readyNode is a node with all that is sent to it.
type readyNode struct {
	deployment Deployment
	// verb is the action's, or that of a deployment that goes on.
	verb     models.Verb
	facts    *plan.Facts
	checks   []plan.Check
	err      error
	instance string
	reserve  []models.PatchOp
	allocate *models.AllocationRequest
	patch    []models.PatchOp
	request  models.ProvisionRequest
	// sent says that the requests were made once: another try wants its own checks.
	sent bool

	// kept says that the node had the instance before. before is the record of an earlier
	// try, and rest what is left to do about that instead of sending anything.
	kept   bool
	before *record
	rest   rest
	why    string
	// seen tells that record from what may be there later.
	seen string
	// asked is what the record says of what was asked for; restore takes back what an
	// earlier try has changed.
	asked     *recordedDeployment
	overrides []plan.CheckID
	restore   []models.PatchOp
}

// Preflight does the checks on nodes, [AtOnce] at a time, and works out what would be
// sent. A runner's plan follows it. Nothing is kept of the checks before. A node with a
// deployment that was interrupted is read anew, in its place, until it can be told what
// has arrived of that.
func (a *DeployAction) Preflight(ctx context.Context, nodes []models.Node) {
	checks := a.checks.Fresh()
	inParallel(ctx, len(nodes), func(going context.Context, i int) {
		r := a.readyNode(going, checks, &nodes[i])
		a.mu.Lock()
		a.ready[nodes[i].UUID] = r
		a.mu.Unlock()
		if a.options.Checked != nil {
			a.options.Checked(nodes[i].Ref())
		}
	})
}

func (a *DeployAction) readyNode(ctx context.Context, checks *Preflighter, n *models.Node) *readyNode {
	r := &readyNode{verb: a.verb, instance: uuid.NewString(), overrides: a.overrides[n.UUID]}
	var d Deployment
	if d, r.err = a.wanted(ctx, n, r); r.err != nil || r.rest != restNone {
		return r
	}
	if before := a.tryBefore(n); before != nil && n.InstanceUUID != "" && n.InstanceUUID == before.instance {
		r.instance, r.kept, d.mine = before.instance, before.kept, before.instance
	}
	d.verb = r.verb
	d = d.prepared()
	r.deployment = d
	if r.facts, r.err = checks.facts(ctx, n, d); r.err != nil {
		return r
	}
	r.checks = plan.Checks(r.facts, checks.choices(d, r.overrides))
	if len(plan.RefusedChecks(r.checks)) > 0 {
		return r
	}
	switch {
	case n.InstanceUUID == r.instance:
	case d.Fields.Allocate.Asked():
		r.allocate = allocationOf(n, r.instance, d.Fields.Allocate)
	default:
		r.reserve = []models.PatchOp{{Op: "add", Path: "/instance_uuid", Value: r.instance}}
	}
	if n.InstanceUUID != "" && d.mine == "" || r.verb == models.VerbRebuild {
		r.reserve, r.allocate, r.instance, r.kept = nil, nil, n.InstanceUUID, true // rebuilt, or overridden: it is deployed as the instance that it is
	}
	if r.patch, r.err = models.Patch(n, d.settings(r.facts)); r.err != nil {
		return r
	}
	r.request = models.ProvisionRequest{Verb: r.verb, DeploySteps: r.facts.Steps}
	r.request.ConfigDrive, r.err = d.configDrive(r.facts)
	return r
}

func (a *DeployAction) of(n *models.Node) *readyNode {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.ready[n.UUID]
}

// CheckedBy says that the action asks the same Ironic as these checks.
func (a *DeployAction) CheckedBy(checks *Preflighter) bool {
	return checks != nil && a.checks.Reader == checks.Reader
}

// Name is that of the verb.
func (a *DeployAction) Name() string { return string(a.verb) }

// tryBefore is a node as this deployment had it before, or nil.
func (a *DeployAction) tryBefore(n *models.Node) *readyNode {
	if r := a.of(n); r != nil {
		return r
	}
	return a.earlier[n.UUID]
}

// verbOf is what is, or was, sent to a node.
func (a *DeployAction) verbOf(n *models.Node) models.Verb {
	if r := a.of(n); r != nil {
		return r.verb
	}
	return a.verb
}

// Checks are what the preflight found on a node; nil before it.
func (a *DeployAction) Checks(n *models.Node) []plan.Check {
	if r := a.of(n); r != nil {
		return r.checks
	}
	return nil
}

// Order is the list of steps as Ironic will run it, each with its source.
func (a *DeployAction) Order(n *models.Node) []plan.OrderedStep {
	r := a.of(n)
	if r == nil || r.facts == nil {
		return nil
	}
	return r.facts.Order()
}

// Refuse says what the checks say. What they said before an earlier try counts no more.
func (a *DeployAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if a.wasSent(n) {
		return refusal(a, n, models.RefusedArguments, "the checks were done before an earlier try", "")
	}
	return a.refuse(n)
}

func (a *DeployAction) refuse(n *models.Node) *models.Refusal {
	r := a.of(n)
	switch {
	case r == nil:
		return refusal(a, n, models.RefusedArguments, "the checks were not done", "")
	case r.err != nil:
		return refusal(a, n, models.RefusedArguments, models.Printable(r.err.Error()), "")
	}
	refused := plan.RefusedChecks(r.checks)
	if len(refused) == 0 {
		return nil
	}
	reasons := make([]string, len(refused))
	for i, c := range refused {
		reasons[i] = "[" + string(c.ID) + "] " + c.Text
		if c.WayOut != "" {
			reasons[i] += " (" + c.WayOut + ")"
		}
	}
	kind := models.RefusedArguments
	switch refused[0].ID {
	case plan.CheckState:
		kind = models.RefusedState
	case plan.CheckMaintenance:
		kind = models.RefusedMaintenance
	default:
	}
	return refusal(a, n, kind, strings.Join(reasons, "; "), "")
}

// Effect names the disk that is written.
func (a *DeployAction) Effect(n *models.Node) models.Effect {
	e := models.VerbEffect(a.verbOf(n), n, nil)
	r := a.of(n)
	if r != nil && r.rest != restNone {
		text := r.rest.effect(&r.before.Unfinished)
		if last, err := rootDiskEntry(n, r); r.rest == restFollow && err == nil && last != nil {
			text += "; when it ends well, the disk is written to " + rootDiskPlace
		}
		return models.Effect{Text: text}
	}
	if r == nil || r.facts == nil {
		return e
	}
	switch disk := r.facts.Target(); {
	case r.facts.Kind == plan.KindRamdisk:
		return models.Effect{Danger: models.DangerInterrupts, Text: a.Name() + " boots the machine from the ramdisk; Ironic writes to no disk"}
	case disk != nil:
		e.Text = fmt.Sprintf("%s overwrites %s, %.1f GiB, %s, serial %s; the other disks stay until the node is cleaned",
			a.Name(), disk.Name, disk.GiB(), disk.Model, disk.Serial)
	}
	return e
}

func overridden(checks []plan.Check) []string {
	var ids []string
	for _, c := range checks {
		if c.Overridden {
			ids = append(ids, string(c.ID))
		}
	}
	return ids
}

// looked keeps what the agent offers, while Ironic has it.
func (a *DeployAction) looked(now *models.Node) {
	if offered := offeredNow(now); offered != nil && a.checks.Keep != nil {
		a.checks.Keep(now.UUID, offered)
	}
}

func (a *DeployAction) ended(before, now *models.Node, waited time.Duration) (verdict, bool) {
	return verbAction{req: models.ProvisionRequest{Verb: a.verbOf(before)}}.ended(before, now, waited)
}
