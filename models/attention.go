package models

import (
	"time"
)

// Time limits for a node that waits for its ramdisk.
const (
	// BootTakes is the time within which a ramdisk should boot. After that, the node counts as overdue.
	BootTakes = 10 * time.Minute
	// SilentAfter is the time without a heartbeat after which an agent, which sends one every 90 to 180 s, counts as
	// silent.
	SilentAfter = 2 * 180 * time.Second
	// CallbackTimeout is Ironic's default timeout for all kinds of ramdisks. The API does not report the actual one.
	CallbackTimeout = 1800 * time.Second
)

// Attention ranks a node by how urgently it needs an operator; 0 is the most urgent. Nodes that have failed or have a
// fault come first, followed by failed nodes that are already in maintenance. Then come nodes that are held, in
// maintenance, overdue, waiting, working and stable. now is on the server's clock. As time passes, a node's rank
// changes only when the node becomes overdue, so rows seldom move.
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

// Troubled reports whether the node has failed or has a fault. Ironic has no provision state for a failed
// verification: the node returns to enroll with an error, which therefore also counts.
func (n *Node) Troubled() bool {
	return n.ProvisionState.Failed() || n.Fault != "" || n.ProvisionState == StateEnroll && n.LastError != ""
}

// RunsInstance reports whether the machine runs an instance. Ironic does not know the instance's address, so callers
// must get it elsewhere.
func (n *Node) RunsInstance() bool { return n.ProvisionState == StateActive }

// Overdue reports whether the node has waited for its ramdisk longer than usual. During a step that reboots the
// machine, the agent may stay silent until Ironic's timeout.
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

// LastSign returns the time of the last sign of life while Ironic waits for the ramdisk: the last heartbeat or,
// before the first one, the start of the operation. Except during inspection, Ironic's timeout runs from this time.
// LastSign returns the zero time if none is known.
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

// lifeOrder maps each state to its index in [States]. It is a variable rather than a function because sorting reads
// it for every row. It is never modified.
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
