package serve

import (
	"cmp"
	"fmt"
	"net/netip"
	"time"
)

// State is the current state of a download.
type State string

// These are the possible states of a download.
const (
	// Asked means that only the headers have been requested so far. Conductors and BMCs do this first.
	Asked State = "asked"
	// Fetching means that at least one request is running.
	Fetching State = "fetching"
	// Partial means that no request is running and that not all bytes were sent. This is normal for a BMC that uses
	// an image as a virtual drive, because it often never reads the whole image.
	Partial State = "partly"
	// Aborted is the same as Partial, but the client or the server interrupted the last request.
	Aborted State = "aborted"
	// Done means that every byte was sent.
	Done State = "done"
)

// Fetch describes the download of one item by one remote address, with all its requests for this item.
type Fetch struct {
	// Item contains neither the content nor the URL, so it is safe to show.
	Item   Served
	Remote netip.Addr
	// Who is the name returned by [Options.Who]. It is empty if there is none.
	Who string
	// Agent is the User-Agent of the last request. It is sanitized and truncated.
	Agent string

	// Size is the item's size in bytes. Sent counts all bytes sent, and Covered counts the distinct bytes sent.
	Size, Sent, Covered int64
	// Rate is the current rate in bytes per second. It becomes 0 about a second after the last request has ended.
	Rate float64
	// Began is the time of the first request. Last is the last time when a request arrived or bytes were sent.
	Began, Last time.Time
	// Requests is the number of all requests, Heads of HEAD requests, and Active of running requests.
	Requests, Heads, Active int
	State                   State
}

// Percent returns Covered as a percentage of Size, rounded down.
func (f Fetch) Percent() int {
	switch {
	case f.Size <= 0 && f.State == Done:
		return 100
	case f.Size <= 0:
		return 0
	}
	return int(f.Covered * 100 / f.Size)
}

// Elapsed returns the time between Began and Last.
func (f Fetch) Elapsed() time.Duration { return f.Last.Sub(f.Began) }

// Average returns the average rate since Began, in bytes per second.
func (f Fetch) Average() float64 {
	seconds := f.Elapsed().Seconds()
	if seconds <= 0 {
		return 0
	}
	return float64(f.Sent) / seconds
}

// String describes the download as a line of an access log.
func (f Fetch) String() string {
	who := cmp.Or(f.Who, f.Remote.String())
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

// bytesText formats n bytes in binary units, for example "1.5 GiB".
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

// EventKind describes what happened in an [Event].
type EventKind string

// These are the possible kinds of events.
const (
	// EventAsked means that a client requested only the headers, or that it already has the current content.
	EventAsked EventKind = "asked"
	// EventBegan means that a download started.
	EventBegan EventKind = "began"
	// EventProgress means that a download has progressed. Each download has at most 5 such events per second.
	EventProgress EventKind = "progress"
	// EventEnded means that a request is complete, but not all bytes of the item have been sent yet.
	EventEnded EventKind = "ended"
	// EventDone means that all bytes of the item have been sent.
	EventDone EventKind = "done"
	// EventAborted means that the client disconnected, or did not read for too long.
	EventAborted EventKind = "aborted"
	// EventRefused means that clients requested unknown paths. There is at most one such event per second;
	// [Event.Count] is the number of requests.
	EventRefused EventKind = "refused"
	// EventFailed means that the item could not be read, or that a connection failed, for example because the client
	// does not trust the certificate.
	EventFailed EventKind = "failed"
)

// Event is an entry of the access log.
type Event struct {
	Time time.Time
	Kind EventKind
	// Fetch is the download. EventRefused sets only Remote, Agent and Who; failures outside requests set nothing.
	Fetch Fetch
	// Text is the reason for a failure. It is safe to print.
	Text string
	// Count is the number of refused requests, or of other failures, since the previous such event, including this one.
	Count int
}

// Times returns the number of requests or failures as text, for example " (3 times)". It returns "" for a single one.
func (e Event) Times() string {
	if e.Count < 2 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", e.Count)
}

// Served identifies an item without revealing its content and URL.
type Served struct {
	Node string
	Name string
	Kind Kind
}

// remoteOf returns the IP address in hostPort without the zone. It converts an IPv4-mapped IPv6 address to IPv4.
func remoteOf(hostPort string) netip.Addr {
	at, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
