package provision

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// PanicError holds the value of a panic that occurred while acting on one node. After the goroutines of the other
// nodes have ended, the panic is raised again in the goroutine that called [Runner.Run] or [FindNodes], where it can
// be handled.
type PanicError struct {
	Value any
	// Stack is the stack of the goroutine that panicked.
	Stack []byte
}

// Error returns the value of the panic followed by the stack.
func (p *PanicError) Error() string {
	return fmt.Sprintf("%v\n\npanic while acting on one node:\n%s", p.Value, p.Stack)
}

// Unwrap returns the value of the panic if it is an error.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// wait waits for the given time. If ctx is canceled before, it returns ctx's error.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// inParallel calls do for the numbers from 0 to n-1, [Concurrency] at a time, and returns after all calls have
// returned. The context passed to do is also canceled if one of the calls panics.
func inParallel(ctx context.Context, n int, do func(going context.Context, i int)) {
	inSlots(ctx, n, Concurrency, func(going context.Context, i int, _ func()) { do(going, i) })
}

// inSlots is like inParallel, but runs up to width calls at a time. By calling next before it returns, a call can let
// the next call start early.
func inSlots(ctx context.Context, n, width int, do func(going context.Context, i int, next func())) {
	going, stop := context.WithCancel(ctx)
	defer stop()
	var wg sync.WaitGroup
	var once sync.Once
	var raised *PanicError
	slots := make(chan struct{}, width)
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
