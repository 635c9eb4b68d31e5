package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/request"
)

// EnrollAction carries out an enrollment plan as a task. [EnrollAction.Run] takes the place of [Runner.Run].
type EnrollAction struct {
	watchedAction
	API  EnrollAPI
	Plan enroll.Plan
	Goal Goal
	// NoInspect skips inspection on the way to the goal.
	NoInspect bool
}

// Name implements [Action].
func (*EnrollAction) Name() string { return "enroll" }

// Effect returns the possible effect of the manual cleaning that prepares the node. If the node is not prepared, it
// returns the effect of automated cleaning. It is empty if the goal includes neither.
func (a *EnrollAction) Effect(n *models.Node) models.Effect {
	if a.Goal != GoalAvailable {
		return models.Effect{}
	}
	if at := slices.IndexFunc(a.Plan, func(it enroll.Item) bool { return it.UUID == n.UUID && it.Node.Prepare != nil }); at >= 0 {
		return newPrepareAction(a.Plan[at].Node.Prepare).Effect(n)
	}
	return models.VerbEffect(models.VerbProvide, n, nil)
}

// EnrollPrepared returns the names of the nodes that are prepared by manual cleaning on the way to the goal.
func EnrollPrepared(plan enroll.Plan, goal Goal) []string {
	var names []string
	for i := range plan {
		if it := &plan[i]; goal == GoalAvailable && it.Node.Prepare != nil && !it.Kind.Refused() {
			names = append(names, it.Node.Label())
		}
	}
	return names
}

func (*EnrollAction) entries(*models.Node) ([]entry, error) {
	return nil, errors.New("a plan is carried out by EnrollAction.Run")
}

// Batch returns the nodes to enroll. These are the valid nodes without conflicts.
func (a *EnrollAction) Batch() Batch {
	b := Batch{Action: a}
	for i := range a.Plan {
		if it := &a.Plan[i]; !it.Kind.Refused() {
			n := nodeOf(it)
			item := Item{Node: *n, Effect: a.Effect(n)}
			if item.Node.Name == "" {
				item.Node.Name = it.Node.Label()
			}
			b.Items = append(b.Items, item)
		}
	}
	return b
}

// Run enrolls the nodes of the batch. Changes made by an earlier run are not repeated. The results are in the order
// of the batch, and opts.Progress receives each result as soon as it is available.
func (a *EnrollAction) Run(ctx context.Context, r *Runner, b Batch, opts RunOptions) []Result {
	items := map[string]*enroll.Item{}
	for i := range a.Plan {
		if it := &a.Plan[i]; !it.Kind.Refused() {
			items[it.UUID] = it
		}
	}
	plan := make(enroll.Plan, 0, len(b.Items))
	for i := range b.Items {
		if it := items[b.Items[i].Node.UUID]; it != nil {
			plan = append(plan, *it)
		}
	}
	e := &Enroller{Runner: r, API: a.API, Goal: a.Goal, NoInspect: a.NoInspect, Timeout: opts.Timeout, Progress: opts.Progress, Cancels: opts.Cancels}
	enrolled := e.Run(ctx, plan)
	results := make([]Result, len(enrolled))
	for i := range enrolled {
		results[i] = enrolled[i].Result
	}
	return results
}

// EnrollWarning returns a warning if the item changes a node that Metal3 manages, or "".
func EnrollWarning(it *enroll.Item, goal Goal, noInspect bool) string {
	if it.Existing == nil || !it.Existing.Ref().ManagedByMetal3() {
		return ""
	}
	if requests, _ := EnrollRequests(it, goal, noInspect); len(requests) == 0 {
		return ""
	}
	return "Metal3 manages " + it.Existing.Name + " and may undo the change: change the BareMetalHost, or pause it first"
}

// EnrollDetails describes the item in one line, which starts with the item's warning, if any.
func EnrollDetails(it *enroll.Item, goal Goal, noInspect bool) string {
	warning, details := EnrollWarning(it, goal, noInspect), it.Details()
	if warning == "" || details == "" {
		return warning + details
	}
	return warning + "; " + details
}

// EnrollWarned returns the names of the nodes in the plan for which [EnrollWarning] returns a warning.
func EnrollWarned(plan enroll.Plan, goal Goal, noInspect bool) []string {
	var names []string
	for i := range plan {
		if EnrollWarning(&plan[i], goal, noInspect) != "" {
			names = append(names, plan[i].Existing.Name)
		}
	}
	return names
}

// EnrollRemedy returns the remedy for a node that was refused or has failed: command is for the command line, and key
// is for the console. Both are empty if no remedy is known.
func EnrollRemedy(it *enroll.Item, res *Result) (command, key string) {
	if refusal, is := errors.AsType[*models.Refusal](res.Err); is && res.Outcome == OutcomeRefused {
		return refusal.Hint, cmp.Or(refusal.ScreenHint, refusal.Hint)
	}
	failed, is := errors.AsType[*FailedError](res.Err)
	if !is {
		return "", ""
	}
	if models.ProvisionState(res.State) != models.StateEnroll {
		return "see ironworks explain " + res.Node.Label(), "see :explain"
	}
	text := strings.ToLower(failed.Reason)
	if strings.Contains(text, "401") || strings.Contains(text, "auth") || strings.Contains(text, "password") {
		correct := "correct the BMC password in the input and update credentials"
		return correct + " (--update-credentials)", correct
	}
	bmc, _ := enroll.BMCOf(it.Node.DriverInfo())
	check := fmt.Sprintf("check that the conductor can reach the BMC at %s", bmc)
	return check, check
}

// bringUp brings existing nodes to a goal. It uses an [Enroller], which sends one verb after another.
type bringUp struct {
	watchedAction
	api       EnrollAPI
	goal      Goal
	noInspect bool

	slots    chan struct{}
	followed atomic.Int64
}

// BringUp returns an action that brings nodes to the given goal. It sends manage, then inspect (unless the node was
// inspected before or noInspect is set), then provide. It stops at a node's first failure; the next run continues
// from the node's current state. If api is nil, the action can only be shown, not run.
func BringUp(api EnrollAPI, goal Goal, noInspect bool) Action {
	return &bringUp{api: api, goal: goal, noInspect: noInspect, slots: make(chan struct{}, Concurrency)}
}

func (*bringUp) Name() string { return "bring up" }

// Refuse refuses nodes with an instance, in a hold state, or for which a required verb is refused.
func (a *bringUp) Refuse(n *models.Node, v models.APIVersion) *models.Refusal {
	if n.ProvisionState.Class() == models.ClassHold {
		return refusal(a, n, models.RefusedState, fmt.Sprintf("held (%s)", n.ProvisionState), "ironworks unhold "+n.Label()).WithScreenHint(models.RunKey("unhold"))
	}
	switch n.ProvisionState.Phase() { //nolint:exhaustive // all others have an instance
	case models.StateEnroll, models.StateVerifying, models.StateManageable, models.StateInspecting, models.StateInspectFailed,
		models.StateCleaning, models.StateCleanFailed, models.StateAdoptFailed, models.StateDeleting, models.StateAvailable:
	default:
		why := fmt.Sprintf("not possible in state %q", n.ProvisionState)
		return refusal(a, n, models.RefusedState, why, "ironworks undeploy "+n.Label()).WithScreenHint(models.RunKey("undeploy"))
	}
	for _, s := range a.steps(n) {
		then := *n
		then.ProvisionState = s.from
		if refused := models.WhyNot(s.verb, &then, v); refused != nil {
			return refused
		}
	}
	return nil
}

// chained is one verb of a sequence, together with the state that the node must have when the verb is sent.
type chained struct {
	verb models.Verb
	from models.ProvisionState
}

// steps returns the verbs that bring the node to the goal if none of them fails.
func (a *bringUp) steps(n *models.Node) []chained {
	now := *n
	if now.ProvisionState.Busy() && now.TargetProvisionState != "" {
		if now.ProvisionState.Phase() == models.StateInspecting {
			now.InspectInterface = noInspectInterface // the running inspection will have ended by then, so do not inspect again
		}
		now.ProvisionState = now.TargetProvisionState
	}
	return (&Enroller{Goal: a.goal, NoInspect: a.noInspect}).steps(now, false)
}

// steps returns the verbs that bring the node to the goal if none of them fails.
func (e *Enroller) steps(n models.Node, adopt bool) []chained {
	var steps []chained
	for {
		verb, reached := e.next(&n, adopt)
		t, legal := models.FindTransition(n.ProvisionState, verb)
		if reached || !legal || len(t.Success) == 0 {
			return steps
		}
		steps = append(steps, chained{verb, n.ProvisionState})
		if n.ProvisionState = t.Success[0]; verb == models.VerbInspect {
			n.InspectInterface = noInspectInterface // the node now counts as inspected
		}
	}
}

// Effect returns the effect of the most dangerous verb in the sequence.
func (a *bringUp) Effect(n *models.Node) models.Effect {
	var worst models.Effect
	for _, s := range a.steps(n) {
		if e := models.VerbEffect(s.verb, n, nil); e.Danger >= worst.Danger {
			worst = e
		}
	}
	return worst
}

// entries returns the requests for the preview only; prepare sends them.
func (a *bringUp) entries(n *models.Node) ([]entry, error) {
	var list []entry
	for _, s := range a.steps(n) {
		e := provisionEntry(n, models.ProvisionRequest{Verb: s.verb})
		e.Request = sentInState(e.Request, n, s.from)
		list = append(list, e)
	}
	return list, nil
}

// sentInState returns r with a note that names the state in which it will be sent, unless the node is in that state.
func sentInState(r request.Request, n *models.Node, state models.ProvisionState) request.Request {
	if state != n.ProvisionState {
		r.When = fmt.Sprintf("when the node is %s", state)
	}
	return r
}

// prepare sends the verbs, each as soon as the node has the required state; without opts.Wait, only the first one.
func (a *bringUp) prepare(ctx, going context.Context, r *Runner, n *models.Node, opts RunOptions) (*deploymentLog, Result, bool) {
	if a.api == nil {
		refused := refusal(a, n, models.RefusedArguments, "no connection to send changes", "")
		return nil, Result{Node: n.Ref(), Outcome: OutcomeRefused, State: string(n.ProvisionState), Err: refused}, true
	}
	if opts.next != nil {
		opts.next() // a.slots limits the concurrent requests instead
	}
	e := &Enroller{
		Runner: r, API: a.api, Goal: a.goal, NoInspect: a.noInspect, Timeout: opts.Timeout, Progress: opts.Progress,
		name: a.Name(), singleVerb: !opts.Wait, slots: a.slots, followed: &a.followed,
	}
	res := Enrolled{Result: Result{Node: n.Ref(), State: string(n.ProvisionState)}}
	e.advance(ctx, going, n, &enroll.Item{Kind: enroll.Unchanged, UUID: n.UUID, Existing: n}, &res)
	if did := strings.Join(res.Changes, ", "); did != "" {
		res.Note = strings.Trim(did+"; "+res.Note, "; ")
	}
	return nil, res.Result, true
}
