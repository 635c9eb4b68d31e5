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

// values, nodeValues and bmcValues return the value of each field, or "" if it is unknown. nodeValues need a node, and
// bmcValues need a BMC.
var (
	values = map[EvidenceField]func(x *explaining) string{
		evState:    func(x *explaining) string { return string(x.state()) },
		evSiblings: (*explaining).siblingsText,
		evLastLine: func(x *explaining) string { return x.lastLine().Text },
		evEstimate: func(x *explaining) string { return cmp.Or(x.Estimate, &models.Estimate{}).Phase.String() },
		evAPI:      (*explaining).apiVersion,
	}
	nodeValues = map[EvidenceField]func(x *explaining) string{
		evTarget:      func(x *explaining) string { return string(x.node.TargetProvisionState) },
		evPower:       func(x *explaining) string { return string(x.node.PowerState) },
		evMaintenance: func(x *explaining) string { return x.node.MaintenanceReason },
		evFault:       func(x *explaining) string { return x.node.Fault },
		evReservation: func(x *explaining) string { return x.node.Reservation },
		evConductor:   (*explaining).conductor,
		evInstance:    func(x *explaining) string { return x.node.InstanceUUID },
		evStep:        (*explaining).step,
		evHeartbeat:   (*explaining).heartbeatText,
		evAgent:       func(x *explaining) string { return models.MaskURL(x.agent().AgentURL) },
		evAgentIs:     func(x *explaining) string { return x.agent().AgentVersion },
		evWaited:      (*explaining).waitedText,
		evSilence:     func(x *explaining) string { return x.duration(x.silence()) },
		evPorts:       (*explaining).ports,
		evServed:      func(x *explaining) string { return x.boot.Served },
		evBoot:        (*explaining).bootText,
		evErrors:      (*explaining).errorsText,
		evAgentAnswer: func(x *explaining) string { return cmp.Or(x.Agent, &AgentFacts{}).Text },
		evDeadline:    (*explaining).deadline,
		evHints:       (*explaining).hints,
		evISO:         (*explaining).iso,
		evBMCAddress:  (*explaining).bmcAddress,
		evBootMode:    (*explaining).wantedBootMode,
	}
	bmcValues = map[EvidenceField]func(b *BMCFacts) string{
		evBMCMode:     func(b *BMCFacts) string { return b.BootMode },
		evBMCPower:    func(b *BMCFacts) string { return string(b.Power) },
		evBMCHealth:   func(b *BMCFacts) string { return strings.TrimPrefix(string(b.Health)+", "+b.Causes, ", ") },
		evBMCProgress: func(b *BMCFacts) string { return b.Progress },
		evISOSeen:     func(b *BMCFacts) string { return b.ISO },
		evMedia:       (*BMCFacts).media,
	}
)

func (x *explaining) evidence(field EvidenceField) (models.Observation, bool) {
	item := models.Observation{Field: string(field)}
	switch {
	case values[field] != nil:
		item.Value = values[field](x)
	case nodeValues[field] != nil && x.node != nil:
		item.Value = nodeValues[field](x)
	case bmcValues[field] != nil && x.BMC != nil:
		item.Value, item.AgeSeconds = bmcValues[field](x.BMC), x.age(x.BMC.At)
	}
	switch {
	case field == evLastLine:
		item.AgeSeconds = x.age(x.lastLine().Received)
	case field == evServed:
		item.AgeSeconds = x.age(x.boot.ServedAt)
	case field == evHeartbeat && x.node != nil:
		item.AgeSeconds = x.age(x.heartbeat())
	}
	return item, item.Value != ""
}

func (x *explaining) siblingsText() string {
	s := x.Siblings
	if s == nil || s.Affected == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d other nodes in the same operation: %s", s.Affected, s.Total, strings.Join(s.Names, ", "))
}

func (x *explaining) lastLine() models.LogLine {
	if len(x.Lines) == 0 {
		return models.LogLine{}
	}
	return x.Lines[len(x.Lines)-1]
}

func (x *explaining) apiVersion() string {
	if x.Version.IsZero() {
		return ""
	}
	return x.Version.String()
}

func (b *BMCFacts) media() string {
	if b.MediaInserted == AnswerNo {
		return "none"
	}
	return models.MaskURL(b.Media)
}

func (x *explaining) heartbeatText() string {
	switch at := x.heartbeat(); {
	case !at.IsZero():
		return at.UTC().Format(time.DateTime) + " UTC"
	case x.node.Internal == nil:
		return ""
	}
	return "none"
}

func (x *explaining) waitedText() string {
	d, known := x.waited()
	if !known {
		return ""
	}
	return x.duration(d)
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

func (x *explaining) bootText() string {
	b := x.boot
	if b.Line.IsZero() {
		return ""
	}
	b.Obstacle = nil
	return "the ramdisk " + b.Text(x.Now) + " (log by " + string(b.Source) + ")"
}

func (x *explaining) errorsText() string {
	e := x.boot.Obstacle
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%d since %s UTC", e.Count, e.First.UTC().Format(time.TimeOnly))
}

func (x *explaining) duration(d time.Duration) string {
	if x.rounded {
		return roundAge(d)
	}
	return models.Age(d)
}

// agent returns the address and the version of the current agent or, if Ironic has cleared them, of the last one.
func (x *explaining) agent() models.Internal {
	if i := x.node.Internal; i != nil && i.AgentURL != "" {
		return *i
	}
	k := x.kept()
	return models.Internal{AgentURL: k.AgentURL, AgentVersion: k.AgentVersion}
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
	return x.kept().Step
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
	hints, field := x.rootDevice()
	if hints == nil {
		if x.node.Properties == nil {
			return ""
		}
		return "none"
	}
	text, err := json.Marshal(hints)
	if err != nil {
		return ""
	}
	return string(text) + " (" + field + ")"
}

func (x *explaining) iso() string {
	names := append(models.DeployISOFields(), "deploy_ramdisk")
	return cmp.Or(firstAddress(x.node.InstanceInfo, names...), firstAddress(x.node.DriverInfo, names...))
}

func (x *explaining) bmcAddress() string {
	return firstAddress(x.node.DriverInfo, "redfish_address", "ipmi_address")
}

// firstAddress returns the first of the named fields that is not empty, with secrets masked.
func firstAddress(fields map[string]any, names ...string) string {
	for _, name := range names {
		if text := models.TextOf(fields[name]); text != "" {
			return models.MaskURL(text)
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
