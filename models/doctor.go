package models

import (
	"fmt"
	"strings"
)

// DoctorID names a check of the way to Ironic for good: scripts have it.
type DoctorID string

// The checks; docs/doctor.md says what each is about.
const (
	DoctorConfiguration DoctorID = "configuration"
	DoctorConfigDoubts  DoctorID = "configuration-doubts"

	DoctorKeystone       DoctorID = "keystone"
	DoctorName           DoctorID = "name"
	DoctorTCP            DoctorID = "tcp"
	DoctorTLS            DoctorID = "tls"
	DoctorHTTP           DoctorID = "http"
	DoctorAuthentication DoctorID = "authentication"
	DoctorAPIVersion     DoctorID = "api-version"
	DoctorLatency        DoctorID = "latency"
	DoctorClock          DoctorID = "clock"

	DoctorConductors  DoctorID = "conductors"
	DoctorDrivers     DoctorID = "drivers"
	DoctorCustomAgent DoctorID = "custom-agent"
	DoctorInspection  DoctorID = "agent-inspection"
	DoctorBoot        DoctorID = "boot-interface"
	DoctorRAID        DoctorID = "raid-interface"

	DoctorNodes           DoctorID = "nodes"
	DoctorNodesDeploy     DoctorID = "nodes-deploy-interface"
	DoctorNodesRamdisk    DoctorID = "nodes-ramdisk"
	DoctorNodesInspection DoctorID = "nodes-inspection"
	DoctorDeployISO       DoctorID = "deploy-iso"

	DoctorNode        DoctorID = "node"
	DoctorNodeRamdisk DoctorID = "node-ramdisk"
	DoctorNodeImage   DoctorID = "node-image"

	DoctorSSHKeys  DoctorID = "ssh-keys"
	DoctorJournal  DoctorID = "journal"
	DoctorAudit    DoctorID = "audit"
	DoctorBMC      DoctorID = "bmc-credentials"
	DoctorTerminal DoctorID = "terminal"
	DoctorLabVMs   DoctorID = "lab-vms"
)

// DoctorResult is what came out of a check.
type DoctorResult string

// The results, from the best to the worst.
const (
	DoctorOK      DoctorResult = "ok"
	DoctorUnknown DoctorResult = "unknown" // it cannot be told, or was not asked
	DoctorWarn    DoctorResult = "warn"    // worth a look; a deployment may go well
	DoctorFail    DoctorResult = "fail"    // a deployment from here cannot go well
)

// rank orders results.
func (r DoctorResult) rank() int {
	switch r {
	case DoctorOK:
		return 0
	case DoctorUnknown:
		return 1
	case DoctorWarn:
		return 2
	case DoctorFail:
		return 3
	}
	return 1
}

// Diagnosis is what one check found. It holds no secrets, and is safe to show.
type Diagnosis struct {
	ID     DoctorID     `json:"id"`
	Result DoctorResult `json:"result"`
	// Title is one clause, Hint what can be done, or empty.
	Title    string          `json:"title"`
	Evidence []CheckEvidence `json:"evidence"`
	Hint     string          `json:"hint"`
	// Group is under which heading it stands.
	Group string `json:"-"`
}

// WorstOf is the worst result of some.
func WorstOf(all []Diagnosis) DoctorResult {
	worst := DoctorOK
	for _, d := range all {
		if d.Result.rank() > worst.rank() {
			worst = d.Result
		}
	}
	return worst
}

// The headings.
const (
	doctorHere    = "configuration"
	doctorWay     = "connection"
	doctorIronic  = "Ironic"
	doctorNodes   = "nodes"
	doctorNamed   = "the nodes that were named"
	doctorMachine = "this machine"
)

// doctorRule is one check: it judges what was gathered, and nothing else.
type doctorRule struct {
	id    DoctorID
	group string
	// after is how much of the way has to be good, or nothing can be told.
	after []DoctorID
	judge func(f *DoctorFacts) []Diagnosis
}

// wayTo is the way to Ironic up to before a check.
func wayTo(id DoctorID) []DoctorID {
	way := []DoctorID{DoctorConfiguration, DoctorName, DoctorTCP, DoctorTLS, DoctorHTTP, DoctorKeystone, DoctorAuthentication, DoctorAPIVersion}
	for i, w := range way {
		if w == id {
			return way[:i]
		}
	}
	return way
}

// doctorRules are all checks in the order in which they are shown.
func doctorRules() []doctorRule {
	all := wayTo("")
	return []doctorRule{
		{DoctorConfiguration, doctorHere, nil, single(judgeConfiguration)},
		{DoctorConfigDoubts, doctorHere, nil, judgeConfigDoubts},
		{DoctorKeystone, doctorWay, wayTo(DoctorName), judgeKeystone},
		{DoctorName, doctorWay, wayTo(DoctorName), single(judgeName)},
		{DoctorTCP, doctorWay, wayTo(DoctorTCP), single(judgeTCP)},
		{DoctorTLS, doctorWay, wayTo(DoctorTLS), single(judgeTLS)},
		{DoctorHTTP, doctorWay, wayTo(DoctorHTTP), single(judgeHTTP)},
		{DoctorAuthentication, doctorWay, wayTo(DoctorAuthentication), single(judgeAuthentication)},
		{DoctorAPIVersion, doctorWay, wayTo(DoctorAPIVersion), single(judgeAPIVersion)},
		{DoctorLatency, doctorWay, all, single(judgeLatency)},
		{DoctorClock, doctorWay, wayTo(DoctorHTTP), single(judgeClock)},
		{DoctorConductors, doctorIronic, all, single(judgeConductors)},
		{DoctorDrivers, doctorIronic, all, single(judgeDrivers)},
		{DoctorCustomAgent, doctorIronic, all, single(judgeCustomAgent)},
		{DoctorInspection, doctorIronic, all, single(judgeInspection)},
		{DoctorBoot, doctorIronic, all, single(judgeBoot)},
		{DoctorRAID, doctorIronic, all, single(judgeRAID)},
		{DoctorNodes, doctorNodes, all, single(judgeNodes)},
		{DoctorNodesDeploy, doctorNodes, all, judgeNodesDeploy},
		{DoctorNodesRamdisk, doctorNodes, all, judgeNodesRamdisk},
		{DoctorNodesInspection, doctorNodes, all, judgeNodesInspection},
		{DoctorDeployISO, doctorNodes, all, judgeFleetISOs},
		{DoctorNode, doctorNamed, all, judgeNamed},
		{DoctorNodeRamdisk, doctorNamed, all, judgeNamedRamdisks},
		{DoctorNodeImage, doctorNamed, all, judgeNamedImages},
		{DoctorSSHKeys, doctorMachine, nil, single(judgeSSHKeys)},
		{DoctorJournal, doctorMachine, nil, single(judgeJournal)},
		{DoctorAudit, doctorMachine, nil, single(judgeAudit)},
		{DoctorBMC, doctorMachine, nil, single(judgeBMC)},
		{DoctorTerminal, doctorMachine, nil, single(judgeTerminal)},
		{DoctorLabVMs, doctorMachine, nil, single(judgeLabVMs)},
	}
}

// DoctorIDs are those of all checks.
func DoctorIDs() []DoctorID {
	var ids []DoctorID
	for _, r := range doctorRules() {
		ids = append(ids, r.id)
	}
	return ids
}

// single is a check that always finds one thing.
func single(judge func(f *DoctorFacts) Diagnosis) func(f *DoctorFacts) []Diagnosis {
	return func(f *DoctorFacts) []Diagnosis { return []Diagnosis{judge(f)} }
}

// Diagnose judges all that was gathered. What comes after a piece of the way that failed
// was not asked, and says so.
func Diagnose(f *DoctorFacts) []Diagnosis {
	failed := map[DoctorID]bool{}
	var all []Diagnosis
	for _, rule := range doctorRules() {
		found := judged(f, rule, failed)
		for _, d := range found {
			d.ID, d.Group = rule.id, rule.group
			if d.Evidence == nil {
				d.Evidence = []CheckEvidence{}
			}
			d.Title, d.Hint = Printable(d.Title), Printable(d.Hint)
			failed[d.ID] = failed[d.ID] || d.Result == DoctorFail
			all = append(all, d)
		}
	}
	return all
}

func judged(f *DoctorFacts, rule doctorRule, failed map[DoctorID]bool) []Diagnosis {
	for _, before := range rule.after {
		// Keystone comes before Ironic: whether that is there does not matter to it.
		if !failed[before] || rule.id == DoctorAuthentication && f.refusedByKeystone() {
			continue
		}
		// What is about nothing, such as nodes that nobody named, is not told of either.
		if rule.group == doctorNamed && len(f.Named) == 0 || rule.id == DoctorKeystone && !f.Auth.Keystone() {
			return nil
		}
		return []Diagnosis{notTold("not asked, because " + becauseOf(before))}
	}
	return rule.judge(f)
}

// becauseOf says what the failure of a piece of the way means for what comes after.
func becauseOf(id DoctorID) string {
	switch id {
	case DoctorConfiguration:
		return "the configuration cannot be used"
	case DoctorName:
		return "the name does not resolve"
	case DoctorTCP:
		return "there is no connection"
	case DoctorTLS:
		return "there is no TLS with it"
	case DoctorHTTP:
		return "no Ironic answers"
	case DoctorKeystone:
		return "Keystone does not answer"
	case DoctorAuthentication:
		return "Ironic does not let us in"
	case DoctorAPIVersion:
		return "no version of the API fits"
	default:
		return string(id) + " failed"
	}
}

func well(title string, evidence ...CheckEvidence) Diagnosis {
	return Diagnosis{Result: DoctorOK, Title: title, Evidence: evidence}
}

func notTold(title string, evidence ...CheckEvidence) Diagnosis {
	return Diagnosis{Result: DoctorUnknown, Title: title, Evidence: evidence}
}

func doubtful(title, hint string, evidence ...CheckEvidence) Diagnosis {
	return Diagnosis{Result: DoctorWarn, Title: title, Hint: hint, Evidence: evidence}
}

func broken(title, hint string, evidence ...CheckEvidence) Diagnosis {
	return Diagnosis{Result: DoctorFail, Title: title, Hint: hint, Evidence: evidence}
}

// someOf are a few of many, and how many more there are.
func someOf(all []string) string {
	const most = 5
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
