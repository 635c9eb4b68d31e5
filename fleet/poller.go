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
	// CountNodes counts all nodes, from API 1.82 on.
	CountNodes(ctx context.Context) (int, time.Time, error)
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
	// roundFactor is how much longer than a round its period is: a burst is read at once,
	// and a fleet that never rests does not take all of the API's time.
	roundFactor = 2
	// smallPage is the largest page whose time counts as latency.
	smallPage = 100
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

	server ServerClock

	watchMu sync.Mutex
	watched map[string]int // how often each is
	needed  []string
	looks   []string
	refresh bool
	// hurry ends the rest between two rounds.
	hurry chan struct{}
	// aside is the watched node after which the next round goes on when there are many.
	aside string

	// only says that the poller looks at named nodes alone; when all of them were
	// deleted there is nothing left to do.
	only bool

	// The rest belongs to Run's goroutine. hear is told of every answer and every fault.
	hear     func(Update)
	list     listing
	lastNews time.Time
	// heads are the orders in which Ironic had touched nodes, the newest last; newest are
	// the nodes that were the last to be made.
	heads  []head
	newest map[string]bool
	census census
	doubt  doubt
	// removed counts the nodes that left the store.
	removed int
	// latency is how long a small question took, on the average of the last round, and
	// lasted how long that round was.
	latency, lasted time.Duration
	small           latencies
	requests        int
	// failures counts the rounds that failed in a row.
	failures    int
	wantReasons []wantedReason
	// reasonsDue is when the history may be asked again, reasonFaults how often in a row
	// it could not be had.
	reasonsDue   time.Time
	reasonFaults int
}

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
	opts.Only, opts.Fields = slices.Clone(opts.Only), slices.Clone(opts.Fields)
	return &Poller{
		api: api, store: store, opts: opts, clock: opts.Clock,
		watched: map[string]int{}, only: len(opts.Only) > 0, hurry: make(chan struct{}, 1),
	}
}

// Run polls until ctx ends; faults are told and tried again, for ever, unless GiveUp
// says otherwise. It returns nil only when all the nodes of Options.Only were deleted.
// It leaves nothing running. Notify is called from the same goroutine after every answer and
// every fault, and must not block for long: the next poll waits for it.
func (p *Poller) Run(ctx context.Context, notify func(Update)) error {
	p.hear = notify
	for {
		began := p.clock.Now()
		err := p.round(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && p.only && len(p.opts.Only) == 0 {
			return nil
		}
		wait := p.period() - p.clock.Now().Sub(began)
		if err != nil {
			p.failures++
			wait = p.backOff(err)
			if err := p.failed(err, wait); err != nil {
				return err
			}
		} else {
			p.recovered()
		}
		if err == nil && p.list.phase == listingAll {
			continue
		}
		if err := p.rest(ctx, wait); err != nil {
			return err
		}
	}
}

// recovered notes a round without a fault. After one with a fault much may have
// happened unseen, and what left only a full listing can tell.
func (p *Poller) recovered() {
	if p.failures == 0 {
		return
	}
	p.failures = 0
	if !p.only && (p.list.phase == steady || p.list.phase == sweeping) {
		p.beginSweep()
	}
}

// rest waits; while a sweep is under way it uses the time for the sweep's questions,
// of which at least one fits into every period.
func (p *Poller) rest(ctx context.Context, wait time.Duration) error {
	began := p.clock.Now()
	until := began.Add(wait)
	for first := true; p.failures == 0 && p.sweeps(); first = false {
		left := until.Sub(p.clock.Now())
		if !first && (left <= 0 || (!p.list.urgent && left <= p.sweepCost())) {
			break
		}
		err := p.sweepOn(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if err := p.failed(err, until.Sub(p.clock.Now())); err != nil {
				return err
			}
		}
	}
	if hurried, err := p.sleep(ctx, until, p.hurry); err != nil || !hurried {
		return err
	}
	// Whoever hurries does not make the API work more than a tenth of the time either.
	soonest := began.Add(latencyFactor * p.latency)
	if soonest.After(until) {
		soonest = until
	}
	_, err := p.sleep(ctx, soonest, nil)
	return err
}

// sleep waits until a time, or until it is hurried.
func (p *Poller) sleep(ctx context.Context, until time.Time, hurry <-chan struct{}) (hurried bool, err error) {
	left := until.Sub(p.clock.Now())
	if left <= 0 && hurry == nil {
		return false, nil
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-hurry:
		return true, nil
	case <-p.clock.After(max(left, time.Millisecond)):
		return false, nil
	}
}

// period is how long one round lasts: short while something moves or has just moved,
// and never shorter than ten times the last latency.
func (p *Poller) period() time.Duration {
	period := p.opts.Idle
	if p.store.Status().Busy > 0 || (!p.lastNews.IsZero() && p.clock.Now().Sub(p.lastNews) < recently) {
		period = p.opts.Fast
	}
	jitter := 0.1 * rand.Float64() //nolint:gosec // not a secret
	least := max(latencyFactor*p.latency, roundFactor*p.lasted)
	p.store.setStatus(func(s *Status) { s.Period = max(period, least+least/10) })
	return max(period-time.Duration(jitter*float64(period)), least+time.Duration(jitter*float64(least)))
}

// latencies add up how long the small questions of a round took.
type latencies struct {
	sum time.Duration
	n   int
}

// measured takes the latency from the small questions of a round.
func (p *Poller) measured() {
	if p.small.n > 0 {
		p.latency = p.small.sum / time.Duration(p.small.n)
	}
}

// backOff is how long to wait after a fault: longer each time, and no less than the
// server asks for, up to half a minute.
func (p *Poller) backOff(err error) time.Duration {
	wait := doubled(max(p.failures, p.list.faults), backOffMax)
	wait -= time.Duration(rand.Float64() * 0.25 * float64(wait)) //nolint:gosec // jitter
	return max(wait, min(faultOf(err).RetryAfter, backOffMax))
}

// doubled is a second after the first fault, and twice as much after each more.
func doubled(faults int, most time.Duration) time.Duration {
	return min(time.Second<<min(max(faults-1, 0), 10), most)
}

// failed tells a fault; it returns it when the owner gives up.
func (p *Poller) failed(err error, wait time.Duration) error {
	f := faultOf(err)
	if p.opts.GiveUp != nil && p.opts.GiveUp(f) {
		return f
	}
	next := p.clock.Now().Add(wait)
	p.notify(Update{}, func(s *Status) {
		s.Connected, s.Fault, s.Failures, s.NextTry = false, f, max(p.failures, p.list.faults), next
	})
	return nil
}

// answered notes a good answer to a question that was put at local time began, and
// gives the server's time now. A small question tells the latency.
func (p *Poller) answered(date, began time.Time, small bool) time.Time {
	now := p.clock.Now()
	p.requests++
	p.server.Observe(date, began, now)
	if small {
		p.small.sum, p.small.n = p.small.sum+now.Sub(began), p.small.n+1
	}
	version, _ := p.api.Version()
	p.store.setStatus(func(s *Status) {
		s.Connected, s.Fault, s.Failures, s.NextTry = true, nil, 0, time.Time{}
		s.Answered, s.Skew, s.Version, s.Requests = now, p.server.Skew(), version, p.requests
		if small {
			s.Latency = now.Sub(began)
		}
	})
	return p.server.at(now)
}

func (p *Poller) notify(u Update, change func(*Status)) {
	u.Status = p.store.setStatus(change)
	u.Revision = p.store.Revision()
	p.hear(u)
}

// put stores nodes and tells what changed.
func (p *Poller) put(ctx context.Context, nodes []models.Node, at time.Time, from origin) applied {
	out := p.store.apply(nodes, at, from, p.list.number)
	if len(out.news) > 0 && from == arrived {
		p.lastNews = p.clock.Now()
	}
	if len(out.added) > 0 && from == arrived {
		p.census.moved = p.clock.Now()
	}
	for _, uuid := range out.failed {
		p.wantReasons = append(p.wantReasons, wantedReason{uuid: uuid})
	}
	p.explain(ctx, out.events)
	p.tell(Update{Events: out.events, Works: p.blamed(out.works)})
	return out
}

func (p *Poller) tell(u Update) {
	p.notify(u, func(*Status) {})
}

func faultOf(err error) *models.Fault {
	var f *models.Fault
	if errors.As(err, &f) {
		return f
	}
	return &models.Fault{Kind: models.FaultServer, Op: "poll", Message: models.Printable(err.Error()), Err: err}
}
