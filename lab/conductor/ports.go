package conductor

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"ironworks/lab/db"
)

// CreatePort adds a port to its node.
func (c *Conductor) CreatePort(ctx context.Context, port *db.Port) (*db.Port, error) {
	var made *db.Port
	err := c.withTask(ctx, port.NodeUUID, locking{shared: true}, func(context.Context, *task) error {
		if err := c.checkPhysicalNetwork(nil, port); err != nil {
			return err
		}
		var err error
		made, err = c.tables.Ports.Create(port)
		return err
	})
	return made, err
}

// checkPhysicalNetwork implements validate_port_physnet: a port group has one physical network.
func (c *Conductor) checkPhysicalNetwork(old, port *db.Port) error {
	if port.PortgroupUUID == "" || (old != nil && old.PortgroupUUID == port.PortgroupUUID && old.PhysicalNetwork == port.PhysicalNetwork) {
		return nil
	}
	others := c.tables.Ports.List(func(p *db.Port) bool { return p.PortgroupUUID == port.PortgroupUUID && p.UUID != port.UUID })
	network := ""
	if len(others) > 0 {
		network = others[0].PhysicalNetwork
	} else {
		group, err := c.tables.Portgroups.Get(port.PortgroupUUID)
		if err != nil || (group.PhysicalNetwork == "" && port.PhysicalNetwork == "") {
			return err
		}
		if group.PhysicalNetwork == "" {
			_, err := c.tables.Portgroups.Update(group.UUID, func(g *db.Portgroup) error {
				g.PhysicalNetwork = port.PhysicalNetwork
				return nil
			})
			return err
		}
		network = group.PhysicalNetwork
	}
	if network != port.PhysicalNetwork {
		return conflict("Conflict", "Port with physical network %s cannot become a member of port group %s which has ports in physical network %s.",
			nameOrNone(port.PhysicalNetwork), port.PortgroupUUID, nameOrNone(network))
	}
	return nil
}

// connectivity lists the fields that describe a port's connection, in the format of Ironic's message.
const connectivity = "pxe_enabled, physical_network, local_link_connection, portgroup_id"

// portsMayChange lists the states in which the connectivity fields of a node's ports may be changed.
var portsMayChange = []string{enroll, inspecting, inspectWait, manageable}

// UpdatePort applies change to a port. If the change is allowed, it stores the port and returns it.
func (c *Conductor) UpdatePort(ctx context.Context, uuid string, change func(*db.Port) error) (*db.Port, error) {
	old, err := c.tables.Ports.Get(uuid)
	if err != nil {
		return nil, err
	}
	var updated *db.Port
	err = c.withTask(ctx, old.NodeUUID, locking{}, func(_ context.Context, t *task) error {
		port := db.Clone(old)
		if err := change(port); err != nil {
			return err
		}
		if (t.node.ProvisionState == active || t.node.InstanceUUID != "") && port.Address != old.Address && !t.node.Maintenance {
			return conflict(kindInvalidState, "Cannot update hardware address for port %s as node %s is active or has instance UUID assigned", uuid, t.node.UUID)
		}
		changed := port.PortgroupUUID != old.PortgroupUUID || port.PXEEnabled != old.PXEEnabled ||
			!reflect.DeepEqual(port.LocalLinkConnection, old.LocalLinkConnection) || port.PhysicalNetwork != old.PhysicalNetwork
		if changed && !slices.Contains(portsMayChange, t.node.ProvisionState) && !t.node.Maintenance {
			return conflict(kindInvalidState, "Port %s can not have any connectivity attributes (%s) updated unless node %s is in a %s state or in maintenance mode. The current state is %s.",
				uuid, connectivity, t.node.UUID, strings.Join(portsMayChange, ", "), t.node.ProvisionState)
		}
		if err := c.checkPhysicalNetwork(old, port); err != nil {
			return err
		}
		updated, err = c.tables.Ports.Update(uuid, func(p *db.Port) error {
			*p = *port
			return nil
		})
		return err
	})
	return updated, err
}

// DestroyPort deletes a port.
func (c *Conductor) DestroyPort(ctx context.Context, uuid string) error {
	port, err := c.tables.Ports.Get(uuid)
	if err != nil {
		return err
	}
	return c.withTask(ctx, port.NodeUUID, locking{}, func(context.Context, *task) error { return c.tables.Ports.Destroy(uuid) })
}

// UpdatePortgroup applies change to a port group. If the change is allowed, it stores the port group and returns it.
func (c *Conductor) UpdatePortgroup(ctx context.Context, uuid string, change func(*db.Portgroup) error) (*db.Portgroup, error) {
	old, err := c.tables.Portgroups.Get(uuid)
	if err != nil {
		return nil, err
	}
	group := db.Clone(old)
	if err := change(group); err != nil {
		return nil, err
	}
	var updated *db.Portgroup
	err = c.withTask(ctx, group.NodeUUID, locking{}, func(_ context.Context, t *task) error {
		if group.NodeUUID != old.NodeUUID {
			if !slices.Contains(portsMayChange, t.node.ProvisionState) && !t.node.Maintenance {
				return conflict(kindInvalidState, "Portgroup %s can not be associated to node %s unless the node is in a %s state or in maintenance mode. Current state is '%s'.",
					uuid, t.node.UUID, strings.Join(portsMayChange, ", "), t.node.ProvisionState)
			}
			if len(c.tables.Ports.List(func(p *db.Port) bool { return p.PortgroupUUID == uuid })) > 0 {
				return db.Faultf(http.StatusBadRequest, "PortgroupNotEmpty", "Portgroup %s can not be associated with node %s because there are ports associated with this portgroup.", uuid, t.node.UUID)
			}
		}
		updated, err = c.tables.Portgroups.Update(uuid, func(g *db.Portgroup) error {
			*g = *group
			return nil
		})
		return err
	})
	return updated, err
}

// DestroyPortgroup deletes a port group.
func (c *Conductor) DestroyPortgroup(ctx context.Context, uuid string) error {
	group, err := c.tables.Portgroups.Get(uuid)
	if err != nil {
		return err
	}
	return c.withTask(ctx, group.NodeUUID, locking{}, func(context.Context, *task) error { return c.tables.Portgroups.Destroy(uuid) })
}

// VIFs returns an empty list, like the noop network interface.
func (c *Conductor) VIFs(ctx context.Context, uuid string) ([]db.Dict, error) {
	return []db.Dict{}, c.withTask(ctx, uuid, locking{shared: true}, func(context.Context, *task) error { return nil })
}

// AttachVIF does nothing, like the noop network interface.
func (c *Conductor) AttachVIF(ctx context.Context, uuid string, _ db.Dict) error {
	return c.withTask(ctx, uuid, locking{}, func(context.Context, *task) error { return nil })
}

// DetachVIF does nothing, like the noop network interface.
func (c *Conductor) DetachVIF(ctx context.Context, uuid, _ string) error {
	return c.withTask(ctx, uuid, locking{}, func(context.Context, *task) error { return nil })
}

// volumeDeleteStates lists the states in which volumes may be deleted whatever the power state is
// (DELETE_ALLOWED_STATES in ironic/common/states.py of 39.0.0).
var volumeDeleteStates = []string{manageable, enroll, adoptFail}

// UpdateVolume changes a volume connector or target of a node that is powered off.
func (c *Conductor) UpdateVolume(ctx context.Context, node, kind string, change func() error) error {
	return c.changeVolume(ctx, node, kind+" update", change, func(n *db.Node) bool { return n.PowerState == powerOff })
}

// DestroyVolume deletes a volume of a node that is powered off or in one of volumeDeleteStates.
func (c *Conductor) DestroyVolume(ctx context.Context, node, kind string, destroy func() error) error {
	return c.changeVolume(ctx, node, kind+" deletion", destroy, func(n *db.Node) bool {
		return n.PowerState == powerOff || slices.Contains(volumeDeleteStates, n.ProvisionState)
	})
}

// changeVolume locks the node and, if the node's state allows it, calls change.
func (c *Conductor) changeVolume(ctx context.Context, node, action string, change func() error, allowed func(*db.Node) bool) error {
	return c.withTask(ctx, node, locking{}, func(_ context.Context, t *task) error {
		if !allowed(t.node) {
			return invalidRequest(action, t.node.UUID, nameOrNone(t.node.PowerState))
		}
		return change()
	})
}
