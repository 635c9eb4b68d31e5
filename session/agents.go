package session

import (
	"context"
	"slices"
	"time"

	"ironworks/fleet"
	"ironworks/models"
)

// agents knows the ramdisk addresses of some nodes. It starts with the addresses that Ironic reported initially, and
// [agents.Watch] updates them.
type agents struct {
	first []models.Node
	store *fleet.Store
	given string
}

// newAgents returns the agents of the given nodes. If given is not empty, it overrides the addresses from Ironic.
func newAgents(nodes []models.Node, given string) *agents {
	return &agents{first: nodes, store: fleet.NewStore(), given: given}
}

// Watch updates the addresses until ctx ends. It calls lost each time the connection to Ironic is lost.
func (x *agents) Watch(ctx context.Context, s *Session, lost func(*models.Fault)) {
	uuids := make([]string, len(x.first))
	for i := range x.first {
		uuids[i] = x.first[i].UUID
	}
	gone := false
	poller := fleet.NewPoller(s.Client, x.store, fleet.Options{Only: uuids})
	_ = poller.Run(ctx, func(u fleet.Update) { // Run ends with ctx, and reports faults to the callback
		if u.Status.Fault != nil && !gone {
			lost(u.Status.Fault)
		}
		gone = u.Status.Fault != nil
	})
}

// Address returns the address of a node's ramdisk, or "" if it is unknown.
func (x *agents) Address(n models.NodeRef) string {
	if x.given != "" {
		return x.given
	}
	if address := lastAgent(x.store)(n); address != "" {
		return address
	}
	i := slices.IndexFunc(x.first, func(f models.Node) bool { return f.UUID == n.UUID })
	if i < 0 || x.first[i].Internal == nil {
		return ""
	}
	return x.first[i].Internal.AgentURL
}

// ServerClock returns the time by which Ironic's clock is ahead of this machine's, and reports whether it is known.
func (x *agents) ServerClock() (time.Duration, bool) { return serverClock(x.store) }

func serverClock(store *fleet.Store) (time.Duration, bool) {
	s := store.Status()
	return s.Skew, !s.Answered.IsZero()
}
