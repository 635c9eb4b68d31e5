package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/printable"
)

// FaultKind is the kind of a failure between the console and Ironic. Callers decide by the kind, never by the text.
type FaultKind string

// Faults of the connection.
const (
	FaultDNS          FaultKind = "dns"           // the host name does not resolve
	FaultRefused      FaultKind = "refused"       // no process listens on the port
	FaultUnreachable  FaultKind = "unreachable"   // no route, network or host down
	FaultTimeout      FaultKind = "timeout"       // no (complete) answer in time
	FaultReset        FaultKind = "reset"         // the connection broke mid-way
	FaultTLS          FaultKind = "tls"           // the certificate or handshake was refused
	FaultNotIronic    FaultKind = "not ironic"    // an answer that is not Ironic's
	FaultNotRedfish   FaultKind = "not redfish"   // the server at a BMC's address does not speak Redfish
	FaultBadAnswer    FaultKind = "bad answer"    // truncated or unreadable JSON
	FaultRepeatedPage FaultKind = "repeated page" // a page of a list repeats
	FaultCanceled     FaultKind = "canceled"      // canceled by the console
	FaultConfig       FaultKind = "config"        // unusable connection settings
)

// Faults reported by Ironic or Keystone.
const (
	FaultUnauthorized  FaultKind = "unauthorized"   // 401
	FaultForbidden     FaultKind = "forbidden"      // 403
	FaultNotFound      FaultKind = "not found"      // 404
	FaultNoConductor   FaultKind = "no conductor"   // 404: no conductor serves the node's driver
	FaultVersion       FaultKind = "version"        // 406: API version out of range
	FaultNotAcceptable FaultKind = "not acceptable" // 406: a field, verb or parameter is too new
	FaultLocked        FaultKind = "locked"         // 409, temporary: another action has the node locked
	FaultConflict      FaultKind = "conflict"       // 409, permanent
	FaultBadRequest    FaultKind = "bad request"    // other 4xx
	FaultUnavailable   FaultKind = "unavailable"    // 503
	FaultServer        FaultKind = "server error"   // other 5xx
	FaultReadOnly      FaultKind = "read-only"      // refused by the console in read-only mode
	FaultNotKept       FaultKind = "not kept"       // the recording does not have the answer
)

// Fault is the error type for all failures of requests. Use errors.As, or [IsFault] for a kind.
type Fault struct {
	// Kind is the kind of the fault, by which callers decide.
	Kind FaultKind
	// Op is the operation that was attempted, such as "set power of node x".
	Op string
	// Method and URL are those of the request. The URL has no credentials.
	Method string
	URL    string
	// Status is the HTTP status, 0 without an answer.
	Status int
	// Message is the explanation of the server, sanitized, or of the console.
	Message string
	// Hint is the remedy in one sentence; may be empty.
	Hint string
	// ScreenHint is the remedy for a user of the console. It is set if Hint is a command.
	ScreenHint string
	// RequestID is the ID of the request in Ironic's log (X-Openstack-Request-Id).
	RequestID string
	// LockedBy is the conductor that locks the node, for FaultLocked.
	LockedBy string
	// Fingerprint is the SHA-256 of a refused certificate, for FaultTLS.
	Fingerprint string
	// RetryAfter is the delay that the server requested; 0 if none.
	RetryAfter time.Duration
	// Sent means that a change may have reached Ironic, although no answer arrived. It must not be repeated blindly.
	Sent bool
	Err  error
}

// Error returns operation, message and hint.
func (f *Fault) Error() string {
	var b strings.Builder
	if f.Op != "" {
		b.WriteString(f.Op)
		b.WriteString(": ")
	}
	b.WriteString(f.ReasonAndHint())
	if f.RequestID != "" {
		fmt.Fprintf(&b, " [%s]", f.RequestID)
	}
	return b.String()
}

// OnScreen returns the same as Error, with the remedy for the console.
func (f *Fault) OnScreen() string {
	shown := *f
	shown.Hint = cmp.Or(f.ScreenHint, f.Hint)
	return shown.Error()
}

// Reason returns the error without operation and hint.
func (f *Fault) Reason() string {
	msg := f.Message
	if msg == "" && f.Err != nil {
		msg = printable.Line(f.Err.Error())
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

// ReasonAndHint returns the error without the operation.
func (f *Fault) ReasonAndHint() string {
	if f.Hint == "" {
		return f.Reason()
	}
	return f.Reason() + " (" + f.Hint + ")"
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// FaultOf returns the fault that err is or wraps. For another error, it returns a new fault of the operation op.
func FaultOf(err error, op string) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Kind: FaultServer, Op: op, Message: printable.Line(err.Error()), Err: err}
}

// IsFault reports whether err is or wraps a fault of one of the kinds.
func IsFault(err error, kinds ...FaultKind) bool {
	var f *Fault
	return errors.As(err, &f) && slices.Contains(kinds, f.Kind)
}

// CannotConnect reports whether the fault means that Ironic is unreachable, rather than one request refused.
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
