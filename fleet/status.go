package fleet

import (
	"time"

	"ironworks/models"
)

// Status describes how current the node list is.
type Status struct {
	// Connected reports whether the last request was answered. It is false after a fault.
	Connected bool
	// Complete reports whether the whole fleet has been listed. Total is the number of nodes that Ironic counted
	// before that listing, or 0 if it is unknown.
	Complete bool
	Total    int
	// AsOf is the time, on the local clock, up to which the node list contains all changes, with two exceptions. If a
	// node was deleted and another one created since the last count, the count is unchanged, and the deleted node may
	// remain listed for another minute. If Ironic does not count nodes (before API 1.82), deleted nodes remain listed
	// until the next sweep. AsOf is zero until the whole fleet has been listed.
	AsOf time.Time
	// Behind reports whether there may be changes that the poller has not read yet.
	Behind bool
	// Period is the time from the start of one round to the start of the next.
	Period time.Duration
	// Answered is the time, on the local clock, when the last response arrived.
	Answered time.Time
	// Fault is the reason why the last request failed, or nil if it succeeded. NextTry is the time of the next
	// attempt, and Failures the number of consecutive failures.
	Fault    *models.Fault
	NextTry  time.Time
	Failures int
	// Latency is the duration of the last small request.
	Latency time.Duration
	// Skew is the time by which the server's clock is ahead of the local clock.
	Skew time.Duration
	// Version is the API version in use.
	Version models.APIVersion
	// Requests is the number of requests so far, and Busy the number of nodes in transition.
	Requests int
	Busy     int
}

// Stale reports whether the node list counts as outdated at the local time now. It does if the last request failed,
// or if the time since AsOf is longer than both 20 s and 40 times the latency.
func (s Status) Stale(now time.Time) bool {
	return !s.Connected || now.Sub(s.AsOf) > max(staleAfter, 4*latencyFactor*s.Latency)
}

// staleAfter is the age from which the node list counts as stale. With an API that answers quickly, even the longest
// period is much shorter.
const staleAfter = 20 * time.Second

// Update is a poller's report after a response or a fault.
type Update struct {
	// Events lists the new events, in order. It may be empty.
	Events []models.Event
	// Works lists the operations that entered another phase or ended, or whose failure reason was found later.
	Works []models.Work
	// Rewound reports whether a recording was rewound, which makes earlier events invalid. Events then contains all
	// events up to the current moment of the recording.
	Rewound bool
	// Revision grows with every change of the store.
	Revision uint64
	Status   Status
}

// ServerClock estimates the server's time from the Date headers of the server's responses. A single header is
// accurate only to a second, but many together are far more accurate. With the server's time, ages are correct even
// if the local clock is wrong by an hour.
type ServerClock struct {
	// low and high bound the server's time minus the local time.
	low, high time.Duration
	known     bool
	last      time.Time
}

// Observe updates the estimate with the Date header of a response. sent and got are the local times when the request
// was sent and the response arrived.
func (c *ServerClock) Observe(date, sent, got time.Time) {
	if date.IsZero() {
		return
	}
	low, high := date.Sub(got), date.Add(time.Second).Sub(sent)
	if !c.known || low > c.high || high < c.low {
		c.low, c.high, c.known = low, high, true
		return
	}
	c.low, c.high = max(c.low, low), min(c.high, high)
}

// Known reports whether any response so far had a Date header.
func (c *ServerClock) Known() bool { return c.known }

// Skew returns the time by which the server's clock is ahead of the local clock, or 0 if it is unknown.
func (c *ServerClock) Skew() time.Duration {
	if !c.known {
		return 0
	}
	return c.low + (c.high-c.low)/2
}

// at converts now, a local time, to the server's time. If an improved estimate would turn the time back by less than
// two seconds, at returns the previous time, so that events stay in order.
func (c *ServerClock) at(now time.Time) time.Time {
	t := now.Add(c.Skew())
	if back := c.last.Sub(t); back > 0 && back < 2*time.Second {
		return c.last
	}
	c.last = t
	return t
}
