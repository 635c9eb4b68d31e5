package models

import (
	"fmt"
	"slices"
	"strings"
)

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
