package conductor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"time"

	"ironworks/lab/db"
)

// Options configures a Conductor. Zero values mean Ironic's defaults, unless noted otherwise.
type Options struct {
	// Tables is the database. It is required.
	Tables *db.Store
	// HTTPURL is the URL of [Conductor.Images] ([deploy]http_url). Booting from virtual media requires it.
	HTTPURL string
	// VNCURL is the URL of the console page of ironic-novncproxy ([vnc]public_url). It may be empty.
	VNCURL string
	// Client downloads images. If nil, http.DefaultClient is used.
	Client *http.Client
	// RequireTLS rejects agents without TLS ([agent]require_tls, whose default in Ironic is true).
	RequireTLS bool

	// AutomatedClean enables automated cleaning ([conductor]automated_clean, whose default in Ironic is true).
	AutomatedClean bool
	// LogsCollect is "always", "on_failure" or "never" ([agent]deploy_logs_collect). If empty, it is "on_failure".
	// Logs is called with the file name and the content of a tar.gz archive of an agent's logs.
	LogsCollect string
	Logs        func(name string, archive []byte)
	// DiscoveryDriver is the driver of the nodes that are created for unknown machines ([auto_discovery]driver). If
	// it is empty, unknown machines are not enrolled ([auto_discovery]enabled = false).
	DiscoveryDriver string
	// InspectedStayOn leaves machines powered on after an inspection ([inspector]power_off = false).
	InspectedStayOn bool
	// Enabled lists the enabled interfaces of each kind. Missing kinds default to [EnabledInterfaces].
	Enabled map[string][]string

	// HardwareTypes contains the enabled hardware types. If nil, all hardware types are enabled.
	HardwareTypes []string

	// Speed divides the pauses before the conductor reads a power state again or retries a call, and the durations of
	// firmware updates, but no other periods and timeouts. 0 means 1.
	Speed float64

	Timeouts Timeouts
	Periods  Periods
	Limits   Limits
}

// Timeouts holds timeouts. 0 means the default, a negative value none, where Ironic supports that.
type Timeouts struct {
	Deploy, Clean, Inspect, Rescue, Service time.Duration // default 1800 s each
	// PowerChange is [conductor]power_state_change_timeout. The default is 60 s.
	PowerChange time.Duration
}

// Periods holds the periods of the periodic tasks. 0 means the default, a negative value disables the task.
type Periods struct {
	// Provision is the period of the timeout checks for deployment, cleaning, inspection and servicing. Rescue is the
	// period of the timeout checks for rescue. The default is 60 s each.
	Provision, Rescue time.Duration
	// PowerSync is the period of the power state checks. PowerRecovery is the period at which nodes that are in
	// maintenance because of a power failure are checked again. The defaults are 60 s and 300 s.
	PowerSync, PowerRecovery time.Duration
	// RAID is [redfish]raid_config_status_interval and raid_config_fail_interval. The default is 60 s.
	RAID time.Duration
	// Firmware is the period for checking BIOS steps and firmware updates ([redfish]firmware_update_status_interval),
	// and for discarding failed updates ([redfish]firmware_update_fail_interval). The default is 60 s.
	Firmware time.Duration
	// Consoles is the period of the checks for graphical consoles whose tokens have expired
	// ([vnc]expire_console_session_interval). The default is 120 s.
	Consoles time.Duration
}

// Limits bounds concurrent operations and repeated attempts. 0 means the default.
type Limits struct {
	Workers        int // [conductor]workers_pool_size, default 300
	Deploy         int // [conductor]max_concurrent_deploy, default 250
	Clean          int // [conductor]max_concurrent_clean, default 50
	BMCConnections int // [redfish]connection_attempts, default 5
	BMCSessions    int // [redfish]connection_cache_size, default 1000
	SoftPowerTries int // [agent]post_deploy_get_power_state_retries, default 6
}

// Values of Ironic's options that [Options] cannot change.
const (
	hostname        = "localhost"
	softOffTimeout  = 600 * time.Second // [conductor]soft_power_off_timeout
	reservedPercent = 5                 // percentage of the workers that are reserved for API calls
	powerSyncs      = 8                 // [conductor]sync_power_state_workers
	lockAttempts    = 3                 // [conductor]node_locked_retry_attempts
	powerRetries    = 3                 // [conductor]power_state_sync_max_retries
)

// EnabledInterfaces returns the interfaces that are enabled by default, here and in lab/real, by kind.
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

// ShippedInterfaces returns, by kind, the interfaces that Ironic 39.0.0 enables by default. The cinder storage
// interface is missing because the lab does not support it.
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

// ShippedHardwareTypes returns the hardware types that Ironic 39.0.0 enables by default, except ipmi.
func ShippedHardwareTypes() []string { return []string{"redfish"} }

func setDefault[T comparable](value *T, byDefault T) { *value = cmp.Or(*value, byDefault) }

// complete checks the options and replaces missing ones with their defaults.
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
	timeouts, periods := &o.Timeouts, &o.Periods
	for duration, seconds := range map[*time.Duration]int{
		&timeouts.Deploy: 1800, &timeouts.Clean: 1800, &timeouts.Inspect: 1800, &timeouts.Rescue: 1800, &timeouts.Service: 1800,
		&timeouts.PowerChange: 60, &periods.Provision: 60, &periods.Rescue: 60, &periods.PowerSync: 60, &periods.PowerRecovery: 300,
		&periods.RAID: 60, &periods.Firmware: 60, &periods.Consoles: 120,
	} {
		setDefault(duration, time.Duration(seconds)*time.Second)
	}
	for limit, byDefault := range map[*int]int{
		&o.Limits.Workers: 300, &o.Limits.Deploy: 250, &o.Limits.Clean: 50,
		&o.Limits.BMCConnections: 5, &o.Limits.BMCSessions: 1000, &o.Limits.SoftPowerTries: 6,
	} {
		setDefault(limit, byDefault)
	}
	return nil
}
