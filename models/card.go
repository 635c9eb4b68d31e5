package models

import "strings"

// Detail is one named value of a node, safe to show.
type Detail struct{ Name, Value string }

// details gathers what has a value.
type details []Detail

func (d *details) add(name, value string) {
	if value = strings.TrimSpace(value); value != "" {
		*d = append(*d, Detail{name, Printable(value)})
	}
}

// Card is what tells one machine from another, to be read before something is done to
// it that cannot be undone.
func Card(n *Node) []Detail {
	var d details
	d.add("name", n.Name)
	d.add("uuid", n.UUID)
	d.add("state", n.StateText()+", power "+n.PowerState.Short())
	d.add("bmc", n.BMC())
	d.add("class", n.ResourceClass)
	d.add("owner", n.Owner)
	d.add("lessee", n.Lessee)
	d.add("instance", strings.TrimSpace(n.InstanceUUID+" "+n.InstanceName))
	d.add("maintenance", flag(n.Maintenance, n.MaintenanceReason))
	d.add("description", n.Description)
	return d
}

// Overview is what an operator wants to know of a node first.
func Overview(r *Row) []Detail {
	n := &r.Node
	var d details
	d.add("name", n.Name)
	d.add("uuid", n.UUID)
	d.add("state", n.StateText())
	switch step, _ := n.CurrentStep(); {
	case step != nil:
		d.add("step", stepText(n))
	case n.ProvisionState.Failed():
		d.add("reason", reasonOf(r))
	}
	if !n.ProvisionState.Failed() {
		d.add("last error", n.LastError)
	}
	d.add("power", n.PowerState.Short()+toward(string(n.TargetPowerState)))
	d.add("maintenance", flag(n.Maintenance, n.MaintenanceReason))
	d.add("fault", n.Fault)
	d.add("locked by", n.Reservation)
	d.add("driver", n.Driver)
	d.add("interfaces", interfaces(n))
	d.add("bmc", n.BMC())
	d.add("class", n.ResourceClass)
	d.add("traits", strings.Join(n.Traits, ", "))
	d.add("conductor", n.Conductor+" "+n.ConductorGroup)
	d.add("owner", n.Owner)
	d.add("lessee", n.Lessee)
	d.add("instance", strings.TrimSpace(n.InstanceUUID+" "+n.InstanceName))
	if n.Internal != nil {
		d.add("agent", n.Internal.AgentURL+" "+n.Internal.AgentVersion)
	}
	d.add("protected", flag(n.Protected, n.ProtectedReason))
	d.add("retired", flag(n.Retired, n.RetiredReason))
	d.add("health", n.Health)
	d.add("shard", n.Shard)
	d.add("description", n.Description)
	return d
}

func interfaces(n *Node) string {
	var parts []string
	for _, i := range []Detail{
		{"boot", n.BootInterface}, {"deploy", n.DeployInterface}, {"network", n.NetworkInterface}, {"power", n.PowerInterface},
	} {
		if i.Value != "" {
			parts = append(parts, i.Name+" "+i.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// StateText is the provision state and where it leads.
func (n *Node) StateText() string {
	return string(n.ProvisionState) + toward(string(n.TargetProvisionState))
}

func toward(target string) string {
	if target == "" {
		return ""
	}
	return " → " + target
}

func flag(on bool, reason string) string {
	if !on {
		return ""
	}
	return strings.TrimSuffix("yes, "+reason, ", ")
}

// BMC is where the node's BMC is, whatever its driver calls it; "" when not known.
func (n *Node) BMC() string {
	for _, key := range []string{"redfish_address", "ipmi_address", "drac_address", "ilo_address", "irmc_address"} {
		if s, ok := n.DriverInfo[key].(string); ok {
			return s
		}
	}
	return ""
}
