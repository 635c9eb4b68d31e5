package db

import (
	"time"
)

// Node is an Ironic node. The names of the fields match Ironic's API. Empty strings and zero times mean null, unless
// Empty says otherwise.
type Node struct {
	ID           int // the ID in the database, by which rows with equal values are sorted
	UUID         string
	Name         string
	ChassisUUID  string
	InstanceUUID string
	InstanceName string
	AllocationID string // the UUID of the node's allocation

	Driver             string
	DriverInfo         Dict
	DriverInternalInfo Dict
	Properties         Dict
	InstanceInfo       Dict
	Extra              Dict
	NetworkData        Dict
	RAIDConfig         Dict
	TargetRAIDConfig   Dict
	CleanStep          Dict
	DeployStep         Dict
	ServiceStep        Dict

	// Interfaces maps kinds of interfaces to the names of the node's interfaces, for example "deploy" to
	// "custom-agent".
	Interfaces map[string]string

	ProvisionState       string
	TargetProvisionState string
	ProvisionUpdatedAt   time.Time
	PowerState           string
	TargetPowerState     string
	Reservation          string
	LastError            string
	Maintenance          bool
	MaintenanceReason    string
	Fault                string
	Health               string
	ConsoleEnabled       bool
	BootMode             string
	SecureBoot           *bool

	ResourceClass  string
	ConductorGroup string
	Conductor      string // the host name of the conductor; empty if no conductor serves the node
	Owner          string
	Lessee         string
	Description    string
	Shard          string
	ParentNode     string

	AutomatedClean  *bool
	DisablePowerOff *bool
	Protected       bool
	ProtectedReason string
	Retired         bool
	RetiredReason   string

	Traits []string

	// Empty contains the names of the text fields whose value is an empty string instead of null. Null contains the
	// names of the boolean fields whose value is null instead of false. Both are sorted.
	Empty, Null []string

	InspectionStartedAt  time.Time
	InspectionFinishedAt time.Time
	CreatedAt            time.Time
	UpdatedAt            time.Time // zero until the first change
}

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

// Allocation is a request for a node, and records the node assigned to it.
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

// DeployTemplate holds deploy steps. Its name is the trait to which the steps belong.
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
	UUID                 string // Ironic accepts any string
	Description          *string
	Priority             int // rules with a higher priority are applied first
	Sensitive            bool
	Phase                string // main, or empty after a patch removed it
	Conditions           []Dict // each with op, args, loop and multiple, as the client sent them
	Actions              []Dict
	CreatedAt, UpdatedAt time.Time
}

// Runbook holds steps for nodes that have at least one of its traits.
type Runbook struct {
	ID                   int
	UUID                 string
	Name                 string // before 1.112 also the trait that a node needs
	Description          *string
	Public               bool
	Owner                *string // the owning project
	DisableRamdisk       bool
	Extra                Dict
	Steps                []Dict // each with interface, step, args and order
	Traits               []string
	CreatedAt, UpdatedAt time.Time
}

// Chassis groups nodes.
type Chassis struct {
	ID                   int
	UUID                 string
	Description          *string
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// VolumeConnector is the address by which a node reaches storage: an IQN, WWN or IP address.
type VolumeConnector struct {
	ID                   int
	UUID                 string
	NodeUUID             string
	Type                 string
	ConnectorID          string
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// VolumeTarget is a remote volume of a node.
type VolumeTarget struct {
	ID                   int
	UUID                 string
	NodeUUID             string
	VolumeType           string
	VolumeID             string
	BootIndex            int // 0 is the root volume
	Properties           Dict
	Extra                Dict
	CreatedAt, UpdatedAt time.Time
}

// History is an entry in a node's history.
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
	Duration             *float64 // in seconds
	CreatedAt            time.Time
}

// Inventory holds the results of an inspection.
type Inventory struct {
	Inventory  Dict
	PluginData Dict
}

// BIOSSetting is a BIOS setting as it was last read from the BMC. It includes the data that the attribute registry
// contains about the setting.
type BIOSSetting struct {
	Name                 string
	Value                *string // nil means null
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

// Firmware holds the versions of a firmware component as they were last read from the BMC.
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

// Conductor describes a conductor: its host, and the group and drivers of the nodes that it can serve.
type Conductor struct {
	Hostname             string
	Group                string
	Alive                bool
	Drivers              []string
	CreatedAt, UpdatedAt time.Time
}
