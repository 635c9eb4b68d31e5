package provision

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
)

// AtOnce is how many nodes are acted on at the same time.
const AtOnce = 8

// Runner acts on nodes of one context.
type Runner struct {
	API   API
	Audit audit.Writer
	Clock Clock
	// Context is the context's name, for the audit; ReadOnly refuses everything.
	Context  string
	ReadOnly bool
	// Poll is the period of following; 0 means 1 s.
	Poll time.Duration
}

// Batch is an action and its nodes: what would be done to each, before anything is.
type Batch struct {
	Action Action
	Items  []Item
}

// Item is a batch's part for one node.
type Item struct {
	Node models.Node
	// Refusal is why nothing will be sent, nil when it will.
	Refusal *models.Refusal
	Effect  models.Effect
}

// Plan checks the action against every node. Nothing is sent.
func (r *Runner) Plan(a Action, nodes []models.Node) Batch {
	v, _ := r.API.Version()
	p := Batch{Action: a}
	for i := range nodes {
		item := Item{Node: nodes[i], Effect: a.Effect(&nodes[i])}
		if r.ReadOnly {
			item.Refusal = r.readOnly(a, &nodes[i])
		} else {
			item.Refusal = a.Refuse(&nodes[i], v)
		}
		p.Items = append(p.Items, item)
	}
	return p
}

// Refused lists the items that will not be sent, Legal those that will.
func (b Batch) Refused() []Item { return b.pick(false) }

// Legal lists the items that will be sent.
func (b Batch) Legal() []Item { return b.pick(true) }

func (b Batch) pick(legal bool) []Item {
	var items []Item
	for _, i := range b.Items {
		if (i.Refusal == nil) == legal {
			items = append(items, i)
		}
	}
	return items
}

// Danger is the greatest danger among the legal items.
func (b Batch) Danger() models.Danger {
	d := models.DangerNone
	for _, i := range b.Legal() {
		d = max(d, i.Effect.Danger)
	}
	return d
}

// RunOptions say how a plan is carried out.
type RunOptions struct {
	// Wait follows each node until it comes to rest; Timeout bounds that, 0 is no bound.
	Wait    bool
	Timeout time.Duration
	// StopOnFailure lets nodes that were not begun be once one has failed. Then [AtOnce]
	// nodes are under way at a time to their end; else the next is begun as soon as
	// Ironic has taken one.
	StopOnFailure bool
	// Progress is told of every step, from several goroutines; it must not block. May
	// be nil.
	Progress func(Progress)

	// next lets the next node begin; followed counts those that are followed.
	next     func()
	followed *atomic.Int64
}

// Progress is how far one node is.
type Progress struct {
	Node models.NodeRef
	// State is the node's state now, Step what runs; both may be empty.
	State models.ProvisionState
	Step  string
	// Retry is set while a request that was turned down waits for its next try.
	Retry *ironicclient.Retry
	// Fault is set while Ironic cannot be asked how the node is.
	Fault *models.Fault
	// Work is what was seen of the work so far, and At when that was, on the server's
	// clock; nil while there is nothing.
	Work *models.Work
	At   time.Time
	// Now is the node as Ironic gave it, in part; nil where it was not asked. Nobody may
	// change it.
	Now *models.Node
}

// Outcome is how it went for one node.
type Outcome string

// The outcomes.
const (
	OutcomeAccepted Outcome = "accepted" // Ironic took it; nobody waited for the end
	OutcomeDone     Outcome = "done"
	OutcomeFailed   Outcome = "failed"
	OutcomeRefused  Outcome = "refused" // nothing was sent
	OutcomeUnknown  Outcome = "unknown" // sent, but we do not know how it went
	// OutcomeNotTried: nothing was sent, for another node had failed.
	OutcomeNotTried Outcome = "not tried"
)

// Result is how the action went for one node.
type Result struct {
	Node      models.NodeRef
	Outcome   Outcome
	State     string
	RequestID string
	// Err says why it failed or was refused.
	Err error
	// Note is what has to be known although it went well; safe to show, mostly empty.
	Note string
}

// ErrTimeout is in the results of nodes that did not come to rest in time.
var ErrTimeout = errors.New("did not come to rest in time; it goes on by itself")

// ErrLeft is in the results of nodes whose following was interrupted.
var ErrLeft = errors.New("interrupted while waiting; the node goes on by itself")

// ErrNotTried is in the results of nodes that were let be.
var ErrNotTried = errors.New("another node had failed before")

// Run carries out a plan: the legal items, [AtOnce] at a time; the others come back
// refused. The results are in the plan's order.
func (r *Runner) Run(ctx context.Context, p Batch, opts RunOptions) []Result {
	results := make([]Result, len(p.Items))
	opts.followed = new(atomic.Int64)
	var failed atomic.Bool
	inTurns(ctx, len(p.Items), func(going context.Context, i int, next func()) {
		opts := opts
		if opts.next = next; opts.StopOnFailure {
			opts.next = func() {}
		}
		item := &p.Items[i]
		refused := item.Refusal
		if refused == nil && r.ReadOnly {
			refused = r.readOnly(p.Action, &item.Node)
		}
		if refused != nil {
			results[i] = Result{Node: item.Node.Ref(), Outcome: OutcomeRefused, Err: refused, State: string(item.Node.ProvisionState)}
			return
		}
		if opts.StopOnFailure && failed.Load() {
			results[i] = Result{Node: item.Node.Ref(), Outcome: OutcomeNotTried, Err: ErrNotTried, State: string(item.Node.ProvisionState)}
			return
		}
		results[i] = r.one(ctx, going, p.Action, &item.Node, opts)
		if results[i].Err != nil {
			failed.Store(true)
		}
	})
	return results
}

func (r *Runner) readOnly(a Action, n *models.Node) *models.Refusal {
	return refusal(a, n, models.RefusedReadOnly, "this context is read-only", "--read-only=false lifts it")
}

// Failed lists the plan's items that failed or were not tried, for another try.
func (b Batch) Failed(results []Result) []Item {
	var items []Item
	for i, res := range results {
		if res.Outcome == OutcomeFailed || res.Outcome == OutcomeNotTried {
			items = append(items, b.Items[i])
		}
	}
	return items
}

// one acts on one node. What was begun to be sent is sent to its end unless ctx ends;
// nothing new begins, and nothing is followed any longer, once going has ended. How far
// it is goes into the log first.
func (r *Runner) one(ctx, going context.Context, a Action, n *models.Node, opts RunOptions) Result {
	log, res, over := a.begin(ctx, going, r, n, opts)
	defer log.close()
	if over {
		return res
	}
	entries, err := a.entries(n)
	if err != nil {
		res.Outcome, res.Err = OutcomeRefused, err
		return res
	}
	told := log.renewing(ctx, r.Clock, func(retry ironicclient.Retry) {
		opts.tell(Progress{Node: n.Ref(), State: n.ProvisionState, Retry: &retry})
	})
	for i, e := range entries {
		switch {
		case e.sent, e.last:
			continue
		case going.Err() != nil:
			res.Outcome, res.Err = OutcomeRefused, fmt.Errorf("%s %s: interrupted before anything was sent", a.Name(), n.Label())
			if i > 0 {
				res.Outcome, res.Err = OutcomeUnknown, fmt.Errorf("%s %s: interrupted before %q", a.Name(), n.Label(), e.verb)
			}
		case e.ask != nil:
			if res.Err = e.ask(told, r.API); res.Err != nil {
				res.Outcome = OutcomeFailed
			}
		default:
			if e.stage != "" {
				res.Err = log.note(e.stage, r.Clock.Now())
			} else {
				res.Err = log.renew(r.Clock.Now())
			}
			if res.Outcome = OutcomeFailed; res.Err == nil {
				res.RequestID, res.Outcome, res.Err = r.audited(told, e, n)
			}
			if res.Err != nil && res.Outcome != OutcomeFailed {
				r.backOutOfUnknown(ctx, entries[:i+1], n, log, &res)
				return res
			}
		}
		if res.Err != nil {
			r.backOut(ctx, entries[:i], time.Time{}, n, log, &res)
			return res
		}
	}
	res.Outcome = OutcomeAccepted
	if a.atOnce() {
		res.Outcome, res.Note = OutcomeDone, a.note(n.Ref())
		return res
	}
	if !opts.Wait {
		_ = log.note(StageSent, r.Clock.Now()) // else it stays to be found out
		return res
	}
	began := r.Clock.Now()
	_ = log.note(StageFollowing, began) // as above
	r.follow(going, a, n, began, opts, &res)
	r.settle(log, &res)
	return res
}

func (o RunOptions) tell(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// audited sends one request between two lines of the audit.
func (r *Runner) audited(ctx context.Context, e entry, n *models.Node) (requestID string, o Outcome, err error) {
	rec := audit.Record{
		Time: r.Clock.Now().UTC(), ID: newID(), Context: r.Context, Node: n.Ref(), Verb: e.verb, Result: audit.Sending, Overrides: e.overrides,
	}
	if err := r.Audit.Write(rec); err != nil {
		return "", OutcomeFailed, fmt.Errorf("%s %s: nothing was sent: %w", e.verb, n.Label(), err)
	}
	rec.RequestID, err = e.carryOut(ctx, r.API)
	rec.Time, rec.Result, o = r.Clock.Now().UTC(), audit.Accepted, OutcomeAccepted
	if err != nil {
		rec.Result, o = audit.Refused, OutcomeFailed
		rec.Reason = models.Printable(err.Error())
		var f *models.Fault
		if errors.As(err, &f) {
			rec.RequestID, rec.Reason = f.RequestID, auditReason(&e, f)
			if f.Sent {
				rec.Result, o = audit.Unknown, OutcomeUnknown
			}
		}
	}
	if auditErr := r.Audit.Write(rec); auditErr != nil {
		// It was sent: doing it again because of a full disk would be worse.
		o, err = OutcomeUnknown, errors.Join(err, fmt.Errorf("%s %s: sent, but its end is not in the audit: %w", e.verb, n.Label(), auditErr))
	}
	return rec.RequestID, o, err
}

// auditReason is why a request was turned down. Ironic's answers to bad requests repeat
// what was sent, passwords too, so of such a request only the kind of answer is kept;
// the request id leads to the rest in Ironic's own log.
func auditReason(e *entry, f *models.Fault) string {
	switch {
	case !e.Sensitive || f.Kind == models.FaultLocked:
		return f.Reason()
	case f.Status == 0:
		return string(f.Kind)
	}
	return fmt.Sprintf("%s (HTTP %d)", f.Kind, f.Status)
}

func newID() string {
	var b [6]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Index is the place of a node in the plan, and so of its result; -1 when it is not in
// it.
func (b Batch) Index(uuid string) int {
	return slices.IndexFunc(b.Items, func(i Item) bool { return i.Node.UUID == uuid })
}
