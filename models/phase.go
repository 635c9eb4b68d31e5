package models

import (
	"slices"
	"time"
)

// advance updates the list of phases and reports whether a new phase started or the operation ended. It replaces
// phases instead of modifying them.
func (e *Evidence) advance(n *Node, at time.Time) (moved bool) {
	if e.Outcome != OutcomeRunning {
		return false
	}
	last := len(e.Phases) - 1
	if e.ended {
		e.Ended, e.Outcome = at, outcomeOf(e.Phase, n.ProvisionState)
		if last >= 0 {
			e.endPhase(at, e.Outcome)
		}
		return true
	}
	kind, step := e.phase(n)
	if kind == "" && last < 0 {
		kind = PhaseOther
	}
	if kind == "" || last >= 0 && e.Phases[last].Kind == kind && e.Phases[last].Step == step {
		return false
	}
	if last >= 0 {
		e.endPhase(at, OutcomeDone)
	}
	e.Phases = append(slices.Clip(e.Phases), Phase{Kind: kind, Step: step, Begin: at, Outcome: OutcomeRunning})
	return true
}

func (e *Evidence) endPhase(at time.Time, how Outcome) {
	e.Phases = slices.Clone(e.Phases)
	p := &e.Phases[len(e.Phases)-1]
	p.End, p.Outcome = at, how
}

// outcomeOf derives an operation's outcome from the stable state in which it ended.
func outcomeOf(work, rest ProvisionState) Outcome {
	if rest.FailureAfter(work) {
		return OutcomeFailed
	}
	return OutcomeDone
}

// phase returns the current phase. An empty kind means that the phase has not changed.
func (e *Evidence) phase(n *Node) (kind PhaseKind, step string) {
	if n.ProvisionState.Class() == ClassHold {
		return PhaseHold, ""
	}
	switch e.Phase {
	case StateDeleting:
		return PhaseTearDown, ""
	case StateVerifying, StateAdopting, StateUnrescuing:
		return PhaseOther, ""
	default:
	}
	s, _ := n.CurrentStep()
	if kind, step = phaseOfStep(s.Label()); kind != "" {
		return kind, step
	}
	return e.withoutStep(n), ""
}

// phaseOfStep returns the phase to which the step belongs. It returns "" if there is no step. It also returns "" for
// deploy.deploy, which is the current step before the ramdisk has called back (ironic/drivers/modules/agent.py).
func phaseOfStep(label string) (kind PhaseKind, step string) {
	switch label {
	case "", "deploy.deploy":
		return "", ""
	case "deploy.tear_down_agent", "deploy.switch_to_tenant_network", "deploy.boot_instance":
		return PhaseReboot, ""
	}
	return PhaseStep, label
}

// withoutStep returns the phase of a node that is not running a step, or "" if the phase has not changed.
func (e *Evidence) withoutStep(n *Node) PhaseKind {
	stepped := e.hadPhase(PhaseStep)
	waits := n.ProvisionState.Class() == ClassWait
	booted := e.hadPhase(PhaseBoot) || e.hadPhase(PhaseInspect)
	hasSteps := e.Phase == StateDeploying || e.Phase == StateCleaning || e.Phase == StateServicing
	switch {
	case booted && hasSteps && stepped && !waits && e.lastIsStep():
		if e.Phase == StateDeploying {
			return PhaseReboot
		}
		return PhaseFinish
	case booted && !hasSteps && !waits:
		return PhaseFinish
	case booted, e.agentUp() && hasSteps && stepped:
		return ""
	case waits, e.agentUp(), e.wasOff && n.PowerState == PowerOn:
		if e.Phase == StateInspecting {
			return PhaseInspect
		}
		return PhaseBoot
	case e.hadPhase(PhasePower):
		return ""
	}
	return PhasePower
}

// agentUp reports whether a ramdisk has called back during this operation. If the agent's address may be left over
// from an earlier operation, a heartbeat is required, too.
func (e *Evidence) agentUp() bool {
	return e.AgentURL != "" && (!e.Whole || e.wasSilent || e.LastHeartbeat.After(e.Since))
}

func (e *Evidence) hadPhase(kind PhaseKind) bool {
	return slices.ContainsFunc(e.Phases, func(p Phase) bool { return p.Kind == kind })
}

func (e *Evidence) lastIsStep() bool {
	n := len(e.Phases)
	return n > 0 && e.Phases[n-1].Kind == PhaseStep
}
