package serve

import (
	"net/netip"
	"time"
)

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	// EventAsked means that a client requested only the headers, or that its copy is current.
	EventAsked EventKind = "asked"
	// EventBegan means that a download started.
	EventBegan EventKind = "began"
	// EventProgress means that a download continues. There are at most 5 such events per second and download.
	EventProgress EventKind = "progress"
	// EventEnded means that a request is complete, but that other parts of the item were not requested.
	EventEnded EventKind = "ended"
	// EventDone means that every byte of the item was sent.
	EventDone EventKind = "done"
	// EventAborted means that the client disconnected, or stopped reading for too long.
	EventAborted EventKind = "aborted"
	// EventRefused means that a client requested an unknown path. There is at most one such event per second;
	// [Event.Count] has the number of requests.
	EventRefused EventKind = "refused"
	// EventFailed means that the item could not be read, or that a connection failed, for example because the client
	// does not trust the certificate.
	EventFailed EventKind = "failed"
)

// Event is an entry of the access log.
type Event struct {
	Time time.Time
	Kind EventKind
	// Fetch is the state of the download. For refusals only Remote and Agent are set; for
	// failures outside a request nothing is set.
	Fetch Fetch
	// Text is the reason for a failure, sanitized.
	Text string
	// Count is the number of refusals, or of failures outside a request, since the last event of that kind. It includes
	// this event.
	Count int
}

// Served identifies an item, without its content and URL.
type Served struct {
	Node string
	Name string
	Kind Kind
}

// remoteOf returns the address of a client without port and zone. An IPv4-mapped IPv6 address
// becomes IPv4.
func remoteOf(hostPort string) netip.Addr {
	at, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
