package explain

import (
	"cmp"
	"strconv"
	"time"

	"ironworks/models"
)

// beatTakes is how long an agent may be silent before it is worth a word.
const beatTakes = 180 * time.Second

// StepLine is the one thing that matters about a node at a time of the server's clock: why
// it failed, as short as a rule says it and else as Ironic does; what it waits for and how
// long Ironic will; the step and its place in the list; or the hold. Conductors are those
// that are known, nil where nobody asked. Times are rounded, so that a line seldom changes.
// It may hold what somebody wrote, and has to be made printable.
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
	case found && !best.rule.Fine && best.confidence != ConfidenceLow:
		return x.fill(best.rule.Brief) + x.leftText()
	case n.Maintenance && s.Resting():
		return cmp.Or(n.MaintenanceReason, n.Fault)
	case s.Class() == models.ClassWait:
		return x.waitLine()
	}
	return cmp.Or(models.CurrentStepText(n), restLine(s))
}

// reasonLine is a reason in a few words where a rule is sure of it, and else the reason;
// where its cause may be gone, what was done since.
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
		return reason // Ironic's own words say more than the name of the phase
	}
	return x.fill(best.rule.Brief)
}

func restLine(s models.ProvisionState) string {
	if s.Class() == models.ClassHold {
		return "held; unhold resumes"
	}
	return ""
}

// waitLine is what a node waits for with which nothing is known to be wrong.
func (x *explaining) waitLine() string {
	silent := x.Now.Sub(x.Row.LastSign())
	waited, known := x.waited()
	switch {
	case x.called() && (x.rebooting() || silent <= beatTakes || x.Row.LastSign().IsZero()):
		return cmp.Or(models.CurrentStepText(x.node), "ramdisk has called back")
	case x.called():
		return "agent silent " + roundAge(silent) + x.leftText()
	case x.boot.Stage > models.RamdiskPowerOn && x.boot.Stage < models.RamdiskHeartbeat:
		return "boots: " + x.boot.Stage.Noun() + " " + roundAge(max(x.Now.Sub(x.boot.Since), 0)) + x.leftText()
	case x.state() == models.StateInspectWait && known:
		return "inspecting " + roundAge(waited) + x.leftText()
	case x.state() == models.StateInspectWait:
		return "waiting for the inventory"
	case x.neverCalled() && known:
		return "booting " + roundAge(waited) + x.leftText()
	}
	return cmp.Or(models.CurrentStepText(x.node), "waiting for the ramdisk") + x.leftText()
}

// leftText is how long Ironic still waits; nothing where it does not wait, or nobody knows.
// "~" marks it as assumed: Ironic's API does not tell its timeouts.
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

// roundAge is an age in whole minutes: a line that has it seldom changes.
func roundAge(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "<1m"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m"
	}
	return models.Age(d.Truncate(time.Minute))
}

// Columns lists every column of a list of nodes. STEP says what matters about a node.
func Columns() []models.Column {
	return models.Columns(func(r *models.Row, now time.Time) string { return StepLine(r, now, nil) })
}

// FindColumn gives the column with the key; the error lists those there are.
func FindColumn(key string) (models.Column, error) { return models.FindColumn(Columns(), key) }
