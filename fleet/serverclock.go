package fleet

import "time"

// serverClock estimates the server's time from the Date headers of its answers. Each
// says that the server's clock stood within one second; together they narrow it down
// to far less, and a laptop whose clock is wrong by an hour still shows right ages.
type serverClock struct {
	// low and high bound server time − local time.
	low, high time.Duration
	known     bool
}

// observe takes one Date header, received at local time now.
func (c *serverClock) observe(date, now time.Time) {
	if date.IsZero() {
		return
	}
	low := date.Sub(now)
	high := low + time.Second
	if !c.known || low >= c.high || high <= c.low {
		c.low, c.high, c.known = low, high, true
		return
	}
	c.low, c.high = max(c.low, low), min(c.high, high)
}

// skew is how far the server's clock is ahead of ours; 0 while it is not known.
func (c *serverClock) skew() time.Duration {
	if !c.known {
		return 0
	}
	return c.low + (c.high-c.low)/2
}

// at is the server's time at local time now.
func (c *serverClock) at(now time.Time) time.Time { return now.Add(c.skew()) }
