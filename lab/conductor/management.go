package conductor

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"ironworks/lab/db"
	"ironworks/python"
)

// redfishManagement implements the redfish management interface.
type redfishManagement struct{}

func (redfishManagement) validate(t *task) error {
	_, err := parseRedfish(t.node)
	return err
}

func (redfishManagement) bootDevices() []string {
	return []string{"pxe", "disk", "cdrom", "bios", "uefihttp"}
}

// redfishFailure converts an error of the Redfish library to Ironic's RedfishError. The error's text is the last
// argument of format. redfishFailure returns other errors unchanged.
func redfishFailure(err error, format string, args ...any) error {
	e := asSushy(err)
	if e == nil {
		return err
	}
	return failure(kindRedfish, "Redfish exception occurred. Error: "+format, append(args, e.text)...)
}

func (redfishManagement) setBootDevice(ctx context.Context, t *task, device string, persistent bool) error {
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

func (redfishManagement) bootDevice(ctx context.Context, t *task) (string, *bool, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", nil, err
	}
	device := ""
	for name, target := range bootTargets {
		if target == system.Boot.Target {
			device = name
		}
	}
	var persistent *bool
	switch system.Boot.Enabled {
	case "Continuous":
		persistent = new(bool)
		*persistent = true
	case "Once":
		persistent = new(bool)
	}
	return device, persistent, nil
}

func (redfishManagement) bootModes(*task) ([]string, error) { return []string{"uefi", "bios"}, nil }

// bootModeWords maps Ironic's boot modes to Redfish's.
var bootModeWords = map[string]string{"uefi": "UEFI", "bios": "Legacy"}

func (redfishManagement) bootMode(ctx context.Context, t *task) (string, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", err
	}
	for mode, word := range bootModeWords {
		if word == system.Boot.Mode {
			return mode, nil
		}
	}
	return "", nil
}

// Timeout for changing the boot mode ([redfish]boot_mode_config_timeout), and the interval between checks.
const (
	bootModeTimeout  = 900 * time.Second
	bootModeInterval = 15 * time.Second
)

func (redfishManagement) setBootMode(ctx context.Context, t *task, mode string) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	reported := system.Boot.Mode != ""
	word := bootModeWords[mode]
	if err := system.setBoot(ctx, "", "", word); err != nil {
		if asSushy(err) != nil && !reported {
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
	before := system.power()
	if err := t.setPower(ctx, reboot); err != nil {
		return err
	}
	deadline := time.Now().Add(bootModeTimeout)
	for system.Boot.Mode != word {
		if time.Now().After(deadline) || !t.c.sleep(ctx, bootModeInterval) {
			return failure(kindRedfish, "Redfish exception occurred. Error: Timeout reached while waiting for boot mode of node %s to become %s, current is %s", t.node.UUID, word, system.Boot.Mode)
		}
		if system, err = t.systemOf(ctx); err != nil {
			return err
		}
	}
	return t.setPower(ctx, before)
}

func (redfishManagement) secureBoot(ctx context.Context, t *task) (*bool, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return nil, err
	}
	if system.SecureBoot == nil {
		return nil, unsupported(t.node.Driver, "get_secure_boot_state")
	}
	var state struct{ SecureBootEnable *bool }
	if err := system.bmc.get(ctx, system.SecureBoot.ID, &state); err != nil {
		return nil, err
	}
	return state.SecureBootEnable, nil
}

func (m redfishManagement) setSecureBoot(ctx context.Context, t *task, on bool) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if system.SecureBoot == nil {
		return unsupported(t.node.Driver, "set_secure_boot_state")
	}
	if system.Boot.Mode == "Legacy" {
		return failure(kindRedfish, "Redfish exception occurred. Error: Configuring secure boot requires UEFI for node %s", t.node.UUID)
	}
	_, err = system.bmc.do(ctx, http.MethodPatch, system.SecureBoot.ID, map[string]any{"SecureBootEnable": on})
	return redfishFailure(err, "Failed to set secure boot state on node %s to %s: %s", t.node.UUID, python.Repr(on))
}

func (redfishManagement) health(ctx context.Context, t *task) (string, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", err
	}
	if slices.Contains([]string{"OK", "Warning", "Critical"}, system.Status.Health) {
		return system.Status.Health, nil
	}
	return "", nil
}

func (redfishManagement) vendor(ctx context.Context, t *task) (string, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", err
	}
	if vendor := system.bmc.rootVendor(); vendor != "" {
		return vendor, nil
	}
	return system.Manufacturer, nil
}

func (redfishManagement) macAddresses(ctx context.Context, t *task) ([]string, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return nil, err
	}
	nics, err := system.nics(ctx)
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

func (redfishManagement) injectNMI(ctx context.Context, t *task) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	return redfishFailure(system.reset(ctx, "Nmi"), "Redfish inject NMI failed for node %s. Error: %s", t.node.UUID)
}

func (redfishManagement) media(ctx context.Context, t *task) ([]db.Dict, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return nil, err
	}
	drives, err := system.drives(ctx)
	if err != nil {
		return nil, err
	}
	if len(drives) == 0 {
		return nil, invalid("No suitable virtual media device found")
	}
	var all []db.Dict
	for _, d := range drives {
		reported := db.Dict{"media_types": []any{}, "inserted": nil, "image": nil}
		types := make([]any, len(d.MediaTypes))
		for i, kind := range d.MediaTypes {
			types[i] = kind
		}
		reported["media_types"] = types
		if d.Inserted != nil {
			reported["inserted"] = *d.Inserted
		}
		if d.Image != nil {
			reported["image"] = *d.Image
		}
		all = append(all, reported)
	}
	return all, nil
}

// mediaKinds maps Ironic's virtual media devices to Redfish's media types.
var mediaKinds = map[string]string{"cdrom": "CD", "floppy": "Floppy", "disk": "USBStick"}

func (redfishManagement) attachMedia(ctx context.Context, t *task, device, url string) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	return t.insertMedium(ctx, system, url, mediaKinds[device])
}

func (redfishManagement) detachMedia(ctx context.Context, t *task, devices []string) error {
	system, err := t.systemOf(ctx)
	if err != nil {
		return err
	}
	if devices == nil {
		return system.eject(ctx, "")
	}
	for _, device := range devices {
		if err := system.eject(ctx, mediaKinds[device]); err != nil {
			return err
		}
	}
	return nil
}

// noManagement is embedded in management interfaces that do not support all functions. Except for validate, each of
// its methods fails like the method of Ironic's base class.
type noManagement struct{}

func (noManagement) validate(*task) error { return nil }

func (noManagement) bootModes(t *task) ([]string, error) { //nolint:unparam // required by the interface
	return nil, unsupported(t.node.Driver, "get_supported_boot_modes")
}

func (noManagement) setBootMode(_ context.Context, t *task, _ string) error {
	return unsupported(t.node.Driver, "set_boot_mode")
}

func (noManagement) bootMode(_ context.Context, t *task) (string, error) {
	return "", unsupported(t.node.Driver, "get_boot_mode")
}

func (noManagement) secureBoot(_ context.Context, t *task) (*bool, error) { //nolint:unparam // required by the interface
	return nil, unsupported(t.node.Driver, "get_secure_boot_state")
}

func (noManagement) setSecureBoot(_ context.Context, t *task, _ bool) error {
	return unsupported(t.node.Driver, "set_secure_boot_state")
}

func (noManagement) health(_ context.Context, t *task) (string, error) {
	return "", unsupported(t.node.Driver, "get_node_health")
}

func (noManagement) vendor(_ context.Context, t *task) (string, error) {
	return "", unsupported(t.node.Driver, "detect_vendor")
}

func (noManagement) macAddresses(_ context.Context, t *task) ([]string, error) { //nolint:unparam // required by the interface
	return nil, unsupported(t.node.Driver, "get_mac_addresses")
}

func (noManagement) injectNMI(_ context.Context, t *task) error {
	return unsupported(t.node.Driver, "inject_nmi")
}

func (noManagement) media(_ context.Context, t *task) ([]db.Dict, error) { //nolint:unparam // required by the interface
	return nil, unsupported(t.node.Driver, "get_virtual_media")
}

func (noManagement) attachMedia(_ context.Context, t *task, _, _ string) error {
	return unsupported(t.node.Driver, "attach_virtual_media")
}

func (noManagement) detachMedia(_ context.Context, t *task, _ []string) error {
	return unsupported(t.node.Driver, "detach_virtual_media")
}

type fakeManagement struct{ noManagement }

func (fakeManagement) bootDevices() []string { return []string{"pxe"} }

func (fakeManagement) setBootDevice(_ context.Context, _ *task, device string, _ bool) error {
	if device != "pxe" {
		return invalid("Invalid boot device %s specified.", device)
	}
	return nil
}

func (fakeManagement) bootDevice(context.Context, *task) (string, *bool, error) {
	return "pxe", new(bool), nil
}

type noopManagement struct{ noManagement }

func (noopManagement) bootDevices() []string { return []string{"pxe", "disk"} }

func (n noopManagement) setBootDevice(_ context.Context, _ *task, device string, _ bool) error {
	if !slices.Contains(n.bootDevices(), device) {
		return invalid("Invalid boot device %s specified, supported are %s.", device, strings.Join(n.bootDevices(), ", "))
	}
	return nil
}

func (noopManagement) bootDevice(context.Context, *task) (string, *bool, error) {
	persistent := true
	return "pxe", &persistent, nil
}
