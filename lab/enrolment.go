package lab

import (
	"fmt"
	"maps"
	"slices"
)

// Mark is the key of a node's extra by which a lab knows its own nodes again.
const Mark = "ironworks_lab"

// Enrolment is what an Ironic has to know of a machine.
type Enrolment struct {
	// Node is the body of POST /v1/nodes, Ports those of POST /v1/ports without
	// node_uuid.
	Node  map[string]any
	Ports []map[string]any
}

// Enrolment is a node of the driver redfish that boots from virtual media. id
// marks the nodes of one lab; interfaces are those that it is to have beside
// that: {"deploy": "custom-agent"}.
func (m *Machine) Enrolment(id string, interfaces map[string]string) Enrolment {
	spec := m.Spec()
	properties := map[string]any{
		"cpus": spec.CPUs, "memory_mb": spec.MemoryMiB, "cpu_arch": "x86_64", "local_gb": spec.Disks[0].SizeBytes / gib,
		"capabilities": "boot_mode:uefi", "vendor": spec.Vendor,
	}
	if hints := m.member.Scenario.RootDevice; hints != nil {
		properties["root_device"] = maps.Clone(hints)
	}
	e := Enrolment{Node: map[string]any{
		"name": m.Name(), "driver": "redfish", "resource_class": m.member.ResourceClass,
		"boot_interface": "redfish-virtual-media",
		"driver_info":    m.DriverInfo(),
		"properties":     properties,
		"extra":          map[string]any{Mark: id, "lab_scenario": m.member.Scenario.Name},
	}}
	for name, value := range interfaces {
		e.Node[name+"_interface"] = value
	}
	for i, mac := range m.member.MACs {
		if i == 0 && m.member.Scenario.WrongMAC {
			mac = macOf(m.Name()+" of another", i, nil)
		}
		if i > 0 && m.member.Scenario.WrongMAC {
			break // a second port would be found
		}
		e.Ports = append(e.Ports, map[string]any{
			"address": mac, "pxe_enabled": i == 0,
			"local_link_connection": map[string]any{"switch_id": "52:54:00:00:00:01", "port_id": fmt.Sprintf("Eth1/%d", m.number%48+1), "switch_info": "lab"},
		})
	}
	return e
}

// hasten leaves out what takes long on the way to available.
func (e Enrolment) hasten(name string) {
	if slices.Contains(hasty, name) {
		e.Node["automated_clean"] = false
	}
}

// DriverInfo is what a conductor needs to drive the machine: where its BMC is,
// user and password, and the ramdisk.
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
		// Where the embedded Ironic finds the serial line.
		info["ipmi_address"], info["ipmi_port"] = m.AgentHost(), serialPort
	}
	return info
}
