package db

import "time"

// Node is a node. The names match Ironic's API; empty strings and zero times mean null, unless Empty says otherwise.
type Node struct {
	ID           int // the database's ID; orders rows with equal values
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

	// Interfaces are by the name of the interface: "deploy" → "custom-agent".
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
	Conductor      string // the host name; empty if no conductor serves it
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

	// Empty are the text fields with an empty text instead of null; Null are the boolean fields
	// with null instead of false. Both are sorted.
	Empty, Null []string

	InspectionStartedAt  time.Time
	InspectionFinishedAt time.Time
	CreatedAt            time.Time
	UpdatedAt            time.Time // zero until the first change
}
