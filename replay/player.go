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

// ErrNothing says that there is nothing to play.
var ErrNothing = errors.New("the recording has neither states nor lines of a log: nothing was kept of that time")

// Clock is how a player tells time and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Speeds are those that can be gone through; others can be set.
func Speeds() []float64 { return []float64{0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256} }

// State is how far a player is.
type State struct {
	// At is the moment that is shown, between From and To, on the clock of the server that
	// the recording is of.
	At, From, To time.Time
	Speed        float64
	// Paused says that it stands; at To it does by itself.
	Paused bool
}

// Player plays a recording. Its time can be stopped and moved by anybody at any moment.
type Player struct {
	rec      *Recording
	clock    Clock
	from, to time.Time
	store    *fleet.Store
	version  models.APIVersion
	entries  []entry
	lines    map[string][]shown

	mu sync.Mutex
	// at was shown when the clock said since; the speed holds from then on.
	at, since time.Time
	speed     float64
	paused    bool
	// turn grows whenever time goes back.
	turn int
	// moved wakes whoever waits for the next moment.
	moved chan struct{}
}

// New makes a player of a recording; it stands at its beginning and plays at a speed.
func New(rec *Recording, clock Clock, speed float64) (*Player, error) {
	p := &Player{
		rec: rec, clock: clock, store: fleet.NewStore(), since: clock.Now(), speed: speed, moved: make(chan struct{}, 1), lines: map[string][]shown{},
	}
	rec.sketch()
	p.from, p.to = rec.Span()
	if p.from.IsZero() {
		return nil, ErrNothing
	}
	p.at = p.from
	if p.version, _ = models.ParseAPIVersion(rec.API); p.version.IsZero() {
		p.version.Minor = models.NewestMinor // all of it is asked for, and what is there shown
	}
	p.arrange()
	return p, nil
}

// Store is the picture of the nodes at the moment that is shown.
func (p *Player) Store() *fleet.Store { return p.store }

// State says how far it is.
func (p *Player) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return State{At: p.now(), From: p.from, To: p.to, Speed: p.speed, Paused: p.stands()}
}

// now is the moment that is shown; p.mu is held.
func (p *Player) now() time.Time {
	if p.paused {
		return p.at
	}
	at := p.at.Add(time.Duration(float64(p.clock.Now().Sub(p.since)) * p.speed))
	if at.After(p.to) {
		return p.to
	}
	return at
}

func (p *Player) stands() bool { return p.paused || !p.now().Before(p.to) }

// Pause stops, or goes on; at the end it begins anew.
func (p *Player) Pause(on bool) {
	p.mu.Lock()
	at := p.now()
	if !on && !at.Before(p.to) {
		at = p.from
	}
	p.jump(at)
	p.paused = on
	p.mu.Unlock()
	p.wake()
}

// SetSpeed plays slower or faster from now on.
func (p *Player) SetSpeed(speed float64) {
	p.mu.Lock()
	p.jump(p.now())
	p.speed = min(max(speed, 0.01), 10_000)
	p.mu.Unlock()
	p.wake()
}

// Seek goes to a moment; beyond the ends it goes to the end.
func (p *Player) Seek(to time.Time) {
	p.mu.Lock()
	switch {
	case to.Before(p.from):
		to = p.from
	case to.After(p.to):
		to = p.to
	}
	p.jump(to)
	p.mu.Unlock()
	p.wake()
}

// jump goes on from another moment; p.mu is held.
func (p *Player) jump(to time.Time) {
	if to.Before(p.now()) {
		p.turn++
	}
	p.at, p.since = to, p.clock.Now()
}

func (p *Player) wake() {
	select {
	case p.moved <- struct{}{}:
	default: // it is awake already
	}
}

// moment is the moment that is shown, and how often time went back until now.
func (p *Player) moment() (at time.Time, turn int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now(), p.turn
}

const (
	// beat is how often what is due is shown; while it stands, restingBeat.
	beat        = 100 * time.Millisecond
	restingBeat = time.Second
)

// Run shows what is due until ctx ends. It is what a poller is to a live session.
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
			p.entries[next].show(tape, &u)
		}
		u.Status = tape.Now(p.clock.Now(), at, p.version)
		u.Revision = p.store.Revision()
		notify(u)
		wait := beat
		if p.State().Paused {
			wait = restingBeat
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.moved:
		case <-p.clock.After(wait):
		}
	}
}

// entry is what is to be shown at a time.
type entry struct {
	at      time.Time
	picture *models.Picture
	event   *models.Event
}

func (e *entry) show(tape *fleet.Tape, u *fleet.Update) {
	if e.picture != nil {
		u.Works = append(u.Works, tape.Put(e.picture)...)
		return
	}
	tape.Happened(e.event)
	u.Events = append(u.Events, *e.event)
}

// shown is a line, and when it is shown.
type shown struct {
	at   time.Time
	line *models.LogLine
}

// arrange puts everything in the order in which it is shown: a picture before what
// happened then.
func (p *Player) arrange() {
	rests := p.rec.rests()
	for i := range p.rec.Pictures {
		x := &p.rec.Pictures[i]
		if !rests.echoes(x) {
			x.At = rests.settled(x)
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
		p.lines[l.Node.UUID] = append(p.lines[l.Node.UUID], shown{at: shownAt(l, p.from, p.to), line: l})
	}
	for _, lines := range p.lines {
		slices.SortStableFunc(lines, func(a, b shown) int { return a.at.Compare(b.at) })
	}
}

// Watch does nothing, as do Unwatch, Look, Hurry, Refresh and Need: a recording has what it has.
func (p *Player) Watch(string) {}

// Unwatch does nothing.
func (p *Player) Unwatch(string) {}

// Look does nothing.
func (p *Player) Look(string) {}

// Hurry does nothing.
func (p *Player) Hurry() {}

// Refresh does nothing.
func (p *Player) Refresh() {}

// Need does nothing.
func (p *Player) Need(...string) {}
