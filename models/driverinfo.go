package models

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/printable"
)

// BMCAddress returns the Redfish address in driver_info, else a *[NoRedfishError].
func BMCAddress(n *Node) (string, error) {
	if address := TextOf(n.DriverInfo["redfish_address"]); address != "" {
		return address, nil
	}
	return "", &NoRedfishError{Node: n.Label(), IPMI: TextOf(n.DriverInfo["ipmi_address"])}
}

// NoRedfishError means that Ironic knows no Redfish address of the BMC.
type NoRedfishError struct {
	Node string
	// IPMI is the IPMI address, "" if there is none.
	IPMI string
}

// Error includes the remedy, with commands.
func (e *NoRedfishError) Error() string {
	node := printable.Line(e.Node)
	if e.IPMI != "" {
		return fmt.Sprintf("node %s has IPMI only (%s), which ironworks does not support; use ironworks validate and ironworks power, which go through Ironic; "+
			"if the BMC also supports Redfish, use ironworks bmc --address https://%s", node, printable.Line(e.IPMI), printable.Line(e.IPMI))
	}
	return fmt.Sprintf("node %s has no redfish_address in driver_info; use ironworks bmc --address https://HOST", node)
}

// OnScreen includes the remedy, with keys.
func (e *NoRedfishError) OnScreen() string {
	node := printable.Line(e.Node)
	if e.IPMI != "" {
		return fmt.Sprintf("node %s has IPMI only (%s), which ironworks does not support; use validate and power (a), which go through Ironic; "+
			"if the BMC also supports Redfish, set driver_info.redfish_address", node, printable.Line(e.IPMI))
	}
	return fmt.Sprintf("node %s has no redfish_address in driver_info; %s", node, RunKey("set", "driver_info.redfish_address=https://HOST"))
}

// DeployISOFields returns the driver_info fields for an ISO with the ramdisk, the current one first: Ironic still reads
// the old ones with a driver's prefix.
func DeployISOFields() []string {
	return []string{"deploy_iso", "redfish_deploy_iso", "ilo_deploy_iso", "irmc_deploy_iso"}
}

// DeployPairFields returns the driver_info fields for a kernel and its ramdisk, in the same order.
func DeployPairFields() [][2]string {
	return [][2]string{{"deploy_kernel", "deploy_ramdisk"}, {"ilo_deploy_kernel", "ilo_deploy_ramdisk"}}
}

// DeployISO returns the URL of the ISO with the node's ramdisk, or "" if the ramdisk boots from something else. The
// instance's ISO takes precedence. The URL may hold credentials.
func DeployISO(n *Node) string {
	for _, place := range []map[string]any{n.InstanceInfo, n.DriverInfo} {
		for _, field := range DeployISOFields() {
			if address := TextOf(place[field]); address != "" {
				return address
			}
		}
	}
	return ""
}

// BMCOfIronic returns Ironic's data about a node's BMC, sanitized: driver_info, in which Ironic masks secrets, and the
// last state.
func BMCOfIronic(n *Node) []Detail {
	var d Details
	d.Add("driver", n.Driver)
	d.Add("power", string(n.PowerState))
	d.Add("health", n.Health)
	d.Add("fault", n.Fault)
	var keys []string
	for key := range n.DriverInfo {
		if prefix, _, found := strings.Cut(key, "_"); found && slices.Contains([]string{"ipmi", "redfish", "ilo", "irmc", "drac", "snmp"}, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		text := fmt.Sprint(n.DriverInfo[key])
		if strings.Contains(key, "password") || strings.Contains(key, "secret") {
			text = Mask // Ironic masks the value; this makes sure
		}
		d.Add(key, MaskURL(text))
	}
	return d
}
