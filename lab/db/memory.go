// Package db is the database of the embedded Ironic. It consists of tables of Ironic's objects, held in memory and,
// if a folder is given, also on disk.
//
// Results of reads never change afterward; updates are functions that run exclusively. The package knows nothing
// about HTTP, machines or the rules of provisioning.
package db

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Store is the database. Its data is in memory and, if it was opened with a folder, also on disk. It is safe for
// concurrent use.
type Store struct {
	Nodes           *Table[Node]
	Ports           *Table[Port]
	Portgroups      *Table[Portgroup]
	Allocations     *Table[Allocation]
	DeployTemplates *Table[DeployTemplate]
	InspectionRules *Table[InspectionRule]
	Runbooks        *Table[Runbook]

	Chassis          *Table[Chassis]
	VolumeConnectors *Table[VolumeConnector]
	VolumeTargets    *Table[VolumeTarget]

	now func() time.Time

	mu         sync.RWMutex
	details    map[string]*details // details of the nodes, by UUID
	historyID  int
	conductors []Conductor

	disk *disk // nil for an in-memory store
}

// New returns an empty in-memory store.
func New(now func() time.Time) *Store {
	s := &Store{
		// Times have the precision of a database, so that they are equal after a reload.
		now:     func() time.Time { return now().UTC().Truncate(time.Microsecond) },
		details: map[string]*details{}, historyID: 1,
	}
	s.Nodes, s.Ports, s.Portgroups = nodeTable(s), portTable(s), portgroupTable(s)
	s.Allocations, s.DeployTemplates, s.InspectionRules = allocationTable(s), templateTable(s), ruleTable(s)
	s.Chassis, s.VolumeConnectors, s.VolumeTargets = chassisTable(s), connectorTable(s), targetTable(s)
	s.Runbooks = runbookTable(s)
	return s
}

// anyTable is a table without the type of its rows.
type anyTable interface {
	trackChanges()
	load(folder string, hasNode func(uuid string) bool) error
	gather(folder string) []file
	removeOf(node string)
}

// tables returns all tables. The nodes come first, because load ignores the rows of nodes that are not loaded yet.
func (s *Store) tables() []anyTable {
	return []anyTable{
		s.Nodes, s.Portgroups, s.Ports, s.Allocations, s.DeployTemplates, s.InspectionRules, s.Chassis,
		s.VolumeConnectors, s.VolumeTargets, s.Runbooks,
	}
}

func conflict(kind, format string) func(string) error {
	return func(value string) error { return Faultf(http.StatusConflict, kind, format, value) }
}

func missing(kind, format string) func(string) error {
	return func(value string) error { return Faultf(http.StatusNotFound, kind, format, value) }
}

// uniqueName describes a unique value. A duplicate causes Ironic's error: kind is the name of the exception, and
// format is the message, which contains a verb for the value.
func uniqueName[T any](kind, format string, value func(*T) string) unique[T] {
	return unique[T]{value: value, clash: func(r *T, _ bool) error { return conflict(kind, format)(value(r)) }}
}

func nodeTable(s *Store) *Table[Node] {
	t := newTable(s, "nodes", (*Node).meta,
		conflict("NodeAlreadyExists", "A node with UUID %s already exists."),
		missing("NodeNotFound", "Node %s could not be found."),
		uniqueName("DuplicateName", "A node with name %s already exists.", func(n *Node) string { return n.Name }),
		unique[Node]{
			value: func(n *Node) string { return n.InstanceUUID },
			clash: func(n *Node, _ bool) error {
				return Faultf(http.StatusConflict, "InstanceAssociated", "Instance %s is already associated with a "+
					"node, it cannot be associated with this other node %s", n.InstanceUUID, n.UUID)
			},
		})
	t.complete = func(n *Node) { n.ProvisionState = cmp.Or(n.ProvisionState, stateEnroll) }
	t.changing, t.removed = s.keepTimes, s.removeParts
	return t
}

func portTable(s *Store) *Table[Port] {
	exists := conflict("PortAlreadyExists", "A port with UUID %s already exists.")
	t := newTable(s, "ports", (*Port).meta, exists,
		missing("PortNotFound", "Port %s could not be found."),
		uniqueName("MACAlreadyExists", "A port with MAC address %s already exists.", func(p *Port) string { return p.Address }),
		unique[Port]{
			value: func(p *Port) string { return p.Name },
			clash: func(p *Port, creating bool) error {
				if creating { // Ironic does not check which column was duplicate
					return exists(p.UUID)
				}
				return conflict("PortDuplicateName", "A port with name %s already exists.")(p.Name)
			},
		})
	t.named = 1
	t.node = func(p *Port) string { return p.NodeUUID }
	return t
}

// defaultPortgroupMode is the default of the default_portgroup_mode option.
const defaultPortgroupMode = "active-backup"

func portgroupTable(s *Store) *Table[Portgroup] {
	t := newTable(s, "portgroups", (*Portgroup).meta,
		conflict("PortgroupAlreadyExists", "A portgroup with UUID %s already exists."),
		missing("PortgroupNotFound", "Portgroup %s could not be found."),
		uniqueName("PortgroupDuplicateName", "A portgroup with name %s already exists.", func(g *Portgroup) string { return g.Name }),
		uniqueName("PortgroupMACAlreadyExists", "A portgroup with MAC address %s already exists.", func(g *Portgroup) string { return g.Address }))
	t.node = func(g *Portgroup) string { return g.NodeUUID }
	t.complete = func(g *Portgroup) { g.Mode = cmp.Or(g.Mode, defaultPortgroupMode) }
	t.keeps = func(g *Portgroup) error {
		if len(s.Ports.scan(func(p *Port) bool { return p.PortgroupUUID == g.UUID })) == 0 {
			return nil
		}
		// Ironic's message contains the database ID of the port group.
		return Faultf(http.StatusBadRequest, "PortgroupNotEmpty", "Cannot complete the requested action because "+
			"portgroup %d contains ports.", g.ID)
	}
	return t
}

func allocationTable(s *Store) *Table[Allocation] {
	t := newTable(s, "allocations", (*Allocation).meta,
		conflict("AllocationAlreadyExists", "An allocation with UUID %s already exists."),
		missing("AllocationNotFound", "Allocation %s could not be found."),
		uniqueName("AllocationDuplicateName", "An allocation with name %s already exists.", func(a *Allocation) string { return a.Name }))
	t.complete = func(a *Allocation) { a.State = cmp.Or(a.State, stateAllocating) }
	t.node = func(a *Allocation) string { return a.NodeUUID }
	t.removed = s.freeNode
	return t
}

func templateTable(s *Store) *Table[DeployTemplate] {
	return newTable(s, "deploy_templates", (*DeployTemplate).meta,
		conflict("DeployTemplateAlreadyExists", "A deploy template with UUID %s already exists."),
		missing("DeployTemplateNotFound", "Deploy template %s could not be found."),
		uniqueName("DeployTemplateDuplicateName", "A deploy template with name %s already exists.", func(t *DeployTemplate) string { return t.Name }))
}

func runbookTable(s *Store) *Table[Runbook] {
	return newTable(s, "runbooks", (*Runbook).meta,
		conflict("RunbookAlreadyExists", "A runbook with UUID %s already exists."),
		missing("RunbookNotFound", "Runbook %s could not be found."),
		uniqueName("RunbookDuplicateName", "A runbook with name %s already exists.", func(r *Runbook) string { return r.Name }))
}

func ruleTable(s *Store) *Table[InspectionRule] {
	t := newTable(s, "inspection_rules", (*InspectionRule).meta,
		conflict("InspectionRuleAlreadyExists", "A rule with UUID %s already exists."),
		missing("InspectionRuleNotFound", "Rule %s could not be found."))
	t.complete = func(r *InspectionRule) { r.Phase = cmp.Or(r.Phase, phaseMain) }
	return t
}

func chassisTable(s *Store) *Table[Chassis] {
	t := newTable(s, "chassis", (*Chassis).meta,
		conflict("ChassisAlreadyExists", "A chassis with UUID %s already exists."),
		missing("ChassisNotFound", "Chassis %s could not be found."))
	t.keeps = func(c *Chassis) error {
		if len(s.Nodes.scan(func(n *Node) bool { return n.ChassisUUID == c.UUID })) == 0 {
			return nil
		}
		return Faultf(http.StatusBadRequest, "ChassisNotEmpty", "Cannot complete the requested action because chassis "+
			"%s contains nodes.", c.UUID)
	}
	return t
}

func connectorTable(s *Store) *Table[VolumeConnector] {
	t := newTable(s, "volume_connectors", (*VolumeConnector).meta,
		conflict("VolumeConnectorAlreadyExists", "A volume connector with UUID %s already exists."),
		missing("VolumeConnectorNotFound", "Volume connector %s could not be found."),
		unique[VolumeConnector]{
			value: func(v *VolumeConnector) string { return v.Type + "\x00" + v.ConnectorID },
			clash: func(v *VolumeConnector, _ bool) error {
				return Faultf(http.StatusConflict, "VolumeConnectorTypeAndIdAlreadyExists",
					"A volume connector with type %s and connector ID %s already exists.", v.Type, v.ConnectorID)
			},
		})
	t.node = func(v *VolumeConnector) string { return v.NodeUUID }
	return t
}

func targetTable(s *Store) *Table[VolumeTarget] {
	t := newTable(s, "volume_targets", (*VolumeTarget).meta,
		conflict("VolumeTargetAlreadyExists", "A volume target with UUID %s already exists."),
		missing("VolumeTargetNotFound", "Volume target %s could not be found."),
		unique[VolumeTarget]{
			value: func(v *VolumeTarget) string { return v.NodeUUID + " " + strconv.Itoa(v.BootIndex) },
			clash: func(v *VolumeTarget, _ bool) error {
				return Faultf(http.StatusConflict, "VolumeTargetBootIndexAlreadyExists",
					"A volume target with boot index '%d' for the same node already exists.", v.BootIndex)
			},
		})
	t.node = func(v *VolumeTarget) string { return v.NodeUUID }
	return t
}

// phaseMain is the only inspection phase in which rules run.
const phaseMain = "main"

// noTime is the zero time, which the API shows as null.
var noTime time.Time

// Now returns the time of the store's clock.
func (s *Store) Now() time.Time { return s.now() }

// Conductors returns the conductors in the order of their first appearance.
func (s *Store) Conductors() []Conductor {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return cloneAll(s.conductors)
}

// SetConductor adds or updates a conductor, for example to report that it is alive. The time of the conductor's first
// appearance is kept. Conductors are not stored on disk, because each start of the lab registers its conductor anew.
func (s *Store) SetConductor(conductor Conductor) {
	conductor = *Clone(&conductor)
	conductor.UpdatedAt = s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.conductors, func(c Conductor) bool { return c.Hostname == conductor.Hostname })
	if at < 0 {
		conductor.CreatedAt = conductor.UpdatedAt
		s.conductors = append(s.conductors, conductor)
		return
	}
	conductor.CreatedAt = s.conductors[at].CreatedAt
	s.conductors[at] = conductor
}

// Fault is an Ironic error, with an HTTP status and a message.
type Fault struct {
	// Status is the HTTP status of the response, such as 409 for a locked node.
	Status int
	// Text is Ironic's faultstring.
	Text string
	// Kind is the name of Ironic's exception, such as NodeLocked.
	Kind string
}

// Error implements the error interface. It returns the Text field.
func (f *Fault) Error() string { return f.Text }

// Faultf returns a Fault with a formatted text.
func Faultf(status int, kind, format string, args ...any) *Fault {
	return &Fault{Status: status, Kind: kind, Text: fmt.Sprintf(format, args...)}
}
