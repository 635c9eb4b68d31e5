package cmd

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// editorGrace is the period after an editor exits in which a Ctrl-C that was typed in the editor may still arrive.
const editorGrace = 500 * time.Millisecond

// interrupts handles SIGINT and SIGTERM, which end a run. It ignores SIGINT while an editor has
// the terminal, because Ctrl-C is then meant for the editor.
type interrupts struct {
	// handedOver counts the programs that have the terminal.
	handedOver atomic.Int32
	// terminated is set by SIGTERM.
	terminated atomic.Bool
}

// cancelOnSignal cancels the context at the first signal. The second signal kills the process.
func (i *interrupts) cancelOnSignal(parent context.Context) (ctx context.Context, stop func()) {
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

// end reports whether a signal must end this program. It also records SIGTERM in i.terminated.
func (i *interrupts) end(s os.Signal) bool {
	if s == syscall.SIGTERM {
		i.terminated.Store(true)
	}
	return s != os.Interrupt || i.handedOver.Load() == 0
}

// handOver makes this program ignore Ctrl-C while another program uses the terminal, until shortly after back is
// called.
func (i *interrupts) handOver() (back func()) {
	i.handedOver.Add(1)
	return func() { time.AfterFunc(editorGrace, func() { i.handedOver.Add(-1) }) }
}
