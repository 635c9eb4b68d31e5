package models

import "fmt"

// Danger ranks what an action can cost.
type Danger int

// The ranks, in order.
const (
	// DangerNone: nothing is lost that cannot be had back at once.
	DangerNone Danger = iota
	// DangerInterrupts: what runs on the machine stops or restarts.
	DangerInterrupts
	// DangerMayErase: disks are erased unless the conductor is configured otherwise.
	DangerMayErase
	// DangerErases: data on disks is lost.
	DangerErases
)

// Effect is what an action does to a machine, in a sentence an operator can check.
type Effect struct {
	Danger Danger
	Text   string
}

// VerbEffect says what the verb does to the node. Root device hints do not limit
// cleaning: it erases every disk but those in properties.skip_block_devices.
func VerbEffect(verb Verb, n *Node, steps []Step) Effect {
	switch verb {
	case VerbProvide:
		return cleaningEffect(n, "provide runs automated cleaning")
	case VerbUndeploy:
		e := cleaningEffect(n, "undeploy powers the machine off, forgets its instance_info and runs automated cleaning")
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
	return Effect{DangerErases, "ironworks does not know what this does"}
}

// abortEffect: Ironic takes every abort, but a step that is not abortable is run to its
// end first (ironic/conductor/manager.py: _do_abort).
func abortEffect(n *Node) Effect {
	if step, _ := n.CurrentStep(); step != nil && !step.Abortable {
		return Effect{DangerInterrupts, "abort takes effect when step " + step.Label() + " has ended: it cannot be aborted in the middle"}
	}
	switch n.ProvisionState.Phase() {
	case StateDeploying:
		return Effect{DangerInterrupts, "abort stops the deployment: the node is deploy failed, its disk may be half written, and nothing is cleaned"}
	case StateCleaning:
		return Effect{DangerInterrupts, "abort stops cleaning: the node is clean failed, and disks may be half erased"}
	case StateServicing:
		return Effect{DangerInterrupts, "abort stops the servicing between its steps: the instance stays, and the machine may not run it"}
	default:
		return Effect{DangerInterrupts, "abort stops what goes on"}
	}
}

func cleaningEffect(n *Node, what string) Effect {
	switch {
	case n.AutomatedClean != nil && !*n.AutomatedClean:
		return Effect{DangerNone, what + ", which is off for this node"}
	case n.AutomatedClean != nil:
		return Effect{DangerErases, what + ", which is on: every disk is erased" + skipNote(n)}
	}
	return Effect{DangerMayErase, what + " unless the conductor has it off: every disk may be erased" + skipNote(n)}
}

func skipNote(n *Node) string {
	if list, ok := n.Properties["skip_block_devices"].([]any); ok && len(list) > 0 {
		return fmt.Sprintf(" but the %d in properties.skip_block_devices", len(list))
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
