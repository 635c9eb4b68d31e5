package fleet

import "time"

// ServerClock estimates the server's time from the Date headers of the server's responses. A single header is
// accurate only to a second, but many together are far more accurate. With the server's time, ages are correct even
// if the local clock is wrong by an hour.
type ServerClock struct {
	// low and high are the bounds of the difference between the server's time and the local time. The difference is
	// positive if the server's clock is ahead.
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
