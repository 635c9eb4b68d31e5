package explain

import (
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Condition is a requirement of a rule that concerns facts other than the error text and the state. Its value is the
// description shown in the documentation of the rules.
type Condition string

// All conditions that rules use.
const (
	ifWaiting         Condition = "Ironic waits for the ramdisk, or gave up waiting"
	ifNeverCalled     Condition = "no sign of the ramdisk since the operation started"
	ifCalled          Condition = "the ramdisk called back in this operation"
	ifLongEnough      Condition = "waited at least 10 minutes, or timed out"
	ifNotLongEnough   Condition = "waited less than 10 minutes"
	ifSilent          Condition = "the ramdisk called back in this operation, then was silent for 6 minutes"
	ifSpeaking        Condition = "the last heartbeat is at most 6 minutes old"
	ifRebooting       Condition = "the step reboots the machine, or the conductor polls the BMC"
	ifFresh           Condition = "a heartbeat from this boot in the last 200 s, a log line in the last minute, or an answer from the agent to this console"
	ifLogAlive        Condition = "log lines from the ramdisk since the operation started"
	ifAgentStarted    Condition = "according to the log, the agent started at least 3 minutes ago, or Ironic gave up waiting"
	ifBooting         Condition = "the log shows the boot stage, has a line from the last minute, and has no unresolved error"
	ifBootStuck       Condition = "the log shows no boot progress for 5 minutes, and the agent has not started"
	ifLogStopped      Condition = "the log of this boot has been silent for 2 minutes (5 during the agent image pull)"
	ifAgentAnswers    Condition = "the agent answers this console"
	ifAgentRefuses    Condition = "the agent called back earlier, but refuses connections from this console; the step does not reboot the machine"
	ifSiblings        Condition = "at least two other nodes, and at least half of those in the same operation, fail or wait in the same way"
	ifSpreads         Condition = "the failure concerns the network between machines, Ironic and images"
	ifPowerOff        Condition = "power_state is off"
	ifOffAtRest       Condition = "power_state is off, and no operation is running"
	ifPowerFault      Condition = "fault is power failure"
	ifCleanFault      Condition = "maintenance is set, with fault clean failure or without a fault"
	ifMaintenance     Condition = "maintenance is set without a fault (by an operator)"
	ifReserved        Condition = "reservation is set"
	ifConductorDead   Condition = "the node's conductor is dead, and another is alive"
	ifAllDead         Condition = "every conductor is dead, and the node has no conductor and has not changed since their last heartbeats (with SQLite, conductors record no heartbeats)"
	ifConductorAlive  Condition = "the node's conductor is alive or unknown"
	ifNoHints         Condition = "no root device hints, and a deploy interface that writes a disk"
	ifLate            Condition = "the phase takes longer than on nearly all other nodes"
	ifMuchLate        Condition = "the phase takes over three times the median of other nodes"
	ifBMCUnreachable  Condition = "the BMC does not answer this console"
	ifBMCRefuses      Condition = "the BMC rejected this console's credentials"
	ifBMCOff          Condition = "the BMC reports power off"
	ifBMCModeDiffers  Condition = "the BMC's boot mode differs from the node's"
	ifNoMedia         Condition = "the node boots from virtual media, and the BMC has none inserted"
	ifMediaLeft       Condition = "the BMC has virtual media inserted"
	ifAtRest          Condition = "no error, fault, maintenance or power error"
	ifISONotFetchable Condition = "the ramdisk's ISO cannot be downloaded from this console"
	ifStateKnown      Condition = "the node's state is known"
	ifBMCUnwell       Condition = "the BMC reports a component in a critical state"
)

// Limits on durations, used by the conditions. For comparison, an agent sends a heartbeat every 90 to 180 s.
const (
	offForLong = 2 * time.Minute
	// reachTakes is the longest time that an agent takes from its start to its first request. Before that request, it
	// collects an inventory and listens for LLDP for up to 99 s.
	reachTakes = 3 * time.Minute
	stuckAfter = 5 * time.Minute
	// conductorBeat is the longest time between two heartbeats of a running conductor ([conductor]heartbeat_timeout).
	conductorBeat = time.Minute
	stoppedAfter  = 2 * time.Minute
	// shortPhase is a lower bound for the usual duration of a phase. It prevents a delay of a few seconds from
	// counting as a problem.
	shortPhase = 20 * time.Second
)

// holds reports whether the facts satisfy the condition.
func (x *explaining) holds(is Condition) bool {
	switch is {
	case ifBMCUnreachable, ifBMCRefuses, ifBMCOff, ifBMCModeDiffers, ifNoMedia, ifMediaLeft, ifISONotFetchable, ifBMCUnwell:
		return x.BMC != nil && x.bmcHolds(is)
	case ifStateKnown:
		return x.state() != ""
	case ifSiblings:
		return x.Siblings != nil && x.Siblings.Affected >= 2 && 2*x.Siblings.Affected >= x.Siblings.Total
	case ifSpreads:
		return x.spreads()
	case ifLate:
		return x.Estimate != nil && x.Estimate.Late
	case ifMuchLate:
		return x.muchLate()
	case ifFresh, ifAgentStarted, ifBooting, ifBootStuck, ifLogStopped, ifAgentAnswers, ifAgentRefuses:
		return x.node != nil && x.ramdiskHolds(is)
	case ifAtRest:
		return x.node != nil && !x.needsExplanation()
	case ifWaiting, ifNeverCalled, ifCalled, ifLongEnough, ifNotLongEnough, ifSilent, ifSpeaking, ifRebooting, ifLogAlive:
		return x.node != nil && x.waitHolds(is)
	case ifPowerOff, ifOffAtRest, ifPowerFault, ifCleanFault, ifMaintenance, ifReserved, ifConductorDead, ifAllDead, ifConductorAlive, ifNoHints:
		return x.node != nil && x.nodeHolds(is)
	}
	return false
}

func (x *explaining) nodeHolds(is Condition) bool {
	n := x.node
	switch is {
	case ifPowerOff:
		waited, known := x.waited()
		return n.PowerState == models.PowerOff && known && waited >= offForLong && !x.rebooting()
	case ifOffAtRest:
		return n.PowerState == models.PowerOff && n.Reservation == ""
	case ifPowerFault:
		return n.Fault == "power failure"
	case ifCleanFault:
		return n.Maintenance && (n.Fault == "clean failure" || n.Fault == "")
	case ifMaintenance:
		return n.Maintenance && n.Fault == "" && n.ProvisionState != models.StateCleanFailed
	case ifReserved:
		return n.Reservation != ""
	case ifNoHints:
		return x.noHints()
	case ifConductorDead, ifAllDead, ifConductorAlive:
		host := x.conductor()
		alive := slices.ContainsFunc(x.Conductors, func(c models.Conductor) bool { return c.Alive })
		gone := host != "" && x.Conductors != nil && !slices.ContainsFunc(x.Conductors, func(c models.Conductor) bool { return c.Hostname == host && c.Alive })
		switch is {
		case ifConductorDead:
			return gone && alive
		case ifAllDead:
			// With SQLite, conductors record no heartbeats, but Ironic still uses them.
			return len(x.Conductors) > 0 && !alive && host == "" && !slices.ContainsFunc(x.Conductors, x.workedAfter)
		default:
			return !gone
		}
	default:
		return false
	}
}

// workedAfter reports whether the node changed after the conductor's last heartbeat. If so, the conductor is alive
// although it records no heartbeats.
func (x *explaining) workedAfter(c models.Conductor) bool {
	return !c.UpdatedAt.IsZero() && x.node.ProvisionUpdatedAt.After(c.UpdatedAt.Add(conductorBeat))
}

// conductor returns the host name of the conductor that locks the node or, if none does, manages it.
func (x *explaining) conductor() string {
	if x.node.Reservation != "" {
		return x.node.Reservation
	}
	return x.node.Conductor
}

// noHints reports whether the node has no root device hints although its deploy interface writes to a disk that the
// agent selects; see plan.noHints.
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

func (x *explaining) waitHolds(is Condition) bool {
	waited, known := x.waited()
	switch is {
	case ifWaiting:
		return x.state().Class() == models.ClassWait || x.timedOut()
	case ifNeverCalled:
		return x.neverCalled()
	case ifCalled:
		return x.called()
	case ifLongEnough:
		return x.timedOut() || known && waited >= models.BootTakes
	case ifNotLongEnough:
		return !x.timedOut() && known && waited < models.BootTakes
	case ifSilent:
		return x.called() && !x.rebooting() && (x.timedOut() || x.silence() > models.SilentAfter)
	case ifSpeaking:
		return x.called() && x.silence() <= models.SilentAfter
	case ifRebooting:
		return x.rebooting()
	case ifLogAlive:
		return slices.ContainsFunc(x.Lines, func(l models.LogLine) bool { return l.Source != models.LogStatus })
	default:
		return false
	}
}

// waited returns the duration of the operation. If the start of the operation is unknown, it returns the time for
// which the node is known to have been in its state. While Ironic waits for a ramdisk, the time counts from the last
// power-on or reboot. waited returns false if no time is known.
func (x *explaining) waited() (time.Duration, bool) {
	since := x.began
	if since.IsZero() {
		since = x.Row.Since
	}
	if since.IsZero() { // in wait states, only heartbeats update provision_updated_at
		since = x.node.ProvisionUpdatedAt.Time
	}
	if i := x.node.Internal; i != nil && x.state().Class() == models.ClassWait && i.LastPowerState.After(since) {
		since = i.LastPowerState.Time
	}
	if since.IsZero() || x.Now.IsZero() {
		return 0, false
	}
	return x.Now.Sub(since), true
}

// timedOut reports whether the operation failed because Ironic gave up waiting for a ramdisk.
func (x *explaining) timedOut() bool {
	for _, t := range x.texts {
		for _, k := range t.known {
			if k.leading && slices.Contains(timeouts, k.id) {
				return true
			}
		}
	}
	return false
}

// heartbeat returns the time of the current ramdisk's last heartbeat. After a failed operation, it returns the last
// heartbeat of any ramdisk, because Ironic may have powered the machine off since.
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

// kept returns the data stored for the operation, or nil if there is none.
func (x *explaining) kept() *models.Kept {
	if x.Work == nil {
		return nil
	}
	return x.Work.Evidence
}

// called reports whether the ramdisk called back during this operation.
func (x *explaining) called() bool {
	if calledBack(x.Row) {
		return true
	}
	if k := x.kept(); k != nil && k.AgentURL != "" && !x.state().Busy() {
		return true
	}
	return !x.began.IsZero() && x.heartbeat().After(x.began)
}

// neverCalled reports whether it is certain that the ramdisk never called back. It is certain only if the start of
// the operation is known or if there was never a heartbeat.
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

// rebooting reports whether Ironic currently expects no heartbeats, because a step reboots the machine or runs on the
// BMC.
func (x *explaining) rebooting() bool { return x.node.Internal.Rebooting() }

// spreads reports whether the problem is of a kind that usually affects several machines.
func (x *explaining) spreads() bool {
	if x.node != nil && x.waitHolds(ifWaiting) && !x.called() {
		return true
	}
	for _, t := range x.texts {
		for _, k := range t.known {
			if k.leading && slices.Contains(spreading, k.id) {
				return true
			}
		}
	}
	return false
}

// ramdiskHolds evaluates the conditions that concern the boot of the ramdisk and its signs of life.
func (x *explaining) ramdiskHolds(is Condition) bool {
	b := &x.boot
	inStage := x.Now.Sub(b.Since)
	hasLine := !b.Line.IsZero()
	switch is {
	case ifFresh:
		return x.called() && !x.holds(ifAgentRefuses) &&
			(x.agentAnswers() || !b.Heartbeat.IsZero() && x.Now.Sub(b.Heartbeat) <= freshBeat || hasLine && x.Now.Sub(b.Line) <= freshLine)
	case ifAgentStarted:
		return hasLine && b.Stage >= models.RamdiskAgent && (x.timedOut() || inStage >= reachTakes)
	case ifBooting:
		return hasLine && b.Stage > models.RamdiskPowerOn && b.Obstacle == nil && x.Now.Sub(b.Line) <= freshLine
	case ifBootStuck:
		return hasLine && b.Stage < models.RamdiskAgent && inStage >= stuckAfter
	case ifLogStopped:
		limit := stoppedAfter
		if b.Stage == models.RamdiskImage {
			limit = stuckAfter
		}
		return hasLine && x.Now.Sub(b.Line) > limit
	case ifAgentAnswers:
		return x.agentAnswers()
	case ifAgentRefuses:
		return x.Agent != nil && x.Agent.Answers == AnswerNo && x.called() && !x.rebooting()
	default:
		return false
	}
}

func (x *explaining) agentAnswers() bool { return x.Agent != nil && x.Agent.Answers == AnswerYes }

// muchLate reports whether the current phase has taken more than three times its usual duration.
func (x *explaining) muchLate() bool {
	if x.Estimate == nil || x.Estimate.Phase.N < 3 || x.Work == nil || x.Now.IsZero() {
		return false
	}
	p := x.Work.Current()
	return p != nil && p.Took(x.Now) > 3*max(x.Estimate.Phase.Median, shortPhase)
}

func (x *explaining) bmcHolds(is Condition) bool {
	b := x.BMC
	switch is {
	case ifBMCUnreachable:
		return b.Reachable == AnswerNo
	case ifBMCRefuses:
		return b.Authenticated == AnswerNo
	case ifBMCOff:
		return b.Power == models.PowerOff && !x.rebooting()
	case ifBMCModeDiffers:
		want := x.wantedBootMode()
		return want != "" && b.BootMode != "" && want != b.BootMode
	case ifNoMedia:
		return b.MediaInserted == AnswerNo && x.node != nil && strings.Contains(x.node.BootInterface, "virtual-media")
	case ifMediaLeft:
		return b.MediaInserted == AnswerYes
	case ifISONotFetchable:
		return b.ISOFetchable == AnswerNo
	case ifBMCUnwell:
		return b.Health == models.BMCHealthCritical
	default:
		return false
	}
}

// wantedBootMode returns the boot mode that the instance requests or, if it requests none, the node's.
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

// capability returns the value of the named capability. Ironic represents capabilities either as a string of the form
// name:value,name:value or as a JSON object.
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
