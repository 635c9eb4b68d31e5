package models

import "time"

// BMC is the state of a BMC as read once over Redfish. Texts are sanitized and have no credentials; impossible values
// (a percentage of 400) are omitted.
type BMC struct {
	// Address is the Redfish service, without credentials; Read is the time of reading, on the console's clock.
	Address string    `json:"address"`
	Read    time.Time `json:"read"`

	System     BMCSystem      `json:"system"`
	Controller BMCController  `json:"controller"`
	Boot       BMCBoot        `json:"boot"`
	Media      []BMCMedia     `json:"virtual_media"`
	Drives     []BMCDrive     `json:"drives"`
	NICs       []BMCNIC       `json:"nics"`
	Processors []BMCProcessor `json:"processors"`
	Memory     []BMCModule    `json:"memory"`
	// Causes are the parts of the machine whose health is not OK.
	Causes  []BMCCause  `json:"causes"`
	Log     []BMCEntry  `json:"log"`
	Sensors []BMCSensor `json:"sensors"`
	BIOS    []BMCValue  `json:"bios"`
	Jobs    []BMCJob    `json:"jobs"`
	// Consoles are the graphical and serial consoles.
	Consoles []BMCConsole `json:"consoles"`
	// Resets are the reset types that the BMC offers (On, ForceOff, …), empty if not reported.
	Resets []string `json:"resets"`
	// Unread are the parts that could not be read, and why.
	Unread []BMCUnread `json:"unread"`
}

// BMCHealth is Redfish's Health: OK, Warning, Critical; empty if not reported.
type BMCHealth string

// The healths, best first.
const (
	BMCHealthOK       BMCHealth = "OK"
	BMCHealthWarning  BMCHealth = "Warning"
	BMCHealthCritical BMCHealth = "Critical"
)

// BMCSystem is the machine that the BMC manages.
type BMCSystem struct {
	// Path is the machine's Redfish path; Paths are the paths of all systems of the BMC.
	Path         string    `json:"path"`
	Paths        []string  `json:"paths,omitempty"`
	Manufacturer string    `json:"manufacturer"`
	Model        string    `json:"model"`
	SKU          string    `json:"sku"`
	Serial       string    `json:"serial"`
	UUID         string    `json:"uuid"`
	HostName     string    `json:"host_name"`
	BIOS         string    `json:"bios_version"`
	Power        string    `json:"power"` // On, Off, PoweringOn, …
	Progress     string    `json:"boot_progress"`
	ProgressAt   string    `json:"boot_progress_at,omitempty"`
	Health       BMCHealth `json:"health"`
	// Rollup is the worst health of all parts.
	Rollup BMCHealth `json:"health_rollup"`
}

// BMCController is the manager of the machine: the BMC itself.
type BMCController struct {
	Model    string    `json:"model"`
	Firmware string    `json:"firmware"`
	Redfish  string    `json:"redfish"`
	Clock    string    `json:"clock"`
	Health   BMCHealth `json:"health"`
}

// BMCBoot is the boot configuration of the machine.
type BMCBoot struct {
	// Target is the target of the boot override (Cd, Pxe, Hdd, None, …). Enabled says whether it is used Once or is
	// Continuous; Mode is the boot mode (UEFI, Legacy).
	Target  string   `json:"target"`
	Enabled string   `json:"enabled"`
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowed,omitempty"`
	Order   []string `json:"order,omitempty"`
	// SecureBoot is Enabled or Disabled, empty if not reported.
	SecureBoot string `json:"secure_boot"`
}

// BMCMedia is a slot for virtual media.
type BMCMedia struct {
	ID       string   `json:"id"`
	Types    []string `json:"types"`
	Image    string   `json:"image"` // without credentials and query
	Inserted bool     `json:"inserted"`
	Via      string   `json:"connected_via"`
	// Protocols are the protocols for fetching images (HTTP, HTTPS, NFS, CIFS), empty if not reported.
	Protocols []string `json:"protocols,omitempty"`
}

// BMCConsoleKind is the kind of a console.
type BMCConsoleKind string

// The kinds of consoles.
const (
	BMCConsoleGraphical BMCConsoleKind = "graphical"
	BMCConsoleSerial    BMCConsoleKind = "serial"
	BMCConsoleShell     BMCConsoleKind = "shell" // of the BMC's own shell
)

// BMCConsole is a console that the BMC offers.
type BMCConsole struct {
	Kind    BMCConsoleKind `json:"kind"`
	Enabled bool           `json:"enabled"`
	// Types are the protocols of the console: KVMIP, SSH, IPMI, WebSocket, …, with the port if reported (SSH:2200).
	Types []string `json:"types,omitempty"`
	// URL is the console's address; most BMCs report none.
	URL string `json:"url,omitempty"`
}

// BMCDrive is a drive of the machine.
type BMCDrive struct {
	ID           string    `json:"id"`
	Storage      string    `json:"storage"`
	Manufacturer string    `json:"manufacturer"`
	Model        string    `json:"model"`
	Serial       string    `json:"serial"`
	Bytes        int64     `json:"bytes"`
	Media        string    `json:"media"`    // SSD, HDD
	Protocol     string    `json:"protocol"` // NVMe, SATA, SAS
	State        string    `json:"state"`
	Health       BMCHealth `json:"health"`
	Predicted    bool      `json:"failure_predicted"`
	// LifeLeft is in percent; nil if not reported.
	LifeLeft *int `json:"life_left,omitempty"`
}

// BMCNIC is a network interface of the machine.
type BMCNIC struct {
	ID     string    `json:"id"`
	MAC    string    `json:"mac"`
	Mbit   int       `json:"mbit"`
	Link   string    `json:"link"` // LinkUp, LinkDown, NoLink
	Health BMCHealth `json:"health"`
}

// BMCProcessor is a processor of the machine.
type BMCProcessor struct {
	ID     string    `json:"id"`
	Model  string    `json:"model"`
	Cores  int       `json:"cores"`
	Health BMCHealth `json:"health"`
}

// BMCModule is a memory module of the machine.
type BMCModule struct {
	ID     string    `json:"id"`
	MiB    int       `json:"mib"`
	Type   string    `json:"type"`
	State  string    `json:"state"`
	Health BMCHealth `json:"health"`
}

// BMCCause is a part of the machine whose health is not OK.
type BMCCause struct {
	Part   string    `json:"part"`
	Health BMCHealth `json:"health"`
	State  string    `json:"state"`
}

// BMCEntry is an entry of a BMC log.
type BMCEntry struct {
	Log      string    `json:"log"`
	ID       string    `json:"id"`
	At       time.Time `json:"at"` // on the BMC's clock; zero if not reported
	Severity BMCHealth `json:"severity"`
	Message  string    `json:"message"`
}

// BMCSensor is a sensor reading.
type BMCSensor struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // temperature, fan, power, voltage
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Low and High are the critical thresholds, nil if there are none.
	Low    *float64  `json:"low,omitempty"`
	High   *float64  `json:"high,omitempty"`
	Health BMCHealth `json:"health"`
}

// BMCValue is a BIOS setting. It has a second value if the value changes at the next boot.
type BMCValue struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Pending string `json:"pending,omitempty"`
}

// BMCJob is a job or task of the BMC.
type BMCJob struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Percent *int   `json:"percent,omitempty"`
	Message string `json:"message"`
}

// BMCUnread is a part of the report that could not be read.
type BMCUnread struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

// Worst returns the worse of two reported healths.
func (h BMCHealth) Worst(other BMCHealth) BMCHealth {
	rank := map[BMCHealth]int{BMCHealthOK: 1, BMCHealthWarning: 2, BMCHealthCritical: 3}
	if rank[other] > rank[h] {
		return other
	}
	return h
}
