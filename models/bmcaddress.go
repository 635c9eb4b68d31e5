package models

import "fmt"

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
