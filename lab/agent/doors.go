package agent

import (
	"net/http"
	"sync"
)

// Doors count the calls that are being answered: closing a server does not wait for
// them.
type Doors struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// Guard lets calls in until the doors are closed.
func (d *Doors) Guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		if d.closed {
			d.mu.Unlock()
			panic(http.ErrAbortHandler)
		}
		d.inside.Add(1)
		d.mu.Unlock()
		defer d.inside.Done()
		next(w, r)
	}
}

// Close lets nobody in any more, and returns once nobody is inside.
func (d *Doors) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.inside.Wait()
}
