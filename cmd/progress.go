package cmd

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mattn/go-runewidth"

	"ironworks/models"
)

// progress is one line on a terminal that tells how far long work is; in a pipe it is
// silent. It appears only after a moment, so that quick work stays quiet.
type progress struct {
	mu      sync.Mutex
	out     io.Writer
	width   int
	shown   bool
	started time.Time
	text    func() string
	done    chan struct{}
	wg      sync.WaitGroup
}

const (
	progressDelay  = 300 * time.Millisecond
	progressPeriod = 200 * time.Millisecond
)

func (a *app) newProgress() *progress {
	p := &progress{done: make(chan struct{}), started: time.Now()}
	width, is := terminal(a.stderr)
	if !is {
		return p
	}
	p.out, p.width = a.stderr, width
	p.wg.Go(p.loop)
	return p
}

func (p *progress) loop() {
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

// say sets the line.
func (p *progress) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.live(func() string { return text })
}

// live sets a line that is made anew each time it is painted: a countdown.
func (p *progress) live(text func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = text
}

func (p *progress) paint() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out == nil || p.text == nil || time.Since(p.started) < progressDelay {
		return
	}
	_, _ = fmt.Fprintf(p.out, "\r\x1b[K%s", runewidth.Truncate(models.Printable(p.text()), max(p.width-1, 1), "…"))
	p.shown = true
}

func (p *progress) wipe() {
	if p.shown {
		_, _ = fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// stop wipes the line and ends the painting.
func (p *progress) stop() {
	close(p.done)
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wipe()
}
