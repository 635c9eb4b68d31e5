package boot

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Phases are the steps of a boot, with the times they took.
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

// StartPhases begins the first phase.
func StartPhases() *Phases {
	now := time.Now()
	return &Phases{began: now, last: now}
}

// Done ends a phase; the next one begins.
func (p *Phases) Done(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.rows = append(p.rows, phase{name: name, took: now.Sub(p.last), upTo: now.Sub(p.began)})
	p.last = now
}

// String is the table.
func (p *Phases) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%-48s %8s %8s\n", "phase", "took", "total")
	for _, row := range p.rows {
		fmt.Fprintf(&b, "%-48s %7.1fs %7.1fs\n", row.name, row.took.Seconds(), row.upTo.Seconds())
	}
	return b.String()
}
