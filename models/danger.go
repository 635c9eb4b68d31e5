package models

import "fmt"

// Danger ranks the consequences of an action.
type Danger int

// The ranks, in order.
const (
	// DangerNone: everything can be undone at once.
	DangerNone Danger = iota
	// DangerInterrupts: what runs on the machine stops or restarts.
	DangerInterrupts
	// DangerMayErase: disks are erased unless the conductor is configured otherwise.
	DangerMayErase
	// DangerErases: data on disks is lost.
	DangerErases
)

// Effect is the consequence of an action, with a sentence for the operator.
type Effect struct {
	Danger Danger
	Text   string
}

// VerbEffect returns the effect of a verb on a node. Root device hints do not limit cleaning: it erases every disk
// not in properties.skip_block_devices.
func VerbEffect(verb Verb, n *Node, steps []Step) Effect {
	switch verb {
	case VerbProvide:
		return cleaningEffect(n, "provide runs automated cleaning")
	case VerbUndeploy:
		e := cleaningEffect(n, "undeploy powers the machine off, clears instance_info and runs automated cleaning")
		e.Danger = DangerErases
		return e
	case VerbDeploy:
		return Effect{DangerErases, "deploy overwrites the root disk"}
	case VerbRebuild:
		return Effect{DangerErases, "rebuild overwrites the root disk of the running instance"}
	case VerbClean:
		return Effect{DangerErases, "manual cleaning runs " + stepNames(steps) + " on the machine's disks and settings"}
	case VerbService:
		return Effect{DangerInterrupts, "service reboots the running machine into the ramdisk for " + stepNames(steps)}
	case VerbRescue:
		return Effect{DangerInterrupts, "rescue reboots the running machine into the rescue ramdisk"}
	case VerbUnrescue:
		return Effect{DangerInterrupts, "unrescue reboots the machine out of the rescue ramdisk"}
	case VerbAbort:
		return abortEffect(n)
	case VerbInspect:
		return Effect{DangerInterrupts, "inspection may power-cycle the machine"}
	case VerbManage, VerbAdopt, VerbUnhold:
		return Effect{DangerNone, ""}
	}
	return Effect{DangerErases, "effect unknown to ironworks"}
}

// abortEffect: Ironic accepts every abort, but first completes a step that is not abortable
// (ironic/conductor/manager.py: _do_abort).
func abortEffect(n *Node) Effect {
	if step, _ := n.CurrentStep(); step != nil && !step.Abortable {
		return Effect{DangerInterrupts, "abort takes effect when step " + step.Label() + " ends: the step cannot be interrupted"}
	}
	switch n.ProvisionState.Phase() {
	case StateDeploying, StateDeployHold:
		return Effect{DangerInterrupts, "abort stops the deployment: the node becomes deploy failed, its disk may be half written, and no cleaning runs"}
	case StateCleaning, StateCleanHold:
		return Effect{DangerInterrupts, "abort stops cleaning: the node becomes clean failed, and disks may be half erased"}
	case StateServicing, StateServiceHold:
		return Effect{DangerInterrupts, "abort stops servicing between steps: the instance stays, but may not be running"}
	default:
		return Effect{DangerInterrupts, "abort stops the current operation"}
	}
}

func cleaningEffect(n *Node, what string) Effect {
	switch {
	case n.AutomatedClean != nil && !*n.AutomatedClean:
		return Effect{DangerNone, what + ", disabled for this node"}
	case n.AutomatedClean != nil:
		return Effect{DangerErases, what + ", enabled: every disk is erased" + skipNote(n)}
	}
	return Effect{DangerMayErase, what + " unless disabled in the conductor: every disk may be erased" + skipNote(n)}
}

func skipNote(n *Node) string {
	if list, ok := n.Properties["skip_block_devices"].([]any); ok && len(list) > 0 {
		return fmt.Sprintf(" except the %d in properties.skip_block_devices", len(list))
	}
	return ""
}

func stepNames(steps []Step) string {
	switch len(steps) {
	case 0:
		return "steps"
	case 1:
		return steps[0].Label()
	}
	return fmt.Sprintf("%s and %d more steps", steps[0].Label(), len(steps)-1)
}
