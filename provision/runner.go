package provision

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"ironworks/audit"
	"ironworks/ironicclient"
	"ironworks/models"
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

// PanicError holds the value of a panic that occurred while acting on one node. It is raised again in the goroutine
// that called [Runner.Run] or [FindNodes], after all others have ended.
type PanicError struct {
	Value any
	// Stack is the stack of the goroutine that panicked.
	Stack []byte
}

// Error returns the value of the panic followed by the stack.
func (p *PanicError) Error() string {
	return fmt.Sprintf("%v\n\npanic while acting on one node:\n%s", p.Value, p.Stack)
}

// Unwrap returns the value of the panic if it is an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
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

// InParallel calls do for the numbers from 0 to n-1, [Concurrency] at a time, and returns after all calls have
// returned. The context passed to do is also canceled if one of the calls panics.
func InParallel(ctx context.Context, n int, do func(going context.Context, i int)) {
	inSlots(ctx, n, Concurrency, func(going context.Context, i int, _ func()) { do(going, i) })
}

// readEach calls read for each element of list, [Concurrency] at a time, and returns the results and the errors.
func readEach[T, R any](ctx context.Context, list []T, read func(going context.Context, of T) (R, error)) ([]R, []error) {
	results, errs := make([]R, len(list)), make([]error, len(list))
	InParallel(ctx, len(list), func(going context.Context, i int) { results[i], errs[i] = read(going, list[i]) })
	return results, errs
}

// inSlots is like InParallel, but runs up to width calls at a time. A call can let the next one start early with next.
func inSlots(ctx context.Context, n, width int, do func(going context.Context, i int, next func())) {
	going, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var once sync.Once
	var raised *PanicError
	slots := make(chan struct{}, width)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			next := sync.OnceFunc(func() { <-slots })
			defer next()
			defer func() {
				if v := recover(); v != nil {
					p := panicOf(v)
					once.Do(func() { raised = p })
					stop()
				}
			}()
			do(going, i, next)
		})
	}
	wg.Wait()
	if raised != nil {
		panic(raised)
	}
}

func panicOf(v any) *PanicError {
	var p *PanicError
	if err, ok := v.(error); ok && errors.As(err, &p) {
		return p
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// ErrCanceled is the error of nodes that were canceled before anything was sent. ErrCanceledLater is the error of
// nodes that were canceled when their operation was already running.
var (
	ErrCanceled      = errors.New("canceled: nothing was sent")
	ErrCanceledLater = errors.New("canceled: no longer followed; the operation continues")
)

// Cancels removes individual nodes from a run. Nothing more is sent to them, and they are no longer followed. The
// zero value is ready for use; a nil *Cancels cancels nothing.
type Cancels struct {
	mu       sync.Mutex
	canceled map[string]bool
	ends     map[string]func()
}

// Cancel removes the node with the given UUID from the run, even if the node is still queued.
func (c *Cancels) Cancel(uuid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.canceled == nil {
		c.canceled = map[string]bool{}
	}
	c.canceled[uuid] = true
	if end := c.ends[uuid]; end != nil {
		end()
	}
}

// Has reports whether the node with the given UUID was removed from the run.
func (c *Cancels) Has(uuid string) bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.canceled[uuid]
}

// contexts returns contexts for acting on a node, derived from ctx and going. Cancel and end cancel both.
func (c *Cancels) contexts(ctx, going context.Context, uuid string) (nodeCtx, nodeGoing context.Context, end func()) {
	if c == nil {
		return ctx, going, func() {}
	}
	nodeCtx, endCtx := context.WithCancel(ctx)
	nodeGoing, endGoing := context.WithCancel(going)
	both := func() { endCtx(); endGoing() }
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends == nil {
		c.ends = map[string]func(){}
	}
	c.ends[uuid] = both
	if c.canceled[uuid] {
		both()
	}
	return nodeCtx, nodeGoing, both
}

// mark sets the outcome of res to canceled if Cancel interrupted work on the node, unless a result is unknown.
func (c *Cancels) mark(res *Result) {
	switch {
	case res.Err == nil || !c.Has(res.Node.UUID):
	case errors.Is(res.Err, ErrLeft):
		res.Outcome, res.Err = OutcomeCanceled, ErrCanceledLater
	case errors.Is(res.Err, errNotSent):
		res.Outcome, res.Err = OutcomeCanceled, ErrCanceled
	}
}
