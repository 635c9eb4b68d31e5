package api

import (
	"context"

	"ironworks/lab/db"
)

// Conductor is the interface through which the API calls the conductor. Nodes are identified by UUID. Its errors are
// [db.Fault] values with Ironic's status and message. As in Ironic, a call that starts an operation returns as soon
// as the node is locked and its first state is set. The rest of the operation runs in the background.
type Conductor interface {
	CreateNode(ctx context.Context, node *db.Node) (*db.Node, error)
	// UpdateNode patches a node. It locks the node, runs the conductor's checks that need only the old node, calls
	// change with the node, and then checks the result.
	UpdateNode(ctx context.Context, uuid string, resetInterfaces bool, change func(*db.Node) error) (*db.Node, error)
	DestroyNode(ctx context.Context, uuid string) error

	Deploy(ctx context.Context, uuid string, deploy Deploy) error
	TearDown(ctx context.Context, uuid string) error
	Clean(ctx context.Context, uuid string, steps []db.Dict, disableRamdisk bool) error
	Service(ctx context.Context, uuid string, steps []db.Dict, disableRamdisk bool) error
	Inspect(ctx context.Context, uuid string) error
	Rescue(ctx context.Context, uuid, password string) error
	Unrescue(ctx context.Context, uuid string) error
	// Act starts the action that verb names: manage, provide, abort, adopt or unhold (do_provisioning_action).
	Act(ctx context.Context, uuid, verb string) error

	SetPower(ctx context.Context, uuid, target string, timeout int) error
	SetBootMode(ctx context.Context, uuid, mode string) error
	SetSecureBoot(ctx context.Context, uuid string, on bool) error
	BootDevice(ctx context.Context, uuid string) (device string, persistent *bool, err error)
	BootDevices(ctx context.Context, uuid string) ([]string, error)
	SetBootDevice(ctx context.Context, uuid, device string, persistent bool) error
	InjectNMI(ctx context.Context, uuid string) error
	Indicators(ctx context.Context, uuid string) ([]Indicator, error)
	IndicatorState(ctx context.Context, uuid, component, name string) (string, error)
	SetIndicatorState(ctx context.Context, uuid, component, name, state string) error
	SetRAID(ctx context.Context, uuid string, target db.Dict) error
	// Console returns the console's connection data, or nil if the console is disabled.
	Console(ctx context.Context, uuid string) (db.Dict, error)
	SetConsole(ctx context.Context, uuid string, on bool) error
	// Validate returns the result of validating each interface: power, boot, deploy, …
	Validate(ctx context.Context, uuid string) (map[string]Validation, error)
	SetMaintenance(ctx context.Context, uuid string, on bool, reason string) error

	AttachMedia(ctx context.Context, uuid string, device, url, source string) error
	DetachMedia(ctx context.Context, uuid string, devices []string) error
	Media(ctx context.Context, uuid string) ([]db.Dict, error)

	VIFs(ctx context.Context, uuid string) ([]db.Dict, error)
	AttachVIF(ctx context.Context, uuid string, vif db.Dict) error
	DetachVIF(ctx context.Context, uuid, vif string) error

	CreatePort(ctx context.Context, port *db.Port) (*db.Port, error)
	UpdatePort(ctx context.Context, uuid string, change func(*db.Port) error) (*db.Port, error)
	DestroyPort(ctx context.Context, uuid string) error
	UpdatePortgroup(ctx context.Context, uuid string, change func(*db.Portgroup) error) (*db.Portgroup, error)
	DestroyPortgroup(ctx context.Context, uuid string) error

	// UpdateVolume calls change while it holds the node's lock, provided that the node's power state allows changes.
	// kind is "volume connector" or "volume target". DestroyVolume does the same with destroy, which removes the
	// resource.
	UpdateVolume(ctx context.Context, node, kind string, change func() error) error
	DestroyVolume(ctx context.Context, node, kind string, destroy func() error) error

	CreateAllocation(ctx context.Context, allocation *db.Allocation) (*db.Allocation, error)
	DestroyAllocation(ctx context.Context, uuid string) error

	// AddTraits adds the traits or, if replace is set, replaces all existing traits with them. RemoveTraits removes
	// the given traits, or all of them if traits is nil.
	AddTraits(ctx context.Context, uuid string, traits []string, replace bool) error
	RemoveTraits(ctx context.Context, uuid string, traits []string) error

	Drivers() []Driver
	// DriverProperties returns the keys of driver_info with their descriptions.
	DriverProperties(driver string) (map[string]string, error)
	RAIDProperties(driver string) (map[string]string, error)

	// NodeWithToken returns the node for an agent's lookup. The agent gets the node's token only once, at its first
	// lookup.
	NodeWithToken(ctx context.Context, uuid string) (*db.Node, error)
	Heartbeat(ctx context.Context, uuid string, heartbeat Heartbeat) error
	ContinueInspection(ctx context.Context, uuid string, inventory, pluginData db.Dict) error
	// DiscoveryDriver returns the value of the [auto_discovery] driver option. It is empty if unknown machines are
	// not enrolled.
	DiscoveryDriver() string
}

// Deploy holds the arguments of a deployment or a rebuild.
type Deploy struct {
	Rebuild bool
	// Configdrive is nil, a string or a db.Dict.
	Configdrive any
	Steps       []db.Dict
}

// Validation is the result of validating one interface. A nil Result means "not supported".
type Validation struct {
	Result *bool
	Reason string
}

// Driver describes a hardware type.
type Driver struct {
	Name  string
	Hosts []string
	// Default maps each kind of interface, such as "deploy", to the default interface. Enabled maps it to the enabled
	// interfaces.
	Default map[string]string
	Enabled map[string][]string
}

// Heartbeat is the content of an agent's heartbeat.
type Heartbeat struct {
	CallbackURL   string
	Token         string
	AgentVersion  string
	VerifyCA      string
	Status        string
	StatusMessage string
}
