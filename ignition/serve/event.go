package serve

import (
	"net/netip"
	"time"
)

// EventKind is what happened.
type EventKind string

// The kinds of events.
const (
	// EventAsked: a client asked for the headers, or has what there is already.
	EventAsked EventKind = "asked"
	// EventBegan: a client is being sent something.
	EventBegan EventKind = "began"
	// EventProgress: it got further. At most five a second for each fetch.
	EventProgress EventKind = "progress"
	// EventEnded: a request was answered to its end, and parts of the item were never
	// asked for.
	EventEnded EventKind = "ended"
	// EventDone: every byte of the item has been sent.
	EventDone EventKind = "done"
	// EventAborted: the client went, or did not read for too long.
	EventAborted EventKind = "aborted"
	// EventRefused: somebody asked for what is not there. At most one a second; the
	// others are counted in [Event.Count].
	EventRefused EventKind = "refused"
	// EventFailed: what was asked for could not be read, or no connection came about,
	// for one because the client does not trust our certificate.
	EventFailed EventKind = "failed"
)

// Event is a line of the access log.
type Event struct {
	Time time.Time
	Kind EventKind
	// Fetch is what was fetched so far; of refusals only Remote and Agent are set, of
	// failures outside a request not even those.
	Fetch Fetch
	// Text says why something failed, printable.
	Text string
	// Count is how many refusals, or failures outside a request, there were since the
	// last event that told of them, this one included.
	Count int
}

// Served is an item as it may be shown.
type Served struct {
	Node string
	Name string
	Kind Kind
}

// remoteOf is the address of a client, without port and zone; an IPv4 client of an
// IPv6 socket is an IPv4 client.
func remoteOf(hostPort string) netip.Addr {
	at, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}
