package replay

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

// ErrEmpty reports that there is nothing to play.
var ErrEmpty = errors.New("the recording is empty: no states and no log lines in this period")

// Speeds returns the speeds that the user can cycle through. [Player.SetSpeed] also accepts other speeds.
func Speeds() []float64 { return []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256} }

// State describes the progress of a player.
type State struct {
	// At is the current moment, between From and To, on the recorded server's clock.
	At, From, To time.Time
	Speed        float64
	// Paused reports whether the player is stopped. It is always true at the end of the recording.
	Paused bool
}

// Player plays a recording. It can be stopped and moved from any goroutine.
type Player struct {
	rec      *Recording
	from, to time.Time
	store    *fleet.Store
	version  models.APIVersion
	entries  []entry
	lines    map[string][]timedLine

	mu sync.Mutex
	// since is a time on the local clock, and at is the recorded moment that was current then. Unless paused, the
	// playback has run from there at the given speed.
	at, since time.Time
	speed     float64
	paused    bool
	// turn is incremented whenever the playback jumps back.
	turn int
	// moved wakes the goroutine that waits for the next moment.
	moved chan struct{}
}

// New returns a player at the start of a recording. It returns [ErrEmpty] if there is nothing to play.
func New(rec *Recording, speed float64) (*Player, error) {
	p := &Player{
		rec: rec, store: fleet.NewStore(), since: time.Now(), speed: speed, moved: make(chan struct{}, 1), lines: map[string][]timedLine{},
	}
	rec.reconstruct()
	p.from, p.to = rec.Span()
	if p.from.IsZero() {
		return nil, ErrEmpty
	}
	p.at = p.from
	if p.version, _ = models.ParseAPIVersion(rec.API); p.version.IsZero() {
		p.version.Minor = models.NewestMinor // without a recorded version, assume the newest one
	}
	p.arrange()
	return p, nil
}

// Store returns the store that holds the nodes as of the current moment.
func (p *Player) Store() *fleet.Store { return p.store }

// State returns the player's position, range and speed.
func (p *Player) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return State{At: p.now(), From: p.from, To: p.to, Speed: p.speed, Paused: p.stopped()}
}

// now returns the current moment. The caller must hold p.mu.
func (p *Player) now() time.Time {
	if p.paused {
		return p.at
	}
	at := p.at.Add(time.Duration(float64(time.Since(p.since)) * p.speed))
	if at.After(p.to) {
		return p.to
	}
	return at
}

func (p *Player) stopped() bool { return p.paused || !p.now().Before(p.to) }

// Pause stops the player if on is set, and otherwise resumes playing. Resuming at the end starts over.
func (p *Player) Pause(on bool) {
	p.mu.Lock()
	at := p.now()
	if !on && !at.Before(p.to) {
		at = p.from
	}
	p.continueAt(at)
	p.paused = on
	p.mu.Unlock()
	p.wake()
}

// SetSpeed changes the speed. Values outside the range from 0.01 to 10,000 are replaced with the nearest limit.
func (p *Player) SetSpeed(speed float64) {
	p.mu.Lock()
	p.continueAt(p.now())
	p.speed = min(max(speed, 0.01), 10_000)
	p.mu.Unlock()
	p.wake()
}

// Seek moves the player to the given moment. If the moment is outside the recording, it moves to the nearest end.
func (p *Player) Seek(to time.Time) {
	p.mu.Lock()
	switch {
	case to.Before(p.from):
		to = p.from
	case to.After(p.to):
		to = p.to
	}
	p.continueAt(to)
	p.mu.Unlock()
	p.wake()
}

// continueAt makes the given moment the current one. The caller must hold p.mu.
func (p *Player) continueAt(to time.Time) {
	if to.Before(p.now()) {
		p.turn++
	}
	p.at, p.since = to, time.Now()
}

func (p *Player) wake() {
	select {
	case p.moved <- struct{}{}:
	default: // already awake
	}
}

// moment returns the current moment, and the number of times that the player has jumped back.
func (p *Player) moment() (at time.Time, turn int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now(), p.turn
}

const (
	// showInterval is the interval at which due entries are shown; pausedInterval applies while the player is paused.
	showInterval   = 100 * time.Millisecond
	pausedInterval = time.Second
)

// Run plays the recording in place of a live session's poller. Until ctx is done, it applies due entries to the store
// and passes each update to notify.
func (p *Player) Run(ctx context.Context, notify func(fleet.Update)) error {
	tape, next, last := fleet.NewTape(p.store), 0, -1
	for {
		at, turn := p.moment()
		u := fleet.Update{}
		if turn != last {
			if last >= 0 {
				tape.Rewind()
				u.Rewound = true
			}
			next, last = 0, turn
		}
		for ; next < len(p.entries) && !p.entries[next].at.After(at); next++ {
			if e := p.entries[next]; e.picture != nil {
				u.Works = append(u.Works, tape.Put(e.picture)...)
			} else {
				tape.Apply(e.event)
				u.Events = append(u.Events, *e.event)
			}
		}
		u.Status = tape.SetTime(time.Now(), at, p.version)
		u.Revision = p.store.Revision()
		notify(u)
		wait := showInterval
		if p.State().Paused {
			wait = pausedInterval
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.moved:
		case <-time.After(wait):
		}
	}
}

// entry is a snapshot or an event, with the time at which it is shown.
type entry struct {
	at      time.Time
	picture *models.Picture
	event   *models.Event
}

// timedLine is a log line, with the time at which it is shown.
type timedLine struct {
	at   time.Time
	line *models.LogLine
}

// arrange sorts snapshots, events and log lines by the time at which they are shown, snapshots first.
func (p *Player) arrange() {
	settled := p.rec.settledEvents()
	for i := range p.rec.Pictures {
		x := &p.rec.Pictures[i]
		if !settled.outdated(x) {
			x.At = settled.showTime(x)
			p.entries = append(p.entries, entry{at: x.At, picture: x})
		}
	}
	for i := range p.rec.Events {
		x := &p.rec.Events[i]
		p.entries = append(p.entries, entry{at: x.Time, event: x})
	}
	slices.SortStableFunc(p.entries, func(a, b entry) int { return a.at.Compare(b.at) })
	for i := range p.rec.Lines {
		l := &p.rec.Lines[i]
		p.lines[l.Node.UUID] = append(p.lines[l.Node.UUID], timedLine{at: shownAt(l, p.from, p.to), line: l})
	}
	for _, lines := range p.lines {
		slices.SortStableFunc(lines, func(a, b timedLine) int { return a.at.Compare(b.at) })
	}
}

// Watch does nothing, like Unwatch, PollNode, PollNow, Refresh and NeedFields: a recording does not change.
func (p *Player) Watch(string) {}

// Unwatch does nothing.
func (p *Player) Unwatch(string) {}

// PollNode does nothing.
func (p *Player) PollNode(string) {}

// PollNow does nothing.
func (p *Player) PollNow() {}

// Refresh does nothing.
func (p *Player) Refresh() {}

// NeedFields does nothing.
func (p *Player) NeedFields(...string) {}

// Moment is a point of interest in a recording.
type Moment struct {
	At   time.Time
	Node models.NodeRef
	// Text describes the event and is safe to show. Bad means that something failed.
	Text string
	Bad  bool
}

// maxMoments is the maximum number of events for which every kind of change is a moment. In longer recordings, only
// provision state changes and added or removed nodes are moments.
const maxMoments = 5000

// Moments returns the points of interest by time: the first known error in each node's log, and the recorded changes
// except instance changes, or only some of them; see maxMoments.
func (p *Player) Moments() []Moment {
	var all []Moment
	for i := range p.rec.Events {
		e := &p.rec.Events[i]
		switch e.Kind {
		case models.EventProvisionState, models.EventRemoved, models.EventAdded:
		case models.EventStep, models.EventAgent, models.EventRamdisk, models.EventPower, models.EventMaintenance, models.EventError, models.EventInstance, models.EventFault:
			if len(p.rec.Events) > maxMoments || e.Kind == models.EventInstance {
				continue
			}
		default:
			continue
		}
		failed := e.Kind == models.EventProvisionState && models.ProvisionState(e.To).Failed() || e.Kind == models.EventError
		all = append(all, Moment{At: e.Time, Node: e.Node, Text: e.Text(), Bad: failed})
	}
	for _, lines := range p.lines {
		for _, l := range lines {
			if l.line.Known != "" {
				all = append(all, Moment{At: l.at, Node: l.line.Node, Text: "log: " + l.line.Text, Bad: true})
				break
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Moment) int { return a.At.Compare(b.At) })
	return all
}
