package models

import (
	"slices"
	"strings"
	"time"
)

// ExplainCondition is what a rule asks of the facts beside texts and states. It reads as a
// clause of documentation.
type ExplainCondition string

// The conditions.
const (
	IfWaiting         ExplainCondition = "Ironic waits for the ramdisk, or has given up waiting"
	IfNeverCalled     ExplainCondition = "no sign of the ramdisk since the work began"
	IfCalled          ExplainCondition = "the ramdisk called back in this work"
	IfLongEnough      ExplainCondition = "waited for 10 minutes at least, or timed out"
	IfNotLongEnough   ExplainCondition = "waited for less than 10 minutes"
	IfSilent          ExplainCondition = "the ramdisk called back in this work, and then not for 6 minutes"
	IfSpeaking        ExplainCondition = "the last heartbeat is not older than 6 minutes"
	IfRebooting       ExplainCondition = "the step reboots the machine, or the conductor polls the BMC meanwhile"
	IfFresh           ExplainCondition = "a sign of life: a heartbeat of this boot in the last 200 s, a log line in the last minute, or the agent answers from here"
	IfLogAlive        ExplainCondition = "there are log lines of the ramdisk since the work began"
	IfAgentStarted    ExplainCondition = "the agent started 3 minutes ago at least by the log, or Ironic has given up waiting"
	IfBooting         ExplainCondition = "the log tells how far the boot has come, has a line of the last minute, and no error that is not overcome"
	IfBootStuck       ExplainCondition = "by the log the boot has not gone on for 5 minutes, and the agent has not started"
	IfLogStopped      ExplainCondition = "the log of this boot had lines, and none for 2 minutes (5 while the agent's image is pulled)"
	IfAgentAnswers    ExplainCondition = "the agent answers from here"
	IfAgentRefuses    ExplainCondition = "the agent was there, and refuses connections from here; the step does not reboot the machine"
	IfSiblings        ExplainCondition = "two others at least, and half of those in the same work, fail or wait alike"
	IfSpreads         ExplainCondition = "what failed is on the way between machines, Ironic and images"
	IfPowerOff        ExplainCondition = "Ironic knows the machine as off"
	IfPowerFault      ExplainCondition = "Ironic's fault field says power failure"
	IfCleanFault      ExplainCondition = "the node is in maintenance, by the fault clean failure or without a fault"
	IfMaintenance     ExplainCondition = "in maintenance without a fault: somebody set it"
	IfReserved        ExplainCondition = "a conductor holds the node's lock"
	IfConductorDead   ExplainCondition = "the node's conductor is not alive, while another one is"
	IfAllDead         ExplainCondition = "every conductor is dead, the node has no conductor, and the node has not changed since their last heartbeats (conductors on SQLite send none)"
	IfConductorAlive  ExplainCondition = "the node's conductor is alive, as far as it is known"
	IfNoHints         ExplainCondition = "no root device hints, and a deploy interface that writes to a disk"
	IfLate            ExplainCondition = "the phase lasts longer than it did for nearly all others"
	IfMuchLate        ExplainCondition = "the phase lasts more than three times the median of others"
	IfBMCUnreachable  ExplainCondition = "the BMC was asked from here, and does not answer"
	IfBMCRefuses      ExplainCondition = "the BMC refuses the login that is known here"
	IfBMCOff          ExplainCondition = "the BMC says that the machine is off"
	IfBMCModeDiffers  ExplainCondition = "the BMC boots in another mode than the node wants"
	IfNoMedia         ExplainCondition = "the node boots by virtual media, and the BMC has none inserted"
	IfMediaLeft       ExplainCondition = "the BMC has virtual media inserted"
	IfAtRest          ExplainCondition = "no reason, fault, maintenance or power error"
	IfISONotFetchable ExplainCondition = "the ramdisk's ISO cannot be read from here"
	IfStateKnown      ExplainCondition = "the node's state is known"
	IfBMCUnwell       ExplainCondition = "the BMC says that a part of the machine is in a critical state"
)

// The spans that conditions go by. An agent beats every 90 to 180 s.
const (
	bootTakes   = 10 * time.Minute
	silentAfter = 2 * 180 * time.Second
	offForLong  = 2 * time.Minute
	// reachTakes is how long an agent may take from its start to its first call: it gathers an
	// inventory before, and listens for LLDP for up to 99 s.
	reachTakes = 3 * time.Minute
	stuckAfter = 5 * time.Minute
	// conductorBeat is within what time a conductor says that it lives
	// ([conductor]heartbeat_timeout).
	conductorBeat = time.Minute
	stoppedAfter  = 2 * time.Minute
	// shortPhase is what a phase that took others less counts as: seconds more are no sign.
	shortPhase = 20 * time.Second
)

// holds says whether the condition is true of the facts.
func (x *explaining) holds(is ExplainCondition) bool {
	switch is {
	case IfBMCUnreachable, IfBMCRefuses, IfBMCOff, IfBMCModeDiffers, IfNoMedia, IfMediaLeft, IfISONotFetchable, IfBMCUnwell:
		return x.BMC != nil && x.bmcHolds(is)
	case IfStateKnown:
		return x.state() != ""
	case IfSiblings:
		return x.Siblings != nil && x.Siblings.Same >= 2 && 2*x.Siblings.Same >= x.Siblings.Of
	case IfSpreads:
		return x.spreads()
	case IfLate:
		return x.Estimate != nil && x.Estimate.Late
	case IfMuchLate:
		return x.muchLate()
	case IfFresh, IfAgentStarted, IfBooting, IfBootStuck, IfLogStopped, IfAgentAnswers, IfAgentRefuses:
		return x.node != nil && x.ramdiskHolds(is)
	case IfAtRest:
		return x.node != nil && !x.troubled()
	case IfWaiting, IfNeverCalled, IfCalled, IfLongEnough, IfNotLongEnough, IfSilent, IfSpeaking, IfRebooting, IfLogAlive:
		return x.node != nil && x.waitHolds(is)
	case IfPowerOff, IfPowerFault, IfCleanFault, IfMaintenance, IfReserved, IfConductorDead, IfAllDead, IfConductorAlive, IfNoHints:
		return x.node != nil && x.nodeHolds(is)
	}
	return false
}

func (x *explaining) nodeHolds(is ExplainCondition) bool {
	n := x.node
	switch is {
	case IfPowerOff:
		waited, known := x.waited()
		return n.PowerState == PowerOff && known && waited >= offForLong && !x.rebooting()
	case IfPowerFault:
		return n.Fault == "power failure"
	case IfCleanFault:
		return n.Maintenance && (n.Fault == "clean failure" || n.Fault == "")
	case IfMaintenance:
		return n.Maintenance && n.Fault == "" && n.ProvisionState != StateCleanFailed
	case IfReserved:
		return n.Reservation != ""
	case IfNoHints:
		return x.noHints()
	case IfConductorDead, IfAllDead, IfConductorAlive:
		host := x.conductor()
		alive := slices.ContainsFunc(x.Conductors, func(c Conductor) bool { return c.Alive })
		gone := host != "" && x.Conductors != nil && !slices.ContainsFunc(x.Conductors, func(c Conductor) bool { return c.Hostname == host && c.Alive })
		switch is {
		case IfConductorDead:
			return gone && alive
		case IfAllDead:
			// On SQLite conductors send no heartbeats, and Ironic still gives them nodes.
			return len(x.Conductors) > 0 && !alive && host == "" && !slices.ContainsFunc(x.Conductors, x.workedAfter)
		default:
			return !gone
		}
	default:
		return false
	}
}

// workedAfter says that Ironic worked on the node after the conductor's last heartbeat.
func (x *explaining) workedAfter(c Conductor) bool {
	return !c.UpdatedAt.IsZero() && x.node.ProvisionUpdatedAt.After(c.UpdatedAt.Add(conductorBeat))
}

// conductor is who holds the node, or would.
func (x *explaining) conductor() string {
	if x.node.Reservation != "" {
		return x.node.Reservation
	}
	return x.node.Conductor
}

// noHints: only those deploy interfaces write to a disk that the agent picks.
func (x *explaining) noHints() bool {
	n := x.node
	switch n.DeployInterface {
	case "direct", "custom-agent", "bootc":
	default:
		return false
	}
	for _, place := range []map[string]any{n.InstanceInfo, n.Properties} {
		if hints, there := place["root_device"]; there && hints != nil && hints != "" {
			return false
		}
	}
	return n.Properties != nil
}

func (x *explaining) waitHolds(is ExplainCondition) bool {
	waited, known := x.waited()
	switch is {
	case IfWaiting:
		return x.state().Class() == ClassWait || x.timedOut()
	case IfNeverCalled:
		return x.neverCalled()
	case IfCalled:
		return x.called()
	case IfLongEnough:
		return x.timedOut() || known && waited >= bootTakes
	case IfNotLongEnough:
		return !x.timedOut() && known && waited < bootTakes
	case IfSilent:
		return x.called() && !x.rebooting() && (x.timedOut() || x.silence() > silentAfter)
	case IfSpeaking:
		return x.called() && x.silence() <= silentAfter
	case IfRebooting:
		return x.rebooting()
	case IfLogAlive:
		return slices.ContainsFunc(x.Lines, func(l LogLine) bool { return l.Source != LogStatus })
	default:
		return false
	}
}

// waited is how long the work goes on, or the state lasts as far as anybody saw; while Ironic
// waits for a ramdisk, since the machine was switched on or restarted for it.
func (x *explaining) waited() (time.Duration, bool) {
	since := x.began
	if since.IsZero() {
		since = x.Row.Since
	}
	if since.IsZero() { // nothing but a heartbeat touches it while Ironic waits
		since = x.node.ProvisionUpdatedAt.Time
	}
	if i := x.node.Internal; i != nil && x.state().Class() == ClassWait && i.LastPowerState.After(since) {
		since = i.LastPowerState.Time
	}
	if since.IsZero() || x.Now.IsZero() {
		return 0, false
	}
	return x.Now.Sub(since), true
}

// timedOut says that the reason is one of waiting for a ramdisk in vain.
func (x *explaining) timedOut() bool {
	for _, t := range x.texts {
		for _, k := range t.known {
			if k.said && slices.Contains(timeouts, k.id) {
				return true
			}
		}
	}
	return false
}

// heartbeat is the last one of the ramdisk that Ironic works with. When work has failed it is
// the last one of all: Ironic may have switched the machine off since.
func (x *explaining) heartbeat() time.Time {
	if x.state().Busy() {
		return x.boot.Heartbeat
	}
	var last time.Time
	if i := x.node.Internal; i != nil {
		last = i.LastHeartbeat.Time
	}
	if k := x.kept(); k != nil && k.LastHeartbeat.After(last) {
		last = k.LastHeartbeat
	}
	return last
}

// kept is what was kept of this work.
func (x *explaining) kept() *Kept {
	if x.Work == nil {
		return nil
	}
	return x.Work.Evidence
}

// called says that the ramdisk called back in this work.
func (x *explaining) called() bool {
	if x.Row.CalledBack() {
		return true
	}
	if k := x.kept(); k != nil && k.AgentURL != "" && !x.state().Busy() {
		return true
	}
	return !x.began.IsZero() && x.heartbeat().After(x.began)
}

// neverCalled is certain only where the beginning is known, or there never was a heartbeat.
func (x *explaining) neverCalled() bool {
	if x.node.Internal == nil || x.called() {
		return false
	}
	last := x.heartbeat()
	return last.IsZero() || !x.began.IsZero() && last.Before(x.began)
}

func (x *explaining) silence() time.Duration {
	if last := x.heartbeat(); !last.IsZero() && !x.Now.IsZero() {
		return x.Now.Sub(last)
	}
	return 0
}

// rebooting: Ironic expects no heartbeats then.
func (x *explaining) rebooting() bool { return x.node.Internal.Rebooting() }

// spreads says that an error was found that is seldom one of a single machine.
func (x *explaining) spreads() bool {
	if x.node != nil && x.waitHolds(IfWaiting) && !x.called() {
		return true
	}
	for _, t := range x.texts {
		for _, k := range t.known {
			if k.said && slices.Contains(spreading, k.id) {
				return true
			}
		}
	}
	return false
}

// ramdiskHolds is about the ramdisk's boot, and whether it lives.
func (x *explaining) ramdiskHolds(is ExplainCondition) bool {
	b := &x.boot
	inStage := x.Now.Sub(b.Since)
	told := !b.Line.IsZero()
	switch is {
	case IfFresh:
		return x.called() && !x.holds(IfAgentRefuses) &&
			(x.agentAnswers() || !b.Heartbeat.IsZero() && x.Now.Sub(b.Heartbeat) <= freshBeat || told && x.Now.Sub(b.Line) <= freshLine)
	case IfAgentStarted:
		return told && b.Stage >= RamdiskAgent && (x.timedOut() || inStage >= reachTakes)
	case IfBooting:
		return told && b.Stage > RamdiskPowerOn && b.Obstacle == nil && x.Now.Sub(b.Line) <= freshLine
	case IfBootStuck:
		return told && b.Stage < RamdiskAgent && inStage >= stuckAfter
	case IfLogStopped:
		limit := stoppedAfter
		if b.Stage == RamdiskImage {
			limit = stuckAfter
		}
		return told && x.Now.Sub(b.Line) > limit
	case IfAgentAnswers:
		return x.agentAnswers()
	case IfAgentRefuses:
		return x.Agent != nil && x.Agent.Answers == AnswerNo && x.called() && !x.rebooting()
	default:
		return false
	}
}

func (x *explaining) agentAnswers() bool { return x.Agent != nil && x.Agent.Answers == AnswerYes }

// muchLate says that the phase lasts more than three times what it took others.
func (x *explaining) muchLate() bool {
	if x.Estimate == nil || x.Estimate.Phase.N < 3 || x.Work == nil || x.Now.IsZero() {
		return false
	}
	p := x.Work.Current()
	return p != nil && p.Took(x.Now) > 3*max(x.Estimate.Phase.Median, shortPhase)
}

func (x *explaining) bmcHolds(is ExplainCondition) bool {
	b := x.BMC
	switch is {
	case IfBMCUnreachable:
		return b.Reachable == AnswerNo
	case IfBMCRefuses:
		return b.Authenticated == AnswerNo
	case IfBMCOff:
		return b.Power == PowerOff && !x.rebooting()
	case IfBMCModeDiffers:
		want := x.wantedBootMode()
		return want != "" && b.BootMode != "" && want != b.BootMode
	case IfNoMedia:
		return b.MediaInserted == AnswerNo && x.node != nil && strings.Contains(x.node.BootInterface, "virtual-media")
	case IfMediaLeft:
		return b.MediaInserted == AnswerYes
	case IfISONotFetchable:
		return b.ISOFetchable == AnswerNo
	case IfBMCUnwell:
		return b.Health == BMCHealthCritical
	default:
		return false
	}
}

// wantedBootMode is the mode that the instance asks for, or the node has.
func (x *explaining) wantedBootMode() string {
	if x.node == nil {
		return ""
	}
	for _, place := range []map[string]any{x.node.InstanceInfo, x.node.Properties} {
		if mode := capability(place["capabilities"], "boot_mode"); mode != "" {
			return mode
		}
	}
	return x.raw.BootMode
}

// capability reads one of name:value,name:value or of an object.
func capability(from any, name string) string {
	switch c := from.(type) {
	case map[string]any:
		value, _ := c[name].(string)
		return value
	case string:
		for pair := range strings.SplitSeq(c, ",") {
			if key, value, ok := strings.Cut(strings.TrimSpace(pair), ":"); ok && key == name {
				return value
			}
		}
	}
	return ""
}
