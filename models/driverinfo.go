package models

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/printable"
)

// BMCAddress returns the Redfish address in driver_info. If there is none, the error is a *[NoRedfishError].
func BMCAddress(n *Node) (string, error) {
	if address := TextOf(n.DriverInfo["redfish_address"]); address != "" {
		return address, nil
	}
	return "", &NoRedfishError{Node: n.Label(), IPMI: TextOf(n.DriverInfo["ipmi_address"])}
}

// NoRedfishError means that Ironic does not know a Redfish address for the node's BMC.
type NoRedfishError struct {
	Node string
	// IPMI is the IPMI address, or "" if there is none.
	IPMI string
}

// Error returns the problem and the commands to use instead.
func (e *NoRedfishError) Error() string {
	const bmc = "use ironworks bmc --address https://"
	return e.text("ironworks validate and ironworks power", bmc+printable.Line(e.IPMI), bmc+"HOST")
}

// OnScreen returns the problem and the keys to press instead.
func (e *NoRedfishError) OnScreen() string {
	return e.text("validate and power (a)", "set driver_info.redfish_address", RunKey("set", "driver_info.redfish_address=https://HOST"))
}

func (e *NoRedfishError) text(instead, withRedfish, noAddress string) string {
	node := printable.Line(e.Node)
	if e.IPMI != "" {
		return fmt.Sprintf("node %s has IPMI only (%s), which ironworks does not support; use %s, which go through Ironic; "+
			"if the BMC also supports Redfish, %s", node, printable.Line(e.IPMI), instead, withRedfish)
	}
	return fmt.Sprintf("node %s has no redfish_address in driver_info; %s", node, noAddress)
}

// DeployISOFields returns the driver_info fields for an ISO image that contains the ramdisk. The current field comes
// first, followed by the old ones with a driver prefix, which Ironic still reads.
func DeployISOFields() []string {
	return []string{"deploy_iso", "redfish_deploy_iso", "ilo_deploy_iso", "irmc_deploy_iso"}
}

// DeployPairFields returns the pairs of driver_info fields for a kernel and its ramdisk. The current pair comes
// first.
func DeployPairFields() [][2]string {
	return [][2]string{{"deploy_kernel", "deploy_ramdisk"}, {"ilo_deploy_kernel", "ilo_deploy_ramdisk"}}
}

// DeployISO returns the URL of the ISO image that contains the node's ramdisk, or "" if the ramdisk is not booted
// from an ISO image. An ISO image in instance_info takes precedence. The URL may contain credentials.
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

// BMCOfIronic returns the data that Ironic has about the node's BMC, in sanitized form. The data includes the last
// power and health states and the BMC's settings in driver_info, where Ironic masks secrets.
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
			text = Mask // Ironic should already have masked the value
		}
		d.Add(key, MaskURL(text))
	}
	return d
}
