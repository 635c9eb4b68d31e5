package fleet

import "time"

// ServerClock estimates the server's time from the Date headers of its answers. Each
// says that the server's clock stood within one second; together they narrow it down
// to far less, and a laptop whose clock is wrong by an hour still shows right ages.
type ServerClock struct {
	// low and high bound server time − local time.
	low, high time.Duration
	known     bool
	last      time.Time
}

// Observe takes one Date header of an answer to a question that was put at local time
// sent and whose answer was there at local time got.
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

// Known says that an answer had a Date.
func (c *ServerClock) Known() bool { return c.known }

// Skew is how far the server's clock is ahead of ours; 0 while it is not known.
func (c *ServerClock) Skew() time.Duration {
	if !c.known {
		return 0
	}
	return c.low + (c.high-c.low)/2
}

// at is the server's time at local time now. A better estimate does not turn it back:
// what is told later happened no earlier.
func (c *ServerClock) at(now time.Time) time.Time {
	t := now.Add(c.Skew())
	if back := c.last.Sub(t); back > 0 && back < 2*time.Second {
		return c.last
	}
	c.last = t
	return t
}
