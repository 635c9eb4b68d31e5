package models

import (
	"slices"
	"strings"
	"time"
)

// Port is a network interface of a node. Name requires API version 1.88, and Category requires 1.101.
type Port struct {
	UUID            string         `json:"uuid"`
	Address         string         `json:"address"`
	NodeUUID        string         `json:"node_uuid"`
	Name            string         `json:"name"`
	PXEEnabled      bool           `json:"pxe_enabled"`
	PhysicalNetwork string         `json:"physical_network"`
	PortgroupUUID   string         `json:"portgroup_uuid"`
	LocalLink       map[string]any `json:"local_link_connection"`
	Category        string         `json:"category"`
	Extra           map[string]any `json:"extra"`
	Internal        PortInternal   `json:"internal_info"`
}

// PortInternal is the data that Ironic's network interfaces store internally about a port or port group.
type PortInternal struct {
	// VIF is the ID of the attached VIF.
	VIF string `json:"tenant_vif_port_id"`
}

// Portgroup is a bond that consists of ports of a node.
type Portgroup struct {
	UUID     string `json:"uuid"`
	Name     string `json:"name"`
	Address  string `json:"address"`
	NodeUUID string `json:"node_uuid"`
	Mode     string `json:"mode"`
	// StandalonePorts means that the member ports can also be used without the port group.
	StandalonePorts bool           `json:"standalone_ports_supported"`
	Properties      map[string]any `json:"properties"`
	Extra           map[string]any `json:"extra"`
	Internal        PortInternal   `json:"internal_info"`
}

// Driver describes a hardware type that is enabled on a conductor, and the interfaces that can be used with it.
type Driver struct {
	Name  string   `json:"name"`
	Type  string   `json:"type"`
	Hosts []string `json:"hosts"`
	// Default maps each kind of interface (boot, deploy, power, …) to the default interface. Enabled maps each kind
	// to all enabled interfaces.
	Default map[string]string   `json:"default"`
	Enabled map[string][]string `json:"enabled"`
}

// Conductor is an Ironic conductor (API version 1.49).
type Conductor struct {
	Hostname  string   `json:"hostname"`
	Group     string   `json:"conductor_group"`
	Alive     bool     `json:"alive"`
	Drivers   []string `json:"drivers"`
	UpdatedAt Time     `json:"updated_at"`
}

// HistoryEntry is an entry in a node's history (API version 1.78). The history keeps errors that later disappear from
// last_error.
type HistoryEntry struct {
	UUID      string `json:"uuid"`
	CreatedAt Time   `json:"created_at"`
	Severity  string `json:"severity"`
	EventType string `json:"event_type"`
	Event     string `json:"event"`
	Conductor string `json:"conductor"`
	User      string `json:"user"`
	// State, TargetState and DurationSeconds require API version 1.115.
	State           string `json:"state"`
	TargetState     string `json:"target_provision_state"`
	DurationSeconds *int   `json:"duration_seconds"`
}

// IsError reports whether the entry describes an error.
func (h *HistoryEntry) IsError() bool { return strings.EqualFold(h.Severity, "ERROR") }

// Took returns the time that the node spent in the previous state (API version 1.115), or "".
func (h *HistoryEntry) Took() string {
	if h.DurationSeconds == nil {
		return ""
	}
	return Age(time.Duration(*h.DurationSeconds) * time.Second)
}

// NewestError returns the newest error in a history since the given time, or nil if there is none. If the time is
// zero, it searches the whole history. The history must be sorted, newest entries first. NewestError allows for clocks
// that differ by up to five seconds.
func NewestError(history []HistoryEntry, since time.Time) *HistoryEntry {
	i := slices.IndexFunc(history, func(h HistoryEntry) bool {
		return h.IsError() && (since.IsZero() || h.CreatedAt.After(since.Add(-5*time.Second)))
	})
	if i < 0 {
		return nil
	}
	return &history[i]
}

// Validation is the result of validating one interface of a node.
type Validation struct {
	Interface string `json:"interface"`
	// Result is nil if the driver has no such interface.
	Result *bool  `json:"result"`
	Reason string `json:"reason"`
}

// Unsupported reports whether the driver does not support the interface. It is normal that the validation of such an
// interface fails.
func (v Validation) Unsupported() bool {
	return v.Result != nil && !*v.Result && strings.Contains(v.Reason, "disabled or not implemented") ||
		v.Result == nil
}

// NeededToDeploy reports whether Ironic deploys a node only if the given interface is valid.
func NeededToDeploy(iface string) bool {
	return slices.Contains([]string{"boot", "deploy", "management", "network", "power"}, iface)
}

// BootDevice is the device from which the node boots.
type BootDevice struct {
	Device     string `json:"boot_device"`
	Persistent *bool  `json:"persistent"`
}

// BIOSSetting is a BIOS setting that Ironic has cached (API version 1.40). All fields except the name and the value
// come from the BMC's attribute registry. They require API version 1.74 and a BMC that has such a registry.
type BIOSSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Type is Enumeration, Integer, String, Boolean or Password.
	Type    string   `json:"attribute_type,omitempty"`
	Allowed []string `json:"allowable_values,omitempty"`
	// Lower and Upper limit the value of a number. MinLength and MaxLength limit the number of characters in a
	// string.
	Lower     *int  `json:"lower_bound,omitempty"`
	Upper     *int  `json:"upper_bound,omitempty"`
	MinLength *int  `json:"min_length,omitempty"`
	MaxLength *int  `json:"max_length,omitempty"`
	ReadOnly  *bool `json:"read_only,omitempty"`
	// ResetRequired means that a new value takes effect only after a reset. Unique means that the value must differ
	// from machine to machine.
	ResetRequired *bool `json:"reset_required,omitempty"`
	Unique        *bool `json:"unique,omitempty"`
}

// Firmware holds the firmware versions that Ironic has cached for a component (API version 1.86).
type Firmware struct {
	Component      string `json:"component"`
	InitialVersion string `json:"initial_version"`
	CurrentVersion string `json:"current_version"`
	LastFlashed    string `json:"last_version_flashed"`
}

// Volumes holds the volume connectors and targets of a node (API version 1.32). They are written by Cinder or by an
// operator.
type Volumes struct {
	Connectors []VolumeConnector `json:"connectors"`
	Targets    []VolumeTarget    `json:"targets"`
}

// VolumeConnector is an address by which a storage system identifies the machine.
type VolumeConnector struct {
	UUID string `json:"uuid"`
	// Type is iqn, ip, mac, wwnn, wwpn or portgroup. ID is the address.
	Type string `json:"type"`
	ID   string `json:"connector_id"`
}

// VolumeTarget is a volume that the machine is connected to.
type VolumeTarget struct {
	UUID     string `json:"uuid"`
	Type     string `json:"volume_type"`
	VolumeID string `json:"volume_id"`
	// BootIndex is 0 for the volume from which the machine boots.
	BootIndex int `json:"boot_index"`
}

// VendorMethod is a method offered by the node's vendor interface.
type VendorMethod struct {
	Name        string   `json:"name"`
	HTTPMethods []string `json:"http_methods"`
	Async       bool     `json:"async"`
	Description string   `json:"description"`
}

// Allocation is a reservation of a node (API version 1.52).
type Allocation struct {
	UUID          string   `json:"uuid"`
	Name          string   `json:"name"`
	NodeUUID      string   `json:"node_uuid"`
	ResourceClass string   `json:"resource_class"`
	State         string   `json:"state"`
	LastError     string   `json:"last_error"`
	Traits        []string `json:"traits"`
	Owner         string   `json:"owner"`
}

// AllocationRequest asks Ironic to reserve an available node with the given resource class and traits (API version
// 1.52).
type AllocationRequest struct {
	// UUID becomes the node's instance_uuid.
	UUID          string `json:"uuid"`
	ResourceClass string `json:"resource_class"`
	// CandidateNodes limits the choice to the listed nodes.
	CandidateNodes []string `json:"candidate_nodes"`
	// Traits lists the traits that the node must have. They become instance_info.traits.
	Traits []string `json:"traits,omitempty"`
}

// ProvisionRequest holds the parameters of PUT …/states/provision.
type ProvisionRequest struct {
	Verb Verb
	// DeploySteps are used by deploy and rebuild. CleanSteps are required for clean, and ServiceSteps for service.
	DeploySteps  []Step
	CleanSteps   []Step
	ServiceSteps []Step
	// ConfigDrive is used by deploy and rebuild. It is an object with meta_data, network_data, user_data and
	// vendor_data, or a string that contains base64 data or a URL. It is nil if there is none.
	ConfigDrive any
	// RescuePassword is required for rescue.
	RescuePassword Secret
	// DisableRamdisk means that clean (API version 1.70) or service (API version 1.108) runs without a ramdisk.
	DisableRamdisk bool
	// Runbook names the runbook whose steps clean or service runs instead of CleanSteps or ServiceSteps (API version
	// 1.92).
	Runbook string
}

// PowerTarget is a power state or action that can be requested.
type PowerTarget string

// The targets that PUT …/states/power accepts.
const (
	TargetOn         PowerTarget = "power on"
	TargetOff        PowerTarget = "power off"
	TargetReboot     PowerTarget = "rebooting"
	TargetSoftOff    PowerTarget = "soft power off"
	TargetSoftReboot PowerTarget = "soft rebooting"
)

// Ends returns the node's power state after the target has been reached.
func (t PowerTarget) Ends() PowerState {
	switch t {
	case TargetOn, TargetReboot, TargetSoftReboot:
		return PowerOn
	case TargetOff, TargetSoftOff:
		return PowerOff
	}
	return ""
}

// DeployTemplate is a list of steps (API version 1.55). Ironic adds them to the deployment of an instance that has a
// trait with the template's name.
type DeployTemplate struct {
	UUID  string `json:"uuid"`
	Name  string `json:"name"`
	Steps []Step `json:"steps"`
}

// ConsoleState is the state of a serial console. Reading the state does not disconnect users of the console.
type ConsoleState struct {
	// Interface is the node's console_interface. It is empty if not reported.
	Interface string `json:"console_interface"`
	Enabled   bool   `json:"console_enabled"`
	// LastError is the node's last error, which may not concern the console.
	LastError string `json:"last_error"`
}

// ConsoleAddress describes how to connect to a console.
type ConsoleAddress struct {
	// Enabled means that the console is enabled. If it is not, the other fields are empty.
	Enabled bool `json:"console_enabled"`
	Info    struct {
		// Type is the protocol: socat (raw bytes), shellinabox or vnc.
		Type string `json:"type"`
		// URL may contain a token that grants access.
		URL Secret `json:"url"`
	} `json:"console_info"`
}
