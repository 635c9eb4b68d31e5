package models

import (
	"fmt"
	"slices"
	"strings"
)

// BMCAddress is where a node's BMC speaks Redfish, as driver_info has it; else a
// *[NoRedfishError] says why there is none.
func BMCAddress(n *Node) (string, error) {
	if address := TextOf(n.DriverInfo["redfish_address"]); address != "" {
		return address, nil
	}
	return "", &NoRedfishError{Node: n.Label(), IPMI: TextOf(n.DriverInfo["ipmi_address"])}
}

// NoRedfishError says that a node's controller does not speak Redfish, as far as Ironic
// knows.
type NoRedfishError struct {
	Node string
	// IPMI is the address of its IPMI, "" where it has none.
	IPMI string
}

// Error names the way out.
func (e *NoRedfishError) Error() string {
	node := Printable(e.Node)
	if e.IPMI != "" {
		return fmt.Sprintf("node %s has IPMI alone (%s), which is not spoken here; ironworks validate has its conductor ask it, power goes through Ironic; "+
			"if the BMC has Redfish, too, ironworks bmc --address https://%s asks it", node, Printable(e.IPMI), Printable(e.IPMI))
	}
	return fmt.Sprintf("node %s has no redfish_address in its driver_info; ironworks bmc --address https://HOST asks a BMC without Ironic", node)
}

// DeployISOFields are the fields of driver_info that name an ISO with the ramdisk, the one
// of today first: Ironic reads the others still, which drivers gave a prefix, where the
// first is missing.
func DeployISOFields() []string {
	return []string{"deploy_iso", "redfish_deploy_iso", "ilo_deploy_iso", "irmc_deploy_iso"}
}

// DeployPairFields are the fields of driver_info that name a kernel and its ramdisk, in the
// same order.
func DeployPairFields() [][2]string {
	return [][2]string{{"deploy_kernel", "deploy_ramdisk"}, {"ilo_deploy_kernel", "ilo_deploy_ramdisk"}}
}

// DeployISO is the address of the ISO with the node's ramdisk, the instance's own first;
// empty where it boots another way. It may hold credentials.
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

// BMCOfIronic is what Ironic knows of a node's BMC without asking it, safe to show: what
// driver_info says of it, in which Ironic masks secrets, and the state that it had last.
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
			text = Mask // as Ironic has it; were it not, it is nobody's to read
		}
		d.Add(key, MaskURL(text))
	}
	return d
}
