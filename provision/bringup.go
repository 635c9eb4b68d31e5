package provision

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"ironworks/enroll"
	"ironworks/models"
	"ironworks/models/request"
)

// bringUp is the action that brings existing nodes to a goal. It uses an [Enroller], which sends one verb after
// another.
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

// BringUpName is the name of the action that [BringUp] returns.
const BringUpName = "bring up"

// Name returns [BringUpName].
func (*bringUp) Name() string { return BringUpName }

// Refuse refuses nodes with an instance, nodes in a hold state, and nodes for which one of the required verbs is
// refused.
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

// entries returns the requests for the preview only. prepare sends each of them as soon as the node has reached the
// state that the request requires.
func (a *bringUp) entries(n *models.Node) ([]entry, error) {
	var list []entry
	for _, s := range a.steps(n) {
		e := provisionEntry(n, models.ProvisionRequest{Verb: s.verb})
		e.Request = sentInState(e.Request, n, s.from)
		list = append(list, e)
	}
	return list, nil
}

// sentInState returns r with a note that names the node state in which r will be sent. If the node is already in that
// state, sentInState adds no note.
func sentInState(r request.Request, n *models.Node, state models.ProvisionState) request.Request {
	if state != n.ProvisionState {
		r.When = fmt.Sprintf("when the node is %s", state)
	}
	return r
}

// prepare sends all verbs, each as soon as the node has reached the required state. If opts.Wait is unset, it sends
// only the first verb.
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
		name: BringUpName, singleVerb: !opts.Wait, slots: a.slots, followed: &a.followed,
	}
	res := Enrolled{Result: Result{Node: n.Ref(), State: string(n.ProvisionState)}}
	e.advance(ctx, going, n, &enroll.Item{Kind: enroll.Unchanged, UUID: n.UUID, Existing: n}, &res)
	if did := strings.Join(res.Changes, ", "); did != "" {
		res.Note = strings.Trim(did+"; "+res.Note, "; ")
	}
	return nil, res.Result, true
}
