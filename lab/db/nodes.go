package db

import (
	"net/http"
)

// The provision states by which times are kept.
const (
	stateEnroll        = "enroll"
	stateInspecting    = "inspecting"
	stateInspectWait   = "inspect wait"
	stateInspectFailed = "inspect failed"
	stateManageable    = "manageable"
)

// Node finds one by UUID.
func (s *Store) Node(uuid string) (*Node, error) {
	n, err := s.ReadNode(uuid)
	if err != nil {
		return nil, err
	}
	return n.Clone(), nil
}

// ReadNode is Node without a copy: what it answers must not be changed. It may
// be kept, and stays as it was.
func (s *Store) ReadNode(uuid string) (*Node, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.nodes.get(uuid)
}

// NodeByName finds one by its name.
func (s *Store) NodeByName(name string) (*Node, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if n := s.nodes.by(byName, name); n != nil {
		return n.Clone(), nil
	}
	return nil, s.nodes.missing(name)
}

// NodeByInstance finds one by its instance_uuid.
func (s *Store) NodeByInstance(uuid string) (*Node, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if n := s.nodes.by(byInstance, uuid); n != nil {
		return n.Clone(), nil
	}
	// The real one gives its sentence the wrong key, so that it stays unfilled.
	return nil, &Fault{
		Status: http.StatusNotFound, Kind: "InstanceNotFound", Text: "Instance %(instance)s could not be found.",
	}
}

// Nodes are copies of those that keep accepts, in the order of their making.
func (s *Store) Nodes(keep func(*Node) bool) []*Node {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.nodes.clone(keep)
}

// ReadNodes is Nodes without copies: what it answers must not be changed. It
// may be kept, and stays as it was.
func (s *Store) ReadNodes(keep func(*Node) bool) []*Node {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.nodes.read(keep)
}

// CreateNode adds a node. A UUID, a provision state and the time are given to
// one that has none.
func (s *Store) CreateNode(node *Node) (*Node, error) {
	n := node.Clone()
	if n.UUID == "" {
		n.UUID = NewUUID()
	}
	if n.ProvisionState == "" {
		n.ProvisionState = stateEnroll
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n.ID = s.nodes.nextID
	n.CreatedAt, n.UpdatedAt = s.now(), noTime
	if err := s.nodes.insert(n); err != nil {
		return nil, err
	}
	s.changed()
	return n.Clone(), nil
}

// UpdateNode changes a node. A change of provision_state sets the times of
// provisioning and inspection, as the real database does.
func (s *Store) UpdateNode(uuid string, change func(*Node) error) (*Node, error) {
	return s.updateNode(uuid, change, true)
}

// TouchNode is UpdateNode without a new UpdatedAt.
func (s *Store) TouchNode(uuid string, change func(*Node) error) (*Node, error) {
	return s.updateNode(uuid, change, false)
}

func (s *Store) updateNode(uuid string, change func(*Node) error, stamp bool) (*Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.nodes.get(uuid)
	if err != nil {
		return nil, err
	}
	n := old.Clone()
	if err := change(n); err != nil {
		return nil, err
	}
	n.ID, n.UUID, n.CreatedAt = old.ID, old.UUID, old.CreatedAt
	s.keepTimes(old, n)
	if stamp {
		n.UpdatedAt = s.now()
	}
	if err := s.nodes.replace(n); err != nil {
		return nil, err
	}
	s.changed()
	return n.Clone(), nil
}

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

// DestroyNode removes a node with all that belongs to it: ports, portgroups,
// allocations, history, inventory, BIOS settings and firmware.
func (s *Store) DestroyNode(uuid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.nodes.remove(uuid); err != nil {
		return err
	}
	removeOf(s.ports, func(p *Port) bool { return p.NodeUUID == uuid })
	removeOf(s.groups, func(g *Portgroup) bool { return g.NodeUUID == uuid })
	removeOf(s.allocations, func(a *Allocation) bool { return a.NodeUUID == uuid })
	delete(s.details, uuid)
	s.detailsChanged(uuid)
	s.changed()
	return nil
}

func removeOf[T any, P row[T]](t *table[T, P], doomed func(*T) bool) {
	for _, r := range t.read(doomed) {
		_, uuid := P(r).key()
		_ = t.remove(uuid) // it was just there
	}
}

// Reserve takes the lock of a node for a conductor. Like any other change it
// sets UpdatedAt, as the real one's does.
func (s *Store) Reserve(uuid, host string) (*Node, error) {
	return s.UpdateNode(uuid, func(n *Node) error {
		if n.Reservation != "" {
			return lockedBy(n)
		}
		n.Reservation = host
		return nil
	})
}

// Release gives the lock of a node back.
func (s *Store) Release(uuid, host string) error {
	_, err := s.UpdateNode(uuid, func(n *Node) error {
		switch n.Reservation {
		case host:
			n.Reservation = ""
			return nil
		case "":
			return Faultf(http.StatusBadRequest, "NodeNotLocked", "Node %s found not to be locked on release", n.UUID)
		default:
			return lockedBy(n)
		}
	})
	return err
}

func lockedBy(n *Node) error {
	return Faultf(http.StatusConflict, "NodeLocked", "Node %s is locked by host %s, please retry "+
		"after the current operation is completed.", n.UUID, n.Reservation)
}
