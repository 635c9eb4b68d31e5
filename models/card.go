package models

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ironworks/printable"
)

// Detail is a named value that describes a node. The value is sanitized.
type Detail struct{ Name, Value string }

// Details is a list of details. [Details.Add] omits empty values.
type Details []Detail

// Add appends a detail unless its value is empty.
func (d *Details) Add(name, value string) {
	if value = strings.TrimSpace(value); value != "" {
		*d = append(*d, Detail{name, printable.Line(value)})
	}
}

// Card returns the values that identify a machine. The operator reads them before confirming an irreversible action.
func Card(n *Node) []Detail {
	var d Details
	d.Add("name", n.Name)
	d.Add("uuid", n.UUID)
	d.Add("state", n.StateText()+", power "+n.PowerState.Short())
	d.Add("bmc", n.BMC())
	d.Add("class", n.ResourceClass)
	d.Add("owner", n.Owner)
	d.Add("lessee", n.Lessee)
	d.Add("instance", strings.TrimSpace(n.InstanceUUID+" "+n.InstanceName))
	d.Add("maintenance", flag(n.Maintenance, n.MaintenanceReason))
	d.Add("description", n.Description)
	return d
}

// Overview returns the main facts about a node.
func Overview(r *Row) []Detail {
	n := &r.Node
	var d Details
	d.Add("name", n.Name)
	d.Add("uuid", n.UUID)
	d.Add("state", n.StateText())
	switch step, _ := n.CurrentStep(); {
	case step != nil:
		d.Add("step", CurrentStepText(n))
	case n.ProvisionState.Failed():
		d.Add("reason", ReasonOf(r))
	}
	if !n.ProvisionState.Failed() {
		d.Add("last error", n.LastError)
	}
	d.Add("power", n.PowerState.Short()+targetText(string(n.TargetPowerState)))
	d.Add("maintenance", flag(n.Maintenance, n.MaintenanceReason))
	d.Add("fault", n.Fault)
	d.Add("locked by", n.Reservation)
	d.Add("driver", n.Driver)
	d.Add("interfaces", interfaces(n))
	d.Add("bmc", n.BMC())
	d.Add("class", n.ResourceClass)
	d.Add("traits", strings.Join(n.Traits, ", "))
	d.Add("conductor", n.Conductor+" "+n.ConductorGroup)
	d.Add("owner", n.Owner)
	d.Add("lessee", n.Lessee)
	d.Add("instance", strings.TrimSpace(n.InstanceUUID+" "+n.InstanceName))
	if n.Internal != nil {
		d.Add("agent", n.Internal.AgentURL+" "+n.Internal.AgentVersion)
	}
	d.Add("protected", flag(n.Protected, n.ProtectedReason))
	d.Add("retired", flag(n.Retired, n.RetiredReason))
	d.Add("health", n.Health)
	d.Add("shard", n.Shard)
	d.Add("description", n.Description)
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

// StateText returns the provision state, followed by its target if there is one.
func (n *Node) StateText() string {
	return string(n.ProvisionState) + targetText(string(n.TargetProvisionState))
}

func targetText(target string) string {
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

// BMC returns the BMC's address, or "" if it is unknown. Each driver stores it under a different name.
func (n *Node) BMC() string {
	for _, key := range []string{"redfish_address", "ipmi_address", "drac_address", "ilo_address", "irmc_address"} {
		if s, _ := n.DriverInfo[key].(string); s != "" {
			return s
		}
	}
	return ""
}

// ReasonOf returns the reason why the node failed, in Ironic's words.
func ReasonOf(r *Row) string { return cmp.Or(r.Node.LastError, r.Reason) }

// CurrentStepText returns the running step and its position, such as "2/5 write_image", or "" if there is none.
func CurrentStepText(n *Node) string {
	step, kind := n.CurrentStep()
	if step == nil {
		return ""
	}
	text := step.Step
	if steps, i := n.Internal.Progress(kind); i >= 0 {
		text = fmt.Sprintf("%d/%d %s", i+1, len(steps), step.Step)
	}
	if step.AbortAfter {
		text += " (then aborts)"
	}
	return text
}

// Observation is a value on which a check or an explanation is based.
type Observation struct {
	Field string `json:"field"`
	Value string `json:"value"`
	// AgeSeconds is the age of the value. It is zero if the value was read for this check.
	AgeSeconds int64 `json:"age_seconds,omitempty"`
}

// String returns the observation as "field = value". If the value is at least a minute old, its age follows.
func (e Observation) String() string {
	text := printable.Line(e.Field + " = " + e.Value)
	if age := time.Duration(e.AgeSeconds) * time.Second; age >= time.Minute {
		text += " (" + AgeInWords(age) + " old)"
	}
	return text
}

// AgeInWords formats a duration in whole minutes, hours or days, rounded down.
func AgeInWords(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days", int(d.Hours()/24))
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Hours()))
	}
	return fmt.Sprintf("%d minutes", int(d.Minutes()))
}

// Observed returns an observation of a value that has just been read.
func Observed(field string, value any) Observation {
	return Observation{Field: field, Value: printable.Line(fmt.Sprint(value))}
}
