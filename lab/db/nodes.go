package db

import (
	"cmp"
	"net/http"
	"slices"
)

// Provision states that the database sets, or that affect the times in a node's row.
const (
	stateEnroll        = "enroll"
	stateInspecting    = "inspecting"
	stateInspectWait   = "inspect wait"
	stateInspectFailed = "inspect failed"
	stateManageable    = "manageable"
)

// keepTimes sets the provisioning and inspection times when provision_state changes, as Ironic's database does.
func (s *Store) keepTimes(old, n *Node) {
	if old.ProvisionState == n.ProvisionState {
		return
	}
	now := s.now()
	n.ProvisionUpdatedAt = now
	inspected := old.ProvisionState == stateInspecting || old.ProvisionState == stateInspectWait
	switch {
	case n.ProvisionState == stateInspecting:
		n.InspectionStartedAt, n.InspectionFinishedAt = now, noTime
	case inspected && n.ProvisionState == stateManageable:
		n.InspectionStartedAt, n.InspectionFinishedAt = noTime, now
	case inspected && n.ProvisionState == stateInspectFailed:
		n.InspectionStartedAt = noTime
	}
}

// removeParts removes the objects that belong to a node: ports, port groups, volumes, allocations, history, inventory,
// BIOS settings and firmware.
func (s *Store) removeParts(uuid string) error {
	for _, t := range s.tables() {
		t.removeOf(uuid)
	}
	delete(s.details, uuid)
	s.detailsChanged(uuid)
	return nil
}

// Reserve locks a node for a conductor. If the node is already locked, the error is a [Fault] with status 409 and
// kind NodeLocked. As in Ironic, Reserve sets UpdatedAt, like any other change.
func (s *Store) Reserve(uuid, host string) (*Node, error) {
	return s.Nodes.Update(uuid, func(n *Node) error {
		if n.Reservation != "" {
			return LockedBy(n)
		}
		n.Reservation = host
		return nil
	})
}

// Release unlocks a node that the given host has locked.
func (s *Store) Release(uuid, host string) error {
	_, err := s.Nodes.Update(uuid, func(n *Node) error {
		switch n.Reservation {
		case host:
			n.Reservation = ""
			return nil
		case "":
			return Faultf(http.StatusBadRequest, "NodeNotLocked", "Node %s found not to be locked on release", n.UUID)
		default:
			return LockedBy(n)
		}
	})
	return err
}

// LockedBy returns the error for a node that is locked by a conductor.
func LockedBy(n *Node) *Fault {
	return Faultf(http.StatusConflict, "NodeLocked", "Node %s is locked by host %s, please retry "+
		"after the current operation is completed.", n.UUID, n.Reservation)
}

// Shard holds the name of a shard and the number of its nodes.
type Shard struct {
	Name  string // "None" for the nodes without a shard
	Count int
}

// Shards returns all shards, the largest first.
func (s *Store) Shards() []Shard {
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := map[string]int{}
	for _, n := range s.Nodes.order {
		counts[n.Shard]++
	}
	shards := make([]Shard, 0, len(counts))
	for name, count := range counts {
		shards = append(shards, Shard{cmp.Or(name, "None"), count})
	}
	slices.SortFunc(shards, func(a, b Shard) int {
		// Shards of equal size are sorted by name, as in Ironic's database.
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return shards
}
