package db

import "net/http"

// States of an allocation.
const (
	stateAllocating = "allocating"
	stateActive     = "active"
)

// Allocate assigns a node to an allocation. The allocation becomes active, and the node gets the allocation's UUID as
// instance_uuid and the allocation's traits in instance_info. If the node has another instance, the error is a
// [Fault] with status 409 and kind NodeAssociated.
func (s *Store) Allocate(uuid, node string) (*Allocation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.Allocations.get(uuid)
	if err != nil {
		return nil, err
	}
	oldNode, err := s.Nodes.get(node)
	if err != nil {
		return nil, err
	}
	if oldNode.InstanceUUID != "" && oldNode.InstanceUUID != uuid {
		return nil, Faultf(http.StatusConflict, "NodeAssociated", "Node %s is associated with instance %s.",
			node, oldNode.InstanceUUID)
	}
	n := Clone(oldNode)
	n.InstanceUUID, n.AllocationID, n.UpdatedAt = uuid, uuid, s.now()
	if n.InstanceInfo == nil {
		n.InstanceInfo = Dict{}
	}
	traits := make([]any, len(old.Traits))
	for i, trait := range old.Traits {
		traits[i] = trait
	}
	n.InstanceInfo["traits"] = traits
	if err := s.Nodes.replace(n); err != nil {
		return nil, err
	}
	a := Clone(old)
	a.NodeUUID, a.State, a.LastError, a.UpdatedAt = node, stateActive, "", s.now()
	if err := s.Allocations.replace(a); err != nil {
		return nil, err
	}
	s.changed()
	return Clone(a), nil
}

// freeNode clears the allocation and the instance of the node that was assigned to a removed allocation.
func (s *Store) freeNode(allocation string) error {
	for _, old := range s.Nodes.scan(func(n *Node) bool { return n.AllocationID == allocation }) {
		n := Clone(old)
		n.AllocationID, n.InstanceUUID, n.UpdatedAt = "", "", s.now()
		if err := s.Nodes.replace(n); err != nil {
			return err
		}
	}
	return nil
}
