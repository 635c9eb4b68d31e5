package agentlog

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ironworks/models"
)

// How lines are gathered.
const (
	gatherFor = 100 * time.Millisecond
	// mostLines are held for a reader that is slow; then the sources wait.
	mostLines = 4096
)

// New makes the one Follower that joins all sources. An error is one of the options.
func New(o Options) (Follower, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	sources, err := o.sources()
	if err != nil {
		return nil, err
	}
	return &follower{options: o, sources: sources, trust: newTrust()}, nil
}

type follower struct {
	options Options
	sources []models.LogSource
	trust   *trust
}

// Follow implements [Follower].
func (f *follower) Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan Batch {
	out := make(chan Batch)
	sources := f.options.with(f.sources, more)
	j := &joint{
		options: &f.options, trust: f.trust, node: node, news: make(chan news), working: make([]atomic.Bool, len(sources)),
		twins: newTwins(sources), last: map[models.LogSource]Status{},
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for i, source := range sources {
		o := &outlet{joint: j, source: source, place: i, skew: skew{clock: f.options.ServerClock}}
		running.Go(func() { j.run(ctx, o) })
	}
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	go func() {
		defer close(out)
		defer func() { <-ended }()
		defer cancel()
		j.gather(ctx, out, ended)
	}()
	return out
}

// joint is one node's sources while it is followed.
type joint struct {
	options *Options
	trust   *trust
	node    models.NodeRef
	news    chan news
	working []atomic.Bool // by the place of the source
	twins   *twins
	last    map[models.LogSource]Status
}

// news is what a source has to say.
type news struct {
	lines   []models.LogLine
	status  *Status
	dropped int
}

func (j *joint) run(ctx context.Context, o *outlet) {
	switch o.source {
	case models.LogSSH:
		(&sshSource{joint: j, out: o}).follow(ctx)
	case models.LogPush:
		o.pass(ctx)
	case models.LogArchive:
		(&archiveSource{joint: j, out: o}).follow(ctx)
	case models.LogStatus:
		(&statusSource{joint: j, out: o}).follow(ctx)
	case models.LogSerial:
		(&serialSource{joint: j, out: o}).follow(ctx)
	case models.LogServe: // cannot be followed
	}
}

// gather makes batches of news until ctx ends, or all sources did.
func (j *joint) gather(ctx context.Context, out chan<- Batch, ended <-chan struct{}) {
	var (
		batch Batch
		due   <-chan time.Time
		ready bool
		timer = time.NewTimer(time.Hour)
	)
	defer timer.Stop()
	for {
		in, to := j.news, out
		if len(batch.Lines) >= mostLines {
			in = nil
		} else if !ready {
			to = nil
		}
		select {
		case n := <-in:
			if j.add(&batch, n); due == nil && !ready && !batch.empty() {
				timer.Reset(gatherFor)
				due = timer.C
			}
		case <-due:
			due, ready = nil, true
		case to <- batch:
			batch, due, ready = Batch{}, nil, false
		case <-ctx.Done():
			return
		case <-ended:
			if !batch.empty() {
				select {
				case out <- batch:
				case <-ctx.Done():
				}
			}
			return
		}
	}
}

func (b *Batch) empty() bool { return len(b.Lines) == 0 && len(b.Status) == 0 && b.Dropped == 0 }

func (j *joint) add(batch *Batch, n news) {
	batch.Dropped += n.dropped
	for i := range n.lines {
		l := &n.lines[i]
		if !l.Time.IsZero() && l.Time.Before(j.options.Since) || j.twins.isTwin(l) {
			continue
		}
		batch.Lines = append(batch.Lines, *l)
	}
	if n.status != nil && j.last[n.status.Source] != *n.status {
		j.last[n.status.Source] = *n.status
		batch.Status = append(batch.Status, *n.status)
	}
}

// outlet is where one source of a joint says what it has.
type outlet struct {
	joint  *joint
	source models.LogSource
	place  int
	skew   skew
}

// lines hands lines over and waits until they are taken; it says whether they were.
func (o *outlet) lines(ctx context.Context, lines []models.LogLine) bool {
	if len(lines) == 0 {
		return true
	}
	return o.send(ctx, news{lines: lines})
}

func (o *outlet) status(ctx context.Context, s Status) {
	s.Node, s.Source = o.joint.node, o.source
	s.Why, s.WayOut, s.Address = models.Printable(s.Why), models.Printable(s.WayOut), models.Printable(s.Address)
	if s.State == StateFollowing {
		s.Skew, s.SkewKnown = o.skew.told()
	}
	o.joint.working[o.place].Store(s.State == StateFollowing)
	o.send(ctx, news{status: &s})
}

func (o *outlet) send(ctx context.Context, n news) bool {
	select {
	case o.joint.news <- n:
		return true
	case <-ctx.Done():
		return false
	}
}

// heldTime is how long may pass between two batches of what is held already.
const heldTime = 500 * time.Millisecond

// pass hands on what another gathered. What is to be read once ends when no more comes:
// what is held comes at once.
func (o *outlet) pass(ctx context.Context) {
	subscription, cancel := context.WithCancel(ctx)
	defer cancel()
	once := o.joint.options.Once
	var last Status
	quiet := time.AfterFunc(heldTime, func() {
		if once {
			cancel()
		}
	})
	defer quiet.Stop()
	for b := range o.joint.options.Push.Subscribe(subscription, o.joint.node) {
		quiet.Stop() // a slow reader is no silence
		if n := len(b.Status); n > 0 {
			last = b.Status[n-1]
		}
		o.hand(ctx, b)
		quiet.Reset(heldTime)
	}
	if once {
		o.status(ctx, Status{State: StateEnded, Address: last.Address, Why: last.Why, WayOut: last.WayOut})
	}
}

func (o *outlet) hand(ctx context.Context, b Batch) {
	for i := range b.Status {
		o.joint.working[o.place].Store(b.Status[i].State == StateFollowing)
		o.send(ctx, news{status: &b.Status[i]})
	}
	if len(b.Lines) > 0 || b.Dropped > 0 {
		o.send(ctx, news{lines: b.Lines, dropped: b.Dropped})
	}
}

// othersWork says whether a better source gives lines.
func (o *outlet) othersWork() bool {
	for i := range o.joint.working {
		if i != o.place && o.joint.working[i].Load() {
			return true
		}
	}
	return false
}

// wait waits, and says whether ctx goes on.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
