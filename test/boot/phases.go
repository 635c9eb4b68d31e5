package boot

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Phases records the phases of a boot and their durations.
type Phases struct {
	mu    sync.Mutex
	began time.Time
	last  time.Time
	rows  []phase
}

type phase struct {
	name       string
	took, upTo time.Duration
}

// StartPhases returns a record whose first phase starts now.
func StartPhases() *Phases {
	now := time.Now()
	return &Phases{began: now, last: now}
}

// Done ends the current phase, which gets the given name, and starts the next one. It returns the table row for the
// ended phase.
func (p *Phases) Done(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.rows = append(p.rows, phase{name: name, took: now.Sub(p.last), upTo: now.Sub(p.began)})
	p.last = now
	return p.rows[len(p.rows)-1].String()
}

func (p phase) String() string {
	return fmt.Sprintf("%-48s %7.1fs %7.1fs", p.name, p.took.Seconds(), p.upTo.Seconds())
}

// String returns a table of the phases with their durations.
func (p *Phases) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%-48s %8s %8s\n", "phase", "took", "total")
	for _, row := range p.rows {
		fmt.Fprintln(&b, row)
	}
	return b.String()
}
