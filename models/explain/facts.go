package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"ironworks/models"
)

// Facts are everything that an explanation may be made from. What is not known is
// zero; texts have no secrets in them.
type Facts struct {
	// Now is Ironic's time.
	Now     time.Time
	Version models.APIVersion
	// Row is the node; nil where only a text is to be explained.
	Row *models.Row
	// Text is such a text, State the state that goes with it, empty where nobody knows.
	Text  string
	State models.ProvisionState
	// History of the node, the newest first.
	History []models.HistoryEntry
	// Work is the piece of work that goes on, or the last one, with what was kept of it.
	Work *models.Work
	// Lines of the ramdisk's log during the work: the errors that are known, and the last
	// line.
	Lines []models.LogLine
	// Ports are the node's; nil where nobody asked.
	Ports []models.Port
	// Siblings are the other nodes; nil where nobody looked.
	Siblings *Siblings
	// Conductors are all that Ironic has; nil where nobody asked.
	Conductors []models.Conductor
	// BMC is nil where the BMC was not asked, Agent where the ramdisk's agent was not.
	BMC   *BMCFacts
	Agent *AgentFacts
	// Estimate is what past work says of the work that goes on; nil where there is none.
	Estimate *models.Estimate
}

// Answer is what came of a question: empty where it was not asked, or got no answer.
type Answer string

// The answers.
const (
	AnswerYes Answer = "yes"
	AnswerNo  Answer = "no"
)

// AgentFacts are what came of asking a node's agent for its status, which needs no token.
type AgentFacts struct {
	// Answers is yes when an agent answered, no when the machine at its address refused the
	// connection, and empty when nothing came back: the agent may be out of reach from here.
	Answers Answer
	// Text says what came.
	Text string
}

// BMCFacts are what a BMC says itself, or what asking it shows.
type BMCFacts struct {
	// At is when it was asked, on Ironic's clock.
	At time.Time
	// Reachable is told from here, which may be elsewhere than the conductor.
	Reachable Answer
	// Authenticated says that the login that is known here was taken: Ironic's may be another.
	Authenticated Answer
	Power         models.PowerState
	// BootMode is uefi or bios.
	BootMode string
	// MediaInserted says that a virtual CD is in, Media which.
	MediaInserted Answer
	Media         string
	// ISOFetchable says that the ramdisk's ISO can be read, asked from here; ISO says what was
	// seen.
	ISOFetchable Answer
	ISO          string
	// Health is the worst of the machine's parts, Causes are those that are not well.
	Health models.BMCHealth
	Causes string
	// Progress is how far the machine's boot got, in Redfish's words.
	Progress string
}

// Siblings are other nodes in the same kind of work.
type Siblings struct {
	// Same of Of fail or wait like the node.
	Same, Of int
	// Names are some of them.
	Names []string
}

// mostSiblingNames is how many are named.
const mostSiblingNames = 5

// FindSiblings looks for other nodes that fail or wait like this one, among those in the
// same kind of work.
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
		s.Of++
		if troubleOf(r) != same {
			continue
		}
		if s.Same++; len(s.Names) < mostSiblingNames {
			s.Names = append(s.Names, r.Node.Label())
		}
	}
	return s
}

// workOf is the kind of work that a state belongs to, also where it failed.
func workOf(s models.ProvisionState) models.ProvisionState {
	switch s {
	case models.StateDeployFailed, models.StateDeployHold:
		return models.StateDeploying
	case models.StateCleanFailed, models.StateCleanHold:
		return models.StateCleaning
	case models.StateInspectFailed:
		return models.StateInspecting
	case models.StateAdoptFailed:
		return models.StateAdopting
	case models.StateRescueFailed:
		return models.StateRescuing
	case models.StateUnrescueFailed:
		return models.StateUnrescuing
	case models.StateServiceFailed, models.StateServiceHold:
		return models.StateServicing
	default:
		if s.Resting() {
			return ""
		}
		return s.Phase()
	}
}

// troubleOf is the state with the error that is known of it, or none.
func troubleOf(r *models.Row) string {
	reason := r.Reason
	if reason == "" {
		reason = r.Node.LastError
	}
	for _, k := range knownInReason(reason) {
		if k.said {
			return string(r.Node.ProvisionState) + " " + string(k.id)
		}
	}
	return string(r.Node.ProvisionState)
}

// reasonText is a text that tells why, and what is known of it.
type reasonText struct {
	evidence models.Observation
	known    []knownIn
	// sure bounds what may be concluded from it.
	sure Confidence
	// old says that it may be of earlier work.
	old bool
	log bool
}

// explaining is the facts with what is read out of them once.
type explaining struct {
	*Facts
	node  *models.Node
	raw   nodeBeside
	texts []reasonText
	began time.Time
	// boot is how far the ramdisk's boot has come.
	boot Boot
	// rounded has times rounded, for what is seldom to change.
	rounded bool
}

// nodeBeside is what the node has beside what the console works with.
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
			_ = json.Unmarshal(x.node.Raw, &x.raw) // what cannot be read is not known
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

// isThisWork says that the work that was kept is the one that goes on or failed, and not
// one that was seen before it.
func (x *explaining) isThisWork() bool {
	switch {
	case x.node == nil || x.Work.Kind != workOf(x.state()):
		return false
	case x.Work.End.IsZero():
		return true
	case !x.state().Failed():
		return false
	}
	for i := range x.History { // clocks of a console that was not there at the very end
		h := &x.History[i]
		if (h.IsError() || strings.HasSuffix(h.EventType, "_start")) && h.CreatedAt.After(x.Work.End.Add(time.Minute)) {
			return false
		}
	}
	return true
}

// workBegan is when the work began that goes on or failed; zero where nobody knows.
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

// gatherTexts puts together what tells why: the reason first, then what the log knows.
func (x *explaining) gatherTexts() {
	if x.Text != "" {
		x.addText("error", x.Text, 0)
	}
	if x.node != nil {
		x.nodeTexts()
	}
	sure := ConfidenceMedium
	if x.state().Class() == models.ClassWait && x.holds(ifSpeaking) {
		sure = ConfidenceLow // it goes on all the same: the installer is tried again, too
	}
	x.addObstacle()
	failed := slices.ContainsFunc(x.texts, func(t reasonText) bool { return t.tells(ErrorInstallerFailed) })
	for _, l := range x.Lines {
		if l.Known == "" || x.node != nil && workOf(x.state()) == "" || x.isBootError(ErrorID(l.Known)) {
			continue
		}
		sure := sure
		if failed && l.Unit == "coreos-installer" {
			sure = ConfidenceHigh // the reason says that it failed, and this is its last word
		}
		x.texts = append(x.texts, reasonText{
			evidence: models.Observation{Field: "log (" + l.Unit + ")", Value: l.Text, AgeSeconds: x.age(l.Received)},
			known:    []knownIn{{ErrorID(l.Known), true}}, sure: sure, log: true,
		})
	}
}

// addObstacle adds the error that keeps the ramdisk's boot where it is. What came once may
// pass with the next try; a configuration that failed, or a medium that is not there, does not.
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
		known:    []knownIn{{ErrorID(e.ID), true}}, sure: sure, log: true,
	})
}

// isBootError says that an error is one that the boot's own log tells of, and whether it is
// overcome.
func (x *explaining) isBootError(id ErrorID) bool {
	_, _, is := ramdiskStageOf(id)
	return is && x.Row != nil && x.Row.Log != nil
}

// tells says that the text tells of an error.
func (t *reasonText) tells(id ErrorID) bool {
	return slices.ContainsFunc(t.known, func(k knownIn) bool { return k.said && k.id == id })
}

func (x *explaining) nodeTexts() {
	n := x.node
	if n.Fault != "" && n.MaintenanceReason != "" { // it is Ironic's own
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

// failedEntry is the newest error of the history since the work began.
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
	t := reasonText{evidence: models.Observation{Field: field, Value: shownReason(text), AgeSeconds: age}, known: knownInReason(text), sure: ConfidenceHigh}
	if n := x.node; n != nil && n.Fault == "" && n.ProvisionState.Class() == models.ClassStable && n.ProvisionState != models.StateEnroll {
		t.sure, t.old = ConfidenceMedium, true
	}
	x.texts = append(x.texts, t)
}

// mostShown is how much of a reason is shown, in bytes: what is longer is a dump.
const mostShown = 2000

func shownReason(text string) string {
	if len(text) <= mostShown {
		return text
	}
	return strings.ToValidUTF8(text[:mostShown], "") + "…"
}

// age is how long ago it was in seconds; zero where that is not known.
func (x *explaining) age(at time.Time) int64 {
	if at.IsZero() || x.Now.IsZero() {
		return 0
	}
	return int64(max(x.Now.Sub(at), 0).Seconds())
}

// troubled says that something needs to be explained.
func (x *explaining) troubled() bool {
	if slices.ContainsFunc(x.texts, func(t reasonText) bool { return !t.log }) {
		return true
	}
	if b := x.BMC; b != nil && (b.Reachable == AnswerNo || b.Authenticated == AnswerNo || b.Health == models.BMCHealthCritical) {
		return true
	}
	n := x.node
	return n != nil && (n.ProvisionState.Failed() || n.Fault != "" || n.Maintenance || n.PowerState == models.PowerError)
}
