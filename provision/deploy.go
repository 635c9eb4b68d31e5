package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/models/request"
	"ironworks/printable"
)

// DeploymentOf returns the deployment of a node.
type DeploymentOf func(n *models.Node) (Deployment, error)

// DeployAction deploys nodes that have passed their checks. Use [Deploy] or [Rebuild] to create one. It refuses nodes
// that [DeployAction.Preflight] has not checked.
type DeployAction struct {
	watchedAction
	// verb is deploy or rebuild.
	verb         models.Verb
	deploymentOf DeploymentOf
	checks       *Preflighter
	purpose      purpose
	// overrides holds, by node UUID, the overridden checks of the nodes whose names the operator typed.
	overrides map[string][]plan.CheckID
	// earlier holds, by node UUID, the nodes that earlier attempts of this action prepared.
	earlier   map[string]*readyNode
	onChecked func(n models.NodeRef)

	mu    sync.Mutex
	ready map[string]*readyNode
}

// Deploy returns an action that deploys nodes. It reserves a node by setting its instance_uuid or, if the plan
// requests that, with an allocation. It then writes the plan's changes, lets Ironic validate the result, and requests
// the deployment. If anything fails before the last request, the changes are reverted.
func Deploy(checks *Preflighter, of DeploymentOf) *DeployAction {
	return &DeployAction{verb: models.VerbDeploy, deploymentOf: of, checks: checks, ready: map[string]*readyNode{}}
}

// Rebuild returns the same action as [Deploy], but for nodes that are deployed or whose deployment failed. They keep
// their instance_uuid, and their disk is written again.
func Rebuild(checks *Preflighter, of DeploymentOf) *DeployAction {
	a := Deploy(checks, of)
	a.verb = models.VerbRebuild
	return a
}

// WithOverrides returns a copy of the action for which no node has been checked yet. overrides holds, by UUID, the
// checks to override on the nodes whose names the operator typed; they replace the overrides of an earlier call. The
// nodes keep their instance_uuids.
func (a *DeployAction) WithOverrides(overrides map[string][]plan.CheckID) *DeployAction {
	again := Deploy(a.checks, a.deploymentOf)
	again.verb, again.purpose, again.overrides, again.earlier = a.verb, a.purpose, overrides, map[string]*readyNode{}
	a.mu.Lock()
	defer a.mu.Unlock()
	maps.Copy(again.earlier, a.earlier)
	maps.Copy(again.earlier, a.ready)
	return again
}

// WithChecks is like [DeployAction.WithOverrides], but without overrides and with the checks of another operator.
func (a *DeployAction) WithChecks(checks *Preflighter) *DeployAction {
	again := a.WithOverrides(nil)
	again.checks = checks
	return again
}

// OverridesFor returns overrides of the checks on every node whose name or UUID is in typed.
func OverridesFor(nodes []models.Node, typed []string, checks []plan.CheckID) map[string][]plan.CheckID {
	on := map[string][]plan.CheckID{}
	for i := range nodes {
		if n := &nodes[i]; slices.Contains(typed, n.UUID) || n.Name != "" && slices.Contains(typed, n.Name) {
			on[n.UUID] = checks
		}
	}
	return on
}

// OnChecked makes Preflight call checked for each node after its checks, from several goroutines. checked must not
// block. Copies of the action, such as that of [DeployAction.WithOverrides], do not call it.
func (a *DeployAction) OnChecked(checked func(n models.NodeRef)) { a.onChecked = checked }

// readyNode is a checked node, together with everything that the deployment sends to it.
type readyNode struct {
	deployment Deployment
	// verb is the verb of the action or, if a deployment is resumed, the verb of that deployment.
	verb     models.Verb
	facts    *plan.Facts
	checks   []plan.Check
	err      error
	instance string
	reserve  []models.PatchOp
	allocate *models.AllocationRequest
	patch    []models.PatchOp
	request  models.ProvisionRequest
	// entries holds the requests that the operator confirms and that are sent. It is empty if the node is refused.
	entries []entry
	// sent reports whether the requests have already been sent. If so, another attempt needs new checks.
	sent bool

	// kept reports whether the node already had the instance before this deployment. before is the record of an
	// earlier attempt. If followUp is set, the rest of that attempt is carried out instead of a new deployment.
	kept     bool
	before   *record
	followUp followUp
	reason   string
	// stamp identifies the version of the record in before, to detect a change by another process.
	stamp string
	// requested is the deployment as it is recorded. restore reverts the changes of an earlier attempt.
	requested *recordedDeployment
	overrides []plan.CheckID
	restore   []models.PatchOp
}

// Preflight runs the checks on the nodes, [Concurrency] at a time, and computes the requests to send. The results
// replace those of earlier checks; call [Runner.Plan] afterward. If a node's deployment was interrupted, Preflight
// rereads the node until it is known which requests have arrived. It then replaces the node in nodes.
func (a *DeployAction) Preflight(ctx context.Context, nodes []models.Node) {
	checks := a.checks.Fresh()
	InParallel(ctx, len(nodes), func(going context.Context, i int) {
		r := a.readyNode(going, checks, &nodes[i])
		if r.err == nil && len(plan.RefusedChecks(r.checks)) == 0 {
			r.entries = a.entriesFor(&nodes[i], r)
		}
		a.mu.Lock()
		a.ready[nodes[i].UUID] = r
		a.mu.Unlock()
		if a.onChecked != nil {
			a.onChecked(nodes[i].Ref())
		}
	})
}

func (a *DeployAction) readyNode(ctx context.Context, checks *Preflighter, n *models.Node) *readyNode {
	r := &readyNode{verb: a.verb, instance: uuid.NewString(), overrides: a.overrides[n.UUID]}
	var d Deployment
	if d, r.err = a.deploymentFor(ctx, n, r); r.err != nil || r.followUp != followUpNone {
		return r
	}
	if before := a.earlierAttempt(n); before != nil && n.InstanceUUID != "" && n.InstanceUUID == before.instance {
		r.instance, r.kept, d.ownInstance = before.instance, before.kept, before.instance
	}
	d.verb = r.verb
	d = d.withReport()
	r.deployment = d
	r.facts, r.checks, r.err = checks.Preflight(ctx, n, d, r.overrides)
	if r.err != nil || len(plan.RefusedChecks(r.checks)) > 0 {
		return r
	}
	switch {
	case n.InstanceUUID == r.instance:
	case d.Fields.Allocate.Asked():
		r.allocate = allocationOf(n, r.instance, d.Fields.Allocate)
	default:
		r.reserve = []models.PatchOp{{Op: "add", Path: "/instance_uuid", Value: r.instance}}
	}
	if n.InstanceUUID != "" && d.ownInstance == "" || r.verb == models.VerbRebuild {
		r.reserve, r.allocate, r.instance, r.kept = nil, nil, n.InstanceUUID, true // the node is rebuilt, or its instance was overridden
	}
	if r.patch, r.err = models.Patch(n, d.settings(r.facts)); r.err != nil {
		return r
	}
	r.request = models.ProvisionRequest{Verb: r.verb, DeploySteps: r.facts.Steps}
	r.request.ConfigDrive, r.err = d.configDrive(r.facts)
	return r
}

// deploymentFor returns the requested deployment of the node, or that of an earlier attempt to resume.
func (a *DeployAction) deploymentFor(ctx context.Context, n *models.Node, r *readyNode) (d Deployment, err error) {
	if a.purpose == purposeDeploy {
		if d, err = a.deploymentOf(n); err == nil {
			d = d.withReport()
			r.requested, err = recordDeployment(d)
		}
		if err != nil {
			return d, err
		}
	}
	if err := a.checks.Deployments.holder(n.UUID); err != nil {
		return d, err
	}
	if r.before, err = a.checks.Deployments.load(n.UUID); err != nil {
		return d, err
	}
	r.stamp = r.before.stamp()
	if r.before == nil {
		if a.purpose != purposeDeploy {
			err = errNoUnfinished
		}
		return d, err
	}
	action, why, err := a.waitUntilKnown(ctx, n, r.before)
	if err != nil {
		return d, err
	}
	return a.resumeFrom(d, n, r, action, why)
}

// checked returns the result of the node's preflight, or a result with errNotChecked before the preflight.
func (a *DeployAction) checked(n *models.Node) *readyNode {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r := a.ready[n.UUID]; r != nil {
		return r
	}
	return &readyNode{verb: a.verb, err: errNotChecked}
}

var errNotChecked = errors.New("the checks have not run")

// CheckedBy reports whether the action uses the same Ironic as the given checks.
func (a *DeployAction) CheckedBy(checks *Preflighter) bool {
	return checks != nil && a.checks.Reader == checks.Reader
}

// Name returns the verb, which is deploy or rebuild.
func (a *DeployAction) Name() string { return string(a.verb) }

// earlierAttempt returns the node as an earlier attempt of this deployment prepared it, or nil if there was none.
func (a *DeployAction) earlierAttempt(n *models.Node) *readyNode {
	a.mu.Lock()
	defer a.mu.Unlock()
	return cmp.Or(a.ready[n.UUID], a.earlier[n.UUID])
}

// Checks returns the results of the node's preflight, or nil before the preflight.
func (a *DeployAction) Checks(n *models.Node) []plan.Check { return a.checked(n).checks }

// Order returns the node's steps with their sources in Ironic's order, or nil before the preflight.
func (a *DeployAction) Order(n *models.Node) []plan.OrderedStep {
	facts := a.checked(n).facts
	if facts == nil {
		return nil
	}
	return facts.Order()
}

// Refuse refuses a node whose checks have failed, or whose checks ran before the last attempt.
func (a *DeployAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	if a.wasSent(n) {
		return refusal(a, n, models.RefusedArguments, "the checks ran before an earlier attempt; run them again", "")
	}
	return a.refuse(n)
}

func (a *DeployAction) refuse(n *models.Node) *models.Refusal {
	r := a.checked(n)
	if r.err != nil {
		refused := refusal(a, n, models.RefusedArguments, printable.Line(r.err.Error()), "")
		refused.ScreenWhy = printable.Line(models.OnScreen(r.err))
		return refused
	}
	failed := plan.RefusedChecks(r.checks)
	if len(failed) == 0 {
		return nil
	}
	reasons, onScreen := make([]string, len(failed)), make([]string, len(failed))
	for i, c := range failed {
		reasons[i], onScreen[i] = failedCheck(&c, c.Remedy), failedCheck(&c, c.ScreenRemedy)
	}
	kind := models.RefusedArguments
	switch failed[0].ID {
	case plan.CheckState:
		kind = models.RefusedState
	case plan.CheckMaintenance:
		kind = models.RefusedMaintenance
	default:
	}
	refused := refusal(a, n, kind, strings.Join(reasons, "; "), "")
	refused.ScreenWhy = strings.Join(onScreen, "; ")
	return refused
}

func failedCheck(c *plan.Check, remedy string) string {
	text := "[" + string(c.ID) + "] " + c.Text
	if remedy != "" {
		text += " (" + remedy + ")"
	}
	return text
}

// Effect names the disk that will be overwritten or, for an interrupted deployment, what happens to it.
func (a *DeployAction) Effect(n *models.Node) models.Effect {
	r := a.checked(n)
	e := models.VerbEffect(r.verb, n, nil)
	if r.followUp != followUpNone {
		text := r.followUp.effect(&r.before.Unfinished)
		if last, err := rootDiskEntry(n, r); r.followUp == followUpWatch && err == nil && last != nil {
			text += "; on success, the root disk is recorded in " + rootDiskPlace
		}
		return models.Effect{Text: text}
	}
	if r.facts == nil {
		return e
	}
	switch disk := r.facts.Target(); {
	case r.facts.Kind == plan.KindRamdisk:
		return models.Effect{Danger: models.DangerInterrupts, Text: a.Name() + " boots the machine from the ramdisk; Ironic writes to no disk"}
	case disk != nil:
		e.Text = fmt.Sprintf("%s overwrites %s, %.1f GiB, %s, serial %s; the other disks are kept until the node is cleaned",
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

// observed stores the steps that the agent offers, because Ironic drops them at the end of the deployment.
func (a *DeployAction) observed(now *models.Node) {
	if offered := offeredSteps(now); offered != nil && a.checks.StoreOffered != nil {
		a.checks.StoreOffered(now.UUID, offered)
	}
}

func (a *DeployAction) ended(before, now *models.Node, waited time.Duration) (verdict, bool) {
	return verbAction{req: models.ProvisionRequest{Verb: a.checked(before).verb}}.ended(before, now, waited)
}

var errChanged = errors.New("another ironworks process acted on the node after the checks")

// openRecord locks the node's record and verifies that it has not changed since the checks.
func (a *DeployAction) openRecord(n *models.Node) (*deploymentLog, error) {
	log, err := a.checks.Deployments.open(n.UUID)
	if err != nil || log == nil {
		return nil, err
	}
	if log.record.stamp() != a.checked(n).stamp {
		log.close()
		return nil, errChanged
	}
	return log, nil
}

// prepare locks the node's record. If no new deployment is to be sent, it completes the earlier deployment.
func (a *DeployAction) prepare(ctx, going context.Context, r *Runner, n *models.Node, opts RunOptions) (log *deploymentLog, res Result, over bool) {
	res = Result{Node: n.Ref(), State: string(n.ProvisionState), Outcome: OutcomeRefused}
	if refused := a.Refuse(n, models.APIVersion{}); refused != nil {
		res.Err = refused
		return nil, res, true
	}
	if going.Err() != nil {
		res.Err = fmt.Errorf("%s %s: interrupted before the first request", a.Name(), n.Label())
		return nil, res, true
	}
	log, err := a.openRecord(n)
	if err != nil {
		res.Err = fmt.Errorf("%s %s: nothing was sent: %w", a.Name(), printable.Line(n.Label()), err)
		return nil, res, true
	}
	ready := a.checked(n)
	switch ready.followUp {
	case followUpWatch:
		r.resumeWatching(going, a, n, ready.before, opts, log, &res)
		return log, res, true
	case followUpGiveBack:
		r.finishGiveBack(ctx, a, n, ready.before, log, &res)
		return log, res, true
	case followUpForget:
		res.Outcome, res.Err = OutcomeDone, log.remove()
		if a.purpose == purposeResume {
			res.Outcome = OutcomeUnknown
			res.Err = errors.Join(fmt.Errorf("%s %s: %s", a.Name(), printable.Line(n.Label()), ready.reason), res.Err)
		}
		return log, res, true
	case followUpNone:
	}
	rec := ready.record(n, time.Now())
	rec.Actor = r.Actor
	if err := log.create(rec); err != nil {
		res.Outcome, res.Err = OutcomeFailed, fmt.Errorf("%s %s: nothing was sent: %w", a.Name(), printable.Line(n.Label()), err)
		return log, res, true
	}
	if !a.markSent(n) {
		res.Err = refusal(a, n, models.RefusedArguments, "a deployment of this node is already being sent", "")
		return log, res, true
	}
	return log, res, false
}

// entries returns the requests that Preflight has computed, including those that an earlier attempt has sent.
func (a *DeployAction) entries(n *models.Node) ([]entry, error) {
	if refused := a.refuse(n); refused != nil {
		return nil, refused
	}
	return a.checked(n).entries, nil
}

func (a *DeployAction) entriesFor(n *models.Node, r *readyNode) []entry {
	var list []entry
	if r.followUp == followUpNone {
		list = a.deployEntries(n, r)
	}
	if r.followUp == followUpNone || r.followUp == followUpWatch {
		// Ignore the error: the deployment reports it when it reaches this request.
		if last, err := rootDiskEntry(n, r); err == nil && last != nil {
			list = append(list, *last)
		}
	}
	return list
}

func (a *DeployAction) deployEntries(n *models.Node, r *readyNode) []entry {
	var list []entry
	if r.before != nil {
		list = append(list, r.sentBefore())
	}
	var reserved *models.Node
	if r.allocate != nil {
		list = append(list, a.allocateEntries(r.allocate)...)
	}
	if len(r.reserve) > 0 {
		list = append(list, entry{
			verb: "reserve instance_uuid", Request: request.Patch(n.UUID, r.reserve), undo: undo{instance: r.instance, reserved: true},
			answered: func(node *models.Node) { reserved = node },
		})
	}
	list = append(list, entry{verb: "check that the node is unchanged", ask: a.verifyUnchanged(n, &reserved)})
	if len(r.patch) > 0 {
		list = append(list, entry{
			verb: "set " + pathsOf(r.patch), Request: request.Patch(n.UUID, r.patch),
			undo: undo{instance: r.instance, restore: r.undoPatch(n)},
		})
	}
	list = append(list, entry{verb: "validate", Request: request.Validate(n.UUID), ask: a.validate(n)})
	deploy := provisionEntry(n, r.request)
	deploy.overrides, deploy.stage = overridden(r.checks), StageSending
	return append(list, deploy)
}

func (a *DeployAction) wasSent(n *models.Node) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.ready[n.UUID]
	return r != nil && r.sent
}

// markSent marks the node's entries as sent. It returns false if they already were, or the node was not checked.
func (a *DeployAction) markSent(n *models.Node) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.ready[n.UUID]
	if r == nil || r.sent {
		return false
	}
	r.sent = true
	return true
}
