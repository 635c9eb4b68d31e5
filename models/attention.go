package models

import (
	"cmp"
	"time"
)

// The spans that a node which waits for its ramdisk is judged by.
const (
	// BootTakes is how long a ramdisk may take to boot before it is worth a word.
	BootTakes = 10 * time.Minute
	// SilentAfter is how long an agent may be silent: it beats every 90 to 180 s.
	SilentAfter = 2 * 180 * time.Second
	// CallbackTimeout is Ironic's default for a ramdisk of any kind; the API does not tell
	// what a server has in its place.
	CallbackTimeout = 1800 * time.Second
)

// Attention ranks how much a node needs somebody at a time of the server's clock: failed
// and faulty, first those that nobody has taken in hand by setting maintenance; held; in
// maintenance; waiting for longer than is usual, and as is usual; working; and then those
// that rest. Within a rank time changes nothing, so that rows stay where they are.
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

// Troubled says that the node failed or has a fault. A verification that failed has no
// state of its own: the node is in enroll again, with an error.
func (n *Node) Troubled() bool {
	return n.ProvisionState.Failed() || n.Fault != "" || n.ProvisionState == StateEnroll && n.LastError != ""
}

// Overdue says that the node waits for its ramdisk for longer than one is usually silent,
// or takes to boot. A step that reboots the machine may be silent until the deadline.
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

// LastSign is when the node was last heard of while Ironic waits for its ramdisk: a
// heartbeat, or the beginning of its work. It is what Ironic's deadline counts from, but
// for inspection; zero where nobody knows.
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

// lifeOrder is every state's place in [States]; read-only, and a variable because
// sorting asks for it at every comparison.
var lifeOrder = func() map[ProvisionState]int {
	order := map[ProvisionState]int{}
	for i, s := range States() {
		order[s] = i
	}
	return order
}()

func byAttention(now time.Time) func(a, b *Row) int {
	return func(a, b *Row) int { return cmp.Compare(Attention(a, now), Attention(b, now)) }
}
