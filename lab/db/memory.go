package db

import (
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
	now func() time.Time

	mu          sync.RWMutex
	nodes       *table[Node, *Node]
	ports       *table[Port, *Port]
	groups      *table[Portgroup, *Portgroup]
	allocations *table[Allocation, *Allocation]
	templates   *table[DeployTemplate, *DeployTemplate]
	details     map[string]*details // by node
	historyID   int
	conductors  []Conductor

	disk *disk // nil: memory only
}

// Store is what the conductor and the API use.
var _ Tables = (*Store)(nil)

// New makes an empty store in memory.
func New(now func() time.Time) *Store {
	return &Store{
		// As exact as a database's times are, and equal after they were on disk.
		now:         func() time.Time { return now().UTC().Truncate(time.Microsecond) },
		nodes:       nodeTable(),
		ports:       portTable(),
		groups:      portgroupTable(),
		allocations: allocationTable(),
		templates:   templateTable(),
		details:     map[string]*details{},
		historyID:   1,
	}
}

// The unique columns of a node, as [table.by] counts them. Those of a duplicate
// that has several are told by the first.
const (
	byName = iota
	byInstance
)

func conflict(kind, format string) func(string) error {
	return func(value string) error { return Faultf(http.StatusConflict, kind, format, value) }
}

func missing(kind, format string) func(string) error {
	return func(value string) error { return Faultf(http.StatusNotFound, kind, format, value) }
}

func nodeTable() *table[Node, *Node] {
	return newTable[Node, *Node]("nodes",
		conflict("NodeAlreadyExists", "A node with UUID %s already exists."),
		missing("NodeNotFound", "Node %s could not be found."),
		unique[Node]{
			value: func(n *Node) string { return n.Name },
			clash: func(n *Node, _ bool) error {
				return conflict("DuplicateName", "A node with name %s already exists.")(n.Name)
			},
		},
		unique[Node]{
			value: func(n *Node) string { return n.InstanceUUID },
			clash: func(n *Node, _ bool) error {
				return Faultf(http.StatusConflict, "InstanceAssociated", "Instance %s is already associated with a "+
					"node, it cannot be associated with this other node %s", n.InstanceUUID, n.UUID)
			},
		})
}

func portTable() *table[Port, *Port] {
	exists := conflict("PortAlreadyExists", "A port with UUID %s already exists.")
	return newTable[Port, *Port]("ports", exists,
		missing("PortNotFound", "Port %s could not be found."),
		unique[Port]{
			value: func(p *Port) string { return p.Address },
			clash: func(p *Port, _ bool) error {
				return conflict("MACAlreadyExists", "A port with MAC address %s already exists.")(p.Address)
			},
		},
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

func portgroupTable() *table[Portgroup, *Portgroup] {
	return newTable[Portgroup, *Portgroup]("portgroups",
		conflict("PortgroupAlreadyExists", "A portgroup with UUID %s already exists."),
		missing("PortgroupNotFound", "Portgroup %s could not be found."),
		unique[Portgroup]{
			value: func(g *Portgroup) string { return g.Name },
			clash: func(g *Portgroup, _ bool) error {
				return conflict("PortgroupDuplicateName", "A portgroup with name %s already exists.")(g.Name)
			},
		},
		unique[Portgroup]{
			value: func(g *Portgroup) string { return g.Address },
			clash: func(g *Portgroup, _ bool) error {
				return conflict("PortgroupMACAlreadyExists", "A portgroup with MAC address %s already exists.")(g.Address)
			},
		})
}

func allocationTable() *table[Allocation, *Allocation] {
	return newTable[Allocation, *Allocation]("allocations",
		conflict("AllocationAlreadyExists", "An allocation with UUID %s already exists."),
		missing("AllocationNotFound", "Allocation %s could not be found."),
		unique[Allocation]{
			value: func(a *Allocation) string { return a.Name },
			clash: func(a *Allocation, _ bool) error {
				return conflict("AllocationDuplicateName", "An allocation with name %s already exists.")(a.Name)
			},
		})
}

func templateTable() *table[DeployTemplate, *DeployTemplate] {
	return newTable[DeployTemplate, *DeployTemplate]("deploy_templates",
		conflict("DeployTemplateAlreadyExists", "A deploy template with UUID %s already exists."),
		missing("DeployTemplateNotFound", "Deploy template %s could not be found."),
		unique[DeployTemplate]{
			value: func(t *DeployTemplate) string { return t.Name },
			clash: func(t *DeployTemplate, _ bool) error {
				return conflict("DeployTemplateDuplicateName", "A deploy template with name %s already exists.")(t.Name)
			},
		})
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
