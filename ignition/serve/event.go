package serve

import (
	"net/netip"
	"time"
)

// EventKind describes what happened in an [Event].
type EventKind string

// These are the possible kinds of events.
const (
	// EventAsked means that a client requested only the headers, or that it already has the current content.
	EventAsked EventKind = "asked"
	// EventBegan means that a download started.
	EventBegan EventKind = "began"
	// EventProgress means that a download has progressed. There are at most 5 such events per second for each
	// download.
	EventProgress EventKind = "progress"
	// EventEnded means that a request is complete, but not all bytes of the item have been sent yet.
	EventEnded EventKind = "ended"
	// EventDone means that all bytes of the item have been sent.
	EventDone EventKind = "done"
	// EventAborted means that the client disconnected, or did not read for too long.
	EventAborted EventKind = "aborted"
	// EventRefused means that a client requested an unknown path. There is at most one such event per second;
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
	// Fetch is the state of the download. For an EventRefused, only Remote, Agent and Who are set. For a failure
	// outside a request, it is empty.
	Fetch Fetch
	// Text is the reason for a failure. It is safe to print.
	Text string
	// Count is the number of refused requests, or of failures outside a request, since the previous event of the same
	// kind. It includes this event.
	Count int
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
