package conductor

import (
	"cmp"
	"context"
	"net"
	"strings"

	"ironworks/lab/conductor/redfish"
	"ironworks/lab/db"
)

// redfishInspect implements the redfish inspect interface.
type redfishInspect struct{ fakeInspect }

func (redfishInspect) validate(t *task) error {
	return t.validateRedfish("inspect")
}

func (redfishInspect) inspect(ctx context.Context, t *task) (string, error) {
	system, err := t.systemOf(ctx)
	if err != nil {
		return "", err
	}
	properties, inventory := t.node.Properties, db.Dict{}
	if memory := system.Memory(); memory > 0 {
		properties["memory_mb"] = memory
		inventory["memory"] = map[string]any{"physical_mb": memory}
	}
	cpu, err := cpuOf(ctx, system)
	if err != nil {
		return "", err
	}
	inventory["cpu"] = cpu
	storages, err := system.Storages(ctx)
	if err != nil {
		return "", err
	}
	properties["local_gb"] = localGB(ctx, system, storages)
	if disks := disksOf(storages); len(disks) > 0 {
		inventory["disks"] = disks
	}
	if controllers := controllersOf(storages); len(controllers) > 0 {
		inventory["storage_controllers"] = controllers
	}
	nics, err := system.NICs(ctx)
	if err != nil {
		return "", err
	}
	inventory["interfaces"] = interfacesOf(nics)
	if devices := pciDevices(ctx, system); len(devices) > 0 {
		inventory["pci_devices"] = devices
	}
	if vendor := vendorInfo(system); len(vendor) > 0 {
		inventory["system_vendor"] = vendor
	}
	if mode := bootModeOf(system); mode != "" {
		if capability(t.node, "boot_mode") == "" {
			properties["capabilities"] = withCapability(properties.Text("capabilities"), "boot_mode:"+mode)
		}
		inventory["boot"] = map[string]any{"current_boot_mode": mode}
	}
	pluginData := db.Dict{}
	// runHooks runs the default hooks: validate-interfaces, ports and architecture.
	if err := runHooks(t, inventory, pluginData); err != nil {
		return "", err
	}
	if err := t.c.tables.SetInventory(t.node.UUID, db.Inventory{Inventory: inventory, PluginData: pluginData}); err != nil {
		return "", err
	}
	// As in Ironic, changes that rules make to the properties and to the plugin data are lost.
	properties = t.node.Properties.Clone()
	if err := t.applyRules(inventory, pluginData); err != nil {
		return "", err
	}
	t.node.Properties = properties
	if err := t.checkDiscovered(); err != nil {
		return "", err
	}
	t.save()
	return manageable, nil
}

// checkDiscovered returns an error if an essential property is unknown (ironic/drivers/modules/redfish/inspect.py).
func (t *task) checkDiscovered() error {
	var absent []string
	for _, key := range []string{"memory_mb", "local_gb", "cpu_arch"} {
		if _, ok := t.node.Properties[key]; !ok {
			absent = append(absent, key)
		}
	}
	if len(absent) > 0 {
		return inspectionFailure("Failed to discover the following properties: %s on node %s", strings.Join(absent, ", "), t.node.UUID)
	}
	return nil
}

// withCapability appends a capability to a comma-separated list of capabilities.
func withCapability(list, one string) string {
	if list == "" {
		return one
	}
	return list + "," + one
}

// instructionSets maps Redfish's names for CPU architectures to Ironic's.
var instructionSets = map[string]string{"ARM-A32": "arm", "ARM-A64": "aarch64", "IA-64": "ia64", "MIPS32": "mips", "MIPS64": "mips64", "x86": "i686", "x86-64": "x86_64"}

// processor holds the fields of a Redfish Processor that inspection uses.
type processor struct {
	TotalThreads   int
	Model          *string
	MaxSpeedMHz    *int
	InstructionSet string
}

func cpuOf(ctx context.Context, s *redfish.System) (map[string]any, error) {
	cpu := map[string]any{"count": 0, "architecture": ""}
	all, err := redfish.Members[processor](ctx, s.BMC, s.Processors)
	if err != nil || len(all) == 0 {
		return cpu, err
	}
	// Ironic stores the number of threads as the number of CPUs.
	threads := 0
	for _, one := range all {
		threads += one.TotalThreads
	}
	cpu["count"] = threads
	first := all[0]
	if first.Model != nil {
		cpu["model_name"] = *first.Model
	}
	if first.MaxSpeedMHz != nil {
		cpu["frequency"] = *first.MaxSpeedMHz
	}
	cpu["architecture"] = instructionSets[first.InstructionSet]
	return cpu, nil
}

// localGB implements _detect_local_gb: the GiB of the smallest disk with at least 4 GiB, minus 1, or 0.
func localGB(ctx context.Context, s *redfish.System, storages []redfish.Storage) int {
	const gib = 1 << 30
	type disk struct{ CapacityBytes int64 }
	smallest := func(disks []disk) int64 {
		var size int64
		for _, d := range disks {
			if d.CapacityBytes >= 4*gib && (size == 0 || d.CapacityBytes < size) {
				size = d.CapacityBytes
			}
		}
		return size
	}
	var simple, volumes, drives []disk
	all, _ := redfish.Members[struct{ Devices []disk }](ctx, s.BMC, s.SimpleStorage)
	for _, one := range all {
		simple = append(simple, one.Devices...)
	}
	for _, one := range storages {
		inVolumes, _ := redfish.Members[disk](ctx, s.BMC, one.Volumes)
		volumes = append(volumes, inVolumes...)
		for _, d := range one.AllDrives {
			drives = append(drives, disk{valueOf(d.CapacityBytes)})
		}
	}
	a, b := smallest(simple), cmp.Or(smallest(volumes), smallest(drives))
	size := max(a, b)
	if a > 0 && b > 0 {
		size = min(a, b)
	}
	return max(0, int((float64(size)/gib)-1))
}

func orNone[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// orEmpty returns list, or an empty list if it is nil, because nil would become null in JSON.
func orEmpty(list []any) []any {
	if list == nil {
		return []any{}
	}
	return list
}

func disksOf(storages []redfish.Storage) []any {
	var disks []any
	for _, s := range storages {
		for _, d := range s.AllDrives {
			disk := map[string]any{"name": d.Name, "size": orNone(d.CapacityBytes), "vendor": orNone(d.Manufacturer), "model": orNone(d.Model), "serial": orNone(d.SerialNumber)}
			if d.MediaType != nil {
				disk["rotational"] = *d.MediaType == "HDD"
			}
			disks = append(disks, disk)
		}
	}
	return disks
}

func controllersOf(storages []redfish.Storage) []any {
	var all []any
	for _, s := range storages {
		parts, drives := []any{}, []any{}
		for _, c := range s.StorageControllers {
			data := map[string]any{
				"member_id": c.MemberID, "name": orNone(c.Name), "raid_types": orEmpty(c.RAIDTypes), "speed_gbps": orNone(c.SpeedGbps),
				"controller_protocols": orEmpty(c.ControllerProtocols), "device_protocols": orEmpty(c.DeviceProtocols),
			}
			if c.Status != nil {
				data["status"] = map[string]any{"health": orNone(c.Status.Health), "state": orNone(c.Status.State)}
			}
			parts = append(parts, data)
		}
		for _, d := range s.AllDrives {
			data := map[string]any{
				"name": d.Name, "size": orNone(d.CapacityBytes), "id": d.ID, "media_type": orNone(d.MediaType), "serial_number": orNone(d.SerialNumber),
				"manufacturer": orNone(d.Manufacturer), "model": orNone(d.Model), "revision": nil,
			}
			if d.Protocol != nil {
				data["protocol"] = *d.Protocol
			}
			if d.Status != nil {
				data["status"] = map[string]any{"health": orNone(d.Status.Health), "state": orNone(d.Status.State)}
			}
			drives = append(drives, data)
		}
		all = append(all, map[string]any{"id": s.ID, "name": s.Name, "storage_controllers": parts, "drives": drives})
	}
	return all
}

func interfacesOf(nics []redfish.Ethernet) []any {
	all := []any{}
	for _, n := range nics {
		mac, err := net.ParseMAC(n.MACAddress)
		if err != nil {
			continue
		}
		data := map[string]any{"mac_address": mac.String(), "name": n.ID}
		if n.SpeedMbps != nil {
			data["speed_mbps"] = *n.SpeedMbps
		}
		all = append(all, data)
	}
	return all
}

func vendorInfo(s *redfish.System) map[string]any {
	info := map[string]any{}
	for key, value := range map[string]string{"product_name": s.Model, "serial_number": s.SerialNumber, "manufacturer": s.Manufacturer, "system_uuid": s.UUID} {
		if value != "" {
			info[key] = value
		}
	}
	return info
}

// pcieFunction holds the used fields of a Redfish PCIeFunction. IDs are null or in the BMC's format.
type pcieFunction struct {
	DeviceClass       *string
	DeviceID          any `json:"DeviceId"`
	VendorID          any `json:"VendorId"`
	SubsystemID       any `json:"SubsystemId"`
	SubsystemVendorID any `json:"SubsystemVendorId"`
	RevisionID        any `json:"RevisionId"`
}

// pciDevices returns the PCIe functions of the machine (_get_pcie_devices in
// ironic/drivers/modules/redfish/inspect.py). Devices that cannot be read are omitted.
func pciDevices(ctx context.Context, s *redfish.System) []any {
	var list []any
	for _, at := range s.PCIeDevices {
		var device struct{ PCIeFunctions *redfish.Link }
		if s.BMC.Get(ctx, at.ID, &device) != nil {
			continue
		}
		functions, _ := redfish.Members[pcieFunction](ctx, s.BMC, device.PCIeFunctions)
		for _, f := range functions {
			if info := f.info(); len(info) > 0 {
				list = append(list, info)
			}
		}
	}
	return list
}

// info returns the class and the IDs of a PCIe function under the names that the agent uses (_extract_function_info).
func (f pcieFunction) info() map[string]any {
	info := map[string]any{}
	if f.DeviceClass != nil {
		info["class"] = *f.DeviceClass
	}
	for key, value := range map[string]any{
		"product_id": f.DeviceID, "vendor_id": f.VendorID, "subsystem_id": f.SubsystemID, "subsystem_vendor_id": f.SubsystemVendorID, "revision": f.RevisionID,
	} {
		if value != nil {
			info[key] = value
		}
	}
	return info
}
