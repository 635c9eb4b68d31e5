package ui

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

const (
	// atRest is how often a picture that does not change is looked at, for what is not in
	// its text.
	atRest = time.Second
	// stillFast is how long the frames go on after the last change.
	stillFast = 50 * time.Millisecond
	// atFirst is how soon the first change after a rest is sent: who presses a key need
	// not wait for a frame that nobody else is in. It is for so long, as the picture may
	// not be there at the first look.
	atFirst    = 2 * time.Millisecond
	atFirstFor = 5 * atFirst
)

// pace lets frames be sent only while there is something to send.
//
// Bubble Tea 2.0 looks for something to send at a fixed rate, and each look wakes three
// threads: measured, 60 looks a second are 1.4 % of a processor for a picture that stands
// still, and with fewer of them a key waits longer than a frame. It has no option for
// that, so its ticker is taken out of it: slow while nothing changes, at full rate from
// the first change on. Where a later version has no such ticker, the rate stays fixed.
type pace struct {
	ticker **time.Ticker
	frame  time.Duration

	mu    sync.Mutex
	fast  bool
	quiet *time.Timer
	even  *time.Timer
}

// newPace finds the ticker of a program that was not started yet; nil when there is none.
func newPace(p *tea.Program, frame time.Duration) *pace {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() {
		return nil
	}
	return &pace{ticker: (**time.Ticker)(unsafe.Pointer(field.UnsafeAddr())), frame: frame, fast: true} //nolint:gosec // its type was checked
}

// soon is called when the picture has changed, in the goroutine of the program, which is
// the one that makes the ticker.
func (p *pace) soon() {
	if p == nil || *p.ticker == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet == nil {
		ticker := *p.ticker
		p.quiet = time.AfterFunc(stillFast, func() { p.turn(ticker, false, atRest) })
		p.even = time.AfterFunc(atFirstFor, func() { p.turn(ticker, true, p.frame) })
	}
	p.quiet.Reset(stillFast)
	if !p.fast {
		p.fast = true
		(*p.ticker).Reset(min(atFirst, p.frame))
		p.even.Reset(atFirstFor)
	}
}

// turn changes the rate, unless it is slow already.
func (p *pace) turn(ticker *time.Ticker, fast bool, rate time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fast {
		p.fast = fast
		ticker.Reset(rate)
	}
}

// stop ends it, when the program has ended.
func (p *pace) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.quiet != nil {
		p.quiet.Stop()
		p.even.Stop()
	}
}
