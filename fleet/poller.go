package fleet

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
)

// API is the part of Ironic's API that a poller needs; *ironicclient.Client implements it.
type API interface {
	NodePage(ctx context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error)
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	// CountNodes returns the number of all nodes; it requires API version 1.82.
	CountNodes(ctx context.Context) (int, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Version() (v models.APIVersion, agreed bool)
}

// Options configures a Poller. The zero value selects the defaults.
type Options struct {
	// Fast is the polling period while a node is in transition, and Idle the period otherwise. If they are 0, the
	// defaults of 1 s and 5 s are used. The actual period is never shorter than ten times the last latency.
	Fast, Idle time.Duration
	// Fields lists API fields to fetch in addition to [models.ListFields].
	Fields []string
	// Only lists the nodes (UUIDs or names) to poll one by one. If it is empty, the poller lists all nodes.
	Only []string
	// GiveUp decides whether Run returns a fault instead of retrying. Nil means that Run always retries.
	GiveUp func(*models.Fault) bool
}

const (
	firstPage     = 50
	newNodesPage  = 5
	smallFleet    = 1000
	sweepSmall    = time.Minute
	sweepLarge    = 5 * time.Minute
	recentChange  = 30 * time.Second
	backOffMax    = 30 * time.Second
	latencyFactor = 10
	// roundFactor is the minimum ratio of the period to the duration of a round. It does not delay the pages of a
	// burst of changes, but keeps the polling of a fleet that changes all the time from using the API's full
	// capacity.
	roundFactor = 2
	// smallPage is the size of the largest page whose duration counts toward the latency.
	smallPage = 100
	// reasonsPerTick is the maximum number of history requests in one round, so that a thousand nodes that had failed
	// before the start do not cause a thousand requests at once.
	reasonsPerTick = 4
)

// Poller keeps a Store up to date. It sends one request at a time.
type Poller struct {
	api   API
	store *Store
	opts  Options

	server ServerClock

	watchMu sync.Mutex
	watched map[string]int // number of Watch calls without Unwatch, by node UUID
	needed  []string
	polled  []string
	refresh bool
	// wake ends the wait between two rounds.
	wake chan struct{}
	// lastSingle is the last node that was read individually. The next round continues after it.
	lastSingle string

	// limited is set if the poller is limited to named nodes. It then ends when all of them have been deleted.
	limited bool

	// Only Run's goroutine uses the fields below. It calls onUpdate after every response and every fault.
	onUpdate func(Update)
	list     listing
	lastNews time.Time
	// heads holds the node orders of earlier rounds, newest last; newest holds the nodes that were created last.
	heads     []head
	newest    map[string]bool
	census    census
	sweepNeed sweepNeed
	// removed counts the nodes removed from the store.
	removed int
	// latency is the average duration of a small request in the last round, which took roundDuration.
	latency, roundDuration time.Duration
	small                  latencies
	requests               int
	// failures counts consecutive rounds that failed.
	failures    int
	reasonQueue []wantedReason
	// reasonsDue is when the history may be read again; reasonFaults counts consecutive failures to read it.
	reasonsDue   time.Time
	reasonFaults int
}

// NewPoller returns a Poller that keeps store up to date with the nodes in Ironic. It reads them with api.
func NewPoller(api API, store *Store, opts Options) *Poller {
	if opts.Fast == 0 {
		opts.Fast = time.Second
	}
	if opts.Idle == 0 {
		opts.Idle = 5 * time.Second
	}
	opts.Only, opts.Fields = slices.Clone(opts.Only), slices.Clone(opts.Fields)
	return &Poller{
		api: api, store: store, opts: opts,
		watched: map[string]int{}, limited: len(opts.Only) > 0, wake: make(chan struct{}, 1),
	}
}

// Run polls until ctx is canceled. It reports faults and retries without end, unless Options.GiveUp decides
// otherwise. It returns nil only if all nodes in Options.Only have been deleted. Run calls notify from its own
// goroutine after every response and every fault; notify must not block for long, because the next poll waits for it.
func (p *Poller) Run(ctx context.Context, notify func(Update)) error {
	p.onUpdate = notify
	for {
		began := time.Now()
		err := p.round(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && p.limited && len(p.opts.Only) == 0 {
			return nil
		}
		wait := p.period() - time.Since(began)
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
		if err := p.waitForRound(ctx, wait); err != nil {
			return err
		}
	}
}

// recovered is called after each successful round. After a fault, it starts a sweep, because changes may have been
// missed, and only a full listing shows which nodes were deleted.
func (p *Poller) recovered() {
	if p.failures == 0 {
		return
	}
	p.failures = 0
	if !p.limited && (p.list.phase == steady || p.list.phase == sweeping) {
		p.beginSweep()
	}
}

// waitForRound waits for the next round. A running sweep sends its requests meanwhile, at least one in every period.
func (p *Poller) waitForRound(ctx context.Context, wait time.Duration) error {
	began := time.Now()
	until := began.Add(wait)
	for first := true; p.failures == 0 && p.sweepRunning(); first = false {
		left := time.Until(until)
		if !first && (left <= 0 || (!p.list.urgent && left <= p.sweepCost())) {
			break
		}
		err := p.sweepStep(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if err := p.failed(err, time.Until(until)); err != nil {
				return err
			}
		}
	}
	if woken, err := p.sleep(ctx, until, p.wake); err != nil || !woken {
		return err
	}
	// Even if PollNow is called, requests must not keep the API busy for more than a tenth of the time.
	soonest := began.Add(latencyFactor * p.latency)
	if soonest.After(until) {
		soonest = until
	}
	_, err := p.sleep(ctx, soonest, nil)
	return err
}

// sleep waits until the given time, or until it receives from wake.
func (p *Poller) sleep(ctx context.Context, until time.Time, wake <-chan struct{}) (woken bool, err error) {
	left := time.Until(until)
	if left <= 0 && wake == nil {
		return false, nil
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-wake:
		return true, nil
	case <-time.After(max(left, time.Millisecond)):
		return false, nil
	}
}

// period returns the duration of a round, including the wait after it. It is short during changes and shortly after
// them, but never shorter than ten times the last latency or twice the duration of the last round.
func (p *Poller) period() time.Duration {
	period := p.opts.Idle
	if p.store.Status().Busy > 0 || (!p.lastNews.IsZero() && time.Since(p.lastNews) < recentChange) {
		period = p.opts.Fast
	}
	jitter := 0.1 * rand.Float64() //nolint:gosec // not a secret
	minimum := max(latencyFactor*p.latency, roundFactor*p.roundDuration)
	p.store.setStatus(func(s *Status) { s.Period = max(period, minimum+minimum/10) })
	return max(period-time.Duration(jitter*float64(period)), minimum+time.Duration(jitter*float64(minimum)))
}

type latencies struct {
	sum time.Duration
	n   int
}

// updateLatency sets the latency to the average duration of the round's small requests.
func (p *Poller) updateLatency() {
	if p.small.n > 0 {
		p.latency = p.small.sum / time.Duration(p.small.n)
	}
}

// backOff returns the time to wait after a fault. It grows with each fault, and is at least the time that the server
// requests, but at most half a minute.
func (p *Poller) backOff(err error) time.Duration {
	wait := backOffDelay(max(p.failures, p.list.faults), backOffMax)
	wait -= time.Duration(rand.Float64() * 0.25 * float64(wait)) //nolint:gosec // jitter
	return max(wait, min(models.FaultOf(err, "poll").RetryAfter, backOffMax))
}

// backOffDelay returns one second after the first fault, and twice the previous delay after each further fault, but
// at most the given maximum.
func backOffDelay(faults int, most time.Duration) time.Duration {
	return min(time.Second<<min(max(faults-1, 0), 10), most)
}

// failed reports a fault, unless the poller gives up, in which case it returns the fault.
func (p *Poller) failed(err error, wait time.Duration) error {
	f := models.FaultOf(err, "poll")
	if p.opts.GiveUp != nil && p.opts.GiveUp(f) {
		return f
	}
	next := time.Now().Add(wait)
	p.notify(Update{}, func(s *Status) {
		s.Connected, s.Fault, s.Failures, s.NextTry = false, f, max(p.failures, p.list.faults), next
	})
	return nil
}

// recordAnswer records a successful response to a request that was sent at began, in local time. It returns the
// server's current time. Only small requests count toward the latency.
func (p *Poller) recordAnswer(date, began time.Time, small bool) time.Time {
	now := time.Now()
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
	p.onUpdate(u)
}

func (p *Poller) put(ctx context.Context, nodes []models.Node, at time.Time, from origin) applied {
	out := p.store.apply(nodes, at, from, p.list.number)
	if len(out.changedNodes) > 0 && from == arrived {
		p.lastNews = time.Now()
	}
	if len(out.added) > 0 && from == arrived {
		p.census.lastChurn = time.Now()
	}
	for _, uuid := range out.failed {
		p.reasonQueue = append(p.reasonQueue, wantedReason{uuid: uuid})
	}
	p.fillReasons(ctx, out.events)
	p.report(Update{Events: out.events, Works: p.withReasons(out.works)})
	return out
}

func (p *Poller) report(u Update) {
	p.notify(u, func(*Status) {})
}
