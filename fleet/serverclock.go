package fleet

import "time"

// ServerClock estimates the server's time from the Date headers of its answers. Each header is accurate to a second;
// together they are far more accurate. With this time, ages are correct even if the local clock is wrong by an hour.
type ServerClock struct {
	// low and high are the bounds of the server's time minus the local time.
	low, high time.Duration
	known     bool
	last      time.Time
}

// Observe adds the Date header of an answer. sent and got are the local times of the request and
// the answer.
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

// Known reports whether any answer had the header Date.
func (c *ServerClock) Known() bool { return c.known }

// Skew returns how far the server's clock is ahead; 0 if unknown.
func (c *ServerClock) Skew() time.Duration {
	if !c.known {
		return 0
	}
	return c.low + (c.high-c.low)/2
}

// at returns the server's time at local time now. A better estimate does not turn it back, so that
// events stay in order.
func (c *ServerClock) at(now time.Time) time.Time {
	t := now.Add(c.Skew())
	if back := c.last.Sub(t); back > 0 && back < 2*time.Second {
		return c.last
	}
	c.last = t
	return t
}
