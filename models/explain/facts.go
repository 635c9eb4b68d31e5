package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Facts are the input of [Explain]. Facts that are unknown are zero. Text has no secrets.
type Facts struct {
	// Now is the current time on Ironic's clock.
	Now     time.Time
	Version models.APIVersion
	// Row is the node; nil if only a text is to be explained.
	Row *models.Row
	// Text is the text to explain if there is no node. State is the state in which it occurred, or "".
	Text  string
	State models.ProvisionState
	// History is the node's history, newest first.
	History []models.HistoryEntry
	// Work is the running or last operation, with its stored data.
	Work *models.Work
	// Lines are lines of the ramdisk's log during the operation: the known errors, and the last
	// line.
	Lines []models.LogLine
	// Ports are the node's ports; nil if not requested.
	Ports []models.Port
	// Siblings summarizes the other nodes; nil if not listed.
	Siblings *Siblings
	// Conductors are Ironic's conductors; nil if not requested.
	Conductors []models.Conductor
	// BMC and Agent are the results of querying the BMC and the agent; nil if they were not queried.
	BMC   *BMCFacts
	Agent *AgentFacts
	// Estimate is the estimate for the running operation, from past ones; nil for none.
	Estimate *models.Estimate
}

// Answer is the answer to a yes-no question: "" if unknown.
type Answer string

// The answers.
const (
	AnswerYes Answer = "yes"
	AnswerNo  Answer = "no"
)

// AgentFacts are the result of requesting the agent's status, which needs no token.
type AgentFacts struct {
	// Answers says whether an agent answered. It is no if the machine refused the connection, and "" after a timeout:
	// the agent may be unreachable from this machine.
	Answers Answer
	// Text describes the agent's response.
	Text string
}

// BMCFacts are the result of querying a BMC.
type BMCFacts struct {
	// At is the time of the query, on Ironic's clock.
	At time.Time
	// Reachable says whether this machine can reach the BMC. The conductor may be in another network.
	Reachable Answer
	// Authenticated says whether the BMC accepted the credentials of this machine, which may differ from Ironic's.
	Authenticated Answer
	Power         models.PowerState
	// BootMode is uefi or bios.
	BootMode string
	// MediaInserted says whether a virtual CD is inserted; Media is its image.
	MediaInserted Answer
	Media         string
	// ISOFetchable says whether this machine can download the ramdisk's ISO. ISO describes the result of the download.
	ISOFetchable Answer
	ISO          string
	// Health is the worst health of all parts, and Causes are the parts that are not OK.
	Health models.BMCHealth
	Causes string
	// Progress is the machine's boot progress, in Redfish's words.
	Progress string
}

// Siblings summarizes the other nodes in the same kind of operation.
type Siblings struct {
	// Affected is the number of nodes in the same trouble, of Total nodes.
	Affected, Total int
	// Names has the names of some of these nodes.
	Names []string
}

// mostSiblingNames is the maximum number of names.
const mostSiblingNames = 5

// FindSiblings finds other nodes in the same trouble, among the nodes in the same kind of operation.
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

// interruptedWork maps a failed or held state to the operation that failed or was held.
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

// workOf returns the kind of operation of a state, including failed states.
func workOf(s models.ProvisionState) models.ProvisionState {
	if s.Resting() {
		return interruptedWork[s]
	}
	return s.Phase()
}

// troubleOf returns the state of a node with the known error of its reason, or "".
func troubleOf(r *models.Row) string {
	reason := r.Reason
	if reason == "" {
		reason = r.Node.LastError
	}
	for _, k := range knownInReason(reason) {
		if k.leading {
			return string(r.Node.ProvisionState) + " " + string(k.id)
		}
	}
	return string(r.Node.ProvisionState)
}

// reasonText is a text about the cause, with the errors found in it.
type reasonText struct {
	evidence models.Observation
	known    []knownIn
	// maxConfidence limits the confidence of conclusions from the text.
	maxConfidence Confidence
	// old means that the text may be from an earlier operation.
	old bool
	log bool
}

// explaining is the state of one call of [Explain]: the facts, and values derived from them.
type explaining struct {
	*Facts
	node  *models.Node
	raw   nodeBeside
	texts []reasonText
	began time.Time
	// boot is the progress of the ramdisk's boot.
	boot Boot
	// rounded means that times are rounded, so that text seldom changes.
	rounded bool
}

// nodeBeside has the node's fields that models.Node lacks.
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
			_ = json.Unmarshal(x.node.Raw, &x.raw) // unreadable fields are unknown
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

// isThisWork reports whether the stored operation is the running or failed one, not an earlier
// one.
func (x *explaining) isThisWork() bool {
	switch {
	case x.node == nil || x.Work.Kind != workOf(x.state()):
		return false
	case x.Work.End.IsZero():
		return true
	case !x.state().Failed():
		return false
	}
	for i := range x.History { // tolerate different clocks if the end was not seen
		h := &x.History[i]
		if (h.IsError() || strings.HasSuffix(h.EventType, "_start")) && h.CreatedAt.After(x.Work.End.Add(time.Minute)) {
			return false
		}
	}
	return true
}

// workBegan returns the start of the running or failed operation; zero if unknown.
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

// gatherTexts collects the texts about the cause: the reason first, then the log's.
func (x *explaining) gatherTexts() {
	if x.Text != "" {
		x.addText("error", x.Text, 0)
	}
	if x.node != nil {
		x.nodeTexts()
	}
	sure := ConfidenceMedium
	if x.state().Class() == models.ClassWait && x.holds(ifSpeaking) {
		sure = ConfidenceLow // the operation continues: the installer retries, too
	}
	x.addObstacle()
	failed := slices.ContainsFunc(x.texts, func(t reasonText) bool { return t.leadsWith(ErrorInstallerFailed) })
	for _, l := range x.Lines {
		if l.Known == "" || x.node != nil && workOf(x.state()) == "" || x.isBootError(ErrorID(l.Known)) {
			continue
		}
		sure := sure
		if failed && l.Unit == "coreos-installer" {
			sure = ConfidenceHigh // the reason confirms the failure, and this is the last line of the log
		}
		x.texts = append(x.texts, reasonText{
			evidence: models.Observation{Field: "log (" + l.Unit + ")", Value: l.Text, AgeSeconds: x.age(l.Received)},
			known:    []knownIn{{ErrorID(l.Known), true}}, maxConfidence: sure, log: true,
		})
	}
}

// addObstacle adds the error that blocks the ramdisk's boot. An error that occurred once may go away on a retry, except
// a failed configuration or a missing medium.
func (x *explaining) addObstacle() {
	e := x.boot.Obstacle
	if e == nil || workOf(x.state()) == "" {
		return
	}
	sure := ConfidenceHigh
	retried := e.Stage > models.RamdiskIgnition || ErrorID(e.ID) == ErrorIgnitionFetch
	if e.Count == 1 && retried && !e.Final {
		sure = ConfidenceMedium
	}
	x.texts = append(x.texts, reasonText{
		evidence: models.Observation{Field: "log (" + cmp.Or(e.Unit, string(e.Source)) + ")", Value: e.Text, AgeSeconds: x.age(e.Last)},
		known:    []knownIn{{ErrorID(e.ID), true}}, maxConfidence: sure, log: true,
	})
}

// isBootError reports whether an error comes from the log of the boot itself, and whether it is resolved.
func (x *explaining) isBootError(id ErrorID) bool {
	_, _, is := ramdiskStageOf(id)
	return is && x.Row != nil && x.Row.Log != nil
}

// leadsWith reports whether a clause of the text starts with an error. Otherwise the text only mentions the error.
func (t *reasonText) leadsWith(id ErrorID) bool {
	return slices.ContainsFunc(t.known, func(k knownIn) bool { return k.leading && k.id == id })
}

func (x *explaining) nodeTexts() {
	n := x.node
	if n.Fault != "" && n.MaintenanceReason != "" { // Ironic itself has set the maintenance
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
		kept := x.Work.Reason
		if kept == "" && x.Work.Evidence != nil {
			kept = x.Work.Evidence.LastError
		}
		if kept != "" {
			x.addText("kept reason", kept, x.age(x.Work.End))
		}
	}
}

// failedEntry returns the newest error of the history since the operation started.
func (x *explaining) failedEntry() *models.HistoryEntry {
	i := slices.IndexFunc(x.History, func(h models.HistoryEntry) bool {
		return h.IsError() && (x.began.IsZero() || h.CreatedAt.After(x.began.Add(-5*time.Second)))
	})
	if i < 0 {
		return nil
	}
	return &x.History[i]
}

func (x *explaining) addText(field, text string, age int64) {
	t := reasonText{evidence: models.Observation{Field: field, Value: shownReason(text), AgeSeconds: age}, known: knownInReason(text), maxConfidence: ConfidenceHigh}
	if n := x.node; n != nil && n.Fault == "" && n.ProvisionState.Class() == models.ClassStable && n.ProvisionState != models.StateEnroll {
		t.maxConfidence, t.old = ConfidenceMedium, true
	}
	x.texts = append(x.texts, t)
}

// mostShown is the maximum length of a reason that is shown, in bytes. Longer text is a dump.
const mostShown = 2000

func shownReason(text string) string {
	if len(text) <= mostShown {
		return text
	}
	return strings.ToValidUTF8(text[:mostShown], "") + "…"
}

// age returns the age in seconds; zero if unknown.
func (x *explaining) age(at time.Time) int64 {
	if at.IsZero() || x.Now.IsZero() {
		return 0
	}
	return int64(max(x.Now.Sub(at), 0).Seconds())
}

// needsExplanation reports whether the node needs an explanation.
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
