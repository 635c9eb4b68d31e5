package models

import (
	"encoding/json"
	"slices"
	"strings"
)

// BMCDifference compares a value that Ironic stores with the value that the BMC reports.
type BMCDifference struct {
	What    string `json:"what"`
	Ironic  string `json:"ironic"`
	BMC     string `json:"bmc"`
	Differs bool   `json:"differs"`
}

// CompareBMC compares Ironic's data about a node with the data that its BMC reports. In each result, one of the two
// values may be missing.
func CompareBMC(n *Node, ports []Port, b *BMC) []BMCDifference {
	var out []BMCDifference
	add := func(what, ironic, bmc string, same func(a, b string) bool) {
		if ironic == "" && bmc == "" {
			return
		}
		out = append(out, BMCDifference{What: what, Ironic: ironic, BMC: bmc, Differs: ironic != "" && bmc != "" && !same(ironic, bmc)})
	}
	add("power", string(n.PowerState), b.System.Power, samePower)
	add("health", n.Health, string(b.System.Rollup), strings.EqualFold)
	fields := struct {
		BootMode   string `json:"boot_mode"`
		SecureBoot *bool  `json:"secure_boot"`
	}{}
	_ = json.Unmarshal(n.Raw, &fields) // fields missing from n.Raw are not compared
	add("boot mode", fields.BootMode, b.Boot.Mode, sameMode)
	if fields.SecureBoot != nil {
		secure := "Disabled"
		if *fields.SecureBoot {
			secure = "Enabled"
		}
		add("secure boot", secure, b.Boot.SecureBoot, strings.EqualFold)
	}
	if vendor := TextOf(n.Properties["vendor"]); vendor != "" {
		add("vendor", vendor, b.System.Manufacturer, strings.EqualFold)
	}
	if serial := TextOf(n.Properties["serial_number"]); serial != "" {
		add("serial number", serial, b.System.Serial, strings.EqualFold)
	}
	return append(out, compareMACs(ports, b)...)
}

// compareMACs checks that each port's MAC address belongs to an interface of the machine. Otherwise the machine
// cannot boot from that port.
func compareMACs(ports []Port, b *BMC) []BMCDifference {
	var known []string
	for _, nic := range b.NICs {
		if nic.MAC != "" {
			known = append(known, strings.ToLower(nic.MAC))
		}
	}
	if len(known) == 0 {
		return nil
	}
	var out []BMCDifference
	for i := range ports {
		mac := strings.ToLower(ports[i].Address)
		d := BMCDifference{What: "port " + ports[i].Address, Ironic: ports[i].Address, BMC: ports[i].Address}
		if !slices.Contains(known, mac) {
			d.BMC, d.Differs = "no interface has this MAC address", true
		}
		out = append(out, d)
	}
	return out
}

// PowerChanges reports whether the power is being switched on or off.
func (s *BMCSystem) PowerChanges() bool { return s.Power == "PoweringOn" || s.Power == "PoweringOff" }

func samePower(ironic, bmc string) bool {
	switch strings.ToLower(bmc) {
	case "on", "poweringoff":
		return ironic == string(PowerOn)
	case "off", "poweringon":
		return ironic == string(PowerOff)
	}
	return true
}

func sameMode(ironic, bmc string) bool {
	return strings.EqualFold(ironic, bmc) || strings.EqualFold(ironic, "bios") && strings.EqualFold(bmc, "Legacy")
}
