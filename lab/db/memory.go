package db

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Store is the database: in memory, and on disk if it was opened with a folder.
// It may be used from any number of goroutines.
type Store struct {
	Nodes           *Table[Node, *Node]
	Ports           *Table[Port, *Port]
	Portgroups      *Table[Portgroup, *Portgroup]
	Allocations     *Table[Allocation, *Allocation]
	DeployTemplates *Table[DeployTemplate, *DeployTemplate]

	now func() time.Time

	mu         sync.RWMutex
	details    map[string]*details // by node
	historyID  int
	conductors []Conductor

	disk *disk // nil: memory only
}

// New makes an empty store in memory.
func New(now func() time.Time) *Store {
	s := &Store{
		// As exact as a database's times are, and equal after they were on disk.
		now:     func() time.Time { return now().UTC().Truncate(time.Microsecond) },
		details: map[string]*details{}, historyID: 1,
	}
	s.Nodes, s.Ports, s.Portgroups = nodeTable(s), portTable(s), portgroupTable(s)
	s.Allocations, s.DeployTemplates = allocationTable(s), templateTable(s)
	return s
}

func conflict(kind, format string) func(string) error {
	return func(value string) error { return Faultf(http.StatusConflict, kind, format, value) }
}

func missing(kind, format string) func(string) error {
	return func(value string) error { return Faultf(http.StatusNotFound, kind, format, value) }
}

// named is a unique value with the sentence of Ironic about one that is taken.
func named[T any](kind, format string, value func(*T) string) unique[T] {
	return unique[T]{value: value, clash: func(r *T, _ bool) error { return conflict(kind, format)(value(r)) }}
}

func nodeTable(s *Store) *Table[Node, *Node] {
	t := newTable[Node, *Node](s, "nodes",
		conflict("NodeAlreadyExists", "A node with UUID %s already exists."),
		missing("NodeNotFound", "Node %s could not be found."),
		named("DuplicateName", "A node with name %s already exists.", func(n *Node) string { return n.Name }),
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

func portTable(s *Store) *Table[Port, *Port] {
	exists := conflict("PortAlreadyExists", "A port with UUID %s already exists.")
	return newTable[Port, *Port](s, "ports", exists,
		missing("PortNotFound", "Port %s could not be found."),
		named("MACAlreadyExists", "A port with MAC address %s already exists.", func(p *Port) string { return p.Address }),
		unique[Port]{
			value: func(p *Port) string { return p.Name },
			clash: func(p *Port, creating bool) error {
				if creating { // the real one does not look which column it was
					return exists(p.UUID)
				}
				return conflict("PortDuplicateName", "A port with name %s already exists.")(p.Name)
			},
		})
}

// defaultPortgroupMode is the default of default_portgroup_mode.
const defaultPortgroupMode = "active-backup"

func portgroupTable(s *Store) *Table[Portgroup, *Portgroup] {
	t := newTable[Portgroup, *Portgroup](s, "portgroups",
		conflict("PortgroupAlreadyExists", "A portgroup with UUID %s already exists."),
		missing("PortgroupNotFound", "Portgroup %s could not be found."),
		named("PortgroupDuplicateName", "A portgroup with name %s already exists.", func(g *Portgroup) string { return g.Name }),
		named("PortgroupMACAlreadyExists", "A portgroup with MAC address %s already exists.", func(g *Portgroup) string { return g.Address }))
	t.complete = func(g *Portgroup) { g.Mode = cmp.Or(g.Mode, defaultPortgroupMode) }
	t.keeps = func(g *Portgroup) error {
		if len(s.Ports.scan(func(p *Port) bool { return p.PortgroupUUID == g.UUID })) == 0 {
			return nil
		}
		// The real one names it by the database's number.
		return Faultf(http.StatusBadRequest, "PortgroupNotEmpty", "Cannot complete the requested action because "+
			"portgroup %d contains ports.", g.ID)
	}
	return t
}

func allocationTable(s *Store) *Table[Allocation, *Allocation] {
	t := newTable[Allocation, *Allocation](s, "allocations",
		conflict("AllocationAlreadyExists", "An allocation with UUID %s already exists."),
		missing("AllocationNotFound", "Allocation %s could not be found."),
		named("AllocationDuplicateName", "An allocation with name %s already exists.", func(a *Allocation) string { return a.Name }))
	t.complete = func(a *Allocation) { a.State = cmp.Or(a.State, stateAllocating) }
	t.removed = s.freeNode
	return t
}

func templateTable(s *Store) *Table[DeployTemplate, *DeployTemplate] {
	return newTable[DeployTemplate, *DeployTemplate](s, "deploy_templates",
		conflict("DeployTemplateAlreadyExists", "A deploy template with UUID %s already exists."),
		missing("DeployTemplateNotFound", "Deploy template %s could not be found."),
		named("DeployTemplateDuplicateName", "A deploy template with name %s already exists.", func(t *DeployTemplate) string { return t.Name }))
}

// noTime is null.
var noTime time.Time

// Now is the clock the store was given.
func (s *Store) Now() time.Time { return s.now() }

// Conductors are the conductors in the order of their first appearance.
func (s *Store) Conductors() []Conductor {
	s.mu.RLock()
	defer s.mu.RUnlock()
	copied := make([]Conductor, len(s.conductors))
	for i := range s.conductors {
		copied[i] = s.conductors[i].Clone()
	}
	return copied
}

// SetConductor says that a conductor is there, or is no more. When it was first
// seen stays. Conductors are not kept on disk: each start says who is there.
func (s *Store) SetConductor(conductor Conductor) {
	conductor = conductor.Clone()
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

// NewUUID makes a random UUID (version 4).
func NewUUID() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	raw[6] = raw[6]&0x0f | 0x40
	raw[8] = raw[8]&0x3f | 0x80
	text := hex.EncodeToString(raw[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}
