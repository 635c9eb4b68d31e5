package serve

import (
	"fmt"
	"net/netip"
	"time"
)

// State is the state of a download.
type State string

// The states of a download.
const (
	// Asked means that only the headers were requested. Conductors and BMCs do this first.
	Asked State = "asked"
	// Fetching means that a request is running.
	Fetching State = "fetching"
	// Partial means that no request is running, and that the download is incomplete. This is normal for a BMC that
	// reads an image as a drive: it often never reads all of it.
	Partial State = "partly"
	// Aborted is like Partial, but the client or the server interrupted the last request.
	Aborted State = "aborted"
	// Done means that every byte was sent.
	Done State = "done"
)

// Fetch is the download of one item by one remote address, over all its requests.
type Fetch struct {
	// Item has neither content nor URL, so it can be shown.
	Item   Served
	Remote netip.Addr
	// Who is the result of [Options.Who], or the remote address.
	Who string
	// Agent is the User-Agent of the last request, sanitized and shortened.
	Agent string

	// Size is the size of the item in bytes. Sent is the number of bytes sent, including repeated ones, and Covered the
	// number of distinct bytes sent.
	Size, Sent, Covered int64
	// Rate is the current rate in bytes per second; 0 if idle.
	Rate float64
	// Began is the time of the first request. Last is the time of the last request or of the last sent
	// bytes, whichever is later.
	Began, Last time.Time
	// Requests is the number of all requests, Heads the number of HEAD requests, and Active the number of running
	// requests.
	Requests, Heads, Active int
	State                   State
}

// Percent returns the percentage of distinct bytes sent, rounded down.
func (f Fetch) Percent() int {
	switch {
	case f.Size <= 0 && f.State == Done:
		return 100
	case f.Size <= 0:
		return 0
	}
	return int(f.Covered * 100 / f.Size)
}

// Elapsed returns the time from the first request to the last byte.
func (f Fetch) Elapsed() time.Duration { return f.Last.Sub(f.Began) }

// Average returns the average rate in bytes per second.
func (f Fetch) Average() float64 {
	seconds := f.Elapsed().Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(f.Sent) / seconds
}

// String returns the download as a line of an access log.
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
	case Fetching, Partial:
	}
	return fmt.Sprintf("%s fetched %d %% of %s, %s/s, %s", who, f.Percent(), f.Item.Name, bytesText(f.Rate), elapsed)
}

// bytesText formats a number of bytes in binary units.
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
