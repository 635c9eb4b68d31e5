package fleet

import (
	"time"

	"ironworks/models"
)

// Status is the freshness of the node list.
type Status struct {
	// Connected is true after an answer, false after a fault.
	Connected bool
	// Complete reports that the whole fleet was listed; Total is the number of nodes that Ironic counted before the
	// listing, 0 if unknown.
	Complete bool
	Total    int
	// AsOf is the time, on the local clock, up to which the node list has all changes; zero until the whole fleet was
	// listed. Exception: if one node was deleted and another one created in between, the count is unchanged, and the
	// deleted node may be listed for another minute. If Ironic does not count nodes (before API 1.82), deleted nodes
	// are listed until the next sweep.
	AsOf time.Time
	// Behind reports that nodes may have changed that were not read yet.
	Behind bool
	// Period is the time between two rounds.
	Period time.Duration
	// Answered is the time when the last answer arrived, on the local clock.
	Answered time.Time
	// Fault is the reason why the last request failed; nil if it succeeded. NextTry is the time of the next attempt,
	// and Failures the number of failures in a row.
	Fault    *models.Fault
	NextTry  time.Time
	Failures int
	// Latency is the latency of the last small request.
	Latency time.Duration
	// Skew is how far the server's clock is ahead.
	Skew time.Duration
	// Version is the API version in use.
	Version models.APIVersion
	// Requests is the number of requests so far, and Busy the number of nodes in transition.
	Requests int
	Busy     int
}

// Stale reports whether the node list is older than expected at local time now.
func (s Status) Stale(now time.Time) bool {
	return !s.Connected || now.Sub(s.AsOf) > max(staleAfter, 4*latencyFactor*s.Latency)
}

// staleAfter is the age above which the node list is stale. It is much longer than the longest period for an API that
// answers quickly.
const staleAfter = 20 * time.Second

// Update is a report of a poller, after an answer or a fault.
type Update struct {
	// Events are the new events, in order; there may be none.
	Events []models.Event
	// Works are the operations that entered another phase or ended, and those whose failure reason
	// was found later.
	Works []models.Work
	// Rewound reports that a recording was rewound, so earlier events are invalid. Events then has all events up to the
	// current moment of the recording.
	Rewound bool
	// Revision grows with every change of the store.
	Revision uint64
	Status   Status
}
