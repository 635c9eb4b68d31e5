package real

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings maps the sections of an INI file to their keys and values.
type Settings map[string]map[string]string

// merge adds the settings of other, which take precedence.
func (s Settings) merge(other map[string]map[string]string) {
	for section, values := range other {
		if s[section] == nil {
			s[section] = map[string]string{}
		}
		maps.Copy(s[section], values)
	}
}

// Write writes the settings, in a fixed order, to the file at path.
func (s Settings) Write(path string) error {
	var b strings.Builder
	for _, section := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "[%s]\n", section)
		for _, key := range slices.Sorted(maps.Keys(s[section])) {
			fmt.Fprintf(&b, "%s = %s\n", key, s[section][key])
		}
		b.WriteString("\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	return nil
}

// ironicSettings returns the configuration of a server. It contains the server's paths and addresses, short pauses
// and, unless asShipped is set, the interfaces of the harness.
func ironicSettings(server *Server, asShipped bool) Settings {
	in := func(name string) string { return filepath.Join(server.Dir, name) }
	s := Settings{
		"DEFAULT": {
			"auth_strategy": "noauth", "host": "localhost", "rpc_transport": "none",
			"state_path": server.Dir, "tempdir": in("tmp"),
		},
		"api":             {"host_ip": server.host, "port": strconv.Itoa(server.port)},
		"database":        sqliteSettings(in(Database)),
		"dhcp":            {"dhcp_provider": "none"},
		"deploy":          {"http_root": in("http"), "http_url": server.files.url, "iso_master_path": in("master_iso_images")},
		"service_catalog": {"auth_type": "none", "endpoint_override": server.URL},
		// Without basic authentication, a destructor of sushy would end sessions in whichever thread collects
		// garbage. Requests would then hang, because the database would stay locked.
		"redfish":            {"use_swift": "false", "auth_type": "basic"},
		"oslo_concurrency":   {"lock_path": in("lock")},
		"agent":              {"deploy_logs_collect": "always", "deploy_logs_local_path": in("deploylogs")},
		"pxe":                {"tftp_root": in("tftp"), "images_path": in("images"), "instance_master_path": in("master_images"), "tftp_master_path": in("tftp_master_images")},
		"oslo_policy":        {},
		"keystone_authtoken": {},
	}
	if !asShipped {
		s.merge(harnessSettings(server.Release))
	}
	s.merge(quickSettings())
	return s
}

// harnessSettings returns settings that enable the interfaces that tests use. The old release lacks some of these
// interfaces. They are left out, because a single unknown name prevents the conductor from starting.
func harnessSettings(release Release) Settings {
	inspect, deploy := "fake,no-inspect,redfish", "fake,direct,custom-agent,ramdisk"
	if release != Old {
		inspect += ",agent"
		deploy += ",autodetect,bootc"
	}
	return Settings{
		"DEFAULT": {
			"enabled_hardware_types":        "fake-hardware,redfish",
			"enabled_boot_interfaces":       "fake,redfish-virtual-media,ipxe,pxe",
			"enabled_deploy_interfaces":     deploy,
			"enabled_management_interfaces": "fake,redfish",
			"enabled_power_interfaces":      "fake,redfish",
			"enabled_inspect_interfaces":    inspect,
			"enabled_network_interfaces":    "noop",
			"enabled_console_interfaces":    "fake,no-console",
			"enabled_raid_interfaces":       "fake,no-raid,agent",
			"enabled_bios_interfaces":       "fake,no-bios",
			"enabled_vendor_interfaces":     "fake,no-vendor",
			"enabled_storage_interfaces":    "noop",
			"enabled_rescue_interfaces":     "fake,no-rescue,agent",
		},
		"conductor": {"automated_clean": "false"},
		"agent":     {"require_tls": "false"},
	}
}

// sqliteSettings returns database options that let many threads on a busy machine share the file. Commits do not wait
// for a slow disk. Threads wait longer for a lock than Ironic's ten seconds, after which Ironic would answer 503.
func sqliteSettings(path string) map[string]string {
	return map[string]string{
		"connection":                "sqlite:///" + path + "?timeout=30",
		"sqlite_synchronous":        "false",
		"sqlite_max_wait_for_retry": "60",
	}
}

// quickSettings returns settings that shorten the conductor's pauses. The power sync stays slow, because it locks
// nodes. Otherwise, more calls would be answered with 409.
func quickSettings() Settings {
	return Settings{
		"DEFAULT": {"graceful_shutdown_timeout": "2"},
		"conductor": {
			"check_provision_state_interval": "2",
			"check_rescue_state_interval":    "2",
			"check_allocations_interval":     "2",
			"sync_power_state_interval":      "120",
		},
		"agent": {
			"post_deploy_get_power_state_retries":        "20",
			"post_deploy_get_power_state_retry_interval": "1",
			"command_wait_interval":                      "1",
		},
		"redfish": {
			"connection_attempts": "3", "connection_retry_interval": "1",
			"raid_config_status_interval": "2", "raid_config_fail_interval": "2", "firmware_update_status_interval": "2",
		},
	}
}

// LabSettings returns the settings of an Ironic server that controls the machines of a lab. They are Ironic's defaults,
// with timeouts and periods divided by speed, and the Redfish interfaces for BIOS and firmware.
func LabSettings(release Release, speed float64) map[string]map[string]string {
	// The conductor reads whole seconds, and 0 disables most of these options.
	seconds := func(d, least time.Duration) string {
		return strconv.Itoa(int(math.Ceil(max(d.Seconds()/speed, least.Seconds()))))
	}
	timeout := seconds(30*time.Minute, 10*time.Second)
	check := seconds(time.Minute, 2*time.Second)
	interfaces := map[string]string{"enabled_bios_interfaces": "fake,no-bios,redfish"}
	if release != Old { // Old has no firmware interfaces
		interfaces["enabled_firmware_interfaces"] = "no-firmware,redfish"
	}
	return map[string]map[string]string{
		"DEFAULT": interfaces,
		"redfish": {
			"raid_config_status_interval": check, "raid_config_fail_interval": check,
			"firmware_update_status_interval": check, "firmware_update_fail_interval": check,
			"firmware_update_reboot_delay": seconds(5*time.Minute, 5*time.Second), "firmware_update_validation_interval": seconds(30*time.Second, time.Second),
			"firmware_update_bmc_version_check_interval": seconds(30*time.Second, time.Second), "firmware_update_nic_starting_wait": seconds(30*time.Second, time.Second),
		},
		"conductor": {
			"automated_clean":         "true",
			"deploy_callback_timeout": timeout, "clean_callback_timeout": timeout, "inspect_wait_timeout": timeout,
			"rescue_callback_timeout": timeout, "service_callback_timeout": timeout,
			"check_provision_state_interval": check, "check_rescue_state_interval": check,
			// The power sync clears last errors, which users want to read, so it runs no more often than by default.
			"sync_power_state_interval":       "60",
			"power_failure_recovery_interval": seconds(5*time.Minute, 20*time.Second),
		},
		"agent": {"require_tls": "true"},
	}
}

// HardwareRAID adds the redfish RAID interface to settings. This interface becomes the default of redfish nodes.
func HardwareRAID(settings map[string]map[string]string) {
	Settings(settings).merge(Settings{"DEFAULT": {"enabled_raid_interfaces": "fake,no-raid,agent,redfish"}})
}
