package db

import "net/http"

// The states of an allocation.
const (
	stateAllocating = "allocating"
	stateActive     = "active"
)

// Allocations are copies of those that keep accepts, in the order of their making.
func (s *Store) Allocations(keep func(*Allocation) bool) []*Allocation {
	return list(s, s.allocations, keep)
}

// Allocation finds one by UUID.
func (s *Store) Allocation(uuid string) (*Allocation, error) { return find(s, s.allocations, uuid) }

// CreateAllocation adds an allocation, which is allocating if nothing else is
// said.
func (s *Store) CreateAllocation(allocation *Allocation) (*Allocation, error) {
	a := allocation.Clone()
	if a.UUID == "" {
		a.UUID = NewUUID()
	}
	if a.State == "" {
		a.State = stateAllocating
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a.ID, a.CreatedAt, a.UpdatedAt = s.allocations.nextID, s.now(), noTime
	return insert(s, s.allocations, a)
}

// UpdateAllocation changes an allocation, and nothing else: [Store.Allocate]
// gives it its node.
func (s *Store) UpdateAllocation(uuid string, change func(*Allocation) error) (*Allocation, error) {
	return update(s, s.allocations, uuid, change, keepAllocation)
}

func keepAllocation(old, a *Allocation) { a.ID, a.UUID, a.CreatedAt = old.ID, old.UUID, old.CreatedAt }

// Allocate gives an allocation its node: the allocation is active, the node has
// the allocation's UUID as instance_uuid and its traits in instance_info. A node
// that has another instance is the 409 Fault NodeAssociated.
func (s *Store) Allocate(uuid, node string) (*Allocation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.allocations.get(uuid)
	if err != nil {
		return nil, err
	}
	oldNode, err := s.nodes.get(node)
	if err != nil {
		return nil, err
	}
	if oldNode.InstanceUUID != "" && oldNode.InstanceUUID != uuid {
		return nil, Faultf(http.StatusConflict, "NodeAssociated", "Node %s is associated with instance %s.",
			node, oldNode.InstanceUUID)
	}
	n := oldNode.Clone()
	n.InstanceUUID, n.AllocationID, n.UpdatedAt = uuid, uuid, s.now()
	if n.InstanceInfo == nil {
		n.InstanceInfo = Dict{}
	}
	traits := make([]any, len(old.Traits))
	for i, trait := range old.Traits {
		traits[i] = trait
	}
	n.InstanceInfo["traits"] = traits
	if err := s.nodes.replace(n); err != nil {
		return nil, err
	}
	a := old.Clone()
	a.NodeUUID, a.State, a.LastError, a.UpdatedAt = node, stateActive, "", s.now()
	if err := s.allocations.replace(a); err != nil {
		return nil, err
	}
	s.changed()
	return a.Clone(), nil
}

// DestroyAllocation removes an allocation, and the instance_uuid of its node.
func (s *Store) DestroyAllocation(uuid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.allocations.remove(uuid); err != nil {
		return err
	}
	for _, old := range s.nodes.read(func(n *Node) bool { return n.AllocationID == uuid }) {
		n := old.Clone()
		n.AllocationID, n.InstanceUUID, n.UpdatedAt = "", "", s.now()
		if err := s.nodes.replace(n); err != nil {
			return err
		}
	}
	s.changed()
	return nil
}
