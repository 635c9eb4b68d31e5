package db

import "time"

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
