// Package agentlog follows the log of a machine's ramdisk from all available sources. In order of preference, these
// are the journal over SSH, the journal that the machine pushes, the serial console, the conductor's archive, and the
// agent's status. The package masks secrets before it parses a line. For each source that fails, it reports the
// reason and a remedy.
package agentlog

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// These limits apply to the collection of lines into batches.
const (
	gatherFor = 100 * time.Millisecond
	// maxLines is the maximum number of lines buffered for a slow reader. When the buffer is full, sources wait.
	maxLines = 4096
)

// New returns a Follower that combines all sources that o selects. It returns an error if no source is usable.
func New(o Options) (Follower, error) {
	sources, err := o.sources()
	if err != nil {
		return nil, err
	}
	o.Trust = cmp.Or(o.Trust, NewTrust())
	return &follower{options: o, sources: sources}, nil
}

type follower struct {
	options Options
	sources []models.LogSource
}

// Follow implements [Follower].
func (f *follower) Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan Batch {
	out := make(chan Batch)
	sources := f.options.addUsable(f.sources, more)
	j := &nodeFollower{
		options: &f.options, node: node, reports: make(chan sourceReport), working: make([]atomic.Bool, len(sources)),
		duplicates: newSourceDuplicates(sources), last: map[models.LogSource]Status{},
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for i, source := range sources {
		o := &sourceOutput{follower: j, source: source, index: i, skew: skew{clock: f.options.ServerClock}}
		running.Go(func() { o.run(ctx) })
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
		j.batch(ctx, out, ended)
	}()
	return out
}

type nodeFollower struct {
	options    *Options
	node       models.NodeRef
	reports    chan sourceReport
	working    []atomic.Bool // whether each source delivers lines, by index
	duplicates *sourceDuplicates
	last       map[models.LogSource]Status
}

type sourceReport struct {
	lines   []models.LogLine
	status  *Status
	dropped int
}

func (o *sourceOutput) run(ctx context.Context) {
	switch o.source {
	case models.LogSSH:
		(&sshSource{sourceOutput: o}).follow(ctx)
	case models.LogPush:
		o.forward(ctx)
	case models.LogArchive:
		(&archiveSource{sourceOutput: o}).follow(ctx)
	case models.LogStatus:
		(&statusSource{sourceOutput: o}).follow(ctx)
	case models.LogSerial:
		(&serialSource{sourceOutput: o}).follow(ctx)
	case models.LogServe: // this source cannot be followed
	}
}

// batch sends the reports of the sources in batches, until ctx is canceled or all sources have ended.
func (j *nodeFollower) batch(ctx context.Context, out chan<- Batch, ended <-chan struct{}) {
	var (
		batch Batch
		due   <-chan time.Time
		ready bool
		timer = time.NewTimer(time.Hour)
	)
	defer timer.Stop()
	for {
		in, to := j.reports, out
		if len(batch.Lines) >= maxLines {
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
				Send(ctx, out, batch)
			}
			return
		}
	}
}

func (b *Batch) empty() bool { return len(b.Lines) == 0 && len(b.Status) == 0 && b.Dropped == 0 }

func (j *nodeFollower) add(batch *Batch, n sourceReport) {
	batch.Dropped += n.dropped
	for i := range n.lines {
		l := &n.lines[i]
		if !l.Time.IsZero() && l.Time.Before(j.options.Since) || j.duplicates.isDuplicate(l) {
			continue
		}
		batch.Lines = append(batch.Lines, *l)
	}
	if n.status != nil && j.last[n.status.Source] != *n.status {
		j.last[n.status.Source] = *n.status
		batch.Status = append(batch.Status, *n.status)
	}
}

type sourceOutput struct {
	follower *nodeFollower
	source   models.LogSource
	index    int
	skew     skew
}

// lines sends log lines to the follower, and reports whether they were received before ctx was canceled.
func (o *sourceOutput) lines(ctx context.Context, lines []models.LogLine) bool {
	if len(lines) == 0 {
		return true
	}
	return Send(ctx, o.follower.reports, sourceReport{lines: lines})
}

func (o *sourceOutput) status(ctx context.Context, s Status) {
	s.Node, s.Source = o.follower.node, o.source
	s.Reason, s.Remedy, s.Address = printable.Line(s.Reason), printable.Line(s.Remedy), printable.Line(s.Address)
	if s.State == StateFollowing {
		s.Skew, s.SkewKnown = o.skew.value()
	}
	o.follower.working[o.index].Store(s.State == StateFollowing)
	Send(ctx, o.follower.reports, sourceReport{status: &s})
}

// heldTime is the maximum pause between two batches of lines that were already buffered.
const heldTime = 500 * time.Millisecond

// forward delivers lines from the receiver of pushed journals. With the Once option, it ends after a pause of
// heldTime, because buffered lines arrive without longer pauses.
func (o *sourceOutput) forward(ctx context.Context) {
	subscription, cancel := context.WithCancel(ctx)
	defer cancel()
	once := o.follower.options.Once
	var last Status
	quiet := time.AfterFunc(heldTime, func() {
		if once {
			cancel()
		}
	})
	defer quiet.Stop()
	for b := range o.follower.options.Push.Subscribe(subscription, o.follower.node) {
		quiet.Stop() // a slow reader does not count as silence
		if n := len(b.Status); n > 0 {
			last = b.Status[n-1]
		}
		for i := range b.Status {
			o.follower.working[o.index].Store(b.Status[i].State == StateFollowing)
			Send(ctx, o.follower.reports, sourceReport{status: &b.Status[i]})
		}
		if len(b.Lines) > 0 || b.Dropped > 0 {
			Send(ctx, o.follower.reports, sourceReport{lines: b.Lines, dropped: b.Dropped})
		}
		quiet.Reset(heldTime)
	}
	if once {
		o.status(ctx, Status{State: StateEnded, Address: last.Address, Reason: last.Reason, Remedy: last.Remedy})
	}
}

func (o *sourceOutput) othersWork() bool {
	for i := range o.follower.working {
		if i != o.index && o.follower.working[i].Load() {
			return true
		}
	}
	return false
}

// Send sends a value to out, and reports whether it was received before ctx was canceled.
func Send[T any](ctx context.Context, out chan<- T, value T) bool {
	select {
	case out <- value:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait waits for d, and reports whether d elapsed before ctx was canceled.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// State is the state of a source of log lines.
type State string

// A source has one of these states.
const (
	StateWaiting    State = "waiting"    // nothing to connect to yet: Reason says why
	StateConnecting State = "connecting" // connecting or reconnecting
	StateFollowing  State = "following"
	StateFailed     State = "failed" // needs a fix: retried at most once a minute
	StateEnded      State = "ended"  // no further lines
)

// Status is the new state of one source of one node's log.
type Status struct {
	Node   models.NodeRef
	Source models.LogSource
	State  State
	// Address identifies the machine, console or archive that the lines come from, for display. It may be empty.
	Address string
	// Reason explains why the source does not work or what it waits for; Remedy is the fix. Both are safe to show.
	Reason, Remedy string
	// Skew is how far the machine's clock is ahead of Ironic's; SkewKnown reports whether Skew is known.
	Skew      time.Duration
	SkewKnown bool
}

// Text describes the status, without its remedy, in one line that is safe to show. name is the name of the source.
func (s *Status) Text(name string) string {
	text := name
	if s.Address != "" {
		text += " " + s.Address
	}
	text += ": " + string(s.State)
	if s.Reason != "" {
		text += ", " + s.Reason
	}
	return printable.Line(text)
}

// Batch contains what the sources have reported since the last batch: new lines, in the order of their delivery, and
// new states of the sources. The lines of one journal entry are always in the same batch.
type Batch struct {
	Lines  []models.LogLine
	Status []Status
	// Dropped is the number of lines that are missing because they arrived faster than the batches were read.
	Dropped int
}

// Follower follows one node's log until ctx is canceled, and then closes the channel. It collects lines for a tenth
// of a second to reduce the number of batches. If the reader is slow, sources that can wait are delayed, and all
// other sources lose lines.
//
// The more argument names additional sources, such as the serial console, that are used only if they are named here.
// Unusable sources are ignored.
type Follower interface {
	Follow(ctx context.Context, node models.NodeRef, more ...models.LogSource) <-chan Batch
}
