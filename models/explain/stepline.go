package explain

import (
	"cmp"
	"strconv"
	"time"

	"ironworks/models"
)

// beatTakes is the usual maximum interval between two heartbeats of an agent.
const beatTakes = 180 * time.Second

// StepLine returns the most important fact about a node. For a failed node, that is the reason, in the words of a
// rule or of Ironic. For a waiting node, it is a problem or the wait itself, with the remaining time until Ironic's
// timeout. For a working node, it is the step and its position; for a held node, it is the hold. now is on the
// server's clock. conductors is nil if the conductors are unknown. Times are rounded so that the line seldom changes.
// The line is not sanitized.
func StepLine(r *models.Row, now time.Time, conductors []models.Conductor) string {
	n := &r.Node
	s := n.ProvisionState
	switch {
	case s.Failed() || s == models.StateEnroll && n.LastError != "":
		return reasonLine(r)
	case s.Resting() && !n.Maintenance && n.Fault == "" && n.Reservation == "":
		return restLine(s)
	case s.Class() == models.ClassTransitional && n.Reservation == "" && !n.Maintenance:
		return models.CurrentStepText(n)
	}
	x := newExplaining(&Facts{Now: now, Row: r, Conductors: conductors})
	x.rounded = true
	best, found := x.best()
	switch {
	case found && best.rule.ID == "maintenance-by-hand" && n.MaintenanceReason != "":
		return n.MaintenanceReason
	case found && !best.rule.NoProblem && best.confidence != ConfidenceLow:
		return x.fill(best.rule.Brief) + x.leftText()
	case n.Maintenance && s.Resting():
		return cmp.Or(n.MaintenanceReason, n.Fault)
	case s.Class() == models.ClassWait:
		return x.waitLine()
	}
	return cmp.Or(models.CurrentStepText(n), restLine(s))
}

// reasonLine returns the reason for a failure, in a form that suits a column. If a later change may have removed the
// cause, it names that change. Otherwise, it returns the brief text of the matching rule. If no rule matches with
// enough confidence, or if the rule only names the phase that failed, it returns Ironic's own text.
func reasonLine(r *models.Row) string {
	reason := models.ReasonOf(r)
	if reason == "" {
		return ""
	}
	x := newExplaining(&Facts{Text: reason, State: r.Node.ProvisionState})
	best, found := x.best()
	if found && best.confidence != ConfidenceLow {
		whole := &explaining{Facts: &Facts{Row: r}, node: &r.Node}
		if done := whole.since(&best); done != nil {
			return done.brief
		}
	}
	if !found || best.found == nil || best.confidence == ConfidenceLow || TellsPhaseOnly(best.rule.ID) {
		return reason // Ironic's text says more than the name of the phase
	}
	return x.fill(best.rule.Brief)
}

func restLine(s models.ProvisionState) string {
	if s.Class() == models.ClassHold {
		return "held; unhold resumes"
	}
	return ""
}

func (x *explaining) waitLine() string {
	silent := x.Now.Sub(x.Row.LastSign())
	waited, known := x.waited()
	switch {
	case x.called() && (x.rebooting() || silent <= beatTakes || x.Row.LastSign().IsZero()):
		return cmp.Or(models.CurrentStepText(x.node), "ramdisk has called back")
	case x.called():
		return "agent silent " + roundAge(silent) + x.leftText()
	case x.boot.Stage > models.RamdiskPowerOn && x.boot.Stage < models.RamdiskHeartbeat:
		return "booting: " + x.boot.Stage.Noun() + " " + roundAge(max(x.Now.Sub(x.boot.Since), 0)) + x.leftText()
	case x.state() == models.StateInspectWait && known:
		return "inspecting " + roundAge(waited) + x.leftText()
	case x.state() == models.StateInspectWait:
		return "waiting for the inventory"
	case x.neverCalled() && known:
		return "booting " + roundAge(waited) + x.leftText()
	}
	return cmp.Or(models.CurrentStepText(x.node), "waiting for the ramdisk") + x.leftText()
}

// leftText returns the time left until Ironic's timeout, or "" if it is unknown. "~" marks the time as an assumption,
// because Ironic's API does not report its timeouts.
func (x *explaining) leftText() string {
	left, known := x.left()
	switch {
	case !known || x.node.Maintenance:
		return ""
	case left <= 0:
		return " (timeout overdue)"
	case left < time.Minute:
		return " (timeout in <1m)"
	}
	return " (timeout in ~" + strconv.Itoa(int(left.Minutes())) + "m)"
}

// roundAge formats a duration in whole minutes, so that the text seldom changes.
func roundAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "<1m"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	}
	return models.Age(d.Truncate(time.Minute))
}

// Columns returns all columns of a node list. The STEP column shows the result of [StepLine].
func Columns() []models.Column {
	return models.Columns(func(r *models.Row, now time.Time) string { return StepLine(r, now, nil) })
}

// FindColumn returns the column with the given key. If there is none, the error lists all keys.
func FindColumn(key string) (models.Column, error) { return models.FindColumn(Columns(), key) }
