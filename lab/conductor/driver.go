package conductor

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"ironworks/lab/api"
	"ironworks/lab/db"
	"ironworks/python"
)

// generic contains the interfaces of every hardware type (drivers/generic.py), even if not implemented here.
var generic = map[string][]string{
	"bios":       {"no-bios"},
	"boot":       {"ipxe", "pxe", "http-ipxe", "http"},
	"console":    {"no-console", "fake-graphical"},
	"deploy":     {"autodetect", "direct", "ansible", "ramdisk", "anaconda", "bootc", "custom-agent"},
	"firmware":   {"no-firmware"},
	"inspect":    {"agent", "no-inspect"},
	"management": {},
	"network":    {"flat", "neutron", "ironic-networking", "noop"},
	"power":      {},
	"raid":       {"no-raid", "agent"},
	"rescue":     {"no-rescue", "agent"},
	"storage":    {"noop", "cinder", "external"},
	"vendor":     {"no-vendor"},
}

// supported contains the interfaces of each hardware type. The first enabled one is the default.
var supported = map[string]map[string][]string{
	"fake-hardware": extended(map[string][]string{
		"bios": {"fake"}, "boot": {"fake"}, "console": {"fake"}, "deploy": {"fake"}, "firmware": {"fake"}, "inspect": {"fake"},
		"management": {"fake"}, "power": {"fake"}, "raid": {"fake"}, "rescue": {"fake"}, "storage": {"fake"}, "vendor": {"fake"},
	}, nil),
	"redfish": extended(map[string][]string{
		"bios": {"redfish"}, "console": {"redfish-graphical", "ipmitool-socat"}, "firmware": {"redfish"}, "inspect": {"redfish"},
		"management": {"redfish", "noop"}, "power": {"redfish"}, "raid": {"redfish"}, "vendor": {"redfish"},
	}, map[string][]string{"boot": {"redfish-virtual-media", "redfish-https"}}),
}

// extended returns, for each kind, the interfaces in before, generic and after, in this order.
func extended(before, after map[string][]string) map[string][]string {
	all := map[string][]string{}
	for kind, names := range generic {
		all[kind] = slices.Concat(before[kind], names, after[kind])
	}
	return all
}

func hardwareTypes() []string { return []string{"fake-hardware", "redfish"} }

// hardwareClass returns the name of the Python class that implements the named hardware type.
func hardwareClass(name string) string {
	if name == "fake-hardware" {
		return "FakeHardware"
	}
	return "RedfishHardware"
}

func driverNotFound(name string) *db.Fault {
	return db.Faultf(http.StatusNotFound, "DriverNotFound", "Could not find the following driver(s) or hardware type(s): %s.", name)
}

// checkInterface returns an error unless the named interface is enabled and the hardware type supports it.
func (c *Conductor) checkInterface(hardware, kind, name string) error {
	enabled := c.options.Enabled[kind]
	if !slices.Contains(enabled, name) {
		return db.Faultf(http.StatusBadRequest, "InterfaceNotFoundInEntrypoint",
			"Could not find the following interface in the 'ironic.hardware.interfaces.%s' entrypoint: %s. Valid interfaces are %s.", kind, name, python.Repr(slices.Sorted(slices.Values(enabled))))
	}
	// The fake-hardware type supports every enabled interface.
	if hardware == "fake-hardware" || slices.Contains(supported[hardware][kind], name) {
		return nil
	}
	return db.Faultf(http.StatusBadRequest, "IncompatibleInterface", "%s interface implementation '%s' is not supported by hardware type %s.",
		kind, implementation(kind, name), hardwareClass(hardware))
}

// implementation returns the Python representation of an interface object, with a made-up memory address.
func implementation(kind, name string) string {
	module := strings.ToLower(strings.SplitN(name, "-", 2)[0])
	if module == "redfish" {
		module += "." + kind
	}
	return fmt.Sprintf("<ironic.drivers.modules.%s.%s object at 0x7f0000000000>", module, interfaceClass(kind, name))
}

// defaultInterface returns the default interface of the given kind. node is only for the error and may be empty.
func (c *Conductor) defaultInterface(hardware, kind, node string) (string, error) {
	for _, name := range supported[hardware][kind] {
		if slices.Contains(c.options.Enabled[kind], name) {
			return name, nil
		}
	}
	info := ""
	if node != "" {
		info = fmt.Sprintf(" node %s with", node)
	}
	return "", db.Faultf(http.StatusBadRequest, "NoValidDefaultForInterface",
		"For%s hardware type '%s', no default value found for %s interface could be determined. Please ensure the interfaces are enabled.", info, hardware, kind)
}

// completeInterfaces checks the node's interfaces and sets missing ones to their defaults.
func (c *Conductor) completeInterfaces(n *db.Node) error {
	if !slices.Contains(c.options.HardwareTypes, n.Driver) {
		return driverNotFound(n.Driver)
	}
	if n.Interfaces == nil {
		n.Interfaces = map[string]string{}
	}
	for _, kind := range api.InterfaceKinds {
		own, given := n.Interfaces[kind]
		if given {
			if err := c.checkInterface(n.Driver, kind, own); err != nil {
				return err
			}
		}
		if name := n.InstanceInfo.Text(kind + "_interface"); name != "" {
			if err := c.checkInterface(n.Driver, kind, name); err != nil {
				return err
			}
			given = true
		}
		if given {
			continue
		}
		name, err := c.defaultInterface(n.Driver, kind, n.UUID)
		if err != nil {
			return err
		}
		n.Interfaces[kind] = name
	}
	return nil
}

// interfaceOf returns the name of the node's interface of the given kind. A name in instance_info takes precedence.
func interfaceOf(n *db.Node, kind string) string {
	return cmp.Or(n.InstanceInfo.Text(kind+"_interface"), n.Interfaces[kind])
}

// driver holds the implementations of a node's interfaces, and the names of all its interfaces by kind.
type driver struct {
	names   map[string]string
	power   powerInterface
	boot    bootInterface
	deploy  deployInterface
	inspect inspectInterface
	rescue  rescueInterface
}

type powerInterface interface {
	state(ctx context.Context, t *task) (string, error)
	set(ctx context.Context, t *task, state string, timeout time.Duration) error
	reboot(ctx context.Context, t *task, timeout time.Duration) error
}

type bootInterface interface {
	validate(ctx context.Context, t *task) error
	validateInspection(t *task) error
	validateRescue(t *task) error
	prepareRamdisk(ctx context.Context, t *task) error
	cleanUpRamdisk(ctx context.Context, t *task) error
	prepareInstance(ctx context.Context, t *task) error
	cleanUpInstance(ctx context.Context, t *task) error
}

type deployInterface interface {
	validate(ctx context.Context, t *task) error
	prepare(ctx context.Context, t *task) error
	cleanUp(ctx context.Context, t *task) error
	tearDown(ctx context.Context, t *task) error
	// prepareSteps prepares cleaning or servicing, and returns the state in which the node waits for the ramdisk, or "".
	// tearDownSteps undoes that.
	prepareSteps(ctx context.Context, t *task, kind stepKind) (string, error)
	tearDownSteps(ctx context.Context, t *task, kind stepKind) error
	// steps returns the interface's steps of the given kind, including in-band steps.
	steps(t *task, kind stepKind) []db.Dict
	execute(ctx context.Context, t *task, kind stepKind, step db.Dict) (string, error)
	heartbeat(ctx context.Context, t *task, beat api.Heartbeat)
}

type inspectInterface interface {
	validate(t *task) error
	inspect(ctx context.Context, t *task) (string, error)
	abort(ctx context.Context, t *task) error
	proceed(ctx context.Context, t *task, inventory, pluginData db.Dict) error
}

type rescueInterface interface {
	validate(ctx context.Context, t *task) error
	rescue(ctx context.Context, t *task) (string, error)
	unrescue(ctx context.Context, t *task) (string, error)
	cleanUp(ctx context.Context, t *task) error
}

// Implementations of interfaces by name. The one without a name implements all other names.
var (
	powerInterfaces = map[string]powerInterface{"": fakePower{}, "redfish": redfishPower{}}
	bootInterfaces  = map[string]bootInterface{
		"": fakeBoot{}, "redfish-virtual-media": virtualMediaBoot{}, "ipxe": networkBoot{ipxe: true}, "pxe": networkBoot{},
	}
	deployInterfaces = map[string]deployInterface{
		"": fakeDeploy{}, "custom-agent": agentDeploy{"custom-agent"}, "direct": agentDeploy{"direct"}, "ramdisk": agentDeploy{"ramdisk"},
		"bootc": agentDeploy{"bootc"}, "autodetect": autodetectDeploy{},
	}
	inspectInterfaces = map[string]inspectInterface{
		"": noInspect{}, "agent": agentInspect{}, "redfish": redfishInspect{}, "fake": fakeInspect{},
	}
	rescueInterfaces = map[string]rescueInterface{"": noRescue{}, "agent": agentRescue{}, "fake": fakeRescue{}}
)

func implementationOf[T any](all map[string]T, name string) T {
	if found, ok := all[name]; ok {
		return found
	}
	return all[""]
}

// buildDriver returns the node's driver, with the default interfaces in place of missing ones.
func (c *Conductor) buildDriver(n *db.Node) (*driver, error) {
	if err := c.completeInterfaces(n); err != nil {
		return nil, err
	}
	d := &driver{names: map[string]string{}}
	for _, kind := range api.InterfaceKinds {
		d.names[kind] = interfaceOf(n, kind)
	}
	d.power = implementationOf(powerInterfaces, d.names["power"])
	d.boot = implementationOf(bootInterfaces, d.names["boot"])
	d.deploy = implementationOf(deployInterfaces, d.names["deploy"])
	d.inspect = implementationOf(inspectInterfaces, d.names["inspect"])
	d.rescue = implementationOf(rescueInterfaces, d.names["rescue"])
	return d, nil
}

//go:embed properties.json
var propertiesFile []byte

// properties returns Ironic's descriptions of the driver_info keys of an interface, or of a logical disk for "raid".
func properties(kind string) map[string]string {
	var all map[string]map[string]string
	if err := json.Unmarshal(propertiesFile, &all); err != nil {
		panic(err) // the embedded file is always valid
	}
	return all[kind]
}

// DriverProperties returns descriptions of the driver_info keys that the default interfaces use.
func (c *Conductor) DriverProperties(driver string) (map[string]string, error) {
	if !slices.Contains(c.options.HardwareTypes, driver) {
		return nil, driverNotFound(driver)
	}
	all := map[string]string{}
	// If a key has two descriptions, that of the boot interface takes precedence.
	for _, kind := range append(slices.Clone(api.InterfaceKinds), "boot") {
		name, err := c.defaultInterface(driver, kind, "")
		if err != nil {
			continue
		}
		switch kind + "/" + name {
		case "boot/ipxe", "boot/pxe":
			maps.Copy(all, properties("networkBoot"))
		case "boot/redfish-virtual-media":
			maps.Copy(all, properties("virtualMedia"))
		case "deploy/direct", "deploy/custom-agent":
			maps.Copy(all, properties("agent"))
		case "inspect/redfish", "management/redfish", "power/redfish", "bios/redfish", "raid/redfish":
			maps.Copy(all, properties("redfish"))
		case "vendor/fake":
			maps.Copy(all, map[string]string{"B1": "B1 description. Required.", "B2": "B2 description. Required."})
		}
	}
	return all, nil
}

// RAIDProperties returns descriptions of the properties of a logical disk.
func (c *Conductor) RAIDProperties(driver string) (map[string]string, error) {
	if !slices.Contains(c.options.HardwareTypes, driver) {
		return nil, driverNotFound(driver)
	}
	return properties("raid"), nil
}
