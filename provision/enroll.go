package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ironworks/enroll"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/ports"
)

// Goal is the state to which enrolling brings nodes.
type Goal string

// The goals, in the order in which a node reaches them.
const (
	GoalEnroll     Goal = "enroll"
	GoalManageable Goal = "manageable"
	GoalInspected  Goal = "inspected"
	GoalAvailable  Goal = "available"
)

// Goals returns all goals in the order in which a node reaches them.
func Goals() []Goal { return []Goal{GoalEnroll, GoalManageable, GoalInspected, GoalAvailable} }

// EnrollAPI is the part of Ironic's API that enrolling needs; *ironicclient.Client implements it.
type EnrollAPI interface {
	API
	InspectedPorts
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
	RawPorts(ctx context.Context, node string) ([]map[string]any, error)
	RawPortgroups(ctx context.Context, node string) ([]map[string]any, error)
	PortsAt(ctx context.Context, mac string) ([]models.Port, error)
	BIOS(ctx context.Context, node string) ([]models.BIOSSetting, error)
}

// ReadExisting reads all nodes, ports and port groups from Ironic, so that they can be compared with an input.
func ReadExisting(ctx context.Context, api EnrollAPI) (enroll.Existing, error) {
	var have enroll.Existing
	err := api.EachPage(ctx, ironicclient.NodeQuery{Detail: true, KeepRaw: true}, func(p *ironicclient.NodePage) error {
		have.Nodes = append(have.Nodes, p.Nodes...)
		return nil
	})
	if err != nil {
		return have, err
	}
	if have.Ports, err = api.RawPorts(ctx, ""); err != nil {
		return have, err
	}
	have.Portgroups, err = api.RawPortgroups(ctx, "")
	return have, err
}

// Enroller creates and changes nodes as a plan requires, and brings them to a goal.
type Enroller struct {
	Runner *Runner
	API    EnrollAPI
	Goal   Goal
	// NoInspect skips inspection on the way to the goal.
	NoInspect bool
	// Timeout limits the duration of each operation on a node; 0 means no limit.
	Timeout time.Duration
	// Progress is called for every step, from several goroutines; it must not block. It may be nil.
	Progress func(Progress)
	// Cancels removes individual nodes from the run; it may be nil.
	Cancels *Cancels

	// name identifies the action in errors. If singleVerb is true, only the next verb is sent to a node.
	name       string
	singleVerb bool
	// slots limits the number of concurrent requests. followed is the number of watched nodes.
	slots    chan struct{}
	followed *atomic.Int64
}

// Enrolled is the result of enrolling one node.
type Enrolled struct {
	Result
	// Changes lists the completed changes in order, such as "created", "1 port", "verified" and "inspected".
	Changes []string
}

// Run carries out a plan. It refuses conflicts and invalid nodes, and brings the other nodes to the goal. Changes
// that an earlier run or another client has made are skipped. The results are in the order of the plan.
func (e *Enroller) Run(ctx context.Context, plan enroll.Plan) []Enrolled {
	results := make([]Enrolled, len(plan))
	e.name, e.slots, e.followed = "enroll", make(chan struct{}, Concurrency), new(atomic.Int64)
	inSlots(ctx, len(plan), Concurrency, func(going context.Context, i int, next func()) {
		next() // start the next node: e.slots limits the concurrent requests
		ctx, going, end := e.Cancels.contexts(ctx, going, plan[i].UUID)
		defer end()
		results[i] = e.node(ctx, going, &plan[i])
		e.Cancels.mark(&results[i].Result)
		e.report(&results[i])
	})
	return results
}

func (e *Enroller) report(r *Enrolled) {
	if e.Progress != nil {
		e.Progress(Progress{Node: r.Node, State: models.ProvisionState(r.State), Enrolled: r})
	}
}

func (e *Enroller) node(ctx, going context.Context, it *enroll.Item) Enrolled {
	n := nodeOf(it)
	if it.Kind.Refused() {
		return Enrolled{Result: Result{Node: n.Ref(), Outcome: OutcomeRefused, State: string(n.ProvisionState), Err: &models.Refusal{
			Kind: models.RefusedArguments, Action: "enroll", Node: it.Node.Label(), Why: it.Reason, Hint: it.Remedy,
		}}}
	}
	r := Enrolled{Result: Result{Node: n.Ref(), Outcome: OutcomeDone, State: string(n.ProvisionState)}}
	if it.Kind != enroll.Unchanged {
		e.change(ctx, going, n, it, &r)
	}
	if r.Err != nil || e.Goal == GoalEnroll {
		return r
	}
	e.advance(ctx, going, n, it, &r)
	return r
}

// change creates or changes a node. Ironic rejects most changes during a transition, which another run may have started
// after the comparison. Such changes are sent again when the transition has ended. Changes whose answer was lost are
// also sent again, and may therefore be made twice. A creation is sent again only if Ironic does not have the object
// yet.
func (e *Enroller) change(ctx, going context.Context, n *models.Node, it *enroll.Item, r *Enrolled) {
	action := &enrollAction{item: it, api: e.API}
	// a removal fails if it is sent a second time
	removes := slices.ContainsFunc(it.Changes, func(c enroll.FieldChange) bool { return c.After == nil })
	for sent := 1; ; sent++ {
		r.Result = e.act(ctx, going, action, n, false)
		if r.Err == nil {
			r.Changes = action.changesMade()
			return
		}
		fault, requestFailed := errors.AsType[*models.Fault](r.Err)
		lost := r.Outcome == OutcomeUnknown && it.Kind == enroll.Change && sent < mostSent && !removes
		if !requestFailed || fault.Kind != models.FaultConflict && !lost {
			return
		}
		now, err := e.API.Node(going, n.UUID)
		if err != nil || now.ProvisionState == n.ProvisionState && !lost {
			return
		}
		if !now.ProvisionState.Resting() && !e.await(going, now, r) {
			return
		}
		n = now
	}
}

// nodeOf returns the node of the item: the existing node in Ironic or, if there is none, the node to be created.
func nodeOf(it *enroll.Item) *models.Node {
	if it.Existing != nil {
		return it.Existing
	}
	return &models.Node{UUID: it.UUID, Name: it.Node.Name(), ProvisionState: models.StateEnroll, Driver: it.Node.Driver()}
}

// act runs one action on a node as soon as a slot is free.
func (e *Enroller) act(ctx, going context.Context, a Action, n *models.Node, wait bool) Result {
	res := Result{Node: n.Ref(), State: string(n.ProvisionState)}
	select {
	case e.slots <- struct{}{}:
	case <-going.Done():
		res.Outcome, res.Err = OutcomeUnknown, ErrLeft
		return res
	}
	free := sync.OnceFunc(func() { <-e.slots })
	defer free()
	opts := RunOptions{Wait: wait, Timeout: e.Timeout, Progress: e.Progress, next: free, followed: e.followed}
	if v, _ := e.Runner.API.Version(); e.Runner.ReadOnly {
		res.Outcome, res.Err = OutcomeRefused, readOnly(a.Name(), n.Label())
		return res
	} else if refused := a.Refuse(n, v); refused != nil {
		res.Outcome, res.Err = OutcomeFailed, refused
		return res
	}
	return e.Runner.runNode(ctx, going, a, n, opts)
}

func (e *Enroller) advance(ctx, going context.Context, n *models.Node, it *enroll.Item, r *Enrolled) {
	tried := map[models.Verb]int{}
	prepared := it.Node.Prepare == nil
	for {
		now, err := e.API.Node(going, n.UUID)
		if err != nil {
			r.Outcome, r.Err = OutcomeUnknown, err
			return
		}
		r.State = string(now.ProvisionState)
		if !now.ProvisionState.Resting() {
			if e.singleVerb {
				r.Outcome = OutcomeAccepted
				return
			}
			// This operation was started by another run or by an earlier one.
			if !e.await(going, now, r) {
				return
			}
			continue
		}
		verb, reached := e.next(now, it.Node.Adopt)
		if verb == models.VerbProvide && !prepared {
			prepared = true
			if !e.prepare(ctx, going, now, &it.Node, r) {
				return
			}
			continue
		}
		switch {
		case reached:
			r.Outcome = OutcomeDone
			return
		case verb == "" || tried[verb] >= mostSent:
			r.Outcome = OutcomeFailed
			r.Err = e.stuckError(now)
			return
		}
		tried[verb]++
		before := now.ProvisionState
		r.Result = e.act(ctx, going, Provision(models.ProvisionRequest{Verb: verb}), now, !e.singleVerb)
		if !e.singleVerb && e.sendAgain(going, now, r, tried[verb]) {
			r.Err = nil
			continue
		}
		if r.Err != nil || e.singleVerb {
			return
		}
		tried[verb] = mostSent // the verb has succeeded, so do not send it again
		r.Changes = append(r.Changes, completedText(verb, before))
		if verb == models.VerbInspect {
			if r.Err = e.addPorts(ctx, going, now, r); r.Err != nil {
				return
			}
		}
	}
}

// mostSent is the maximum number of times that a verb or change is sent if Ironic does not answer in time.
const mostSent = 3

// sendAgain reports whether to continue although the request for a verb (not its operation) has failed. If the node
// has left its state, another client or a killed run was faster, or our request arrived and its answer was lost. If
// the state is unchanged after a lost answer, the verb can be sent again, because Ironic accepts it only once.
func (e *Enroller) sendAgain(going context.Context, before *models.Node, r *Enrolled, sent int) bool {
	if _, requestFailed := errors.AsType[*models.Fault](r.Err); !requestFailed {
		return false
	}
	now, err := e.API.Node(going, before.UUID)
	return err == nil && (now.ProvisionState != before.ProvisionState || r.Outcome == OutcomeUnknown && sent < mostSent)
}

func (e *Enroller) stuckError(n *models.Node) error {
	failed := &FailedError{Action: e.name, Node: n.Ref(), State: string(n.ProvisionState), Reason: n.LastError}
	if n.LastError == "" {
		failed.Reason = fmt.Sprintf("no operation leads from %q to the goal", n.ProvisionState)
		failed.Hint, failed.ScreenHint = "see ironworks explain "+n.Label(), "see :explain"
	}
	return failed
}

func completedText(v models.Verb, before models.ProvisionState) string {
	switch {
	case v == models.VerbManage && before == models.StateEnroll:
		return "verified"
	case v == models.VerbManage:
		return "managed"
	case v == models.VerbInspect:
		return "inspected"
	case v == models.VerbAdopt:
		return "adopted"
	}
	return "available"
}

func (e *Enroller) await(going context.Context, n *models.Node, r *Enrolled) bool {
	opts := RunOptions{Wait: true, Timeout: e.Timeout, Progress: e.Progress, next: func() {}, followed: e.followed}
	e.Runner.follow(going, &otherOperation{name: e.name}, n, time.Now(), opts, &r.Result)
	return r.Err == nil
}

// otherOperation is the action used to watch the operation of another client until the node is stable.
type otherOperation struct {
	watchedAction
	name string
}

func (a *otherOperation) Name() string { return a.name }

func (*otherOperation) entries(*models.Node) ([]entry, error) { return nil, nil }

// next returns the next verb on the way from the node's stable state to the goal, or "" if there is none. reached
// reports whether the node has reached the goal.
func (e *Enroller) next(n *models.Node, adopt bool) (verb models.Verb, reached bool) {
	if n.ProvisionState.Class() == models.ClassHold {
		return "", false
	}
	switch n.ProvisionState { //nolint:exhaustive // in all others the node is beyond enrolling
	case models.StateEnroll:
		return models.VerbManage, false
	case models.StateManageable:
		switch {
		case e.Goal == GoalManageable:
			return "", true
		case adopt:
			return models.VerbAdopt, false
		case !e.NoInspect && !inspected(n):
			return models.VerbInspect, false
		case e.Goal == GoalInspected:
			return "", true
		}
		return models.VerbProvide, false
	case models.StateInspectFailed:
		if e.Goal == GoalManageable || e.NoInspect || adopt {
			return models.VerbManage, false
		}
		return models.VerbInspect, false
	case models.StateCleanFailed, models.StateAdoptFailed:
		return models.VerbManage, false
	}
	return "", true
}

const noInspectInterface = "no-inspect"

// inspected reports whether the node has been inspected at least once or cannot be inspected.
func inspected(n *models.Node) bool {
	return !models.InspectedAt(n).IsZero() || n.InspectInterface == noInspectInterface
}

// addPorts creates the ports that [ports.Compare] reports as missing. Other findings go to the result's note.
func (e *Enroller) addPorts(ctx, going context.Context, n *models.Node, r *Enrolled) error {
	report, err := ComparePorts(going, e.API, n)
	if _, without := errors.AsType[*models.Refusal](err); without {
		r.Note = "ports not compared: inspection stored no inventory with NICs"
		return nil
	} else if err != nil {
		r.Note = "ports not compared with the inventory: " + err.Error()
		return nil //nolint:nilerr // the node itself was inspected
	}
	it := &enroll.Item{Kind: enroll.Change, UUID: n.UUID, Existing: n}
	var others []string
	for _, f := range report.Findings {
		if f.Kind != ports.MissingPort {
			others = append(others, f.Text)
			continue
		}
		it.Parts = append(it.Parts, enroll.PartItem{Noun: enroll.PortNoun, Kind: enroll.Create, Fields: f.Create, UUID: enroll.PartUUID(n.UUID, f.Create)})
	}
	if len(it.Parts) > 0 {
		action := &enrollAction{item: it, api: e.API}
		if r.Result = e.act(ctx, going, action, n, false); r.Err != nil {
			return r.Err
		}
		r.Changes = append(r.Changes, action.changesMade()...)
	}
	r.Note = strings.Join(others, "; ")
	return nil
}

// prepareAction prepares a node for deployments: it sets the target RAID configuration and runs the clean steps.
type prepareAction struct {
	verbAction
	raid map[string]any
}

func newPrepareAction(p *enroll.Preparation) prepareAction {
	return prepareAction{verbAction{req: models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: p.Steps()}, setsRAID: true}, p.RAID.Config()}
}

func (a prepareAction) entries(n *models.Node) ([]entry, error) {
	list, err := a.verbAction.entries(n)
	if a.raid != nil {
		list = append([]entry{targetRAIDEntry(n, a.raid)}, list...)
	}
	return list, err
}

// prepare completes the preparation of a manageable node. Earlier runs may have done some or all of it.
func (e *Enroller) prepare(ctx, going context.Context, n *models.Node, wanted *enroll.Node, r *Enrolled) (ok bool) {
	p := wanted.Prepare
	var settings []models.BIOSSetting
	if len(p.BIOS) > 0 {
		var err error
		if settings, err = e.API.BIOS(going, n.UUID); err != nil {
			r.Outcome, r.Err = OutcomeUnknown, err
			return false
		}
	}
	left := p.Pending(n, settings)
	if left == nil {
		return true
	}
	if r.Result = e.act(ctx, going, newPrepareAction(left), n, true); r.Err != nil {
		return false
	}
	r.Changes = append(r.Changes, "prepared ("+left.String()+")")
	return e.hintAgain(ctx, going, n, wanted, r)
}

// hintAgain sets the root device hints of the input again, because deleting a RAID removes them
// (_delete_configuration_final of AgentRAID in ironic/drivers/modules/agent.py). Without hints, a deployment
// would pick any disk.
func (e *Enroller) hintAgain(ctx, going context.Context, n *models.Node, wanted *enroll.Node, r *Enrolled) (ok bool) {
	properties, _ := wanted.Fields["properties"].(map[string]any)
	if properties["root_device"] == nil || wanted.Prepare.RAID == nil {
		return true
	}
	it := &enroll.Item{Kind: enroll.Change, UUID: n.UUID, Existing: n, Changes: []enroll.FieldChange{
		{Path: []string{"properties", "root_device"}, After: properties["root_device"]},
	}}
	r.Result = e.act(ctx, going, &enrollAction{item: it, api: e.API}, n, false)
	return r.Err == nil
}
