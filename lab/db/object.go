package db

import "time"

// Port is a network interface of a node.
type Port struct {
	ID                           int
	UUID                         string
	NodeUUID                     string
	PortgroupUUID                string
	Address                      string
	Name                         string
	Description                  string
	Vendor                       string
	Category                     string
	PhysicalNetwork              string
	PXEEnabled                   bool
	IsSmartNIC                   bool
	AvailableForDynamicPortgroup *bool
	LocalLinkConnection          Dict
	Extra                        Dict
	InternalInfo                 Dict
	CreatedAt, UpdatedAt         time.Time
}

// Portgroup is a group of ports.
type Portgroup struct {
	ID                       int
	UUID                     string
	NodeUUID                 string
	Name                     string
	Address                  string
	Mode                     string
	PhysicalNetwork          string
	Category                 string
	StandalonePortsSupported bool
	DynamicPortgroup         *bool
	Properties               Dict
	Extra                    Dict
	InternalInfo             Dict
	CreatedAt, UpdatedAt     time.Time
}

// Allocation is a request for a node, with the assigned node.
type Allocation struct {
	ID                   int
	UUID                 string
	Name                 string
	NodeUUID             string
	State                string // allocating, active, error
	LastError            string
	ResourceClass        string
	Owner                string
	Traits               []string
	CandidateNodes       []string
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// DeployTemplate has steps under the name of a trait.
type DeployTemplate struct {
	ID                   int
	UUID                 string
	Name                 string
	Steps                []Dict
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// InspectionRule changes inspected nodes that fulfill all of its conditions.
type InspectionRule struct {
	ID                   int
	UUID                 string // Ironic accepts any text
	Description          *string
	Priority             int // rules with a higher priority are applied first
	Sensitive            bool
	Phase                string // main; empty after a patch removed it
	Conditions           []Dict // unchanged as sent: op, args, loop, multiple
	Actions              []Dict
	CreatedAt, UpdatedAt time.Time
}

// Runbook has steps for nodes with one of its traits.
type Runbook struct {
	ID                   int
	UUID                 string
	Name                 string // before 1.112 also the trait that a node needs
	Description          *string
	Public               bool
	Owner                *string // a project
	DisableRamdisk       bool
	Extra                Dict
	Steps                []Dict // interface, step, args, order
	Traits               []string
	CreatedAt, UpdatedAt time.Time
}

// History is an entry of a node's history.
type History struct {
	ID                   int
	UUID                 string
	NodeUUID             string
	Conductor            string
	Event                string
	EventType            string
	Severity             string
	User                 string
	Project              string
	State                string
	TargetProvisionState string
	Duration             *float64 // seconds
	CreatedAt            time.Time
}

// Inventory has the results of inspection.
type Inventory struct {
	Inventory  Dict
	PluginData Dict
}

// BIOSSetting is a firmware attribute as it was last read, with its entry in the attribute registry.
type BIOSSetting struct {
	Name                 string
	Value                *string // nil: null
	AttributeType        string
	AllowableValues      []string
	LowerBound           *int
	MaxLength            *int
	MinLength            *int
	ReadOnly             *bool
	ResetRequired        *bool
	Unique               *bool
	UpperBound           *int
	CreatedAt, UpdatedAt time.Time
}

// Firmware is a component's version as it was last read.
type Firmware struct {
	Component            string
	InitialVersion       string
	CurrentVersion       string
	LastVersionFlashed   string
	Vendor               string
	Model                string
	SerialNumber         string
	CreatedAt, UpdatedAt time.Time
}

// Conductor serves nodes.
type Conductor struct {
	Hostname             string
	Group                string
	Alive                bool
	Drivers              []string
	CreatedAt, UpdatedAt time.Time
}
