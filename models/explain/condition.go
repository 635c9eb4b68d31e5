package explain

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Condition is a requirement of a rule that concerns facts other than the error text and the state.
type Condition struct {
	// text describes the condition in the documentation of the rules.
	text  string
	holds func(x *explaining) bool
}

func onNode(text string, holds func(x *explaining) bool) Condition {
	return Condition{text, func(x *explaining) bool { return x.node != nil && holds(x) }}
}

func onBMC(text string, holds func(x *explaining) bool) Condition {
	return Condition{text, func(x *explaining) bool { return x.BMC != nil && holds(x) }}
}

// All conditions that rules use.
var (
	ifWaiting     = onNode("Ironic waits for the ramdisk, or gave up waiting", (*explaining).waiting)
	ifNeverCalled = onNode("no sign of the ramdisk since the operation started", (*explaining).neverCalled)
	ifCalled      = onNode("the ramdisk called back in this operation", (*explaining).called)
	ifLongEnough  = onNode("waited at least 10 minutes, or timed out", func(x *explaining) bool {
		waited, known := x.waited()
		return x.timedOut() || known && waited >= models.BootTakes
	})
	ifNotLongEnough = onNode("waited less than 10 minutes", func(x *explaining) bool {
		waited, known := x.waited()
		return !x.timedOut() && known && waited < models.BootTakes
	})
	ifSilent = onNode("the ramdisk called back in this operation, then was silent for 6 minutes", func(x *explaining) bool {
		return x.called() && !x.rebooting() && (x.timedOut() || x.silence() > models.SilentAfter)
	})
	ifSpeaking = onNode("the last heartbeat is at most 6 minutes old", func(x *explaining) bool {
		return x.called() && x.silence() <= models.SilentAfter
	})
	ifRebooting = onNode("the step reboots the machine, or the conductor polls the BMC", (*explaining).rebooting)
	ifFresh     = onNode("a heartbeat from this boot in the last 200 s, a log line in the last minute, or an answer from the agent to this console", func(x *explaining) bool {
		b := &x.boot
		return x.called() && !x.agentRefuses() &&
			(x.agentAnswers() || !b.Heartbeat.IsZero() && x.Now.Sub(b.Heartbeat) <= freshBeat || x.hasFreshLine())
	})
	ifLogAlive = onNode("log lines from the ramdisk since the operation started", func(x *explaining) bool {
		return slices.ContainsFunc(x.Lines, func(l models.LogLine) bool { return l.Source != models.LogStatus })
	})
	ifAgentStarted = onNode("according to the log, the agent started at least 3 minutes ago, or Ironic gave up waiting", func(x *explaining) bool {
		return x.hasLine() && x.boot.Stage >= models.RamdiskAgent && (x.timedOut() || x.inStage() >= reachTakes)
	})
	ifBooting = onNode("the log shows the boot stage, has a line from the last minute, and has no unresolved error", func(x *explaining) bool {
		return x.boot.Stage > models.RamdiskPowerOn && x.boot.Obstacle == nil && x.hasFreshLine()
	})
	ifBootStuck = onNode("the log shows no boot progress for 5 minutes, and the agent has not started", func(x *explaining) bool {
		return x.hasLine() && x.boot.Stage < models.RamdiskAgent && x.inStage() >= stuckAfter
	})
	ifLogStopped = onNode("the log of this boot has been silent for 2 minutes (5 during the agent image pull)", func(x *explaining) bool {
		limit := stoppedAfter
		if x.boot.Stage == models.RamdiskImage {
			limit = stuckAfter
		}
		return x.hasLine() && x.Now.Sub(x.boot.Line) > limit
	})
	ifAgentAnswers = onNode("the agent answers this console", (*explaining).agentAnswers)
	ifAgentRefuses = onNode("the agent called back earlier, but refuses connections from this console; the step does not reboot the machine", (*explaining).agentRefuses)
	ifSiblings     = Condition{"at least two other nodes, and at least half of those in the same operation, fail or wait in the same way", func(x *explaining) bool {
		return x.Siblings != nil && x.Siblings.Affected >= 2 && 2*x.Siblings.Affected >= x.Siblings.Total
	}}
	ifSpreads  = Condition{"the failure concerns the network between machines, Ironic and images", (*explaining).spreads}
	ifPowerOff = onNode("power_state is off", func(x *explaining) bool {
		waited, known := x.waited()
		return x.node.PowerState == models.PowerOff && known && waited >= offForLong && !x.rebooting()
	})
	ifOffAtRest = onNode("power_state is off, and no operation is running", func(x *explaining) bool {
		return x.node.PowerState == models.PowerOff && x.node.Reservation == ""
	})
	ifPowerFault = onNode("fault is power failure", func(x *explaining) bool {
		return x.node.Fault == "power failure"
	})
	ifCleanFault = onNode("maintenance is set, with fault clean failure or without a fault", func(x *explaining) bool {
		return x.node.Maintenance && (x.node.Fault == "clean failure" || x.node.Fault == "")
	})
	ifMaintenance = onNode("maintenance is set without a fault (by an operator)", func(x *explaining) bool {
		return x.node.Maintenance && x.node.Fault == "" && x.node.ProvisionState != models.StateCleanFailed
	})
	ifReserved = onNode("reservation is set", func(x *explaining) bool {
		return x.node.Reservation != ""
	})
	ifConductorDead = onNode("the node's conductor is dead, and another is alive", func(x *explaining) bool {
		return x.conductorGone() && x.someConductorAlive()
	})
	ifAllDead = onNode("every conductor is dead, and the node has no conductor and has not changed since their last heartbeats (with SQLite, conductors record no heartbeats)", func(x *explaining) bool {
		return len(x.Conductors) > 0 && !x.someConductorAlive() && x.conductor() == "" && !slices.ContainsFunc(x.Conductors, x.workedAfter)
	})
	ifConductorAlive = onNode("the node's conductor is alive or unknown", func(x *explaining) bool {
		return !x.conductorGone()
	})
	ifNoHints = onNode("no root device hints, and a deploy interface that writes a disk", (*explaining).noHints)
	ifLate    = Condition{"the phase takes longer than on nearly all other nodes", func(x *explaining) bool {
		return x.Estimate != nil && x.Estimate.Late
	}}
	ifMuchLate       = Condition{"the phase takes over three times the median of other nodes", (*explaining).muchLate}
	ifBMCUnreachable = onBMC("the BMC does not answer this console", func(x *explaining) bool {
		return x.BMC.Reachable == AnswerNo
	})
	ifBMCRefuses = onBMC("the BMC rejected this console's credentials", func(x *explaining) bool {
		return x.BMC.Authenticated == AnswerNo
	})
	ifBMCOff = onBMC("the BMC reports power off", func(x *explaining) bool {
		return x.BMC.Power == models.PowerOff && !x.rebooting()
	})
	ifBMCModeDiffers = onBMC("the BMC's boot mode differs from the node's", func(x *explaining) bool {
		want := x.wantedBootMode()
		return want != "" && x.BMC.BootMode != "" && want != x.BMC.BootMode
	})
	ifNoMedia = onBMC("the node boots from virtual media, and the BMC has none inserted", func(x *explaining) bool {
		return x.BMC.MediaInserted == AnswerNo && x.node != nil && strings.Contains(x.node.BootInterface, "virtual-media")
	})
	ifMediaLeft = onBMC("the BMC has virtual media inserted", func(x *explaining) bool {
		return x.BMC.MediaInserted == AnswerYes
	})
	ifAtRest = onNode("no error, fault, maintenance or power error", func(x *explaining) bool {
		return !x.needsExplanation()
	})
	ifISONotFetchable = onBMC("the ramdisk's ISO cannot be downloaded from this console", func(x *explaining) bool {
		return x.BMC.ISOFetchable == AnswerNo
	})
	ifStateKnown = Condition{"the node's state is known", func(x *explaining) bool {
		return x.state() != ""
	}}
	ifBMCUnwell = onBMC("the BMC reports a component in a critical state", func(x *explaining) bool {
		return x.BMC.Health == models.BMCHealthCritical
	})
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

func (x *explaining) conductorGone() bool {
	host := x.conductor()
	return host != "" && x.Conductors != nil &&
		!slices.ContainsFunc(x.Conductors, func(c models.Conductor) bool { return c.Hostname == host && c.Alive })
}

func (x *explaining) someConductorAlive() bool {
	return slices.ContainsFunc(x.Conductors, func(c models.Conductor) bool { return c.Alive })
}

// workedAfter reports whether the node changed after the conductor's last heartbeat. If so, the conductor is alive
// although it records no heartbeats.
func (x *explaining) workedAfter(c models.Conductor) bool {
	return !c.UpdatedAt.IsZero() && x.node.ProvisionUpdatedAt.After(c.UpdatedAt.Add(conductorBeat))
}

// conductor returns the host name of the conductor that locks the node or, if none does, manages it.
func (x *explaining) conductor() string {
	return cmp.Or(x.node.Reservation, x.node.Conductor)
}

// noHints reports whether the node has no root device hints although its deploy interface writes to a disk that the
// agent selects; see plan.noHints.
func (x *explaining) noHints() bool {
	hints, _ := x.rootDevice()
	return hints == nil && x.node.Properties != nil && slices.Contains([]string{"direct", "custom-agent", "bootc"}, x.node.DeployInterface)
}

func (x *explaining) rootDevice() (hints any, field string) {
	if hints = x.node.InstanceInfo["root_device"]; hints != nil && hints != "" {
		return hints, "instance_info"
	}
	if hints = x.node.Properties["root_device"]; hints != nil && hints != "" {
		return hints, "properties"
	}
	return nil, ""
}

func (x *explaining) waiting() bool { return x.state().Class() == models.ClassWait || x.timedOut() }

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
func (x *explaining) timedOut() bool { return x.leadsWith(timeouts...) }

// leadsWith reports whether a clause of a message starts with one of the errors. Other messages at most mention them.
func (x *explaining) leadsWith(errors ...RuleID) bool {
	return slices.ContainsFunc(x.texts, func(t reasonText) bool {
		return slices.ContainsFunc(t.known, func(k knownIn) bool { return k.leading && slices.Contains(errors, k.id) })
	})
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
	if k := x.kept(); k.LastHeartbeat.After(last) {
		last = k.LastHeartbeat
	}
	return last
}

// kept returns what the journal kept of the operation, or the zero value.
func (x *explaining) kept() models.Kept {
	if x.Work == nil || x.Work.Evidence == nil {
		return models.Kept{}
	}
	return *x.Work.Evidence
}

// called reports whether the ramdisk called back during this operation.
func (x *explaining) called() bool {
	if calledBack(x.Row) || x.kept().AgentURL != "" && !x.state().Busy() {
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

// rebooting reports whether Ironic expects no heartbeats: a step reboots the machine or runs on the BMC.
func (x *explaining) rebooting() bool { return x.node != nil && x.node.Internal.Rebooting() }

func (x *explaining) spreads() bool {
	return x.node != nil && x.waiting() && !x.called() || x.leadsWith(spreading...)
}

func (x *explaining) agentAnswers() bool { return x.Agent != nil && x.Agent.Answers == AnswerYes }

func (x *explaining) agentRefuses() bool {
	return x.Agent != nil && x.Agent.Answers == AnswerNo && x.called() && !x.rebooting()
}

func (x *explaining) hasLine() bool { return !x.boot.Line.IsZero() }

func (x *explaining) hasFreshLine() bool { return x.hasLine() && x.Now.Sub(x.boot.Line) <= freshLine }

func (x *explaining) inStage() time.Duration { return x.Now.Sub(x.boot.Since) }

func (x *explaining) muchLate() bool {
	if x.Estimate == nil || x.Estimate.Phase.N < 3 || x.Work == nil || x.Now.IsZero() {
		return false
	}
	p := x.Work.Current()
	return p != nil && p.Took(x.Now) > 3*max(x.Estimate.Phase.Median, shortPhase)
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
