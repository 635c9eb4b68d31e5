package models

import "time"

// BMC is what a machine's management controller told of it when it was asked, once. All
// texts are the controller's, without control characters and without the credentials that
// were used; what it told and cannot be (a percentage of 400) is left out.
type BMC struct {
	// Address is its Redfish service, without credentials; Read is when it was asked, on
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
	// Causes are the parts whose health is not well: what the rollup is made of.
	Causes  []BMCCause  `json:"causes"`
	Log     []BMCEntry  `json:"log"`
	Sensors []BMCSensor `json:"sensors"`
	BIOS    []BMCValue  `json:"bios"`
	Jobs    []BMCJob    `json:"jobs"`
	// Consoles are the ways to the machine's screen and to its serial line.
	Consoles []BMCConsole `json:"consoles"`
	// Resets are what the controller offers for the power (On, ForceOff, …), empty where
	// it does not tell.
	Resets []string `json:"resets"`
	// Unread are the parts that could not be read, and why.
	Unread []BMCUnread `json:"unread"`
}

// BMCHealth is Redfish's Health: OK, Warning, Critical; empty where it is not told.
type BMCHealth string

// The healths, the best one first.
const (
	BMCHealthOK       BMCHealth = "OK"
	BMCHealthWarning  BMCHealth = "Warning"
	BMCHealthCritical BMCHealth = "Critical"
)

// BMCSystem is the machine.
type BMCSystem struct {
	// Path is its place in the service; Paths are all that there are.
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
	// Rollup is the worst of all its parts.
	Rollup BMCHealth `json:"health_rollup"`
}

// BMCController is the controller itself.
type BMCController struct {
	Model    string    `json:"model"`
	Firmware string    `json:"firmware"`
	Redfish  string    `json:"redfish"`
	Clock    string    `json:"clock"`
	Health   BMCHealth `json:"health"`
}

// BMCBoot is what the machine boots next.
type BMCBoot struct {
	// Target is overridden to (Cd, Pxe, Hdd, None, …), for Once or Continuous, in a mode (UEFI, Legacy).
	Target  string   `json:"target"`
	Enabled string   `json:"enabled"`
	Mode    string   `json:"mode"`
	Allowed []string `json:"allowed,omitempty"`
	Order   []string `json:"order,omitempty"`
	// SecureBoot is Enabled or Disabled, empty where it is not told.
	SecureBoot string `json:"secure_boot"`
}

// BMCMedia is a slot for virtual media.
type BMCMedia struct {
	ID       string   `json:"id"`
	Types    []string `json:"types"`
	Image    string   `json:"image"` // without credentials and query
	Inserted bool     `json:"inserted"`
	Via      string   `json:"connected_via"`
	// Protocols are those from which it fetches an image (HTTP, HTTPS, NFS, CIFS), empty
	// where it does not tell.
	Protocols []string `json:"protocols,omitempty"`
}

// BMCConsoleKind is what a console shows.
type BMCConsoleKind string

// The kinds of consoles.
const (
	BMCConsoleGraphical BMCConsoleKind = "graphical"
	BMCConsoleSerial    BMCConsoleKind = "serial"
	BMCConsoleShell     BMCConsoleKind = "shell" // the controller's own
)

// BMCConsole is a console that the controller gives.
type BMCConsole struct {
	Kind    BMCConsoleKind `json:"kind"`
	Enabled bool           `json:"enabled"`
	// Types are how it is reached: KVMIP, SSH, IPMI, WebSocket, …, with the port where
	// that is told (SSH:2200).
	Types []string `json:"types,omitempty"`
	// URL is where the controller says that it is; most say nothing.
	URL string `json:"url,omitempty"`
}

// BMCDrive is a drive.
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
	// LifeLeft is in percent; nil where it is not told.
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

// BMCProcessor is a processor.
type BMCProcessor struct {
	ID     string    `json:"id"`
	Model  string    `json:"model"`
	Cores  int       `json:"cores"`
	Health BMCHealth `json:"health"`
}

// BMCModule is a module of memory.
type BMCModule struct {
	ID     string    `json:"id"`
	MiB    int       `json:"mib"`
	Type   string    `json:"type"`
	State  string    `json:"state"`
	Health BMCHealth `json:"health"`
}

// BMCCause is a part that is not well.
type BMCCause struct {
	Part   string    `json:"part"`
	Health BMCHealth `json:"health"`
	State  string    `json:"state"`
}

// BMCEntry is an entry of one of the logs.
type BMCEntry struct {
	Log      string    `json:"log"`
	ID       string    `json:"id"`
	At       time.Time `json:"at"` // on the controller's clock; zero where it is not told
	Severity BMCHealth `json:"severity"`
	Message  string    `json:"message"`
}

// BMCSensor is a reading.
type BMCSensor struct {
	Name  string  `json:"name"`
	Kind  string  `json:"kind"` // temperature, fan, power, voltage
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Low and High are what is critical, nil where nothing is.
	Low    *float64  `json:"low,omitempty"`
	High   *float64  `json:"high,omitempty"`
	Health BMCHealth `json:"health"`
}

// BMCValue is a BIOS setting, and what it will be after the next boot where that differs.
type BMCValue struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Pending string `json:"pending,omitempty"`
}

// BMCJob is a job or task of the controller.
type BMCJob struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Percent *int   `json:"percent,omitempty"`
	Message string `json:"message"`
}

// BMCUnread is a part that could not be read.
type BMCUnread struct {
	Part string `json:"part"`
	Why  string `json:"why"`
}

// Worst is the worst of healths that are told.
func (h BMCHealth) Worst(other BMCHealth) BMCHealth {
	rank := map[BMCHealth]int{BMCHealthOK: 1, BMCHealthWarning: 2, BMCHealthCritical: 3}
	if rank[other] > rank[h] {
		return other
	}
	return h
}
