package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Facts is the input of [Explain]. Unknown facts have zero values. The caller must mask secrets.
type Facts struct {
	// Now is the current time on Ironic's clock.
	Now     time.Time
	Version models.APIVersion
	// Row is the node. It is nil if only a text is to be explained.
	Row *models.Row
	// Text is the text to explain if there is no node. State is the provision state in which the error occurred, or
	// "" if that is unknown.
	Text  string
	State models.ProvisionState
	// History lists the entries of the node's history, newest first.
	History []models.HistoryEntry
	// Work is the current or last operation, with the data stored for it.
	Work *models.Work
	// Lines holds lines from the ramdisk's log during the operation: those with known errors, and the last line.
	Lines []models.LogLine
	// Ports lists the node's ports. It is nil if they were not requested.
	Ports []models.Port
	// Siblings summarizes the other nodes. It is nil if they were not listed.
	Siblings *Siblings
	// Conductors lists Ironic's conductors. It is nil if they were not requested.
	Conductors []models.Conductor
	// BMC and Agent hold the results of querying the BMC and the agent. Each is nil if it was not queried.
	BMC   *BMCFacts
	Agent *AgentFacts
	// Estimate predicts the current operation from past ones. It is nil if there is no estimate.
	Estimate *models.Estimate
}

// Answer is the answer to a yes-or-no question. It is empty if the answer is unknown.
type Answer string

// The known answers.
const (
	AnswerYes Answer = "yes"
	AnswerNo  Answer = "no"
)

// AgentFacts holds the result of requesting the agent's status. The request needs no token.
type AgentFacts struct {
	// Answers says whether an agent answered. It is AnswerNo if the machine refused the connection, and empty after a
	// timeout, because the agent may just be unreachable from this machine.
	Answers Answer
	// Text describes the agent's response.
	Text string
}

// BMCFacts holds the result of querying a BMC.
type BMCFacts struct {
	// At is the time of the query, on Ironic's clock.
	At time.Time
	// Reachable says whether this machine can reach the BMC. Ironic's conductor may be in another network, so the
	// answer may not apply to it.
	Reachable Answer
	// Authenticated says whether the BMC accepted this machine's credentials, which may differ from Ironic's.
	Authenticated Answer
	Power         models.PowerState
	// BootMode is "uefi" or "bios".
	BootMode string
	// MediaInserted says whether a virtual CD is inserted. Media is the image of that CD.
	MediaInserted Answer
	Media         string
	// ISOFetchable says whether this machine can download the ramdisk's ISO, and ISO describes the attempt.
	ISOFetchable Answer
	ISO          string
	// Health is the worst health of all components. Causes lists the components whose health is not OK.
	Health models.BMCHealth
	Causes string
	// Progress is the machine's boot progress as reported by Redfish.
	Progress string
}

// Siblings summarizes the other nodes in the same kind of operation.
type Siblings struct {
	// Total is the number of other nodes in the same kind of operation. Affected is the number of these nodes that
	// have the same problem.
	Affected, Total int
	// Names lists the names of some of the affected nodes.
	Names []string
}

const mostSiblingNames = 5

// FindSiblings summarizes which of the other nodes in the same kind of operation have the same problem as row.
func FindSiblings(row *models.Row, rows []*models.Row) *Siblings {
	work, same := workOf(row.Node.ProvisionState), troubleOf(row)
	if work == "" {
		return &Siblings{}
	}
	s := &Siblings{}
	for _, r := range rows {
		if r.Node.UUID == row.Node.UUID || workOf(r.Node.ProvisionState) != work {
			continue
		}
		s.Total++
		if troubleOf(r) != same {
			continue
		}
		if s.Affected++; len(s.Names) < mostSiblingNames {
			s.Names = append(s.Names, r.Node.Label())
		}
	}
	return s
}

var interruptedWork = map[models.ProvisionState]models.ProvisionState{
	models.StateDeployFailed:   models.StateDeploying,
	models.StateDeployHold:     models.StateDeploying,
	models.StateCleanFailed:    models.StateCleaning,
	models.StateCleanHold:      models.StateCleaning,
	models.StateInspectFailed:  models.StateInspecting,
	models.StateAdoptFailed:    models.StateAdopting,
	models.StateRescueFailed:   models.StateRescuing,
	models.StateUnrescueFailed: models.StateUnrescuing,
	models.StateServiceFailed:  models.StateServicing,
	models.StateServiceHold:    models.StateServicing,
}

// workOf returns the operation to which the state belongs. A failed state belongs to the operation that failed.
func workOf(s models.ProvisionState) models.ProvisionState {
	if s.Resting() {
		return interruptedWork[s]
	}
	return s.Phase()
}

// troubleOf identifies the problem of a node by its state and by the known error in its reason, if there is one.
func troubleOf(r *models.Row) string {
	for _, k := range knownInReason(cmp.Or(r.Reason, r.Node.LastError)) {
		if k.leading {
			return string(r.Node.ProvisionState) + " " + string(k.id)
		}
	}
	return string(r.Node.ProvisionState)
}

// reasonText is a message that may state the cause, with the known errors found in it.
type reasonText struct {
	evidence models.Observation
	known    []knownIn
	// maxConfidence limits the confidence of conclusions drawn from the message.
	maxConfidence Confidence
	// old means that the message may be from an earlier operation.
	old bool
	log bool
}

// explaining is the state of one call to [Explain]. It consists of the facts and of values derived from them.
type explaining struct {
	*Facts
	node  *models.Node
	raw   nodeBeside
	texts []reasonText
	began time.Time
	// boot is the progress of the ramdisk's boot.
	boot Boot
	// rounded means that times are rounded, so that the resulting text seldom changes.
	rounded bool
}

// nodeBeside holds fields of the node that models.Node lacks.
type nodeBeside struct {
	InspectionStarted models.Time `json:"inspection_started_at"`
	BootMode          string      `json:"boot_mode"`
}

func newExplaining(f *Facts) *explaining {
	facts := *f
	x := &explaining{Facts: &facts}
	if f.Row != nil {
		x.node = &f.Row.Node
		if len(x.node.Raw) > 0 {
			_ = json.Unmarshal(x.node.Raw, &x.raw) // fields that cannot be read count as unknown
		}
		x.boot = BootOf(f.Row)
	}
	if x.Work != nil && !x.isThisWork() {
		x.Work, x.Lines, x.Estimate = nil, nil, nil
	}
	x.began = x.workBegan()
	x.gatherTexts()
	return x
}

func (x *explaining) state() models.ProvisionState {
	if x.node != nil {
		return x.node.ProvisionState
	}
	return x.State
}

// isThisWork reports whether x.Work is the operation that is running or has just failed, and not an earlier one.
func (x *explaining) isThisWork() bool {
	switch {
	case x.node == nil || x.Work.Kind != workOf(x.state()):
		return false
	case x.Work.End.IsZero():
		return true
	case !x.state().Failed():
		return false
	}
	for i := range x.History { // allow for a difference between clocks, in case the end was not observed
		h := &x.History[i]
		if (h.IsError() || strings.HasSuffix(h.EventType, "_start")) && h.CreatedAt.After(x.Work.End.Add(time.Minute)) {
			return false
		}
	}
	return true
}

// workBegan returns the time when the running or failed operation started, or zero if it is unknown.
func (x *explaining) workBegan() time.Time {
	work := workOf(x.state())
	switch {
	case x.node == nil || work == "":
		return time.Time{}
	case x.Work != nil && x.Work.Whole:
		return x.Work.Begin
	}
	for i := range x.History {
		if h := &x.History[i]; strings.HasSuffix(h.EventType, "_start") {
			return h.CreatedAt.Time
		}
	}
	if work == models.StateInspecting && !x.raw.InspectionStarted.IsZero() {
		return x.raw.InspectionStarted.Time
	}
	if x.state().Busy() {
		return x.Row.Since
	}
	return time.Time{}
}

// gatherTexts collects the messages that may state the cause: first Ironic's reasons, then messages from the log.
func (x *explaining) gatherTexts() {
	if x.Text != "" {
		x.addText("error", x.Text, 0)
	}
	if x.node != nil {
		x.nodeTexts()
	}
	sure := ConfidenceMedium
	if x.state().Class() == models.ClassWait && ifSpeaking.holds(x) {
		sure = ConfidenceLow // the operation continues, and the installer itself retries
	}
	x.addObstacle()
	failed := x.leadsWith("installer-failed")
	for _, l := range x.Lines {
		if l.Known == "" || x.node != nil && workOf(x.state()) == "" || x.isBootError(RuleID(l.Known)) {
			continue
		}
		sure := sure
		if failed && l.Unit == "coreos-installer" {
			sure = ConfidenceHigh // the reason confirms the failure, and this is the last line of the installer's log
		}
		x.texts = append(x.texts, reasonText{
			evidence: models.Observation{Field: "log (" + l.Unit + ")", Value: l.Text, AgeSeconds: x.age(l.Received)},
			known:    []knownIn{{RuleID(l.Known), true}}, maxConfidence: sure, log: true,
		})
	}
}

// addObstacle adds the error that blocks the ramdisk's boot. The confidence is lower if the error has occurred only
// once and a retry may resolve it.
func (x *explaining) addObstacle() {
	e := x.boot.Obstacle
	if e == nil || workOf(x.state()) == "" {
		return
	}
	sure := ConfidenceHigh
	retried := e.Stage > models.RamdiskIgnition || RuleID(e.ID) == "ignition-fetch"
	if e.Count == 1 && retried && !e.Final {
		sure = ConfidenceMedium
	}
	x.texts = append(x.texts, reasonText{
		evidence: models.Observation{Field: "log (" + cmp.Or(e.Unit, string(e.Source)) + ")", Value: e.Text, AgeSeconds: x.age(e.Last)},
		known:    []knownIn{{RuleID(e.ID), true}}, maxConfidence: sure, log: true,
	})
}

// isBootError reports whether the node has a boot log that tracks the error. The addObstacle method adds such an
// error unless it was resolved.
func (x *explaining) isBootError(id RuleID) bool {
	_, _, is := ramdiskStageOf(id)
	return is && x.Row != nil && x.Row.Log != nil
}

func (x *explaining) nodeTexts() {
	n := x.node
	if n.Fault != "" && n.MaintenanceReason != "" { // Ironic itself set the maintenance mode
		x.addText("maintenance_reason", n.MaintenanceReason, 0)
	}
	switch reason := x.Row.Reason; {
	case n.LastError != "":
		x.addText("last_error", n.LastError, 0)
	case !n.ProvisionState.Failed():
	case x.failedEntry() != nil:
		h := x.failedEntry()
		x.addText("history", h.Event, x.age(h.CreatedAt.Time))
	case reason != "":
		x.addText("reason", reason, 0)
	case x.Work != nil:
		if kept := cmp.Or(x.Work.Reason, x.kept().LastError); kept != "" {
			x.addText("kept reason", kept, x.age(x.Work.End))
		}
	}
}

// failedEntry returns the newest error in the history since the operation started, or nil if there is none.
func (x *explaining) failedEntry() *models.HistoryEntry {
	return models.NewestError(x.History, x.began)
}

func (x *explaining) addText(field, text string, age int64) {
	t := reasonText{evidence: models.Observation{Field: field, Value: shownReason(text), AgeSeconds: age}, known: knownInReason(text), maxConfidence: ConfidenceHigh}
	if n := x.node; n != nil && n.Fault == "" && n.ProvisionState.Class() == models.ClassStable && n.ProvisionState != models.StateEnroll {
		t.maxConfidence, t.old = ConfidenceMedium, true
	}
	x.texts = append(x.texts, t)
}

// mostShown limits the bytes of a displayed reason. Longer reasons, usually dumps, are truncated.
const mostShown = 2000

func shownReason(text string) string {
	if len(text) <= mostShown {
		return text
	}
	return strings.ToValidUTF8(text[:mostShown], "") + "…"
}

// age returns how many seconds ago at was, or 0 if it is in the future or one of the times is unknown.
func (x *explaining) age(at time.Time) int64 {
	if at.IsZero() || x.Now.IsZero() {
		return 0
	}
	return int64(max(x.Now.Sub(at), 0).Seconds())
}

func (x *explaining) needsExplanation() bool {
	if slices.ContainsFunc(x.texts, func(t reasonText) bool { return !t.log }) {
		return true
	}
	if b := x.BMC; b != nil && (b.Reachable == AnswerNo || b.Authenticated == AnswerNo || b.Health == models.BMCHealthCritical) {
		return true
	}
	n := x.node
	return n != nil && (n.ProvisionState.Failed() || n.Fault != "" || n.Maintenance || n.PowerState == models.PowerError)
}
