package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// EvidenceField names a fact that can be shown with an explanation.
type EvidenceField string

// The facts that can be shown.
const (
	evState       EvidenceField = "provision_state"
	evTarget      EvidenceField = "target_provision_state"
	evPower       EvidenceField = "power_state"
	evMaintenance EvidenceField = "maintenance_reason"
	evFault       EvidenceField = "fault"
	evReservation EvidenceField = "reservation"
	evConductor   EvidenceField = "conductor"
	evInstance    EvidenceField = "instance_uuid"
	evStep        EvidenceField = "step"
	evHeartbeat   EvidenceField = "agent_last_heartbeat"
	evAgent       EvidenceField = "agent_url"
	evAgentIs     EvidenceField = "agent_version"
	evWaited      EvidenceField = "waited"
	evDeadline    EvidenceField = "deadline"
	evSiblings    EvidenceField = "siblings"
	evHints       EvidenceField = "root_device"
	evISO         EvidenceField = "deploy_iso"
	evBMCAddress  EvidenceField = "bmc"
	evBootMode    EvidenceField = "boot_mode"
	evBMCMode     EvidenceField = "BMC boot mode"
	evBMCPower    EvidenceField = "BMC power"
	evMedia       EvidenceField = "BMC virtual media"
	evBMCHealth   EvidenceField = "BMC health"
	evBMCProgress EvidenceField = "BMC boot progress"
	evISOSeen     EvidenceField = "ISO, from here"
	evLastLine    EvidenceField = "last log line"
	evEstimate    EvidenceField = "others took"
	evAPI         EvidenceField = "API version"
	evSilence     EvidenceField = "silence"
	evBoot        EvidenceField = "boot"
	evErrors      EvidenceField = "errors"
	evServed      EvidenceField = "served"
	evPorts       EvidenceField = "ports"
	evAgentAnswer EvidenceField = "agent, from here"
)

// evidence returns the value of the given field, or false if the value is unknown.
func (x *explaining) evidence(field EvidenceField) (models.Observation, bool) {
	item := models.Observation{Field: string(field)}
	switch field {
	case evState:
		item.Value = string(x.state())
	case evSiblings:
		if s := x.Siblings; s != nil && s.Affected > 0 {
			item.Value = fmt.Sprintf("%d of %d other nodes in the same operation: %s", s.Affected, s.Total, strings.Join(s.Names, ", "))
		}
	case evLastLine:
		if n := len(x.Lines); n > 0 {
			item.Value, item.AgeSeconds = x.Lines[n-1].Text, x.age(x.Lines[n-1].Received)
		}
	case evEstimate:
		if x.Estimate != nil {
			item.Value = x.Estimate.Phase.String()
		}
	case evAPI:
		if !x.Version.IsZero() {
			item.Value = x.Version.String()
		}
	case evBMCMode, evBMCPower, evMedia, evBMCHealth, evBMCProgress, evISOSeen:
		if x.BMC != nil {
			item.Value, item.AgeSeconds = x.bmcValue(field), x.age(x.BMC.At)
		}
	default:
		if x.node != nil {
			item.Value, item.AgeSeconds = x.nodeValue(field)
		}
	}
	return item, item.Value != ""
}

func (x *explaining) bmcValue(field EvidenceField) string {
	switch field {
	case evBMCMode:
		return x.BMC.BootMode
	case evBMCPower:
		return string(x.BMC.Power)
	case evBMCHealth:
		return strings.TrimPrefix(string(x.BMC.Health)+", "+x.BMC.Causes, ", ")
	case evBMCProgress:
		return x.BMC.Progress
	case evISOSeen:
		return x.BMC.ISO
	case evMedia:
		if x.BMC.MediaInserted == AnswerNo {
			return "none"
		}
		return models.MaskURL(x.BMC.Media)
	default:
		return ""
	}
}

func (x *explaining) nodeValue(field EvidenceField) (value string, age int64) {
	n := x.node
	switch field {
	case evTarget:
		return string(n.TargetProvisionState), 0
	case evPower:
		return string(n.PowerState), 0
	case evMaintenance:
		return n.MaintenanceReason, 0
	case evFault:
		return n.Fault, 0
	case evReservation:
		return n.Reservation, 0
	case evConductor:
		return x.conductor(), 0
	case evInstance:
		return n.InstanceUUID, 0
	case evStep:
		return x.step(), 0
	case evHeartbeat:
		if at := x.heartbeat(); !at.IsZero() {
			return at.UTC().Format("2006-01-02 15:04:05") + " UTC", x.age(at)
		}
		return x.neverText(), 0
	case evAgent, evAgentIs:
		return x.agent(field), 0
	case evWaited:
		if d, known := x.waited(); known {
			return x.duration(d), 0
		}
	case evSilence:
		return x.duration(x.silence()), 0
	case evPorts:
		return x.ports(), 0
	case evServed:
		return x.boot.Served, x.age(x.boot.ServedAt)
	case evBoot, evErrors, evAgentAnswer:
		return x.ramdiskValue(field), 0
	case evDeadline:
		return x.deadline(), 0
	case evHints:
		return x.hints(), 0
	case evISO, evBMCAddress:
		return x.address(field), 0
	case evBootMode:
		return x.wantedBootMode(), 0
	default:
	}
	return "", 0
}

// ports lists the MAC addresses of the node's ports. It returns "" if the ports were not requested.
func (x *explaining) ports() string {
	if x.Ports == nil {
		return ""
	}
	macs := make([]string, len(x.Ports))
	for i := range x.Ports {
		macs[i] = x.Ports[i].Address
	}
	return cmp.Or(strings.Join(macs, ", "), "none")
}

func (x *explaining) ramdiskValue(field EvidenceField) string {
	b := x.boot
	switch {
	case field == evAgentAnswer && x.Agent != nil:
		return x.Agent.Text
	case field == evErrors && b.Obstacle != nil:
		return fmt.Sprintf("%d since %s UTC", b.Obstacle.Count, b.Obstacle.First.UTC().Format(time.TimeOnly))
	case field == evBoot && !b.Line.IsZero():
		b.Obstacle = nil
		return "the ramdisk " + b.Text(x.Now) + " (log by " + string(b.Source) + ")"
	}
	return ""
}

// duration formats a duration, in rounded form if x.rounded is set.
func (x *explaining) duration(d time.Duration) string {
	if x.rounded {
		return roundAge(d)
	}
	return models.Age(d)
}

func (x *explaining) neverText() string {
	if x.node.Internal == nil {
		return ""
	}
	return "none"
}

func (x *explaining) agent(field EvidenceField) string {
	var url, version string
	if k := x.kept(); k != nil {
		url, version = k.AgentURL, k.AgentVersion
	}
	if i := x.node.Internal; i != nil && i.AgentURL != "" {
		url, version = i.AgentURL, i.AgentVersion
	}
	if field == evAgent {
		return models.MaskURL(url)
	}
	return version
}

// step describes the current or the failed step. For a current step, it includes the position in the list of steps.
func (x *explaining) step() string {
	if current, _ := x.node.CurrentStep(); current != nil {
		return stepPlace(x.Row)
	}
	for _, t := range x.texts {
		if failed, named := models.FailedStep(t.evidence.Value); named {
			return failed.Label()
		}
	}
	if k := x.kept(); k != nil {
		return k.Step
	}
	return ""
}

// deadline says when Ironic gives up waiting, assuming that its timeouts have their default values. For inspection,
// the timeout counts from the start; for other operations, every heartbeat extends it.
func (x *explaining) deadline() string {
	left, known := x.left()
	if !known {
		return ""
	}
	what, text := "last seen", ""
	if x.state() == models.StateInspectWait {
		what = "the beginning"
	}
	if left > 0 {
		text = "in " + models.Age(left)
	} else {
		text = "passed " + models.Age(-left) + " ago"
	}
	return fmt.Sprintf("%s, by Ironic's default of %d s after %s; this server may use a different timeout", text, int(models.CallbackTimeout.Seconds()), what)
}

// left returns how long Ironic will still wait for the ramdisk, assuming that its timeouts have their default values.
// After the deadline, the result is negative.
func (x *explaining) left() (time.Duration, bool) {
	if x.node == nil || x.state().Class() != models.ClassWait || x.Now.IsZero() {
		return 0, false
	}
	from := x.Row.LastSign()
	if x.state() == models.StateInspectWait {
		if from = x.raw.InspectionStarted.Time; from.IsZero() {
			from = x.Row.Since
		}
	}
	return from.Add(models.CallbackTimeout).Sub(x.Now), !from.IsZero()
}

func (x *explaining) hints() string {
	for _, place := range []struct {
		name string
		in   map[string]any
	}{{"instance_info", x.node.InstanceInfo}, {"properties", x.node.Properties}} {
		if hints := place.in["root_device"]; hints != nil && hints != "" {
			text, err := json.Marshal(hints)
			if err != nil {
				return ""
			}
			return string(text) + " (" + place.name + ")"
		}
	}
	if x.node.Properties == nil {
		return ""
	}
	return "none"
}

func (x *explaining) address(field EvidenceField) string {
	names := append(models.DeployISOFields(), "deploy_ramdisk")
	places := []map[string]any{x.node.InstanceInfo, x.node.DriverInfo}
	if field == evBMCAddress {
		names, places = []string{"redfish_address", "ipmi_address"}, places[1:]
	}
	for _, place := range places {
		for _, name := range names {
			if text, is := place[name].(string); is && text != "" {
				return models.MaskURL(text)
			}
		}
	}
	return ""
}

// fill replaces each evidence name in braces with its value, or with "…" if the value is unknown.
func (x *explaining) fill(text string) string {
	var b strings.Builder
	for {
		before, rest, open := strings.Cut(text, "{")
		b.WriteString(before)
		name, after, closed := strings.Cut(rest, "}")
		if !open || !closed {
			return printable.Line(b.String() + rest)
		}
		item, known := x.evidence(EvidenceField(name))
		switch {
		case name == "node":
			b.WriteString(x.nodeName())
		case known:
			b.WriteString(item.Value)
		default:
			b.WriteString("…")
		}
		text = after
	}
}
