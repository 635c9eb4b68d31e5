package models

import "time"

// BMC is a snapshot of a BMC's state, read over Redfish. All strings are sanitized and contain no credentials.
// Impossible values, such as a percentage of 400, are omitted.
type BMC struct {
	// Address is the address of the Redfish service, without credentials. Read is the time when the data was read, on
	// the console's clock.
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
	// Causes lists the parts of the machine whose health is not OK.
	Causes  []BMCCause  `json:"causes"`
	Log     []BMCEntry  `json:"log"`
	Sensors []BMCSensor `json:"sensors"`
	BIOS    []BMCValue  `json:"bios"`
	Jobs    []BMCJob    `json:"jobs"`
	// Consoles lists the graphical and serial consoles, and the BMC's shell.
	Consoles []BMCConsole `json:"consoles"`
	// Resets lists the reset types that the BMC offers (On, ForceOff, …). It is empty if they are not reported.
	Resets []string `json:"resets"`
	// Unread lists the parts that could not be read, with the reasons.
	Unread []BMCUnread `json:"unread"`
}

// BMCCredentials holds the credentials that the operator entered for a BMC.
type BMCCredentials struct {
	// Address is the address of the BMC as given in driver_info.
	Address, Username string
	Password          Secret
	// All is true if the credentials apply to all BMCs of the context.
	All bool
}

// BMCHealth is a Redfish Health value: OK, Warning or Critical. It is empty if not reported.
type BMCHealth string

// The health values, from best to worst.
const (
	BMCHealthOK       BMCHealth = "OK"
	BMCHealthWarning  BMCHealth = "Warning"
	BMCHealthCritical BMCHealth = "Critical"
)

// BMCSystem is the machine that the BMC manages.
type BMCSystem struct {
	// Path is the machine's Redfish path. Paths lists the paths of all systems that the BMC manages.
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
	// Rollup is the worst health of any part of the machine.
	Rollup BMCHealth `json:"health_rollup"`
}

// BMCController is the machine's Redfish manager, which is the BMC itself.
type BMCController struct {
	Model    string    `json:"model"`
	Firmware string    `json:"firmware"`
	Redfish  string    `json:"redfish"`
	Clock    string    `json:"clock"`
	Health   BMCHealth `json:"health"`
}

// BMCBoot is the machine's boot configuration.
type BMCBoot struct {
	// Target is the device selected by the boot override (Cd, Pxe, Hdd, None, …). Enabled is the duration of the
	// override, such as Once or Continuous. Mode is the boot mode (UEFI or Legacy).
	Target  string   `json:"target"`
	Enabled string   `json:"enabled"`
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowed,omitempty"`
	Order   []string `json:"order,omitempty"`
	// SecureBoot is Enabled or Disabled. It is empty if not reported.
	SecureBoot string `json:"secure_boot"`
}

// BMCMedia is a virtual media slot.
type BMCMedia struct {
	ID       string   `json:"id"`
	Types    []string `json:"types"`
	Image    string   `json:"image"` // without credentials and query string
	Inserted bool     `json:"inserted"`
	Via      string   `json:"connected_via"`
	// Protocols lists the protocols for fetching images (HTTP, HTTPS, NFS, CIFS). It is empty if not reported.
	Protocols []string `json:"protocols,omitempty"`
}

// BMCConsoleKind is the kind of console that a BMC offers.
type BMCConsoleKind string

// The kinds of BMC consoles.
const (
	BMCConsoleGraphical BMCConsoleKind = "graphical"
	BMCConsoleSerial    BMCConsoleKind = "serial"
	BMCConsoleShell     BMCConsoleKind = "shell" // the BMC's command line
)

// BMCConsole is a console that the BMC offers.
type BMCConsole struct {
	Kind    BMCConsoleKind `json:"kind"`
	Enabled bool           `json:"enabled"`
	// Types lists the protocols for connecting to the console (KVMIP, SSH, IPMI, WebSocket, …), each followed by the
	// port if the BMC reports it (SSH:2200).
	Types []string `json:"types,omitempty"`
	// URL is the address of the console. Most BMCs do not report one.
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
	// LifeLeft is the remaining lifetime in percent. It is nil if not reported.
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

// BMCCause is a part of the machine whose health is not OK, and therefore a cause of the machine's bad health.
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
	// Low and High are the critical thresholds. Each is nil if there is none.
	Low    *float64  `json:"low,omitempty"`
	High   *float64  `json:"high,omitempty"`
	Health BMCHealth `json:"health"`
}

// BMCValue is a BIOS setting. If the setting changes at the next boot, Pending is its new value.
type BMCValue struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Pending string `json:"pending,omitempty"`
}

// BMCJob is a job or task that the BMC runs.
type BMCJob struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Percent *int   `json:"percent,omitempty"`
	Message string `json:"message"`
}

// BMCUnread names a part of the BMC's data that could not be read, and says why.
type BMCUnread struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

// Worst returns the worse of two health values. A value that was not reported counts as best.
func (h BMCHealth) Worst(other BMCHealth) BMCHealth {
	rank := map[BMCHealth]int{BMCHealthOK: 1, BMCHealthWarning: 2, BMCHealthCritical: 3}
	if rank[other] > rank[h] {
		return other
	}
	return h
}
