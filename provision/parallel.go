package provision

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// PanicError is what the work on one node panicked with. It is raised again in the
// goroutine that called [Runner.Run] or [FindNodes], where somebody can handle it, once
// the work on the other nodes has come to a stop.
type PanicError struct {
	Value any
	// Stack is that of the goroutine that panicked.
	Stack []byte
}

// Error gives the value with the stack.
func (p *PanicError) Error() string {
	return fmt.Sprintf("%v\n\nraised by the work on one node:\n%s", p.Value, p.Stack)
}

// Unwrap gives the value when it is an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// inParallel does something for each of n, [AtOnce] at a time, and returns when all is
// done. The context that do gets ends also when one of them panics.
func inParallel(ctx context.Context, n int, do func(going context.Context, i int)) {
	inTurns(ctx, n, func(going context.Context, i int, _ func()) { do(going, i) })
}

// inTurns is the same for work that may let the next begin before it is done itself.
func inTurns(ctx context.Context, n int, do func(going context.Context, i int, next func())) {
	going, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var once sync.Once
	var raised *PanicError
	slots := make(chan struct{}, AtOnce)
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			next := sync.OnceFunc(func() { <-slots })
			defer next()
			defer func() {
				if v := recover(); v != nil {
					p := panicOf(v)
					once.Do(func() { raised = p })
					stop()
				}
			}()
			do(going, i, next)
		})
	}
	wg.Wait()
	if raised != nil {
		panic(raised)
	}
}

func panicOf(v any) *PanicError {
	var p *PanicError
	if err, ok := v.(error); ok && errors.As(err, &p) {
		return p
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}
