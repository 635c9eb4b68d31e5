package db

import (
	"time"
)

// Tables is the database as the conductor and the API use it. Each method takes
// effect as a whole or not at all.
type Tables interface {
	// Node finds one by UUID; a name is found by NodeByName. A missing one is a
	// 404 [Fault].
	Node(uuid string) (*Node, error)
	NodeByName(name string) (*Node, error)
	NodeByInstance(uuid string) (*Node, error)
	// Nodes are those that keep accepts (nil: all), in the order of their making.
	// What keep is given must not be changed or kept.
	Nodes(keep func(*Node) bool) []*Node
	// ReadNode and ReadNodes answer without copies, for many nodes: what they
	// answer must not be changed. It may be kept, and stays as it was.
	ReadNode(uuid string) (*Node, error)
	ReadNodes(keep func(*Node) bool) []*Node
	CreateNode(node *Node) (*Node, error)
	// UpdateNode changes a node: change is given a copy, and what it leaves there
	// is saved unless it answers an error. UpdatedAt is set.
	UpdateNode(uuid string, change func(*Node) error) (*Node, error)
	// TouchNode is UpdateNode without a new UpdatedAt.
	TouchNode(uuid string, change func(*Node) error) (*Node, error)
	DestroyNode(uuid string) error

	// Reserve takes the lock of a node for a conductor; a node that is locked is
	// the 409 Fault NodeLocked. Release gives it back.
	Reserve(uuid, host string) (*Node, error)
	Release(uuid, host string) error

	Ports(keep func(*Port) bool) []*Port
	Port(uuid string) (*Port, error)
	CreatePort(port *Port) (*Port, error)
	UpdatePort(uuid string, change func(*Port) error) (*Port, error)
	DestroyPort(uuid string) error

	Portgroups(keep func(*Portgroup) bool) []*Portgroup
	Portgroup(uuid string) (*Portgroup, error)
	CreatePortgroup(group *Portgroup) (*Portgroup, error)
	UpdatePortgroup(uuid string, change func(*Portgroup) error) (*Portgroup, error)
	DestroyPortgroup(uuid string) error

	Allocations(keep func(*Allocation) bool) []*Allocation
	Allocation(uuid string) (*Allocation, error)
	CreateAllocation(allocation *Allocation) (*Allocation, error)
	UpdateAllocation(uuid string, change func(*Allocation) error) (*Allocation, error)
	DestroyAllocation(uuid string) error
	// Allocate gives an allocation its node, and the node its instance.
	Allocate(uuid, node string) (*Allocation, error)

	DeployTemplates(keep func(*DeployTemplate) bool) []*DeployTemplate
	DeployTemplate(uuid string) (*DeployTemplate, error)
	CreateDeployTemplate(template *DeployTemplate) (*DeployTemplate, error)
	UpdateDeployTemplate(uuid string, change func(*DeployTemplate) error) (*DeployTemplate, error)
	DestroyDeployTemplate(uuid string) error

	// History is oldest first. AddHistory keeps the newest 300 of a node.
	History(node string) []History
	AddHistory(entry History) History

	Inventory(node string) (Inventory, bool)
	SetInventory(node string, inventory Inventory) error
	BIOS(node string) []BIOSSetting
	SetBIOS(node string, settings []BIOSSetting) error
	Firmware(node string) []Firmware
	SetFirmware(node string, components []Firmware) error

	// Shards are all shards with how many nodes they have, the biggest first.
	Shards() []Shard

	Conductors() []Conductor
	SetConductor(conductor Conductor)

	// Now is the database's clock.
	Now() time.Time
}
