package agent

// Inventory describes the hardware of the machine. The agent sends it for an inspection.
type Inventory struct {
	Interfaces   []Interface  `json:"interfaces"`
	CPU          CPU          `json:"cpu"`
	Disks        []Disk       `json:"disks"`
	Memory       Memory       `json:"memory"`
	BMCAddress   *string      `json:"bmc_address"`
	BMCv6Address *string      `json:"bmc_v6address"`
	SystemVendor SystemVendor `json:"system_vendor"`
	Boot         Boot         `json:"boot"`
	Hostname     string       `json:"hostname"`
	BMCMAC       string       `json:"bmc_mac,omitempty"`
}

// Interface describes a network interface.
type Interface struct {
	Name        string  `json:"name"`
	MAC         string  `json:"mac_address"`
	IPv4        *string `json:"ipv4_address"`
	IPv6        *string `json:"ipv6_address"`
	HasCarrier  bool    `json:"has_carrier"`
	LLDP        []any   `json:"lldp"`
	Vendor      *string `json:"vendor"`
	Product     *string `json:"product"`
	ClientID    *string `json:"client_id"`
	BIOSDevName *string `json:"biosdevname"`
	SpeedMbps   *int    `json:"speed_mbps"`
	PCIAddress  *string `json:"pci_address"`
	Driver      *string `json:"driver"`
}

// CPU describes all processors of the machine together.
type CPU struct {
	ModelName    string   `json:"model_name"`
	Frequency    string   `json:"frequency"`
	Count        int      `json:"count"`
	Architecture string   `json:"architecture"`
	Flags        []string `json:"flags"`
	SocketCount  int      `json:"socket_count"`
}

// Memory holds the size of the machine's memory.
type Memory struct {
	Total      int64 `json:"total"` // bytes
	PhysicalMB int64 `json:"physical_mb"`
}

// SystemVendor identifies the machine and its manufacturer.
type SystemVendor struct {
	ProductName  string   `json:"product_name"`
	SerialNumber string   `json:"serial_number"`
	Manufacturer string   `json:"manufacturer"`
	Firmware     Firmware `json:"firmware"`
}

// Firmware describes the BIOS or UEFI firmware.
type Firmware struct {
	Vendor    string `json:"vendor"`
	Version   string `json:"version"`
	BuildDate string `json:"build_date"`
}

// BootMode is the firmware interface with which the machine booted.
type BootMode string

// The possible boot modes are BIOS and UEFI.
const (
	BIOS BootMode = "bios"
	UEFI BootMode = "uefi"
)

// Boot describes how the machine booted.
type Boot struct {
	Mode         BootMode `json:"current_boot_mode"`
	PXEInterface *string  `json:"pxe_interface"`
}
