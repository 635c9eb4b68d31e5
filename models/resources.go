package models

import (
	"slices"
	"strings"
)

// Port is a NIC of a node. Name needs API 1.88, Category 1.101.
type Port struct {
	UUID            string         `json:"uuid" yaml:"uuid"`
	Address         string         `json:"address" yaml:"address"`
	NodeUUID        string         `json:"node_uuid" yaml:"node_uuid"`
	Name            string         `json:"name" yaml:"name,omitempty"`
	PXEEnabled      bool           `json:"pxe_enabled" yaml:"pxe_enabled"`
	PhysicalNetwork string         `json:"physical_network" yaml:"physical_network,omitempty"`
	PortgroupUUID   string         `json:"portgroup_uuid" yaml:"portgroup_uuid,omitempty"`
	LocalLink       map[string]any `json:"local_link_connection" yaml:"local_link_connection,omitempty"`
	Category        string         `json:"category" yaml:"category,omitempty"`
	Extra           map[string]any `json:"extra" yaml:"extra,omitempty"`
	Internal        PortInternal   `json:"internal_info" yaml:"-"`
}

// PortInternal is the internal data of Ironic's network interfaces about a port or port group.
type PortInternal struct {
	// VIF is the attached VIF.
	VIF string `json:"tenant_vif_port_id"`
}

// Portgroup is a bond of a node's ports.
type Portgroup struct {
	UUID     string `json:"uuid" yaml:"uuid"`
	Name     string `json:"name" yaml:"name,omitempty"`
	Address  string `json:"address" yaml:"address,omitempty"`
	NodeUUID string `json:"node_uuid" yaml:"node_uuid"`
	Mode     string `json:"mode" yaml:"mode,omitempty"`
	// StandalonePorts means that the members can be used without the port group.
	StandalonePorts bool           `json:"standalone_ports_supported" yaml:"standalone_ports_supported"`
	Properties      map[string]any `json:"properties" yaml:"properties,omitempty"`
	Extra           map[string]any `json:"extra" yaml:"extra,omitempty"`
	Internal        PortInternal   `json:"internal_info" yaml:"-"`
}

// Driver is a hardware type that a conductor enables, with the possible interfaces.
type Driver struct {
	Name  string   `json:"name" yaml:"name"`
	Type  string   `json:"type" yaml:"type"`
	Hosts []string `json:"hosts" yaml:"hosts"`
	// Default and Enabled have the interfaces by their kinds: boot, deploy, power, …
	Default map[string]string   `json:"default" yaml:"default"`
	Enabled map[string][]string `json:"enabled" yaml:"enabled"`
}

// Conductor is an Ironic conductor (API 1.49).
type Conductor struct {
	Hostname  string   `json:"hostname" yaml:"hostname"`
	Group     string   `json:"conductor_group" yaml:"conductor_group"`
	Alive     bool     `json:"alive" yaml:"alive"`
	Drivers   []string `json:"drivers" yaml:"drivers"`
	UpdatedAt Time     `json:"updated_at" yaml:"updated_at"`
}

// HistoryEntry is an entry of a node's history (API 1.78), which keeps errors that last_error loses.
type HistoryEntry struct {
	UUID      string `json:"uuid" yaml:"uuid"`
	CreatedAt Time   `json:"created_at" yaml:"created_at"`
	Severity  string `json:"severity" yaml:"severity"`
	EventType string `json:"event_type" yaml:"event_type"`
	Event     string `json:"event" yaml:"event"`
	Conductor string `json:"conductor" yaml:"conductor"`
	User      string `json:"user" yaml:"user,omitempty"`
	// State, TargetState and DurationSeconds need API 1.115.
	State           string `json:"state" yaml:"state,omitempty"`
	TargetState     string `json:"target_provision_state" yaml:"target_provision_state,omitempty"`
	DurationSeconds *int   `json:"duration_seconds" yaml:"duration_seconds,omitempty"`
}

// IsError reports whether the entry is an error.
func (h *HistoryEntry) IsError() bool { return strings.EqualFold(h.Severity, "ERROR") }

// Validation is the validation result of an interface.
type Validation struct {
	Interface string `json:"interface" yaml:"interface"`
	// Result is nil if the driver has no such interface.
	Result *bool  `json:"result" yaml:"result"`
	Reason string `json:"reason" yaml:"reason,omitempty"`
}

// Unsupported reports whether the interface is a no-op: Ironic reports false, which is normal.
func (v Validation) Unsupported() bool {
	return v.Result != nil && !*v.Result && strings.Contains(v.Reason, "disabled or not implemented") ||
		v.Result == nil
}

// NeededToDeploy reports whether a deployment requires the interface to validate.
func NeededToDeploy(iface string) bool {
	return slices.Contains([]string{"boot", "deploy", "management", "network", "power"}, iface)
}

// BootDevice is the node's boot device.
type BootDevice struct {
	Device     string `json:"boot_device" yaml:"boot_device"`
	Persistent *bool  `json:"persistent" yaml:"persistent"`
}

// BIOSSetting is a cached BIOS setting (API 1.40). The fields other than name and value come from the BMC's attribute
// registry: they need API 1.74 and a BMC with a registry.
type BIOSSetting struct {
	Name  string `json:"name" yaml:"name"`
	Value string `json:"value" yaml:"value"`
	// Type is Enumeration, Integer, String, Boolean or Password.
	Type    string   `json:"attribute_type,omitempty" yaml:"attribute_type,omitempty"`
	Allowed []string `json:"allowable_values,omitempty" yaml:"allowable_values,omitempty"`
	// Lower and Upper limit numbers, MinLength and MaxLength the characters of text.
	Lower     *int  `json:"lower_bound,omitempty" yaml:"lower_bound,omitempty"`
	Upper     *int  `json:"upper_bound,omitempty" yaml:"upper_bound,omitempty"`
	MinLength *int  `json:"min_length,omitempty" yaml:"min_length,omitempty"`
	MaxLength *int  `json:"max_length,omitempty" yaml:"max_length,omitempty"`
	ReadOnly  *bool `json:"read_only,omitempty" yaml:"read_only,omitempty"`
	// ResetRequired means that a new value is used after a reset. Unique means that each machine has a value of its
	// own.
	ResetRequired *bool `json:"reset_required,omitempty" yaml:"reset_required,omitempty"`
	Unique        *bool `json:"unique,omitempty" yaml:"unique,omitempty"`
}

// Firmware is the cached firmware version of a component (API 1.86).
type Firmware struct {
	Component      string `json:"component" yaml:"component"`
	InitialVersion string `json:"initial_version" yaml:"initial_version"`
	CurrentVersion string `json:"current_version" yaml:"current_version"`
	LastFlashed    string `json:"last_version_flashed" yaml:"last_version_flashed"`
}

// Volumes are the connectors and targets of a node's storage (API 1.32), which Cinder or an operator has written.
type Volumes struct {
	Connectors []VolumeConnector `json:"connectors" yaml:"connectors"`
	Targets    []VolumeTarget    `json:"targets" yaml:"targets"`
}

// VolumeConnector is an address of the machine as a client of storage.
type VolumeConnector struct {
	UUID string `json:"uuid" yaml:"uuid"`
	// Type is iqn, ip, mac, wwnn, wwpn or portgroup; ID is the address.
	Type string `json:"type" yaml:"type"`
	ID   string `json:"connector_id" yaml:"connector_id"`
}

// VolumeTarget is a volume that the machine uses.
type VolumeTarget struct {
	UUID     string `json:"uuid" yaml:"uuid"`
	Type     string `json:"volume_type" yaml:"volume_type"`
	VolumeID string `json:"volume_id" yaml:"volume_id"`
	// BootIndex is 0 for the volume to boot from.
	BootIndex int `json:"boot_index" yaml:"boot_index"`
}

// VendorMethod is a method that the vendor interface of a node offers.
type VendorMethod struct {
	Name        string   `json:"name" yaml:"name"`
	HTTPMethods []string `json:"http_methods" yaml:"http_methods"`
	Async       bool     `json:"async" yaml:"async"`
	Description string   `json:"description" yaml:"description"`
}

// Allocation reserves a node (API 1.52).
type Allocation struct {
	UUID          string   `json:"uuid" yaml:"uuid"`
	Name          string   `json:"name" yaml:"name,omitempty"`
	NodeUUID      string   `json:"node_uuid" yaml:"node_uuid,omitempty"`
	ResourceClass string   `json:"resource_class" yaml:"resource_class"`
	State         string   `json:"state" yaml:"state"`
	LastError     string   `json:"last_error" yaml:"last_error,omitempty"`
	Traits        []string `json:"traits" yaml:"traits,omitempty"`
	Owner         string   `json:"owner" yaml:"owner,omitempty"`
}

// AllocationRequest requests an allocation (API 1.52): an available node with a resource class and traits.
type AllocationRequest struct {
	// UUID becomes the node's instance_uuid.
	UUID          string `json:"uuid"`
	ResourceClass string `json:"resource_class"`
	// CandidateNodes limit the choice.
	CandidateNodes []string `json:"candidate_nodes"`
	// Traits are required of the node, and become instance_info.traits.
	Traits []string `json:"traits,omitempty"`
}

// ProvisionRequest is the body of PUT …/states/provision.
type ProvisionRequest struct {
	Verb Verb
	// DeploySteps are for deploy and rebuild, CleanSteps for clean (required), ServiceSteps for service (required).
	DeploySteps  []Step
	CleanSteps   []Step
	ServiceSteps []Step
	// ConfigDrive is for deploy and rebuild: an object with meta_data, network_data, user_data and vendor_data, or
	// text (base64 or a URL); nil for none.
	ConfigDrive any
	// RescuePassword is required for rescue.
	RescuePassword Secret
	// DisableRamdisk runs clean (API 1.70) or service (1.108) without a ramdisk.
	DisableRamdisk bool
	// Runbook replaces the steps of clean and service (API 1.92).
	Runbook string
}

// PowerTarget is a requested power state.
type PowerTarget string

// The targets of PUT …/states/power.
const (
	TargetOn         PowerTarget = "power on"
	TargetOff        PowerTarget = "power off"
	TargetReboot     PowerTarget = "rebooting"
	TargetSoftOff    PowerTarget = "soft power off"
	TargetSoftReboot PowerTarget = "soft rebooting"
)

// Ends returns the power state that results from the target.
func (t PowerTarget) Ends() PowerState {
	switch t {
	case TargetOn, TargetReboot, TargetSoftReboot:
		return PowerOn
	case TargetOff, TargetSoftOff:
		return PowerOff
	}
	return ""
}

// DeployTemplate is a list of steps that Ironic adds to deployments of instances with the trait of its name (API
// 1.55).
type DeployTemplate struct {
	UUID  string `json:"uuid"`
	Name  string `json:"name"`
	Steps []Step `json:"steps"`
}

// ConsoleState is the state of a serial console. Reading it does not disconnect anyone.
type ConsoleState struct {
	// Interface is the node's console_interface; empty if not reported.
	Interface string `json:"console_interface"`
	Enabled   bool   `json:"console_enabled"`
	// LastError is the node's last error, not only of the console.
	LastError string `json:"last_error"`
}

// ConsoleAddress is the address of a console.
type ConsoleAddress struct {
	// Enabled means that the console is enabled. Otherwise the other fields are empty.
	Enabled bool `json:"console_enabled"`
	Info    struct {
		// Type is the protocol: socat (raw bytes), shellinabox, vnc.
		Type string `json:"type"`
		// URL may hold a token that grants access.
		URL Secret `json:"url"`
	} `json:"console_info"`
}
