package serve

import (
	"fmt"
	"net/netip"
	"time"
)

// State is how far a fetch is.
type State string

// The states.
const (
	// Asked: only the headers were asked for, as conductors and BMCs do first.
	Asked State = "asked"
	// Fetching: a request is being answered.
	Fetching State = "fetching"
	// Partly: no request is being answered and some is missing. A BMC that reads an
	// image as a drive is there between its reads, and often never reads all of it.
	Partly State = "partly"
	// Aborted: as Partly, and the last request was cut off by the client or by us.
	Aborted State = "aborted"
	// Done: every byte was sent.
	Done State = "done"
)

// Fetch is what one remote address fetched of one item so far, over all its requests.
type Fetch struct {
	// Item has neither content nor address: it may be shown.
	Item   Served
	Remote netip.Addr
	// Who is what [Options.Who] calls the remote address, else the address.
	Who string
	// Agent is what the client of the last request calls itself, printable and short.
	Agent string

	// Size is the item's size in bytes, Sent the bytes given to the network, Covered
	// the distinct ones among them.
	Size, Sent, Covered int64
	// Rate is bytes a second, now; 0 when nothing is being sent.
	Rate float64
	// Began is when the first request came, Last when something was last sent.
	Began, Last time.Time
	// Requests counts all of them, Heads those for headers only, Active those that
	// are being answered.
	Requests, Heads, Active int
	State                   State
}

// Percent is how much of the whole was sent at least once, rounded down: 100 is all.
func (f Fetch) Percent() int {
	switch {
	case f.Size <= 0 && f.State == Done:
		return 100
	case f.Size <= 0:
		return 0
	}
	return int(f.Covered * 100 / f.Size)
}

// Elapsed is from the first request to the last byte.
func (f Fetch) Elapsed() time.Duration { return f.Last.Sub(f.Began) }

// Average is bytes a second over the whole time.
func (f Fetch) Average() float64 {
	seconds := f.Elapsed().Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(f.Sent) / seconds
}

// String is the line for an access log: who, what, how much, how fast, since when.
func (f Fetch) String() string {
	who := f.Who
	if who == "" {
		who = f.Remote.String()
	}
	elapsed := f.Elapsed().Round(time.Second)
	switch f.State {
	case Asked:
		return fmt.Sprintf("%s asked for %s", who, f.Item.Name)
	case Done:
		return fmt.Sprintf("%s fetched %s: %s in %s, %s/s", who, f.Item.Name, bytesText(float64(f.Size)), elapsed, bytesText(f.Average()))
	case Aborted:
		return fmt.Sprintf("%s stopped fetching %s at %d %% after %s", who, f.Item.Name, f.Percent(), elapsed)
	case Fetching, Partly:
	}
	return fmt.Sprintf("%s fetched %d %% of %s, %s/s, %s", who, f.Percent(), f.Item.Name, bytesText(f.Rate), elapsed)
}

// bytesText is a number of bytes in binary units.
func bytesText(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n >= 1024 && i < len(units)-1 {
		n /= 1024
		i++
	}
	if i == 0 || n >= 100 {
		return fmt.Sprintf("%.0f %s", n, units[i])
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}
