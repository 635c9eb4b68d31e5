package fleet

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// API is what a poller asks of Ironic; *ironicclient.Client has it.
type API interface {
	NodePage(ctx context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error)
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Version() (v models.APIVersion, agreed bool)
}

// Clock is how the poller tells time and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Options shape a poller. The zero value polls as the design says.
type Options struct {
	// Clock defaults to the system's.
	Clock Clock
	// Fast is the period while a node is in transition, Idle otherwise. 0 means 1 s and
	// 5 s. Neither is shorter than ten times the last latency.
	Fast, Idle time.Duration
	// Fields are API fields to fetch beyond [models.ListFields].
	Fields []string
	// Only limits the poller to these nodes (uuids or names): nothing is listed.
	Only []string
	// Notify is called from the poller's goroutine after every answer and every fault.
	// It must not block for long: the next poll waits for it. May be nil.
	Notify func(Update)
	// GiveUp ends Run with the fault when it says so, instead of trying again. Nil
	// means never.
	GiveUp func(*models.Fault) bool
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

const (
	firstPage     = 50
	newNodesPage  = 5
	smallFleet    = 1000
	sweepSmall    = time.Minute
	sweepLarge    = 5 * time.Minute
	recently      = 30 * time.Second
	backOffMax    = 30 * time.Second
	latencyFactor = 10
	// reasonsPerTick bounds the history requests of one round, so that a thousand nodes
	// that were failed when we came do not turn into a thousand requests at once.
	reasonsPerTick = 4
)

// Poller keeps a Store up to date. One request is under way at a time.
type Poller struct {
	api   API
	store *Store
	opts  Options
	clock Clock

	server serverClock

	watchMu sync.Mutex
	watched map[string]bool

	// only says that the poller looks at named nodes alone; when all of them were
	// deleted there is nothing left to do.
	only bool

	// The rest belongs to Run's goroutine.
	phase       listing
	marker      string
	sweep       uint64
	sweepDue    time.Time
	lastNews    time.Time
	latency     time.Duration
	requests    int
	failures    int
	wantReasons []string
}

// listing is where the poller is with the first full listing and the sweeps.
type listing int

const (
	nothingYet listing = iota
	listingAll         // the first full listing is under way
	steady             // nothing is being listed
	sweeping           // a later full listing is under way
)

// NewPoller makes a poller for one Ironic and one store.
func NewPoller(api API, store *Store, opts Options) *Poller {
	if opts.Clock == nil {
		opts.Clock = systemClock{}
	}
	if opts.Fast == 0 {
		opts.Fast = time.Second
	}
	if opts.Idle == 0 {
		opts.Idle = 5 * time.Second
	}
	opts.Only = slices.Clone(opts.Only)
	return &Poller{api: api, store: store, opts: opts, clock: opts.Clock, watched: map[string]bool{}, only: len(opts.Only) > 0}
}

// Watch looks at a node by itself each period while it is in transition: one that is
// open, marked or being deployed from here. Unwatch ends that.
func (p *Poller) Watch(uuid string) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	p.watched[uuid] = true
}

// Unwatch ends what Watch began.
func (p *Poller) Unwatch(uuid string) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	delete(p.watched, uuid)
}

func (p *Poller) watchedNodes() []string {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	var ids []string
	for id := range p.watched {
		if row, _, ok := p.store.Get(id); ok && row.Node.ProvisionState.Busy() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Run polls until ctx ends; faults are told and tried again, for ever, unless GiveUp
// says otherwise. It returns nil only when all the nodes of Options.Only were deleted.
// It leaves nothing running.
func (p *Poller) Run(ctx context.Context) error {
	for {
		began := p.clock.Now()
		err := p.round(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait := p.period() - p.clock.Now().Sub(began)
		if err != nil {
			fault := faultOf(err)
			if p.opts.GiveUp != nil && p.opts.GiveUp(fault) {
				return fault
			}
			wait = p.failed(fault)
		}
		if err == nil && len(p.opts.Only) == 0 && p.only {
			return nil
		}
		if p.phase == listingAll && err == nil {
			continue
		}
		if err := p.rest(ctx, wait); err != nil {
			return err
		}
	}
}

// rest waits; while a sweep is under way it uses the time for the sweep's pages.
func (p *Poller) rest(ctx context.Context, wait time.Duration) error {
	until := p.clock.Now().Add(wait)
	for p.phase == sweeping && p.failures == 0 && until.Sub(p.clock.Now()) > p.pageCost() {
		if err := p.sweepPage(ctx); err != nil && ctx.Err() == nil {
			until = p.clock.Now().Add(p.failed(faultOf(err)))
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.clock.After(max(until.Sub(p.clock.Now()), time.Millisecond)):
		return nil
	}
}

// pageCost is a guess of how long a full page takes, from how long a small one did.
func (p *Poller) pageCost() time.Duration { return 8 * p.latency }

// period is how long one round lasts: short while something moves or has just moved,
// and never so short that our own questions are a tenth of the API's time.
func (p *Poller) period() time.Duration {
	period := p.opts.Idle
	if p.store.Status().Busy > 0 || p.clock.Now().Sub(p.lastNews) < recently {
		period = p.opts.Fast
	}
	period = max(period, latencyFactor*p.latency)
	return period - time.Duration(rand.Float64()*0.1*float64(period)) //nolint:gosec // jitter
}

func (p *Poller) failed(f *models.Fault) time.Duration {
	p.failures++
	wait := min(time.Second<<min(p.failures-1, 10), backOffMax)
	wait -= time.Duration(rand.Float64() * 0.25 * float64(wait)) //nolint:gosec // jitter
	now := p.clock.Now()
	p.notify(nil, func(s *Status) {
		s.Connected, s.Fault, s.Failures, s.NextTry = false, f, p.failures, now.Add(wait)
	})
	return wait
}

// answered notes a good answer.
func (p *Poller) answered(date time.Time, latency time.Duration) time.Time {
	now := p.clock.Now()
	p.requests++
	p.server.observe(date, now)
	if p.failures > 0 && p.phase == steady {
		// Much may have happened meanwhile: what left only a full listing can tell.
		p.sweepDue = now
	}
	p.failures = 0
	version, _ := p.api.Version()
	p.store.setStatus(func(s *Status) {
		s.Connected, s.Fault, s.Failures, s.NextTry = true, nil, 0, time.Time{}
		s.Answered, s.Skew, s.Version, s.Requests = now, p.server.skew(), version, p.requests
		if latency > 0 {
			s.Latency = latency
		}
	})
	return p.server.at(now)
}

func (p *Poller) notify(events []models.Event, change func(*Status)) {
	status := p.store.setStatus(change)
	if p.opts.Notify != nil {
		p.opts.Notify(Update{Events: events, Revision: p.store.Revision(), Status: status})
	}
}

// put stores nodes and tells what changed.
func (p *Poller) put(ctx context.Context, nodes []models.Node, at time.Time, from origin) int {
	out := p.store.apply(nodes, at, from, p.sweep)
	if out.news > 0 && from == arrived {
		p.lastNews = p.clock.Now()
	}
	p.explain(ctx, out.events)
	for _, uuid := range out.failed {
		if !slices.Contains(p.wantReasons, uuid) {
			p.wantReasons = append(p.wantReasons, uuid)
		}
	}
	p.tell(out.events)
	return out.news
}

func (p *Poller) tell(events []models.Event) {
	p.notify(events, func(*Status) {})
}

func faultOf(err error) *models.Fault {
	var f *models.Fault
	if errors.As(err, &f) {
		return f
	}
	return &models.Fault{Kind: models.FaultServer, Op: "poll", Message: models.Printable(err.Error()), Err: err}
}
