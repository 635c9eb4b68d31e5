package fleet

import (
	"time"

	"ironworks/models"
)

// Status is how fresh the picture is.
type Status struct {
	// Connected is true after an answer, false after a fault.
	Connected bool
	// Complete is true once the whole fleet was listed; Total is how many nodes Ironic
	// counted before, 0 where it does not say.
	Complete bool
	Total    int
	// AsOf is when, on our own clock, the picture was last known to be right: it shows all
	// that Ironic knew then. Zero until the whole fleet was listed. A node that was deleted
	// in the place of one that was made meanwhile may be shown for a minute longer, and
	// where Ironic does not count nodes (before API 1.82) each one until the next sweep.
	AsOf time.Time
	// Behind says that more has changed than was read until now.
	Behind bool
	// Period is how often the poller looks.
	Period time.Duration
	// Answered is when the last answer came, on our own clock.
	Answered time.Time
	// Fault is why the last request failed, nil when it did not; NextTry is when it
	// will be tried again, Failures how often in a row it failed.
	Fault    *models.Fault
	NextTry  time.Time
	Failures int
	// Latency is that of the last small request.
	Latency time.Duration
	// Skew is how far the server's clock is ahead of ours.
	Skew time.Duration
	// Version is the API version in use.
	Version models.APIVersion
	// Requests counts what was asked of the API, Busy the nodes on their way.
	Requests int
	Busy     int
}

// Stale says that the picture is older than it should be at local time now.
func (s Status) Stale(now time.Time) bool {
	return !s.Connected || now.Sub(s.AsOf) > max(staleAfter, 4*latencyFactor*s.Latency)
}

// staleAfter is well beyond the slowest regular poll of an API that answers quickly.
const staleAfter = 20 * time.Second

// Update is what a poller tells its owner.
type Update struct {
	// Events are what happened, in order; may be empty.
	Events []models.Event
	// Works are the pieces of work that moved on: into another phase, or to their end; and
	// those whose reason to fail was found later.
	Works []models.Work
	// Rewound says that what was told before does not hold any more: a recording was wound
	// back. Events are then all until now.
	Rewound bool
	// Revision grows with every change of the store.
	Revision uint64
	Status   Status
}
