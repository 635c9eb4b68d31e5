package cmd

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// late is how long an editor's Ctrl-C may be on its way to us when the editor has ended.
const late = 500 * time.Millisecond

// interrupts are SIGINT and SIGTERM, which end a run. While an editor has the terminal its
// Ctrl-C reaches us, too, and is not meant for us.
type interrupts struct{ away atomic.Int32 }

// catch ends the context at the first signal; the second one is not caught any more:
// whatever hangs, it ends.
func (i *interrupts) catch(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	caught, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		defer close(done)
		defer cancel()
		defer signal.Stop(caught)
		for {
			select {
			case <-ctx.Done():
				return
			case s := <-caught:
				if i.end(s) {
					return
				}
			}
		}
	}()
	return ctx, func() {
		cancel()
		<-done
	}
}

// end says that a signal is meant for us.
func (i *interrupts) end(s os.Signal) bool { return s != os.Interrupt || i.away.Load() == 0 }

// leave gives the terminal to another program, until shortly after back is called.
func (i *interrupts) leave() (back func()) {
	i.away.Add(1)
	return func() { time.AfterFunc(late, func() { i.away.Add(-1) }) }
}
