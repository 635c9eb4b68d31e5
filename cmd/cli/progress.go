package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mattn/go-runewidth"

	"ironworks/printable"
)

// Progress is a progress line on a terminal; without a terminal it prints nothing. The line
// appears after progressDelay, so that quick commands stay silent.
type Progress struct {
	mu      sync.Mutex
	out     io.Writer
	width   int
	shown   bool
	started time.Time
	text    func() string
	// prompting pauses the line while a prompt waits for an answer.
	prompting *atomic.Bool
	done      chan struct{}
	wg        sync.WaitGroup
}

const (
	progressDelay  = 300 * time.Millisecond
	progressPeriod = 200 * time.Millisecond
)

// NewProgress returns a progress line on stderr. The caller must call Stop.
func (a *App) NewProgress() *Progress {
	p := &Progress{done: make(chan struct{}), started: time.Now(), prompting: &a.prompting}
	width, is := Terminal(a.Stderr)
	if !is {
		return p
	}
	p.out, p.width = a.Stderr, width
	p.wg.Go(p.loop)
	return p
}

func (p *Progress) loop() {
	tick := time.NewTicker(progressPeriod)
	defer tick.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-tick.C:
			p.paint()
		}
	}
}

// SetText sets the text of the line to a formatted message.
func (p *Progress) SetText(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.Live(func() string { return text })
}

// Live sets a function that computes the text of the line whenever it is drawn, for example for a countdown.
func (p *Progress) Live(text func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

func (p *Progress) paint() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil || p.text == nil || p.prompting.Load() || time.Since(p.started) < progressDelay {
		return
	}
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s", runewidth.Truncate(printable.Line(p.text()), max(p.width-1, 1), "…"))
	p.shown = true
}

// Stop erases the line and stops updating it.
func (p *Progress) Stop() {
	close(p.done)
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_, _ = fmt.Fprint(p.out, "\r\x1b[K")
	}
}
