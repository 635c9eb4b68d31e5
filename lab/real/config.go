package real

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Settings are the sections of an ini file.
type Settings map[string]map[string]string

// merge adds the settings of other, which win.
func (s Settings) merge(other map[string]map[string]string) {
	for section, values := range other {
		if s[section] == nil {
			s[section] = map[string]string{}
		}
		maps.Copy(s[section], values)
	}
}

// Write writes the file, in a fixed order.
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

// ironicSettings is the configuration of a server: where it keeps things and where it
// listens, with the interfaces of the harness unless it is to be as shipped.
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
		"deploy":          {"http_root": in("http"), "http_url": server.files.url, "iso_master_path": in("isos")},
		"service_catalog": {"auth_type": "none", "endpoint_override": server.URL},
		// Sessions are ended by a destructor, in whichever thread collects the garbage:
		// requests hang, and the database is locked meanwhile.
		"redfish":            {"use_swift": "false", "auth_type": "basic"},
		"oslo_concurrency":   {"lock_path": in("lock")},
		"agent":              {"deploy_logs_collect": "always", "deploy_logs_local_path": in("deploylogs")},
		"pxe":                {"tftp_root": in("tftp"), "images_path": in("images"), "instance_master_path": in("master"), "tftp_master_path": in("tmaster")},
		"oslo_policy":        {},
		"keystone_authtoken": {},
	}
	if !asShipped {
		s.merge(harnessSettings(server.Release))
	}
	s.merge(quickSettings())
	return s
}

// harnessSettings are the interfaces that tests choose among. Both releases read the
// same, except for interfaces that the old one does not know; one unknown name keeps the
// conductor from starting.
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

// sqliteSettings let many threads of a busy machine share the file: no commit waits for
// a slow disk, and whoever meets a lock waits longer for it than Ironic's own ten
// seconds, which would end in a 503.
func sqliteSettings(path string) map[string]string {
	return map[string]string{
		"connection":                "sqlite:///" + path + "?timeout=30",
		"sqlite_synchronous":        "false",
		"sqlite_max_wait_for_retry": "60",
	}
}

// quickSettings shorten the pauses of the conductor that one would wait for.
// Its power synchronisation stays slow: it locks nodes, so that calls would
// meet a 409 now and then.
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
		"redfish": {"connection_attempts": "3", "connection_retry_interval": "1"},
	}
}
