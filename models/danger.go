package models

import (
	"fmt"
	"slices"
	"strings"
)

// Danger ranks the possible consequences of an action.
type Danger int

// The dangers, in ascending order.
const (
	// DangerNone marks actions whose effects can be undone immediately.
	DangerNone Danger = iota
	// DangerInterrupts marks actions that stop or restart the machine's software, or that change its power state.
	DangerInterrupts
	// DangerForgets marks actions that delete Ironic's record of a machine. The machine itself does not change.
	DangerForgets
	// DangerMayErase marks actions that erase disks, unless the conductor is configured otherwise.
	DangerMayErase
	// DangerErases marks actions that destroy an instance or data on disks.
	DangerErases
)

// Consent is the kind of confirmation that is required before an action is sent. It depends only on the danger, so
// that commands, forms and keys ask for the same confirmation.
type Consent int

// The kinds of confirmation, in ascending order.
const (
	// ConsentNone means that the action is sent without confirmation.
	ConsentNone Consent = iota
	// ConsentYes means that the operator has to answer "y".
	ConsentYes
	// ConsentTyped means that the operator has to type the node's name, or the number of nodes.
	ConsentTyped
)

// Consent returns the kind of confirmation that an action with danger d requires.
func (d Danger) Consent() Consent {
	switch d {
	case DangerNone:
		return ConsentNone
	case DangerInterrupts:
		return ConsentYes
	default:
		return ConsentTyped
	}
}

// TypedName returns the text that the operator types to confirm an action on the node. It is the node's name, or the
// UUID if the name contains characters that are not on every keyboard.
func (n *Node) TypedName() string {
	if strings.ContainsFunc(n.Label(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return n.UUID
	}
	return n.Label()
}

// Effect describes the consequence of an action. Text is the description for the operator.
type Effect struct {
	Danger Danger
	Text   string
}

// verbEffects holds the effects of the verbs that have the same effect on every node.
var verbEffects = map[Verb]Effect{
	VerbDeploy:   {DangerErases, "deploy overwrites the root disk"},
	VerbRebuild:  {DangerErases, "rebuild overwrites the root disk of the running instance"},
	VerbRescue:   {DangerInterrupts, "rescue reboots the running machine into the rescue ramdisk"},
	VerbUnrescue: {DangerInterrupts, "unrescue reboots the machine out of the rescue ramdisk"},
	VerbInspect:  {DangerInterrupts, "inspection may power-cycle the machine"},
	VerbAdopt:    {DangerInterrupts, "adopt makes the node active without a deployment; the only way back is an undeploy, which may erase its disks"},
	VerbManage:   {},
	VerbUnhold:   {},
}

// VerbEffect returns the effect of applying verb to the node. Root device hints do not limit cleaning: it erases
// every disk that is not listed in properties.skip_block_devices.
func VerbEffect(verb Verb, n *Node, steps []Step) Effect {
	switch verb {
	case VerbProvide:
		return cleaningEffect(n, "provide runs automated cleaning")
	case VerbUndeploy:
		e := cleaningEffect(n, "undeploy powers the machine off, clears instance_info and runs automated cleaning")
		e.Danger = DangerErases
		return e
	case VerbClean:
		return Effect{DangerErases, "manual cleaning runs " + stepNames(steps) + " on the machine's disks and settings"}
	case VerbService:
		return serviceEffect(steps)
	case VerbAbort:
		return abortEffect(n)
	default:
		if effect, known := verbEffects[verb]; known {
			return effect
		}
		return Effect{DangerErases, "effect unknown to ironworks"}
	}
}

// serviceEffect returns the effect of the given service steps. RAID steps and steps that erase devices destroy data
// on disks, and therefore the instance.
func serviceEffect(steps []Step) Effect {
	e := Effect{DangerInterrupts, "service reboots the running machine into the ramdisk for " + stepNames(steps)}
	erases := func(s Step) bool { return s.Interface == "raid" || strings.HasPrefix(s.Step, "erase_") }
	if i := slices.IndexFunc(steps, erases); i >= 0 {
		e.Danger = DangerErases
		e.Text += "; " + steps[i].Label() + " destroys data on disks"
	}
	return e
}

// abortEffect returns the effect of an abort. Ironic accepts every abort, but if the current step is not abortable,
// Ironic completes it first (ironic/conductor/manager.py: _do_abort).
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
		return Effect{DangerInterrupts, "abort stops servicing between steps: the instance is kept, but may not be running"}
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
