package models

import (
	"slices"
	"strings"
)

// Port is a NIC of a node that Ironic knows. Name needs API 1.88.
type Port struct {
	UUID            string         `json:"uuid" yaml:"uuid"`
	Address         string         `json:"address" yaml:"address"`
	NodeUUID        string         `json:"node_uuid" yaml:"node_uuid"`
	Name            string         `json:"name" yaml:"name,omitempty"`
	PXEEnabled      bool           `json:"pxe_enabled" yaml:"pxe_enabled"`
	PhysicalNetwork string         `json:"physical_network" yaml:"physical_network,omitempty"`
	PortgroupUUID   string         `json:"portgroup_uuid" yaml:"portgroup_uuid,omitempty"`
	LocalLink       map[string]any `json:"local_link_connection" yaml:"local_link_connection,omitempty"`
}

// Portgroup is a bond of a node's ports.
type Portgroup struct {
	UUID     string `json:"uuid" yaml:"uuid"`
	Name     string `json:"name" yaml:"name,omitempty"`
	Address  string `json:"address" yaml:"address,omitempty"`
	NodeUUID string `json:"node_uuid" yaml:"node_uuid"`
	Mode     string `json:"mode" yaml:"mode,omitempty"`
}

// Driver is a hardware type that some conductor has enabled, with the interfaces
// that a node of it may use.
type Driver struct {
	Name  string   `json:"name" yaml:"name"`
	Type  string   `json:"type" yaml:"type"`
	Hosts []string `json:"hosts" yaml:"hosts"`
	// Default and Enabled are keyed by the kind of interface: boot, deploy, power, …
	Default map[string]string   `json:"default" yaml:"default"`
	Enabled map[string][]string `json:"enabled" yaml:"enabled"`
}

// Conductor is a process that drives nodes. Needs API 1.49.
type Conductor struct {
	Hostname  string   `json:"hostname" yaml:"hostname"`
	Group     string   `json:"conductor_group" yaml:"conductor_group"`
	Alive     bool     `json:"alive" yaml:"alive"`
	Drivers   []string `json:"drivers" yaml:"drivers"`
	UpdatedAt Time     `json:"updated_at" yaml:"updated_at"`
}

// HistoryEntry is one entry of a node's history (API 1.78), which keeps the reasons
// that last_error loses.
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

// IsError says that the entry records a failure.
func (h *HistoryEntry) IsError() bool { return strings.EqualFold(h.Severity, "ERROR") }

// Validation is what one of a node's interfaces says about itself.
type Validation struct {
	Interface string `json:"interface" yaml:"interface"`
	// Result is nil where the driver has no such interface.
	Result *bool  `json:"result" yaml:"result"`
	Reason string `json:"reason" yaml:"reason,omitempty"`
}

// Unsupported says that the interface is a no-… one: Ironic reports it as false,
// which is normal and no fault.
func (v Validation) Unsupported() bool {
	return v.Result != nil && !*v.Result && strings.Contains(v.Reason, "disabled or not implemented") ||
		v.Result == nil
}

// NeededToDeploy are the interfaces that have to validate before a deployment.
func NeededToDeploy(iface string) bool {
	return slices.Contains([]string{"boot", "deploy", "management", "network", "power"}, iface)
}

// BootDevice is what a node boots from next.
type BootDevice struct {
	Device     string `json:"boot_device" yaml:"boot_device"`
	Persistent *bool  `json:"persistent" yaml:"persistent"`
}

// BIOSSetting is one BIOS setting that Ironic has cached (API 1.40).
type BIOSSetting struct {
	Name  string `json:"name" yaml:"name"`
	Value string `json:"value" yaml:"value"`
}

// Firmware is one component's firmware that Ironic has cached (API 1.86).
type Firmware struct {
	Component      string `json:"component" yaml:"component"`
	InitialVersion string `json:"initial_version" yaml:"initial_version"`
	CurrentVersion string `json:"current_version" yaml:"current_version"`
	LastFlashed    string `json:"last_version_flashed" yaml:"last_version_flashed"`
}

// Allocation reserves a node for somebody (API 1.52).
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

// AllocationRequest asks Ironic to reserve a node (API 1.52): an available one, that
// nobody has, with a resource class and traits.
type AllocationRequest struct {
	// UUID is the allocation's, which becomes the node's instance_uuid.
	UUID          string `json:"uuid"`
	ResourceClass string `json:"resource_class"`
	// CandidateNodes are the nodes that it may be.
	CandidateNodes []string `json:"candidate_nodes"`
	// Traits are those that the node needs to have; they become instance_info.traits.
	Traits []string `json:"traits,omitempty"`
}

// ProvisionRequest is what is sent to PUT …/states/provision.
type ProvisionRequest struct {
	Verb Verb
	// DeploySteps go with deploy and rebuild, CleanSteps with clean (required),
	// ServiceSteps with service (required).
	DeploySteps  []Step
	CleanSteps   []Step
	ServiceSteps []Step
	// ConfigDrive goes with deploy and rebuild: an object with meta_data, network_data,
	// user_data and vendor_data, or text (base64 or a URL). Nil sends none.
	ConfigDrive any
	// RescuePassword goes with rescue, and is required there.
	RescuePassword Secret
	// DisableRamdisk runs clean (API 1.70) or service (1.108) without booting a ramdisk.
	DisableRamdisk bool
	// Runbook replaces the steps of clean and service (API 1.92).
	Runbook string
}

// PowerTarget is what can be asked of a node's power.
type PowerTarget string

// The targets of PUT …/states/power.
const (
	TargetOn         PowerTarget = "power on"
	TargetOff        PowerTarget = "power off"
	TargetReboot     PowerTarget = "rebooting"
	TargetSoftOff    PowerTarget = "soft power off"
	TargetSoftReboot PowerTarget = "soft rebooting"
)

// Ends is the power state that the target leads to.
func (t PowerTarget) Ends() PowerState {
	switch t {
	case TargetOn, TargetReboot, TargetSoftReboot:
		return PowerOn
	case TargetOff, TargetSoftOff:
		return PowerOff
	}
	return ""
}

// DeployTemplate is a list of deploy steps that Ironic adds to the deployments of
// instances with the trait that it is called by (API 1.55).
type DeployTemplate struct {
	UUID  string `json:"uuid"`
	Name  string `json:"name"`
	Steps []Step `json:"steps"`
}

// ConsoleState is what a node says of its serial console. To read it disturbs nobody.
type ConsoleState struct {
	// Interface is the node's console_interface; empty where Ironic tells none.
	Interface string `json:"console_interface"`
	Enabled   bool   `json:"console_enabled"`
	// LastError is why enabling or disabling failed, or anything else before it.
	LastError string `json:"last_error"`
}

// ConsoleAddress is how a console is reached.
type ConsoleAddress struct {
	// Enabled says whether it can be; where it cannot, there is nothing else.
	Enabled bool `json:"console_enabled"`
	Info    struct {
		// Type says what speaks there: socat (the bytes of the serial line), shellinabox, vnc.
		Type string `json:"type"`
		// URL may have a token in it that lets in whoever knows it.
		URL Secret `json:"url"`
	} `json:"console_info"`
}
