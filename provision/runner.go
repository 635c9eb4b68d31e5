package provision

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/printable"
)

// Concurrency is the maximum number of nodes that are acted on at the same time.
const Concurrency = 8

// Runner runs actions on the nodes of one context.
type Runner struct {
	API   API
	Audit audit.Writer
	// Context is the name of the context for the audit log. If ReadOnly is set, all actions are refused.
	Context  string
	ReadOnly bool
	// Actor is the user on whose behalf actions run on a server with several users. Otherwise, it is zero.
	Actor audit.Actor
	// Poll is the interval at which watched nodes are read; 0 means 1 s.
	Poll time.Duration
}

// Batch is an action that [Runner.Plan] has planned for several nodes. [Runner.Run] carries it out.
type Batch struct {
	Action Action
	Items  []Item
}

// Item is the part of a batch that concerns one node.
type Item struct {
	Node models.Node
	// Refusal is the reason why nothing will be sent to the node, or nil if the action is legal.
	Refusal *models.Refusal
	Effect  models.Effect
	// Warnings lists settings that are legal but may not work, with one sentence for each.
	Warnings []string
}

// Plan checks the action for each of the nodes. It sends nothing.
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

// Refused returns the items whose nodes are refused.
func (b Batch) Refused() []Item { return b.filter(false) }

// Legal returns the items whose nodes are not refused.
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

// Answer returns the text to type for [models.ConsentTyped]: the name of the only node, or the number of nodes.
func (b Batch) Answer() string {
	legal := b.Legal()
	if len(legal) == 1 {
		return legal[0].Node.TypedName()
	}
	return strconv.Itoa(len(legal))
}

// RunOptions configures [Runner.Run].
type RunOptions struct {
	// Wait means that each node is watched until the action ends, but at most for Timeout; 0 means no limit.
	Wait    bool
	Timeout time.Duration
	// StopOnFailure means that no further nodes are started after one has failed. If it is set, at most [Concurrency]
	// nodes are started at a time, and each occupies its place until the action on it has ended. Otherwise, the next
	// node is started as soon as Ironic has accepted the request for an earlier node.
	StopOnFailure bool
	// Progress is called at each step. It is called from several goroutines and must not block. It may be nil.
	Progress func(Progress)
	// Done, if not nil, is called with the result of each node as soon as it is available, like Progress.
	Done func(Result)
	// Sent, if not nil, reports whether and when an interrupted run has sent the requests. Such a node is only watched.
	Sent func(uuid string) (at time.Time, sent bool)
	// Cancels removes individual nodes from the run; it may be nil.
	Cancels *Cancels

	// next lets the run start on the next node. followed is the number of nodes that are being watched.
	next     func()
	followed *atomic.Int64
}

// Progress reports the progress of an action on one node.
type Progress struct {
	Node models.NodeRef
	// State is the current state of the node, and Step is the running step. Both may be empty.
	State models.ProvisionState
	Step  string
	// Retry is set while a rejected request waits for its next attempt.
	Retry *ironicclient.Retry
	// Fault is set while the node cannot be read.
	Fault *models.Fault
	// Work is the part of the operation that was observed up to the time At on the server's clock, or nil.
	Work *models.Work
	At   time.Time
	// Now is the node with the fields that were read, or nil if it was not read. The receiver must not change it.
	Now *models.Node
	// Enrolled is the result for a node whose enrollment has ended, or nil. The receiver must not change it.
	Enrolled *Enrolled
}

// Outcome is the outcome of an action on one node.
type Outcome string

// The outcomes of an action on a node.
const (
	OutcomeAccepted Outcome = "accepted" // accepted by Ironic, not watched
	OutcomeDone     Outcome = "done"
	OutcomeFailed   Outcome = "failed"
	OutcomeRefused  Outcome = "refused" // nothing was sent
	OutcomeUnknown  Outcome = "unknown" // sent, but the result is unknown
	// OutcomeNotTried means that nothing was sent, because another node had failed.
	OutcomeNotTried Outcome = "not tried"
	// OutcomeCanceled means that the node was removed from the run. The error says whether a request was sent.
	OutcomeCanceled Outcome = "canceled"
)

// Result is the result of the action on one node.
type Result struct {
	Node      models.NodeRef
	Outcome   Outcome
	State     string
	RequestID string
	// Err is the reason why the action failed or was refused, or nil if it succeeded.
	Err error
	// Note contains additional information about a success. It is safe to show, and often empty.
	Note string
}

// Retryable reports whether another attempt makes sense: the action failed, or was not tried after a failure.
func (r *Result) Retryable() bool { return r.Outcome == OutcomeFailed || r.Outcome == OutcomeNotTried }

// ErrTimeout is the error of nodes on which the operation had not ended at the time limit.
var ErrTimeout = errors.New("still running after the time limit; the operation continues")

// ErrLeft is the error of nodes that were being watched when the run was interrupted.
var ErrLeft = errors.New("interrupted while waiting; the operation continues")

// errNotSent is the error of nodes to which nothing had been sent when the run was interrupted.
var errNotSent = errors.New("interrupted before the first request")

// errNotTried is the error of nodes that were not started because another node had failed.
var errNotTried = errors.New("not started: an earlier node failed")

// Run carries out the plan. It acts on the nodes of the legal items, [Concurrency] at a time. The other items get
// their refusals as results. The results are in the order of the plan's items.
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
		if o := results[i].Outcome; o == OutcomeFailed || o == OutcomeUnknown {
			failed.Store(true)
		}
		if opts.Done != nil {
			opts.Done(results[i])
		}
	})
	return results
}

// runItem acts on the node of the item, unless it is refused or canceled, or the run stops after a failure.
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
		res.Outcome, res.Err = OutcomeNotTried, errNotTried
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

func readOnly(action, node string) *models.Refusal {
	return &models.Refusal{
		Kind: models.RefusedReadOnly, Action: action, Node: node, Why: "this context is read-only", Hint: "pass --read-only=false to allow changes",
	}
}

// Failed returns the items that failed or were not tried, so that they can be tried again.
func (b Batch) Failed(results []Result) []Item {
	var items []Item
	for i, res := range results {
		if res.Retryable() {
			items = append(items, b.Items[i])
		}
	}
	return items
}

// runNode acts on one node. A request that was started is completed unless ctx is canceled. Once going is canceled,
// no new request is sent, and the node is no longer watched. Each stage is recorded before its requests are sent.
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
		// A context is canceled before those derived from it, so going alone could let a request through.
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
		_ = log.setStage(StageSent, time.Now()) // if this fails, the next run detects it
		return res
	}
	start := time.Now()
	_ = log.setStage(StageFollowing, start) // if this fails, the next run detects it
	r.follow(going, a, n, start, opts, &res)
	r.updateRecord(log, &res)
	return res
}

// audited sends one request and writes an audit record before and after it.
func (r *Runner) audited(ctx context.Context, e entry, n *models.Node) (requestID string, o Outcome, err error) {
	rec := audit.Record{
		Time: time.Now().UTC(), ID: newID(), Context: r.Context, Node: n.Ref(), Object: printable.Line(e.object), Verb: e.verb,
		Result: audit.Sending, Overrides: e.overrides, Actor: r.Actor,
	}
	if r.Actor.User != "" {
		rec.GlobalID = "req-" + uuid.NewString()
		ctx = ironicclient.WithGlobalID(ctx, rec.GlobalID)
	}
	label := cmp.Or(e.object, n.Label())
	if err := r.Audit.Write(rec); err != nil {
		return "", OutcomeFailed, fmt.Errorf("%s %s: nothing was sent: %w", e.verb, label, err)
	}
	rec.RequestID, err = e.execute(ctx, r.API)
	rec.Time, rec.Result, o = time.Now().UTC(), audit.Accepted, OutcomeAccepted
	if err != nil {
		rec.Result, o = audit.Refused, OutcomeFailed
		rec.Reason = printable.Line(err.Error())
		var f *models.Fault
		if errors.As(err, &f) {
			rec.RequestID, rec.Reason = f.RequestID, auditReason(&e, f)
			if f.Sent {
				rec.Result, o = audit.Unknown, OutcomeUnknown
			}
		}
	}
	if auditErr := r.Audit.Write(rec); auditErr != nil {
		// The request was sent, so do not report it as failed: sending it again would be worse.
		o, err = OutcomeUnknown, errors.Join(err, fmt.Errorf("%s %s: sent, but cannot write the result to the audit log: %w", e.verb, label, auditErr))
	}
	return rec.RequestID, o, err
}

// execute sends the entry's request, or calls e.send instead if it is not nil. It passes an error from Ironic to
// e.judge, and the node in a successful response to e.answered.
func (e *entry) execute(ctx context.Context, api API) (requestID string, err error) {
	if e.send != nil {
		return "", e.send(ctx)
	}
	answer, err := api.Send(ctx, e.Request)
	if err != nil && e.judge != nil {
		err = e.judge(ctx, api, err)
	}
	if err == nil && e.answered != nil {
		if n, bad := models.DecodeNode(answer.Body); bad == nil {
			e.answered(n)
		}
	}
	return answer.ID, err
}

// auditReason returns the reason why a request was rejected, as recorded in the audit log. Ironic's responses to bad
// requests repeat the request, including passwords. For a sensitive request, only the kind of the error and the HTTP
// status are therefore recorded. Ironic's log contains the details under the request ID.
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

// Index returns the index of the item, and of the result, for the node with the given UUID, or -1.
func (b Batch) Index(uuid string) int {
	return slices.IndexFunc(b.Items, func(i Item) bool { return i.Node.UUID == uuid })
}

// wait waits for the given time. If ctx is canceled before, it returns ctx's error.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
