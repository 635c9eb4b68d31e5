package conductor

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"ironworks/lab/db"
)

// Options configure a Conductor. Zero values are Ironic's defaults, unless noted otherwise.
type Options struct {
	// Tables is the database. Required.
	Tables *db.Store
	// HTTPURL is the address of [Conductor.Images]: [deploy]http_url. Required for nodes that boot
	// from virtual media.
	HTTPURL string
	// VNCURL is [vnc]public_url, the page of ironic-novncproxy; none if empty.
	VNCURL string
	// Client fetches images; http.DefaultClient if nil.
	Client *http.Client
	// Dir stores fetched images while the conductor runs; a temporary folder if empty.
	Dir string
	// RequireTLS refuses agents without TLS: [agent]require_tls, which is true by default in
	// Ironic.
	RequireTLS bool

	// AutomatedClean is [conductor]automated_clean.
	AutomatedClean bool
	// LogsCollect is [agent]deploy_logs_collect: always, on_failure (if empty) or never. Logs
	// receives the collected logs, a tar.gz, with the file's name.
	LogsCollect string
	Logs        func(name string, archive []byte)
	// DiscoveryDriver is [auto_discovery]driver: machines that no node knows are enrolled with it. Empty is
	// [auto_discovery]enabled = false.
	DiscoveryDriver string
	// InspectedStayOn is [inspector]power_off = false.
	InspectedStayOn bool
	// Enabled are the enabled interfaces by kind ("deploy"), in the order of the configuration;
	// missing kinds default to [EnabledInterfaces].
	Enabled map[string][]string

	// HardwareTypes are the enabled hardware types; nil means all.
	HardwareTypes []string

	// Speed divides the pauses between attempts: for power changes, failed calls and locks. It
	// does not affect timeouts and periods. 1 if 0.
	Speed float64

	Timeouts Timeouts
	Periods  Periods
	Limits   Limits
}

// Timeouts of the conductor. 0 is the default; negative values mean no timeout if Ironic supports
// that.
type Timeouts struct {
	Deploy, Clean, Inspect, Rescue, Service time.Duration // 1800 s each
	// PowerChange is [conductor]power_state_change_timeout, 60 s.
	PowerChange time.Duration
}

// Periods of periodic tasks. 0 is the default; negative values disable a task.
type Periods struct {
	// Provision is the period of checks for timeouts of deployment, cleaning, inspection and service, 60 s; Rescue
	// that of checks for timeouts of rescue, 60 s.
	Provision, Rescue time.Duration
	// PowerSync is 60 s, PowerRecovery 300 s.
	PowerSync, PowerRecovery time.Duration
	// RAID is the period of checks whether changes of volumes have ended, 60 s: [redfish]raid_config_status_interval
	// and raid_config_fail_interval.
	RAID time.Duration
	// Firmware is the period of checks of BIOS steps and firmware updates ([redfish]firmware_update_status_interval),
	// and failed ones ([redfish]firmware_update_fail_interval), 60 s each.
	Firmware time.Duration
	// Consoles is the period of ending graphical consoles whose token has expired, 120 s:
	// [vnc]expire_console_session_interval.
	Consoles time.Duration
}

// Limits bound concurrent operations. 0 is the default.
type Limits struct {
	Workers        int // [conductor]workers_pool_size, 300
	Deploy         int // [conductor]max_concurrent_deploy, 250
	Clean          int // [conductor]max_concurrent_clean, 50
	BMCConnections int // [redfish]connection_attempts, 5
	BMCSessions    int // [redfish]connection_cache_size, 1000
	SoftPowerTries int // [agent]post_deploy_get_power_state_retries, 6
}

// Values of Ironic's options that [Options] cannot change.
const (
	hostname        = "localhost"
	softOffTimeout  = 600 * time.Second // [conductor]soft_power_off_timeout
	answerTimeout   = 60 * time.Second  // timeout for a BMC's or an agent's answer
	reservedPercent = 5                 // share of the workers that only API calls use
	powerSyncs      = 8                 // [conductor]sync_power_state_workers
	lockAttempts    = 3                 // [conductor]node_locked_retry_attempts
	powerRetries    = 3                 // [conductor]power_state_sync_max_retries
)

// EnabledInterfaces returns the enabled interfaces by their kind: the same as in the real Ironics of tests
// (lab/real).
func EnabledInterfaces() map[string][]string {
	return map[string][]string{
		"bios":       {"fake", "no-bios"},
		"boot":       {"fake", "redfish-virtual-media", "ipxe", "pxe"},
		"console":    {"fake", "no-console"},
		"deploy":     {"fake", "direct", "custom-agent", "ramdisk", "autodetect", "bootc"},
		"firmware":   {"no-firmware"},
		"inspect":    {"fake", "no-inspect", "redfish", "agent"},
		"management": {"fake", "redfish"},
		"network":    {"noop"},
		"power":      {"fake", "redfish"},
		"raid":       {"fake", "no-raid", "agent"},
		"rescue":     {"fake", "no-rescue", "agent"},
		"storage":    {"noop"},
		"vendor":     {"fake", "no-vendor"},
	}
}

// ShippedInterfaces returns the interfaces that 39.0.0 enables by default, as far as the lab has them: no cinder
// storage.
func ShippedInterfaces() map[string][]string {
	return map[string][]string{
		"bios":       {"redfish", "no-bios"},
		"boot":       {"ipxe", "pxe", "redfish-virtual-media"},
		"console":    {"no-console"},
		"deploy":     {"ramdisk", "bootc", "direct", "autodetect"},
		"firmware":   {"no-firmware"},
		"inspect":    {"redfish", "no-inspect"},
		"management": {"redfish"},
		"network":    {"noop", "flat"},
		"power":      {"redfish"},
		"raid":       {"redfish", "no-raid", "agent"},
		"rescue":     {"no-rescue"},
		"storage":    {"noop"},
		"vendor":     {"redfish", "no-vendor"},
	}
}

// ShippedHardwareTypes returns the hardware types that 39.0.0 enables by default, as far as the
// lab has them: no ipmi.
func ShippedHardwareTypes() []string { return []string{"redfish"} }

func setDefault[T comparable](value *T, byDefault T) {
	var zero T
	if *value == zero {
		*value = byDefault
	}
}

// complete sets the defaults.
func (o *Options) complete() error {
	if o.Tables == nil {
		return errors.New("no database")
	}
	if o.Speed < 0 {
		return fmt.Errorf("speed %g is negative", o.Speed)
	}
	setDefault(&o.Speed, 1)
	setDefault(&o.LogsCollect, "on_failure")
	if o.HardwareTypes == nil {
		o.HardwareTypes = hardwareTypes()
	}
	if o.Client == nil {
		o.Client = http.DefaultClient
	}
	if o.Logs == nil {
		o.Logs = func(string, []byte) {}
	}
	o.HTTPURL = strings.TrimRight(o.HTTPURL, "/")
	enabled := EnabledInterfaces()
	maps.Copy(enabled, o.Enabled)
	o.Enabled = enabled
	for _, timeout := range []*time.Duration{&o.Timeouts.Deploy, &o.Timeouts.Clean, &o.Timeouts.Inspect, &o.Timeouts.Rescue, &o.Timeouts.Service} {
		setDefault(timeout, 1800*time.Second)
	}
	setDefault(&o.Timeouts.PowerChange, 60*time.Second)
	setDefault(&o.Periods.Provision, 60*time.Second)
	setDefault(&o.Periods.Rescue, 60*time.Second)
	setDefault(&o.Periods.PowerSync, 120*time.Second)
	setDefault(&o.Periods.PowerRecovery, 300*time.Second)
	setDefault(&o.Periods.RAID, 60*time.Second)
	setDefault(&o.Periods.Firmware, 60*time.Second)
	setDefault(&o.Periods.Consoles, 120*time.Second)
	for limit, byDefault := range map[*int]int{
		&o.Limits.Workers: 300, &o.Limits.Deploy: 250, &o.Limits.Clean: 50,
		&o.Limits.BMCConnections: 5, &o.Limits.BMCSessions: 1000, &o.Limits.SoftPowerTries: 6,
	} {
		setDefault(limit, byDefault)
	}
	return nil
}
