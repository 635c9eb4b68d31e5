package provision

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// PanicError holds the value of a panic that occurred while acting on one node. It is raised again in the goroutine
// that called [Runner.Run] or [FindNodes], after all others have ended.
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

// InParallel calls do for the numbers from 0 to n-1, [Concurrency] at a time, and returns after all calls have
// returned. The context passed to do is also canceled if one of the calls panics.
func InParallel(ctx context.Context, n int, do func(going context.Context, i int)) {
	inSlots(ctx, n, Concurrency, func(going context.Context, i int, _ func()) { do(going, i) })
}

// readEach calls read for each element of list, [Concurrency] at a time, and returns the results and the errors.
func readEach[T, R any](ctx context.Context, list []T, read func(going context.Context, of T) (R, error)) ([]R, []error) {
	results, errs := make([]R, len(list)), make([]error, len(list))
	InParallel(ctx, len(list), func(going context.Context, i int) { results[i], errs[i] = read(going, list[i]) })
	return results, errs
}

// inSlots is like InParallel, but runs up to width calls at a time. A call can let the next one start early with next.
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
