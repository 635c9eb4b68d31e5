package conductor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ironworks/lab/db"
	"ironworks/python"
)

// CreateAllocation stores an allocation and starts looking for a node, unless it names one, which must be active.
func (c *Conductor) CreateAllocation(ctx context.Context, allocation *db.Allocation) (*db.Allocation, error) {
	allocation = db.Clone(allocation)
	node := allocation.NodeUUID
	allocation.NodeUUID = ""
	made, err := c.tables.Allocations.Create(allocation)
	if err != nil {
		return nil, err
	}
	if node != "" {
		if err := c.backfill(ctx, made, node); err != nil {
			c.allocationFailed(made.UUID, messageOf(err))
			return nil, err
		}
		return c.tables.Allocations.Get(made.UUID)
	}
	err = c.spawn(true, func(ctx context.Context) {
		if err := c.allocate(ctx, made); err != nil && ctx.Err() == nil {
			c.allocationFailed(made.UUID, messageOf(err))
		}
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}

// DestroyAllocation deletes the allocation and releases its node.
func (c *Conductor) DestroyAllocation(ctx context.Context, uuid string) error {
	allocation, err := c.tables.Allocations.Get(uuid)
	if err != nil {
		return err
	}
	if allocation.NodeUUID == "" {
		return c.tables.Allocations.Destroy(uuid)
	}
	return c.withTask(ctx, allocation.NodeUUID, locking{}, func(_ context.Context, t *task) error {
		n := t.node
		switch {
		case n.Maintenance:
		case n.TargetProvisionState != "" && !updateAllowed(n.ProvisionState):
			return conflict(kindInvalidState, "Cannot remove allocation %s for node %s, because the node is in state %s where updates are not allowed (and maintenance mode is off)", uuid, n.UUID, n.ProvisionState)
		case n.ProvisionState == active:
			return conflict(kindInvalidState, "Cannot remove allocation %s for node %s, because the node is active (and maintenance mode is off)", uuid, n.UUID)
		}
		return c.tables.Allocations.Destroy(uuid)
	})
}

func allocationFault(uuid, problem string) error {
	return failure(kindAllocation, "Failed to process allocation %s: %s.", uuid, problem)
}

func (c *Conductor) allocationFailed(uuid, reason string) {
	_, _ = c.tables.Allocations.Update(uuid, func(a *db.Allocation) error {
		a.NodeUUID, a.State, a.LastError = "", "error", reason
		return nil
	})
}

func hasTraits(n *db.Node, traits []string) bool {
	return !slices.ContainsFunc(traits, func(trait string) bool { return !slices.Contains(n.Traits, trait) })
}

// allocate finds a node for the allocation and reserves it. It tries locked nodes again later.
func (c *Conductor) allocate(ctx context.Context, a *db.Allocation) error {
	nodes, err := c.candidates(a)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		var locked []*db.Node
		for _, node := range nodes {
			taken := false
			err := c.withTask(ctx, node.UUID, locking{noRetry: true, noDriver: true}, func(_ context.Context, t *task) error {
				n := t.node
				if n.Maintenance || n.InstanceUUID != "" || n.ProvisionState != available || n.ResourceClass != a.ResourceClass || !hasTraits(n, a.Traits) {
					return nil
				}
				taken = true
				_, err := c.tables.Allocate(a.UUID, n.UUID)
				return err
			})
			switch {
			case isKind(err, kindLocked):
				locked = append(locked, node)
			case isKind(err, "NodeAssociated"):
			case err != nil:
				return fmt.Errorf("Unexpected exception during allocation: %w", err) //nolint:revive,staticcheck // Ironic's message
			case taken:
				return nil
			}
		}
		nodes = locked
		if try < lockAttempts && c.sleep(ctx, lockInterval) {
			continue
		}
		if len(locked) > 0 {
			return allocationFault(a.UUID, fmt.Sprintf("could not reserve any of %d suitable nodes", len(locked)))
		}
		return allocationFault(a.UUID, "all nodes were filtered out during reservation")
	}
}

// candidates returns the matching nodes in random order, but first the one with the allocation's name.
func (c *Conductor) candidates(a *db.Allocation) ([]*db.Node, error) {
	nodes := c.tables.Nodes.List(func(n *db.Node) bool {
		return n.ResourceClass == a.ResourceClass && n.ProvisionState == available && n.InstanceUUID == "" && n.PowerState != "" && !n.Maintenance &&
			(len(a.CandidateNodes) == 0 || slices.Contains(a.CandidateNodes, n.UUID)) && (a.Owner == "" || n.Owner == a.Owner || n.Lessee == a.Owner)
	})
	if len(nodes) == 0 {
		problem := "no available nodes match the resource class " + a.ResourceClass
		if len(a.CandidateNodes) > 0 {
			problem = "none of the requested nodes are available and match the resource class " + a.ResourceClass
		}
		return nil, allocationFault(a.UUID, problem)
	}
	nodes = slices.DeleteFunc(nodes, func(n *db.Node) bool { return !hasTraits(n, a.Traits) })
	if len(nodes) == 0 {
		return nil, allocationFault(a.UUID, "no suitable nodes have the requested traits "+strings.Join(a.Traits, ", "))
	}
	rand.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] }) //nolint:gosec // no secret
	if i := slices.IndexFunc(nodes, func(n *db.Node) bool { return n.Name == a.Name && a.Name != "" }); i > 0 {
		nodes[0], nodes[i] = nodes[i], nodes[0]
	}
	return nodes, nil
}

// backfill assigns the allocation to the given node, which must be active already.
func (c *Conductor) backfill(ctx context.Context, a *db.Allocation, node string) error {
	return c.withTask(ctx, node, locking{}, func(_ context.Context, t *task) error {
		var problems []string
		if t.node.ProvisionState != active {
			problems = append(problems, fmt.Sprintf("Node must be in the \"active\" state, but the current state is \"%s\"", t.node.ProvisionState))
		}
		if a.ResourceClass != "" && t.node.ResourceClass != a.ResourceClass {
			problems = append(problems, fmt.Sprintf("Resource class %s does not match the requested resource class %s", nameOrNone(t.node.ResourceClass), a.ResourceClass))
		}
		if !hasTraits(t.node, a.Traits) {
			problems = append(problems, fmt.Sprintf("List of traits %s does not match the requested traits %s", python.Repr(t.node.Traits), python.Repr(a.Traits)))
		}
		if len(a.CandidateNodes) > 0 && !slices.Contains(a.CandidateNodes, node) {
			problems = append(problems, "Candidate nodes must be empty or contain the target node, but got "+python.Repr(a.CandidateNodes))
		}
		if len(problems) > 0 {
			return allocationFault(a.UUID, fmt.Sprintf("Cannot backfill an allocation for node %s: %s", node, strings.Join(problems, "; ")))
		}
		_, err := c.tables.Allocate(a.UUID, node)
		return err
	})
}
