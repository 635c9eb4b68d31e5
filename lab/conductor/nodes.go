package conductor

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/python"
)

// CreateNode adds a node to the database, with the default interfaces of its hardware type.
func (c *Conductor) CreateNode(_ context.Context, node *db.Node) (*db.Node, error) {
	node = db.Clone(node)
	if err := c.completeInterfaces(node); err != nil {
		return nil, err
	}
	if err := checkProperties(node); err != nil {
		return nil, err
	}
	node.Conductor = cmp.Or(node.Conductor, hostname)
	return c.tables.Nodes.Create(node)
}

// checkProperties checks those properties that must be non-negative integers.
func checkProperties(n *db.Node) error {
	var bad []string
	for _, key := range []string{"cpus", "local_gb", "memory_mb"} {
		value, given := n.Properties[key]
		if !given || value == nil {
			continue
		}
		number, err := strconv.ParseFloat(strings.TrimSpace(python.Str(value)), 64)
		_, isText := value.(string)
		if err != nil || number < 0 || isText && strings.Contains(python.Str(value), ".") {
			bad = append(bad, key+"="+python.Str(value))
		}
	}
	if len(bad) > 0 {
		return invalid("The following properties for node %s should be non-negative integers, but provided values are: %s", n.UUID, strings.Join(bad, ", "))
	}
	return nil
}

// interfacesMayChange lists the states in which the interfaces of a node may be changed.
var interfacesMayChange = []string{enroll, inspecting, inspectWait, manageable, available}

// UpdateNode applies change to a node. If the change is allowed, it stores the node and returns it.
func (c *Conductor) UpdateNode(ctx context.Context, uuid string, resetInterfaces bool, change func(*db.Node) error) (*db.Node, error) {
	c.countUpdate(uuid, 1)
	defer c.countUpdate(uuid, -1)
	var updated *db.Node
	err := c.withTask(ctx, uuid, locking{noDriver: true}, func(ctx context.Context, t *task) error {
		old := db.Clone(t.loaded)
		if err := change(t.node); err != nil {
			return err
		}
		if err := c.checkUpdate(old, t.node, resetInterfaces); err != nil {
			return err
		}
		if old.Interfaces["deploy"] != t.node.Interfaces["deploy"] {
			// The operator has chosen another deploy interface, so cleaning must not restore the original one.
			t.dropInternal(originalDeploy)
		}
		if old.AllocationID != "" && old.InstanceUUID != "" && t.node.InstanceUUID == "" {
			_ = c.tables.Allocations.Destroy(old.AllocationID)
			t.node.AllocationID = ""
		}
		if err := t.trySave(); err != nil {
			return err
		}
		// The returned node shows the reservation, because the lock is still held.
		updated = t.node
		c.sleep(ctx, shortUpdate)
		if c.countUpdate(uuid, 0) > 1 {
			c.sleep(ctx, updateTime)
		}
		return nil
	})
	return updated, err
}

// updateTime is the time for which each of several concurrent PATCH requests holds a node's lock. Meanwhile the other
// requests have to try again. Ironic 39.0.0 on SQLite takes twice as long. A single request holds the lock only for
// shortUpdate, which is long enough for concurrent requests to arrive.
const (
	updateTime  = 40 * time.Millisecond
	shortUpdate = time.Millisecond
)

// countUpdate adds change to the number of the node's concurrent updates and returns the new number.
func (c *Conductor) countUpdate(uuid string, change int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := c.updates[uuid] + change
	c.updates[uuid] = count
	if count == 0 {
		delete(c.updates, uuid)
	}
	return count
}

// checkUpdate performs the checks of update_node and updates the fields of n that depend on changed fields.
func (c *Conductor) checkUpdate(old, n *db.Node, resetInterfaces bool) error {
	if old.Maintenance && !n.Maintenance {
		n.MaintenanceReason, n.Fault = "", ""
	}
	if n.Protected && !old.Protected && n.ProvisionState != active && n.ProvisionState != rescue {
		return conflict(kindInvalidState, "Node %s can only be made protected in provision states 'active' or 'rescue', the current state is '%s'", n.UUID, n.ProvisionState)
	}
	if err := checkReason("protected", old.Protected, n.Protected, old.ProtectedReason, &n.ProtectedReason); err != nil {
		return err
	}
	if n.Retired && !old.Retired && n.ProvisionState == available {
		return conflict(kindInvalidState, "Node %s can not have 'retired' set in provision state 'available', the current state is '%s'", n.UUID, n.ProvisionState)
	}
	if err := checkReason("retired", old.Retired, n.Retired, old.RetiredReason, &n.RetiredReason); err != nil {
		return err
	}
	if err := c.checkInterfaces(old, n, resetInterfaces); err != nil {
		return err
	}
	if !reflect.DeepEqual(old.Properties, n.Properties) {
		if err := checkProperties(n); err != nil {
			return err
		}
	}
	free := slices.Contains(interfacesMayChange, old.ProvisionState)
	allowed := strings.Join(interfacesMayChange, ", ")
	if n.InstanceUUID != old.InstanceUUID && n.InstanceUUID != "" && old.InstanceUUID != "" {
		return conflict("NodeAssociated", "Node %s is associated with instance %s.", n.UUID, old.InstanceUUID)
	}
	if n.ResourceClass != old.ResourceClass && old.ResourceClass != "" && !free {
		return conflict(kindInvalidState, "Node %s can not have resource_class updated unless it is in one of allowed (%s) states. Current state is '%s'.", n.UUID, allowed, old.ProvisionState)
	}
	if old.InstanceUUID != "" && n.InstanceUUID == "" && old.AllocationID != "" && !old.Maintenance && !free {
		return conflict(kindInvalidState, "Node %s with an allocation can not have instance_uuid removed unless it is in one of allowed (%s) states or in maintenance mode. Current state is '%s'.", n.UUID, allowed, old.ProvisionState)
	}
	return nil
}

// checkReason checks the reason of a flag, and clears it if the flag has been cleared.
func checkReason(flag string, was, is bool, oldReason string, reason *string) error {
	if was && !is {
		*reason = ""
	}
	if oldReason != *reason && *reason != "" && !is {
		return invalid("The %[1]s_reason field can only be set when %[1]s is True", flag)
	}
	return nil
}

func (c *Conductor) checkInterfaces(old, n *db.Node, reset bool) error {
	newDriver := old.Driver != n.Driver
	check := newDriver
	for _, kind := range api.InterfaceKinds {
		if old.Interfaces[kind] == n.Interfaces[kind] {
			if newDriver && reset {
				delete(n.Interfaces, kind)
			}
			continue
		}
		if !slices.Contains(interfacesMayChange, n.ProvisionState) && !n.Maintenance {
			return conflict(kindInvalidState, "Node %s can not have %s_interface updated unless it is in one of allowed (%s) states or in maintenance mode. Current state is '%s'.",
				n.UUID, kind, strings.Join(interfacesMayChange, ", "), n.ProvisionState)
		}
		check = true
	}
	if check {
		return c.completeInterfaces(n)
	}
	return nil
}

// SetMaintenance puts the node into maintenance for the given reason, or ends its maintenance.
func (c *Conductor) SetMaintenance(ctx context.Context, uuid string, on bool, reason string) error {
	_, err := c.UpdateNode(ctx, uuid, false, func(n *db.Node) error {
		n.Maintenance, n.MaintenanceReason = on, reason
		if !on {
			n.MaintenanceReason, n.Fault = "", ""
		}
		return nil
	})
	return err
}

// DestroyNode deletes the node, unless the node is protected, in use or in a state that does not allow the deletion.
func (c *Conductor) DestroyNode(ctx context.Context, uuid string) error {
	return c.withTask(ctx, uuid, locking{noDriver: true}, func(_ context.Context, t *task) error {
		n := t.node
		switch {
		case !n.Maintenance && n.InstanceUUID != "":
			return conflict("NodeAssociated", "Node %s is associated with instance %s.", n.UUID, n.InstanceUUID)
		case n.Protected:
			return protected(n.UUID)
		case !n.Maintenance && !slices.Contains([]string{manageable, enroll, adoptFail, available}, n.ProvisionState):
			return conflict(kindInvalidState, "Can not delete node \"%s\" while it is in provision state \"%s\". Valid provision states to perform deletion are: \"('manageable', 'enroll', 'adopt failed', 'available')\", or set the node into maintenance mode",
				n.UUID, n.ProvisionState)
		}
		if err := c.tables.Nodes.Destroy(uuid); err != nil {
			return err
		}
		t.held = false
		c.images.unpublish(bootImage(uuid), mediaImage(uuid, "cdrom"), mediaImage(uuid, "floppy"), mediaImage(uuid, "disk"))
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.failedSyncs, uuid)
		delete(c.certificates, certificatePath+"/"+uuid+".crt")
		return nil
	})
}

// AddTraits adds traits to the node. If replace is set, they replace all previous traits.
func (c *Conductor) AddTraits(ctx context.Context, uuid string, traits []string, replace bool) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		kept := slices.Clone(t.node.Traits)
		if replace {
			kept = nil
		}
		for _, trait := range traits {
			if !slices.Contains(kept, trait) {
				kept = append(kept, trait)
			}
		}
		if len(kept) > maxTraits {
			return invalid("Could not update traits for node %s as this would exceed the maximum number of traits per node of %d.", uuid, maxTraits)
		}
		return c.setTraits(uuid, kept)
	})
}

// maxTraits is the maximum number of traits of a node.
const maxTraits = 50

// setTraits keeps the update time, because Ironic stores traits in another table.
func (c *Conductor) setTraits(uuid string, traits []string) error {
	_, err := c.tables.Nodes.Touch(uuid, func(n *db.Node) error {
		n.Traits = traits
		return nil
	})
	return err
}

// RemoveTraits removes the given traits from the node, or all its traits if traits is nil.
func (c *Conductor) RemoveTraits(ctx context.Context, uuid string, traits []string) error {
	return c.withTask(ctx, uuid, locking{}, func(_ context.Context, t *task) error {
		if traits == nil {
			return c.setTraits(uuid, nil)
		}
		kept := slices.Clone(t.node.Traits)
		for _, trait := range traits {
			i := slices.Index(kept, trait)
			if i < 0 {
				return db.Faultf(http.StatusNotFound, "NodeTraitNotFound", "Node %s doesn't have a trait '%s'", uuid, trait)
			}
			kept = slices.Delete(kept, i, i+1)
		}
		return c.setTraits(uuid, kept)
	})
}
