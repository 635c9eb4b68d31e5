package conductor

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"ironworks/lab/api"
	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
	"ironworks/python"
)

// This file implements the redfish, fake and noop management interfaces. Only redfish supports all functions.

// managedSystem reads the system for a function that fails as in Ironic's base class unless the interface is redfish.
func (t *task) managedSystem(ctx context.Context, function string) (*redfish.System, error) {
	if t.driver.names["management"] != "redfish" {
		return nil, unsupported(t.node.Driver, function)
	}
	return t.systemOf(ctx)
}

func (t *task) bootDevices() []string {
	switch t.driver.names["management"] {
	case "redfish":
		return []string{"pxe", "disk", "cdrom", "bios", "uefihttp"}
	case "noop":
		return []string{"pxe", "disk"}
	default:
		return []string{"pxe"}
	}
}

// redfishFailure converts an error of the Redfish library to Ironic's RedfishError. The error's text is the last
// argument of format. redfishFailure returns other errors unchanged.
func redfishFailure(err error, format string, args ...any) error {
	e := redfish.AsError(err)
	if e == nil {
		return err
	}
	return redfishFault(format, append(args, e.Text)...)
}

// changeBootDevice sets the boot device, which the management interface may not support.
func (t *task) changeBootDevice(ctx context.Context, device string, persistent bool) error {
	if name := t.driver.names["management"]; name != "redfish" {
		supported := t.bootDevices()
		switch {
		case slices.Contains(supported, device):
			return nil
		case name == "noop":
			return invalid("Invalid boot device %s specified, supported are %s.", device, strings.Join(supported, ", "))
		default:
			return invalid("Invalid boot device %s specified.", device)
		}
	}
	t.dropInternal("redfish_boot_device", "redfish_uefi_http_url")
	t.save()
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	target, ok := bootTargets[device]
	if !ok {
		return failure("KeyError", "'%s'", device)
	}
	return redfishFailure(t.setOverride(ctx, system, target, persistent), "Redfish set boot device failed for node %s. Error: %s", t.node.UUID)
}

// bootDevice returns the boot device, and whether the setting is persistent, or nil if that is unknown.
func (t *task) bootDevice(ctx context.Context) (device string, persistent *bool, err error) {
	switch t.driver.names["management"] {
	case "redfish":
	case "noop":
		return "pxe", new(true), nil
	default:
		return "pxe", new(false), nil
	}
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", nil, err
	}
	switch system.Boot.Enabled {
	case "Continuous":
		persistent = new(true)
	case "Once":
		persistent = new(false)
	}
	return keyOf(bootTargets, system.Boot.Target), persistent, nil
}

// keyOf returns the key with the given value, or "" if there is none.
func keyOf(words map[string]string, value string) string {
	for key, word := range words {
		if word == value {
			return key
		}
	}
	return ""
}

// bootModeWords maps Ironic's boot modes to Redfish's.
var bootModeWords = map[string]string{"uefi": "UEFI", "bios": "Legacy"}

func (t *task) bootMode(ctx context.Context) (string, error) {
	system, err := t.managedSystem(ctx, "get_boot_mode")
	if err != nil {
		return "", err
	}
	return bootModeOf(system), nil
}

// bootModeOf returns Ironic's name for the boot mode, or "" if Ironic has no name for it.
func bootModeOf(s *redfish.System) string { return keyOf(bootModeWords, s.Boot.Mode) }

// Timeout for changing the boot mode ([redfish]boot_mode_config_timeout), and the interval between checks.
const (
	bootModeTimeout  = 900 * time.Second
	bootModeInterval = 15 * time.Second
)

func (t *task) changeBootMode(ctx context.Context, mode string) error {
	system, err := t.managedSystem(ctx, "set_boot_mode")
	if err != nil {
		return err
	}
	reported := system.Boot.Mode != ""
	word := bootModeWords[mode]
	if err := system.SetBoot(ctx, "", "", word); err != nil {
		if redfish.AsError(err) != nil && !reported {
			return unsupported(t.node.Driver, "set_boot_mode")
		}
		return redfishFailure(err, "Setting boot mode to %s failed for node %s. Error: %s", mode, t.node.UUID)
	}
	if !reported {
		return nil
	}
	if system, err = t.systemOf(ctx); err != nil || system.Boot.Mode == word {
		return err
	}
	// The new boot mode takes effect when the machine restarts.
	before := powerOf(system)
	if err := t.setPower(ctx, reboot); err != nil {
		return err
	}
	deadline := time.Now().Add(bootModeTimeout)
	for system.Boot.Mode != word {
		if time.Now().After(deadline) || !t.c.sleep(ctx, bootModeInterval) {
			return redfishFault("Timeout reached while waiting for boot mode of node %s to become %s, current is %s", t.node.UUID, word, system.Boot.Mode)
		}
		if system, err = t.systemOf(ctx); err != nil {
			return err
		}
	}
	return t.setPower(ctx, before)
}

func (t *task) secureBoot(ctx context.Context) (*bool, error) {
	const function = "get_secure_boot_state"
	system, err := t.managedSystem(ctx, function)
	if err != nil {
		return nil, err
	}
	if system.SecureBoot == nil {
		return nil, unsupported(t.node.Driver, function)
	}
	var state struct{ SecureBootEnable *bool }
	if err := system.BMC.Get(ctx, system.SecureBoot.ID, &state); err != nil {
		return nil, err
	}
	return state.SecureBootEnable, nil
}

func (t *task) changeSecureBoot(ctx context.Context, on bool) error {
	const function = "set_secure_boot_state"
	system, err := t.managedSystem(ctx, function)
	if err != nil {
		return err
	}
	if system.SecureBoot == nil {
		return unsupported(t.node.Driver, function)
	}
	if system.Boot.Mode == "Legacy" {
		return redfishFault("Configuring secure boot requires UEFI for node %s", t.node.UUID)
	}
	_, err = system.BMC.Do(ctx, http.MethodPatch, system.SecureBoot.ID, map[string]any{"SecureBootEnable": on})
	return redfishFailure(err, "Failed to set secure boot state on node %s to %s: %s", t.node.UUID, python.Repr(on))
}

func (t *task) health(ctx context.Context) (string, error) {
	system, err := t.managedSystem(ctx, "get_node_health")
	if err != nil {
		return "", err
	}
	if slices.Contains([]string{"OK", "Warning", "Critical"}, system.Status.Health) {
		return system.Status.Health, nil
	}
	return "", nil
}

func (t *task) vendor(ctx context.Context) (string, error) {
	system, err := t.managedSystem(ctx, "detect_vendor")
	if err != nil {
		return "", err
	}
	return cmp.Or(system.BMC.Vendor(), system.Manufacturer), nil
}

func (t *task) macAddresses(ctx context.Context) ([]string, error) {
	system, err := t.managedSystem(ctx, "get_mac_addresses")
	if err != nil {
		return nil, err
	}
	nics, err := system.NICs(ctx)
	if err != nil {
		return nil, redfishFailure(err, "Failed to get network interface information on node %s: %s", t.node.UUID)
	}
	var macs []string
	for _, n := range nics {
		if n.Status.State == "Enabled" && n.MACAddress != "" {
			macs = append(macs, strings.ToLower(n.MACAddress))
		}
	}
	return macs, nil
}

func (t *task) injectNMI(ctx context.Context) error {
	system, err := t.managedSystem(ctx, "inject_nmi")
	if err != nil {
		return err
	}
	return redfishFailure(system.Reset(ctx, "Nmi"), "Redfish inject NMI failed for node %s. Error: %s", t.node.UUID)
}

func (t *task) media(ctx context.Context) ([]db.Dict, error) {
	system, err := t.managedSystem(ctx, "get_virtual_media")
	if err != nil {
		return nil, err
	}
	drives, err := system.Drives(ctx)
	if err != nil {
		return nil, err
	}
	if len(drives) == 0 {
		return nil, invalid("No suitable virtual media device found")
	}
	var all []db.Dict
	for _, d := range drives {
		all = append(all, db.Dict{"media_types": anyOf(d.MediaTypes), "inserted": orNone(d.Inserted), "image": orNone(d.Image)})
	}
	return all, nil
}

// mediaKinds maps Ironic's virtual media devices to Redfish's media types.
var mediaKinds = map[string]string{"cdrom": "CD", "floppy": "Floppy", "disk": "USBStick"}

func (t *task) attachMedia(ctx context.Context, device, url string) error {
	system, err := t.managedSystem(ctx, "attach_virtual_media")
	if err != nil {
		return err
	}
	return t.insertMedium(ctx, system, url, mediaKinds[device])
}

func (t *task) detachMedia(ctx context.Context, devices []string) error {
	system, err := t.managedSystem(ctx, "detach_virtual_media")
	if err != nil {
		return err
	}
	if devices == nil {
		return system.Eject(ctx, "")
	}
	for _, device := range devices {
		if err := system.Eject(ctx, mediaKinds[device]); err != nil {
			return err
		}
	}
	return nil
}

// updateCache implements node_update_cache: it stores what the BMC reports.
func (t *task) updateCache(ctx context.Context) {
	t.cacheVendor(ctx)
	t.cacheBootMode(ctx)
	if t.driver.names["bios"] == "redfish" {
		_ = t.cacheBIOS(ctx)
	}
	t.updateFirmwareCache(ctx)
}

func (t *task) cacheVendor(ctx context.Context) {
	if t.node.Properties.Text("vendor") != "" {
		return
	}
	vendor, err := t.vendor(ctx)
	if err != nil || vendor == "" || t.upgrade(ctx, locking{}) != nil {
		return
	}
	t.node.Properties["vendor"] = vendor
	t.save()
}

func (t *task) cacheBootMode(ctx context.Context) {
	mode, err := t.bootMode(ctx)
	if err != nil && !isKind(err, kindUnsupported) {
		return
	}
	secure, err := t.secureBoot(ctx)
	if err != nil && !isKind(err, kindUnsupported) {
		return
	}
	same := (secure == nil) == (t.node.SecureBoot == nil) && (secure == nil || *secure == *t.node.SecureBoot)
	if mode == t.node.BootMode && same || t.upgrade(ctx, locking{}) != nil {
		return
	}
	t.node.BootMode, t.node.SecureBoot = mode, secure
	t.save()
}

// cacheHealth reads the machine's health from the BMC and stores it in the node.
func (t *task) cacheHealth(ctx context.Context) {
	health, err := t.health(ctx)
	if err != nil || health == t.node.Health {
		return
	}
	before := t.node.Health
	if t.upgrade(ctx, locking{}) != nil {
		return
	}
	t.node.Health = health
	t.save()
	t.record(fmt.Sprintf("Node health status changed: health='%s' (previously '%s')", nameOrNone(health), nameOrNone(before)), "monitoring", false)
}

// Indicators returns the node's indicators. Ironic validates the management interface before its other calls, but not
// before this one (get_supported_indicators in ironic/conductor/manager.py).
func (c *Conductor) Indicators(ctx context.Context, uuid string) (indicators []api.Indicator, err error) {
	err = c.withTask(ctx, uuid, locking{shared: true}, func(ctx context.Context, t *task) error {
		indicators, err = t.indicators(ctx)
		return err
	})
	return indicators, err
}

// IndicatorState returns the state of the named indicator in the given component.
func (c *Conductor) IndicatorState(ctx context.Context, uuid, component, name string) (state string, err error) {
	err = c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		state, err = t.indicatorState(ctx, component, name)
		return err
	})
	return state, err
}

// SetIndicatorState sets the state of the named indicator in the given component.
func (c *Conductor) SetIndicatorState(ctx context.Context, uuid, component, name, state string) error {
	return c.managing(ctx, uuid, locking{}, func(ctx context.Context, t *task) error {
		return t.setIndicatorState(ctx, component, name, state)
	})
}

// indicators returns the indicators. Those of the fake interface are from ironic/drivers/modules/fake.py; it provides
// no function to set them. The lab's machines have no LEDs.
func (t *task) indicators(ctx context.Context) ([]api.Indicator, error) {
	if t.driver.names["management"] == "fake" {
		return []api.Indicator{
			{Name: "led-0", Component: "chassis", ReadOnly: true, States: []string{"off", "on"}},
			{Name: "led", Component: "system", States: []string{"blinking", "off", "on"}},
		}, nil
	}
	_, err := t.managedSystem(ctx, "get_supported_indicators")
	return nil, err
}

// indicatorState fails with a KeyError for the LED of a Redfish system, as in Ironic. Ironic looks up the LED's
// missing state in a table (ironic/drivers/modules/redfish/management.py).
func (t *task) indicatorState(ctx context.Context, component, name string) (string, error) {
	if t.driver.names["management"] == "fake" {
		indicators, _ := t.indicators(ctx)
		in := slices.DeleteFunc(indicators, func(i api.Indicator) bool { return i.Component != component })
		switch {
		case len(in) == 0:
			return "", invalid("Invalid component %s specified.", component)
		case !slices.ContainsFunc(in, func(i api.Indicator) bool { return i.Name == name }):
			return "", invalid("Invalid indicator %s specified.", name)
		default:
			return "on", nil
		}
	}
	system, err := t.managedSystem(ctx, "get_indicator_state")
	switch {
	case err != nil:
		return "", err
	case component == "system" && name == system.UUID:
		return "", failure("KeyError", "None")
	default:
		return "", unknownIndicator(t.node, component, name)
	}
}

// redfishLEDs maps Ironic's indicator states to Redfish's LED states.
var redfishLEDs = map[string]string{"on": "Lit", "off": "Off", "blinking": "Blinking", "unknown": "Unknown"}

func (t *task) setIndicatorState(ctx context.Context, component, name, state string) error {
	system, err := t.managedSystem(ctx, "set_indicator_state")
	if err != nil {
		return err
	}
	if component != "system" || name != system.UUID {
		return unknownIndicator(t.node, component, name)
	}
	led, ok := redfishLEDs[state]
	if !ok {
		return failure("KeyError", "%s", python.Repr(state))
	}
	_, err = system.BMC.Do(ctx, http.MethodPatch, system.Path, map[string]any{"IndicatorLED": led})
	return redfishFailure(err, "Redfish set %s indicator %s state %s failed for node %s. Error: %s", component, name, state, t.node.UUID)
}

func unknownIndicator(node *db.Node, component, name string) error {
	return missing("Unknown indicator %s for component %s of node %s", name, component, node.UUID)
}
