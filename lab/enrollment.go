package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ironworks/models"
)

// Mark is the key in a node's extra field that identifies the nodes of a lab.
const Mark = "ironworks_lab"

// Enrollment holds the requests that enroll a machine in Ironic.
type Enrollment struct {
	// Node is the body of POST /v1/nodes. Ports contains the bodies of POST /v1/ports, without node_uuid.
	Node  map[string]any
	Ports []map[string]any
}

// Enrollment returns the requests for a node that uses the redfish driver and boots from virtual media. id identifies
// the node's lab. interfaces contains further interfaces, such as {"deploy": "custom-agent"}.
func (m *Machine) Enrollment(id string, interfaces map[string]string) Enrollment {
	spec := m.Spec()
	properties := map[string]any{
		"cpus": spec.CPUs, "memory_mb": spec.MemoryMiB, "cpu_arch": "x86_64", "local_gb": m.Drives()[0].SizeBytes / gib,
		"capabilities": "boot_mode:uefi", "vendor": spec.Vendor,
	}
	if hints := m.member.Scenario.RootDevice; hints != nil {
		properties["root_device"] = maps.Clone(hints)
	}
	e := Enrollment{Node: map[string]any{
		"name": m.Name(), "driver": "redfish", "resource_class": m.member.ResourceClass,
		"boot_interface": "redfish-virtual-media",
		"driver_info":    m.DriverInfo(),
		"properties":     properties,
		"extra":          map[string]any{Mark: id, "lab_scenario": m.member.Scenario.Name},
	}}
	for name, value := range interfaces {
		e.Node[name+"_interface"] = value
	}
	macs := m.member.MACs
	if m.member.Scenario.WrongMAC {
		// One port only: otherwise inspection would find the machine by its second port.
		macs = []string{macOf(m.Name()+" of another", 0, nil)}
	}
	for i, mac := range macs {
		e.Ports = append(e.Ports, map[string]any{
			"address": mac, "pxe_enabled": i == 0,
			"local_link_connection": map[string]any{"switch_id": "52:54:00:00:00:01", "port_id": fmt.Sprintf("Eth1/%d", m.number%48+1), "switch_info": "lab"},
		})
	}
	return e
}

// skipSlowSteps disables cleaning for some nodes of the cast, and inspects readyNode through its BMC.
func (e Enrollment) skipSlowSteps(name string) {
	if slices.Contains(skipCleaningNodes, name) {
		e.Node["automated_clean"] = false
	}
	if name == readyNode {
		e.Node["inspect_interface"] = "redfish"
	}
}

// DriverInfo returns the node's driver_info, which a conductor needs to control the machine. It contains the address,
// user and password of the machine's BMC, and the URL of the ramdisk.
func (m *Machine) DriverInfo() map[string]any {
	iso := m.lab.RamdiskURL()
	if m.member.Scenario.MissingISO {
		iso = m.lab.images + "/missing.iso"
	}
	password := m.Spec().Password
	if m.member.Scenario.WrongPassword {
		password = wrongPassword
	}
	info := map[string]any{
		"redfish_address": m.bmc, "redfish_system_id": m.SystemPath(), "redfish_verify_ca": false,
		"redfish_username": bmcUser, "redfish_password": password, "deploy_iso": iso, "rescue_iso": iso,
	}
	if m.guest != nil {
		// The embedded Ironic expects the address of the serial line in these fields.
		info["ipmi_address"], info["ipmi_port"] = m.AgentHost(), serialPort
	}
	return info
}

// commandListToken is the minor API version of Ironic 22.0. Since that release, the conductor also sends the token
// when it lists an agent's commands.
const commandListToken = 83

// AgentFor returns the version of the agent that suits an Ironic server whose newest API version is 1.minor.
func AgentFor(minor int) string {
	if minor < commandListToken {
		return OldAgent
	}
	return NewestAgent
}

// InterfacesFor returns the interfaces that lab nodes use besides those for Redfish, if they are offered by the redfish
// driver in drivers. Without that driver, it returns an error.
func InterfacesFor(drivers []models.Driver) (map[string]string, error) {
	i := slices.IndexFunc(drivers, func(d models.Driver) bool { return d.Name == "redfish" })
	if i < 0 {
		return nil, errors.New("Ironic has no driver redfish: add redfish to [DEFAULT]enabled_hardware_types, and redfish-virtual-media to enabled_boot_interfaces")
	}
	interfaces := map[string]string{}
	for kind, name := range map[string]string{"deploy": "custom-agent", "inspect": "agent", "rescue": "agent"} {
		if slices.Contains(drivers[i].Enabled[kind], name) {
			interfaces[kind] = name
		}
	}
	return interfaces, nil
}

// API is the part of Ironic's API that is needed to enroll machines.
type API interface {
	// CreateNode creates a node and returns its UUID.
	CreateNode(ctx context.Context, node map[string]any) (uuid string, err error)
	CreatePort(ctx context.Context, port map[string]any) (uuid string, err error)
	DeleteNode(ctx context.Context, id string) error
}

// Enroll enrolls all machines, one at a time and despite errors, each of which it passes to failed. A node whose ports
// cannot be created is removed.
func (l *Lab) Enroll(ctx context.Context, api API, id string, interfaces map[string]string, failed func(error)) error {
	var errs []error
	for _, m := range l.machines {
		if err := ctx.Err(); err != nil {
			return errors.Join(append(errs, fmt.Errorf("enrolling: %w", err))...)
		}
		e := m.Enrollment(id, interfaces)
		uuid, err := api.CreateNode(ctx, e.Node)
		if err != nil {
			err = fmt.Errorf("enrolling machine %s: %w", m.Name(), err)
		} else {
			err = m.createPorts(ctx, api, uuid, e.Ports)
		}
		if err != nil {
			errs = append(errs, err)
			failed(err)
		}
	}
	return errors.Join(errs...)
}

// createPorts creates the ports of a node. If that fails, it removes the node.
func (m *Machine) createPorts(ctx context.Context, api API, uuid string, ports []map[string]any) error {
	for _, port := range ports {
		port["node_uuid"] = uuid
		if _, err := api.CreatePort(ctx, port); err != nil {
			err = fmt.Errorf("enrolling machine %s: port %v: %w", m.Name(), port["address"], err)
			return errors.Join(err, api.DeleteNode(context.WithoutCancel(ctx), uuid))
		}
	}
	return nil
}
