package db

import "net/http"

// The provision states by which times are kept.
const (
	stateEnroll        = "enroll"
	stateInspecting    = "inspecting"
	stateInspectWait   = "inspect wait"
	stateInspectFailed = "inspect failed"
	stateManageable    = "manageable"
)

// keepTimes sets the times of provisioning and inspection at a change of provision_state, as the real
// database does.
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

// removeParts removes what belonged to a node: ports, portgroups, allocations, history, inventory, BIOS
// settings and firmware.
func (s *Store) removeParts(uuid string) error {
	s.Ports.removeWhere(func(p *Port) bool { return p.NodeUUID == uuid })
	s.Portgroups.removeWhere(func(g *Portgroup) bool { return g.NodeUUID == uuid })
	s.Allocations.removeWhere(func(a *Allocation) bool { return a.NodeUUID == uuid })
	delete(s.details, uuid)
	s.detailsChanged(uuid)
	return nil
}

// Reserve takes the lock of a node for a conductor; a node that is locked is the 409 Fault NodeLocked.
// Like any other change it sets UpdatedAt, as the real one's does.
func (s *Store) Reserve(uuid, host string) (*Node, error) {
	return s.Nodes.Update(uuid, func(n *Node) error {
		if n.Reservation != "" {
			return LockedBy(n)
		}
		n.Reservation = host
		return nil
	})
}

// Release gives the lock of a node back.
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

// LockedBy is the refusal of a node that a conductor has locked.
func LockedBy(n *Node) *Fault {
	return Faultf(http.StatusConflict, "NodeLocked", "Node %s is locked by host %s, please retry "+
		"after the current operation is completed.", n.UUID, n.Reservation)
}
