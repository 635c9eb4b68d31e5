package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ironworks/models"
	"ironworks/printable"
)

// Sentence describes in one sentence what a node is doing. now is on the server's clock, and e is the evidence stored
// for the operation. The text is sanitized.
func Sentence(r *models.Row, e models.Evidence, now time.Time) string {
	n := &r.Node
	s := n.ProvisionState
	text := ""
	switch s.Class() {
	case models.ClassFailed:
		text = failedSentence(r, now)
	case models.ClassHold:
		text = fmt.Sprintf("Held in %q%s; unhold resumes, abort stops the operation.", s, durationSuffix(r, now))
	case models.ClassWait:
		text = waitSentence(r, e, now)
	case models.ClassTransitional:
		text = workSentence(r, e, now)
	case models.ClassUnknown:
		text = fmt.Sprintf("In state %q, which this version of ironworks does not know.", s)
	case models.ClassStable:
		text = restSentence(r)
	}
	if n.Maintenance {
		text += " In maintenance" + reasonSuffix(n.MaintenanceReason) + "."
	}
	if n.Reservation != "" && !s.Busy() {
		text += " Conductor " + n.Reservation + " holds the node's lock."
	}
	return printable.Line(text)
}

// Unsaid returns the details of a node that neither its heading nor its [Sentence] contains.
func Unsaid(r *models.Row) []models.Detail {
	said := []string{"name", "state", "step", "reason", "maintenance"}
	if r.Node.ProvisionState == models.StateEnroll {
		said = append(said, "last error")
	}
	return slices.DeleteFunc(models.Overview(r), func(d models.Detail) bool { return slices.Contains(said, d.Name) })
}

func failedSentence(r *models.Row, now time.Time) string {
	reason := cmp.Or(models.ReasonOf(r), "Ironic reports no reason")
	return fmt.Sprintf("%s%s: %s.", models.Capital(string(r.Node.ProvisionState)), durationSuffix(r, now), trimDot(reason))
}

// waitSentence describes the ramdisk that Ironic is waiting for: its step if it has called back in this boot, or else
// the progress of its boot.
func waitSentence(r *models.Row, e models.Evidence, now time.Time) string {
	n := &r.Node
	boot := BootOf(r)
	work := models.Capital(string(n.ProvisionState.Phase()))
	beat := ""
	if !boot.Heartbeat.IsZero() {
		beat = fmt.Sprintf("; last heartbeat %s ago", models.Age(now.Sub(boot.Heartbeat)))
	}
	step, _ := n.CurrentStep()
	doing := boot.Text(now)
	switch {
	case step != nil && n.Internal.Rebooting():
		return fmt.Sprintf("%s: waiting for the machine to reboot in %s%s.", work, stepPlace(r), stepLasting(&e, step, now))
	case step != nil && calledBack(r):
		return fmt.Sprintf("%s: the agent is running %s%s%s.", work, stepPlace(r), stepLasting(&e, step, now), beat)
	case doing != "" && boot.Stage < models.RamdiskHeartbeat:
		return fmt.Sprintf("%s: the ramdisk is %s.", work, trimDot(doing))
	case n.ProvisionState == models.StateInspectWait:
		return fmt.Sprintf("Inspecting: waiting for the inventory%s%s.", durationSuffix(r, now), beat)
	}
	return fmt.Sprintf("%s: waiting for the ramdisk to call back%s%s.", work, durationSuffix(r, now), beat)
}

// stepLasting says how long the step has been running or, at least, observed. It returns "" if that is unknown.
func stepLasting(e *models.Evidence, step *models.Step, now time.Time) string {
	n := len(e.Phases)
	if n == 0 || e.Phases[n-1].Kind != models.PhaseStep || e.Phases[n-1].Step != step.Label() {
		return ""
	}
	took := e.Phases[n-1].Took(now)
	switch {
	case n > 1 || e.Whole:
		return ", for " + models.Age(took)
	case took < time.Minute:
		return ""
	}
	return ", for at least " + models.Age(took)
}

func workSentence(r *models.Row, e models.Evidence, now time.Time) string {
	n := &r.Node
	text, since := models.Capital(string(n.ProvisionState)), durationSuffix(r, now)
	if step, _ := n.CurrentStep(); step != nil {
		text += ", " + stepPlace(r)
		since = stepLasting(&e, step, now)
	}
	text += since
	if n.TargetProvisionState != "" {
		text += ", target state " + string(n.TargetProvisionState)
	}
	return text + "."
}

func restSentence(r *models.Row) string {
	n := &r.Node
	switch n.ProvisionState {
	case models.StateEnroll:
		if n.LastError != "" {
			return "Enrolled, but manage failed: " + trimDot(n.LastError) + "."
		}
		return "Enrolled: Ironic has not contacted the BMC yet; manage verifies the credentials."
	case models.StateManageable:
		return "Manageable: ready to inspect, clean or provide."
	case models.StateAvailable:
		return "Available: ready to deploy."
	case models.StateActive:
		return strings.TrimSuffix("Active: an instance is running, "+n.InstanceUUID, ", ") + "."
	case models.StateRescue:
		if n.PowerState == models.PowerOff {
			// Ironic powers the machine off before it ejects the virtual medium (drivers/modules/redfish/boot.py,
			// clean_up_ramdisk, 39.0.0).
			return "In rescue, but powered off: the rescue ramdisk does not run; unrescue boots the instance."
		}
		return "Running the rescue ramdisk; unrescue boots the instance."
	default:
		return models.Capital(string(n.ProvisionState)) + "."
	}
}

// stepPlace returns the current step and, if known, its position in the list of steps.
func stepPlace(r *models.Row) string {
	step, kind := r.Node.CurrentStep()
	steps, i := r.Node.Internal.Progress(kind)
	if i < 0 || len(steps) == 0 {
		return step.Label()
	}
	return fmt.Sprintf("step %d of %d, %s", i+1, len(steps), step.Label())
}

// durationSuffix says how long the node has been in its state or, at least, observed in it, or "" if unknown.
func durationSuffix(r *models.Row, now time.Time) string {
	since, exact := r.InState()
	switch {
	case since.IsZero():
		return ""
	case exact:
		return ", for " + models.Age(now.Sub(since))
	case now.Sub(since) < time.Minute:
		return ""
	}
	return ", for at least " + models.Age(now.Sub(since))
}

func reasonSuffix(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + trimDot(reason)
}

func trimDot(s string) string { return strings.TrimRight(s, ". ") }
