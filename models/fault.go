package models

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// FaultKind says what went wrong between us and Ironic, so that callers branch on
// it and never on text.
type FaultKind string

// Faults of the connection.
const (
	FaultDNS          FaultKind = "dns"           // the host name does not resolve
	FaultRefused      FaultKind = "refused"       // nothing listens there
	FaultUnreachable  FaultKind = "unreachable"   // no route, network or host down
	FaultTimeout      FaultKind = "timeout"       // no (complete) answer in time
	FaultReset        FaultKind = "reset"         // the connection broke mid-way
	FaultTLS          FaultKind = "tls"           // the certificate or handshake was refused
	FaultNotIronic    FaultKind = "not ironic"    // something answers, but it is not Ironic
	FaultNotRedfish   FaultKind = "not redfish"   // something answers at a BMC's address, but it is not Redfish
	FaultBadAnswer    FaultKind = "bad answer"    // truncated or unreadable JSON
	FaultRepeatedPage FaultKind = "repeated page" // paging goes round in circles
	FaultCanceled     FaultKind = "canceled"      // we stopped waiting ourselves
	FaultConfig       FaultKind = "config"        // the connection's settings cannot work
)

// Faults that Ironic (or Keystone) itself reports.
const (
	FaultUnauthorized  FaultKind = "unauthorized"   // 401
	FaultForbidden     FaultKind = "forbidden"      // 403
	FaultNotFound      FaultKind = "not found"      // 404
	FaultNoConductor   FaultKind = "no conductor"   // 404: no conductor serves the node's driver
	FaultVersion       FaultKind = "version"        // 406: API version out of range
	FaultNotAcceptable FaultKind = "not acceptable" // 406: a field, verb or parameter is too new
	FaultLocked        FaultKind = "locked"         // 409 that goes away: another action holds the node
	FaultConflict      FaultKind = "conflict"       // 409 that does not go away by waiting
	FaultBadRequest    FaultKind = "bad request"    // other 4xx
	FaultUnavailable   FaultKind = "unavailable"    // 503
	FaultServer        FaultKind = "server error"   // other 5xx
	FaultReadOnly      FaultKind = "read-only"      // we refused to send a change
	FaultNotKept       FaultKind = "not kept"       // a recording plays, and does not have it
)

// Fault is the one error type for everything that goes wrong when talking to
// Ironic. Match it with errors.As, or [IsFault] for a kind.
type Fault struct {
	// Kind is what to branch on.
	Kind FaultKind
	// Op is what was attempted, in the user's words: "set power of node x".
	Op string
	// Method and URL are the request's; URL never carries credentials.
	Method string
	URL    string
	// Status is the HTTP status, 0 when there was no answer.
	Status int
	// Message is the server's own explanation, sanitised, or our description.
	Message string
	// Hint is the way out, one sentence; may be empty.
	Hint string
	// RequestID is Ironic's (X-Openstack-Request-Id), to find the request in its log.
	RequestID string
	// LockedBy is the conductor that holds the node, for FaultLocked.
	LockedBy string
	// Fingerprint is the SHA-256 of the certificate that was refused, for FaultTLS.
	Fingerprint string
	// RetryAfter is the server's own wish, 0 when it had none.
	RetryAfter time.Duration
	// Sent is true when a change may have reached Ironic although no answer came
	// back: it must not be repeated blindly.
	Sent bool
	// Err is the cause.
	Err error
}

// Error tells what was attempted, what came back, and the way out.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Op != "" {
		b.WriteString(f.Op)
		b.WriteString(": ")
	}
	b.WriteString(f.Reason())
	if f.Hint != "" {
		b.WriteString(" (")
		b.WriteString(f.Hint)
		b.WriteString(")")
	}
	if f.RequestID != "" {
		fmt.Fprintf(&b, " [%s]", f.RequestID)
	}
	return b.String()
}

// Reason is the error without what was attempted and without the way out.
func (f *Fault) Reason() string {
	msg := f.Message
	if msg == "" && f.Err != nil {
		msg = Printable(f.Err.Error())
	}
	switch {
	case msg == "" && f.Status == 0:
		return string(f.Kind)
	case msg == "":
		return fmt.Sprintf("HTTP %d", f.Status)
	case f.Status == 0:
		return msg
	default:
		return fmt.Sprintf("%s (HTTP %d)", msg, f.Status)
	}
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// IsFault says whether err is, or wraps, a fault of one of the kinds.
func IsFault(err error, kinds ...FaultKind) bool {
	var f *Fault
	if !errors.As(err, &f) {
		return false
	}
	for _, k := range kinds {
		if f.Kind == k {
			return true
		}
	}
	return false
}

// CannotConnect says whether the fault means that this Ironic cannot be talked to
// at all, as opposed to one request having been turned down.
func (k FaultKind) CannotConnect() bool {
	switch k {
	case FaultDNS, FaultRefused, FaultUnreachable, FaultTimeout, FaultReset, FaultTLS,
		FaultNotIronic, FaultNotRedfish, FaultVersion, FaultUnauthorized, FaultConfig, FaultBadAnswer:
		return true
	case FaultRepeatedPage, FaultCanceled, FaultForbidden, FaultNotFound, FaultNoConductor,
		FaultNotAcceptable, FaultLocked, FaultConflict, FaultBadRequest, FaultUnavailable,
		FaultServer, FaultReadOnly, FaultNotKept:
		return false
	}
	return false
}
