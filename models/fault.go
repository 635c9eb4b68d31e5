package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"ironworks/printable"
)

// FaultKind is the kind of failure between the console and a server. Callers base decisions on the kind, never on the
// text.
type FaultKind string

// Faults of the connection.
const (
	FaultDNS          FaultKind = "dns"           // the host name does not resolve
	FaultRefused      FaultKind = "refused"       // no process is listening on the port
	FaultUnreachable  FaultKind = "unreachable"   // no route to the host, or the network or host is down
	FaultTimeout      FaultKind = "timeout"       // no answer, or an incomplete one, within the time limit
	FaultReset        FaultKind = "reset"         // the connection broke midway
	FaultTLS          FaultKind = "tls"           // the certificate was rejected, or the handshake failed
	FaultNotIronic    FaultKind = "not ironic"    // the answer is not from Ironic
	FaultNotRedfish   FaultKind = "not redfish"   // the server at a BMC's address does not speak Redfish
	FaultBadAnswer    FaultKind = "bad answer"    // truncated or unreadable JSON
	FaultRepeatedPage FaultKind = "repeated page" // a list returned the same page twice
	FaultCanceled     FaultKind = "canceled"      // canceled by the console
	FaultConfig       FaultKind = "config"        // the connection settings cannot be used
)

// Faults reported by Ironic or Keystone.
const (
	FaultUnauthorized  FaultKind = "unauthorized"   // 401
	FaultForbidden     FaultKind = "forbidden"      // 403
	FaultNotFound      FaultKind = "not found"      // 404
	FaultNoConductor   FaultKind = "no conductor"   // 404: no conductor serves the node's driver
	FaultVersion       FaultKind = "version"        // 406: API version out of range
	FaultNotAcceptable FaultKind = "not acceptable" // 406: a field, verb or parameter is too new
	FaultLocked        FaultKind = "locked"         // 409, temporary: the node is locked by another action
	FaultConflict      FaultKind = "conflict"       // 409, permanent
	FaultBadRequest    FaultKind = "bad request"    // other 4xx
	FaultUnavailable   FaultKind = "unavailable"    // 503
	FaultServer        FaultKind = "server error"   // other 5xx
	FaultReadOnly      FaultKind = "read-only"      // refused by the console because it is read-only
	FaultNotKept       FaultKind = "not kept"       // the recording does not contain the answer
)

// Fault is the error type of all failed requests. Use errors.As to get it, or [IsFault] to check its kind.
type Fault struct {
	// Kind is the kind of failure. Callers base decisions on it.
	Kind FaultKind
	// Op is the operation that was attempted, such as "set power of node x".
	Op string
	// Method and URL are the method and the URL of the request. The URL contains no credentials.
	Method string
	URL    string
	// Status is the HTTP status, or 0 if there was no answer.
	Status int
	// Message is the sanitized explanation. It comes from the server or from the console.
	Message string
	// Hint describes the remedy in one sentence. It may be empty.
	Hint string
	// ScreenHint describes the remedy for a user of the console. It is set if Hint contains a command.
	ScreenHint string
	// RequestID is the ID of the request in Ironic's log (X-Openstack-Request-Id).
	RequestID string
	// LockedBy is the conductor that holds the lock on the node. It is set for FaultLocked.
	LockedBy string
	// Fingerprint is the SHA-256 fingerprint of a certificate that was rejected. It is set for FaultTLS.
	Fingerprint string
	// RetryAfter is the delay that the server asked for, or 0 if it did not ask for one.
	RetryAfter time.Duration
	// Sent means that the change may have reached Ironic although no answer arrived. The request must not be repeated
	// without first checking whether the change was made.
	Sent bool
	Err  error
}

// Error returns the operation, the message, the hint and the request ID.
func (f *Fault) Error() string {
	text := f.ReasonAndHint()
	if f.Op != "" {
		text = f.Op + ": " + text
	}
	if f.RequestID != "" {
		text += " [" + f.RequestID + "]"
	}
	return text
}

// OnScreen returns the same as Error, but with the remedy for a user of the console.
func (f *Fault) OnScreen() string {
	shown := *f
	shown.Hint = cmp.Or(f.ScreenHint, f.Hint)
	return shown.Error()
}

// Reason returns the message and the HTTP status, without the operation and the hint.
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

// ReasonAndHint returns the same as Error, but without the operation and the request ID.
func (f *Fault) ReasonAndHint() string {
	if f.Hint == "" {
		return f.Reason()
	}
	return f.Reason() + " (" + f.Hint + ")"
}

// Unwrap returns the underlying error, or nil.
func (f *Fault) Unwrap() error { return f.Err }

// FaultOf returns the fault that err is or wraps. If there is none, it wraps err in a new fault with op as its
// operation.
func FaultOf(err error, op string) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Kind: FaultServer, Op: op, Message: printable.Line(err.Error()), Err: err}
}

// IsFault reports whether err is or wraps a fault of one of the given kinds.
func IsFault(err error, kinds ...FaultKind) bool {
	var f *Fault
	return errors.As(err, &f) && slices.Contains(kinds, f.Kind)
}

// CannotConnect reports whether the failure means that Ironic cannot be used at all, rather than that a single
// request failed.
func (k FaultKind) CannotConnect() bool {
	return slices.Contains([]FaultKind{
		FaultDNS, FaultRefused, FaultUnreachable, FaultTimeout, FaultReset, FaultTLS,
		FaultNotIronic, FaultNotRedfish, FaultVersion, FaultUnauthorized, FaultConfig, FaultBadAnswer,
	}, k)
}
