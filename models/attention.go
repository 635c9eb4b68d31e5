package models

import (
	"time"
)

// Limits for a node that waits for its ramdisk.
const (
	// BootTakes is the time that a ramdisk may take to boot before it counts as overdue.
	BootTakes = 10 * time.Minute
	// SilentAfter is the time for which an agent may be silent: it sends a heartbeat every 90 to 180 s.
	SilentAfter = 2 * 180 * time.Second
	// CallbackTimeout is Ironic's default for every kind of ramdisk; the API does not report the configured value.
	CallbackTimeout = 1800 * time.Second
)

// Attention ranks how urgently a node needs an operator, at a time on the server's clock: failed or faulty, first
// those not yet in maintenance; held; in maintenance; overdue; waiting; working; stable. Time does not change the
// order within a rank, so that rows stay in place.
func Attention(r *Row, now time.Time) int {
	n := &r.Node
	switch {
	case n.Troubled():
		if n.Maintenance && n.Fault == "" {
			return 1
		}
		return 0
	case n.ProvisionState.Class() == ClassHold:
		return 2
	case n.Maintenance:
		return 3
	}
	switch n.ProvisionState.Class() {
	case ClassWait:
		if r.Overdue(now) {
			return 4
		}
		return 5
	case ClassTransitional, ClassUnknown:
		return 6
	case ClassStable, ClassHold, ClassFailed:
	}
	return 7 + lifeOrder[n.ProvisionState]
}

// Troubled reports whether the node failed or has a fault. A failed verification has no state of its own: the node
// is in enroll again, with an error.
func (n *Node) Troubled() bool {
	return n.ProvisionState.Failed() || n.Fault != "" || n.ProvisionState == StateEnroll && n.LastError != ""
}

// RunsInstance reports whether the machine runs an instance, whose address Ironic does not know.
func (n *Node) RunsInstance() bool { return n.ProvisionState == StateActive }

// Overdue reports whether the node has waited for its ramdisk longer than usual. During a step that reboots the
// machine, the agent may be silent until the deadline.
func (r *Row) Overdue(now time.Time) bool {
	from := r.LastSign()
	if r.Node.ProvisionState.Class() != ClassWait || from.IsZero() || now.IsZero() {
		return false
	}
	limit := BootTakes
	switch i := r.Node.Internal; {
	case i == nil:
	case i.Rebooting():
		limit = CallbackTimeout
	case i.AgentURL != "":
		limit = SilentAfter
	}
	return now.Sub(from) > limit
}

// LastSign returns the last sign of life while Ironic waits for the ramdisk: a heartbeat, or the start of the
// operation. Ironic's deadline counts from it, except for inspection; zero if unknown.
func (r *Row) LastSign() time.Time {
	last := r.Since
	if at := r.Node.ProvisionUpdatedAt.Time; at.After(last) {
		last = at
	}
	if i := r.Node.Internal; i != nil && i.AgentURL != "" && i.LastHeartbeat.After(last) {
		last = i.LastHeartbeat.Time
	}
	return last
}

// lifeOrder is the index of each state in [States]. It is a variable, because sorting reads it at every comparison; it
// is never modified.
var lifeOrder = func() map[ProvisionState]int {
	order := map[ProvisionState]int{}
	for i, s := range States() {
		order[s] = i
	}
	return order
}()

func byAttention(now time.Time) func(r *Row) int64 {
	return func(r *Row) int64 { return int64(Attention(r, now)) }
}
