package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
)

// Concurrency is the number of nodes that are acted on at the same time.
const Concurrency = 8

// Runner acts on nodes of one context.
type Runner struct {
	API   API
	Audit audit.Writer
	// Context is the context's name, for the audit log; ReadOnly refuses all actions.
	Context  string
	ReadOnly bool
	// Actor is the acting user, on a server with several users; zero otherwise.
	Actor audit.Actor
	// Poll is the period of watching; 0 means 1 s.
	Poll time.Duration
}

// Batch is a planned action on nodes: [Runner.Plan] returns one, and [Runner.Run] carries it out.
type Batch struct {
	Action Action
	Items  []Item
}

// Item is the part of a batch for one node.
type Item struct {
	Node models.Node
	// Refusal is the reason why nothing will be sent to the node, or nil.
	Refusal *models.Refusal
	Effect  models.Effect
	// Warnings describe settings that are legal but may not work, one sentence for each.
	Warnings []string
}

// Plan checks the action against every node. It sends nothing.
func (r *Runner) Plan(a Action, nodes []models.Node) Batch {
	v, _ := r.API.Version()
	p := Batch{Action: a}
	for i := range nodes {
		item := Item{Node: nodes[i], Effect: a.Effect(&nodes[i])}
		if r.ReadOnly {
			item.Refusal = readOnly(a.Name(), nodes[i].Label())
		} else {
			item.Refusal = a.Refuse(&nodes[i], v)
		}
		if item.Refusal == nil {
			item.Warnings = a.warnings(&nodes[i])
		}
		p.Items = append(p.Items, item)
	}
	return p
}

// Prepare reads the nodes, runs the action's checks on them, and plans the action. It changes nothing.
func (r *Runner) Prepare(ctx context.Context, a Action, ids []string) (Batch, error) {
	nodes, err := FindNodes(ctx, r.API, ids)
	if err != nil {
		return Batch{}, err
	}
	a.Preflight(ctx, nodes)
	return r.Plan(a, nodes), ctx.Err()
}

// Refused returns the items that will not be sent.
func (b Batch) Refused() []Item { return b.filter(false) }

// Legal returns the items that will be sent.
func (b Batch) Legal() []Item { return b.filter(true) }

func (b Batch) filter(legal bool) []Item {
	var items []Item
	for _, i := range b.Items {
		if (i.Refusal == nil) == legal {
			items = append(items, i)
		}
	}
	return items
}

// Danger returns the greatest danger among the legal items.
func (b Batch) Danger() models.Danger {
	d := models.DangerNone
	for _, i := range b.Legal() {
		d = max(d, i.Effect.Danger)
	}
	return d
}

// Consent returns the confirmation that the batch requires.
func (b Batch) Consent() models.Consent { return b.Danger().Consent() }

// Answer returns the text that the operator must type for [models.ConsentTyped]: the name of a single node, or the
// number of several nodes.
func (b Batch) Answer() string {
	legal := b.Legal()
	if len(legal) == 1 {
		return legal[0].Node.TypedName()
	}
	return strconv.Itoa(len(legal))
}

// RunOptions configure [Runner.Run].
type RunOptions struct {
	// Wait watches each node until the action ends. Timeout is the maximum time for that; 0 means no limit.
	Wait    bool
	Timeout time.Duration
	// StopOnFailure starts no further nodes after one has failed. With it, at most [Concurrency] nodes run at a time,
	// each until its end. Otherwise, the next node starts as soon as Ironic has accepted the request of another.
	StopOnFailure bool
	// Progress is called at every step, from several goroutines; it must not block. It may be nil.
	Progress func(Progress)
	// Done is called with the result of each node as soon as it is available, like Progress. It may be nil.
	Done func(Result)
	// Sent reports whether and when an earlier run, which was interrupted, sent the requests to a node. Such a node is
	// only watched. It may be nil.
	Sent func(uuid string) (at time.Time, sent bool)
	// Cancels removes single nodes from the run; it may be nil.
	Cancels *Cancels

	// next lets the next node start. followed counts the nodes that are watched.
	next     func()
	followed *atomic.Int64
}

// Progress is a report on one node while an action runs on it.
type Progress struct {
	Node models.NodeRef
	// State is the node's current state, Step the running step; both may be empty.
	State models.ProvisionState
	Step  string
	// Retry is set while a rejected request waits for its next attempt.
	Retry *ironicclient.Retry
	// Fault is set while the node cannot be read.
	Fault *models.Fault
	// Work is the observed part of the operation, at the time At on the server's clock; nil if nothing was observed.
	Work *models.Work
	At   time.Time
	// Now is the node with the fields that were read; nil if it was not read. The receiver must
	// not change it.
	Now *models.Node
	// Enrolled is the result of a node whose enrollment has ended while others still run; nil before its end. It must
	// not be changed.
	Enrolled *Enrolled
}

// Outcome is the outcome of an action on one node.
type Outcome string

// Outcomes.
const (
	OutcomeAccepted Outcome = "accepted" // accepted by Ironic, not watched
	OutcomeDone     Outcome = "done"
	OutcomeFailed   Outcome = "failed"
	OutcomeRefused  Outcome = "refused" // nothing was sent
	OutcomeUnknown  Outcome = "unknown" // sent, result unknown
	// OutcomeNotTried means that nothing was sent, because another node had failed.
	OutcomeNotTried Outcome = "not tried"
	// OutcomeCanceled means that the operator removed the node from the run; the error says whether a request was sent.
	OutcomeCanceled Outcome = "canceled"
)

// Result is the result of the action on one node.
type Result struct {
	Node      models.NodeRef
	Outcome   Outcome
	State     string
	RequestID string
	// Err is the reason why the action failed or was refused; nil if it succeeded.
	Err error
	// Note has information about a success. It is safe to show, and mostly empty.
	Note string
}

// Retryable reports whether another attempt makes sense: the action failed, or was not tried because another node had
// failed.
func (r *Result) Retryable() bool { return r.Outcome == OutcomeFailed || r.Outcome == OutcomeNotTried }

// ErrTimeout is the error of nodes that were still busy at the time limit.
var ErrTimeout = errors.New("still running after the time limit; the operation continues")

// ErrLeft is the error of nodes whose wait was interrupted.
var ErrLeft = errors.New("interrupted while waiting; the operation continues")

// errNotSent is the error of nodes that were interrupted before their first request.
var errNotSent = errors.New("interrupted before the first request")

// ErrNotTried is the error of nodes that were not started after another failed.
var ErrNotTried = errors.New("not started: another node failed before")

// Run carries out a plan: it acts on the nodes of the legal items, [Concurrency] at a time, and returns the others as
// refused. The results are in the plan's order.
func (r *Runner) Run(ctx context.Context, p Batch, opts RunOptions) []Result {
	results := make([]Result, len(p.Items))
	opts.followed = new(atomic.Int64)
	var failed atomic.Bool
	inSlots(ctx, len(p.Items), Concurrency, func(going context.Context, i int, next func()) {
		opts := opts
		if opts.next = next; opts.StopOnFailure {
			opts.next = func() {}
		}
		results[i] = r.runItem(ctx, going, p.Action, &p.Items[i], opts, failed.Load())
		if results[i].Err != nil {
			failed.Store(true)
		}
		if opts.Done != nil {
			opts.Done(results[i])
		}
	})
	return results
}

// runItem acts on the node of an item unless the item is refused or canceled, or another node has failed before.
func (r *Runner) runItem(ctx, going context.Context, a Action, item *Item, opts RunOptions, failed bool) Result {
	res := Result{Node: item.Node.Ref(), State: string(item.Node.ProvisionState)}
	refused := item.Refusal
	if refused == nil && r.ReadOnly {
		refused = readOnly(a.Name(), item.Node.Label())
	}
	if refused != nil {
		res.Outcome, res.Err = OutcomeRefused, refused
		return res
	}
	if opts.StopOnFailure && failed {
		res.Outcome, res.Err = OutcomeNotTried, ErrNotTried
		return res
	}
	ctx, going, end := opts.Cancels.contexts(ctx, going, res.Node.UUID)
	defer end()
	if opts.Cancels.Has(res.Node.UUID) {
		res.Outcome, res.Err = OutcomeCanceled, ErrCanceled
		return res
	}
	res = r.runNode(ctx, going, a, &item.Node, opts)
	opts.Cancels.mark(&res)
	return res
}

// readOnly returns the refusal of an action on a node in a read-only context.
func readOnly(action, node string) *models.Refusal {
	return &models.Refusal{
		Kind: models.RefusedReadOnly, Action: action, Node: node, Why: "this context is read-only", Hint: "pass --read-only=false to allow changes",
	}
}

// Failed returns the batch's items that failed or were not tried, for another attempt.
func (b Batch) Failed(results []Result) []Item {
	var items []Item
	for i, res := range results {
		if res.Retryable() {
			items = append(items, b.Items[i])
		}
	}
	return items
}

// runNode acts on one node. A request that was started is sent unless ctx ends. After going has ended, no new request
// is sent, and the node is not watched. Each stage is recorded before its requests are sent.
func (r *Runner) runNode(ctx, going context.Context, a Action, n *models.Node, opts RunOptions) Result {
	log, res, over := a.prepare(ctx, going, r, n, opts)
	defer log.close()
	if over {
		return res
	}
	if at, sent := opts.wasSent(n.UUID); sent {
		if res.Outcome = OutcomeDone; !a.immediate() {
			res.Outcome = OutcomeAccepted
			r.follow(going, a, n, at, opts, &res)
		}
		return res
	}
	entries, err := a.entries(n)
	if err != nil {
		res.Outcome, res.Err = OutcomeRefused, err
		return res
	}
	retrying := log.renewOnRetry(ctx, func(retry ironicclient.Retry) {
		opts.report(Progress{Node: n.Ref(), State: n.ProvisionState, Retry: &retry})
	})
	for i, e := range entries {
		switch {
		case e.sent, e.last:
			continue
		// A context ends before those derived from it, so going alone would let a request through.
		case ctx.Err() != nil || going.Err() != nil:
			res.Outcome, res.Err = OutcomeRefused, fmt.Errorf("%s %s: %w", a.Name(), n.Label(), errNotSent)
			if i > 0 {
				res.Outcome, res.Err = OutcomeUnknown, fmt.Errorf("%s %s: interrupted before %q", a.Name(), n.Label(), e.verb)
			}
		case e.ask != nil:
			if res.Err = e.ask(retrying, r.API); res.Err != nil {
				res.Outcome = OutcomeFailed
			}
		default:
			if e.stage != "" {
				res.Err = log.setStage(e.stage, time.Now())
			} else {
				res.Err = log.renew(time.Now())
			}
			if res.Outcome = OutcomeFailed; res.Err == nil {
				res.RequestID, res.Outcome, res.Err = r.audited(retrying, e, n)
			}
			if res.Err != nil && res.Outcome != OutcomeFailed {
				r.revertUnknown(ctx, entries[:i+1], n, log, &res)
				return res
			}
		}
		if res.Err != nil {
			r.revert(ctx, entries[:i], time.Time{}, n, log, &res)
			return res
		}
	}
	res.Outcome = OutcomeAccepted
	if a.immediate() {
		res.Outcome, res.Note = OutcomeDone, a.resultText(n.Ref())
		return res
	}
	if !opts.Wait {
		_ = log.setStage(StageSent, time.Now()) // if that fails, the next run detects it
		return res
	}
	start := time.Now()
	_ = log.setStage(StageFollowing, start) // if that fails, the next run detects it
	r.follow(going, a, n, start, opts, &res)
	r.updateRecord(log, &res)
	return res
}

func (o RunOptions) wasSent(uuid string) (at time.Time, sent bool) {
	if o.Sent == nil {
		return time.Time{}, false
	}
	return o.Sent(uuid)
}

func (o RunOptions) report(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Index returns the position of a node in the batch, which is also that of its result, or -1.
func (b Batch) Index(uuid string) int {
	return slices.IndexFunc(b.Items, func(i Item) bool { return i.Node.UUID == uuid })
}
