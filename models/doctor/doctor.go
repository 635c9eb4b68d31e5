package doctor

import (
	"fmt"
	"strings"

	"ironworks/models"
)

// ID names a check of the way to Ironic for good: scripts have it.
type ID string

// The checks; docs/doctor.md says what each is about.
const (
	CheckConfiguration ID = "configuration"
	CheckConfigDoubts  ID = "configuration-doubts"

	CheckKeystone       ID = "keystone"
	CheckName           ID = "name"
	CheckTCP            ID = "tcp"
	CheckTLS            ID = "tls"
	CheckHTTP           ID = "http"
	CheckAuthentication ID = "authentication"
	CheckAPIVersion     ID = "api-version"
	CheckLatency        ID = "latency"
	CheckClock          ID = "clock"

	CheckConductors  ID = "conductors"
	CheckDrivers     ID = "drivers"
	CheckCustomAgent ID = "custom-agent"
	CheckInspection  ID = "agent-inspection"
	CheckBoot        ID = "boot-interface"
	CheckRAID        ID = "raid-interface"

	CheckNodes           ID = "nodes"
	CheckNodesDeploy     ID = "nodes-deploy-interface"
	CheckNodesRamdisk    ID = "nodes-ramdisk"
	CheckNodesInspection ID = "nodes-inspection"
	CheckDeployISO       ID = "deploy-iso"

	CheckNode        ID = "node"
	CheckNodeRamdisk ID = "node-ramdisk"
	CheckNodeImage   ID = "node-image"

	CheckSSHKeys  ID = "ssh-keys"
	CheckJournal  ID = "journal"
	CheckAudit    ID = "audit"
	CheckBMC      ID = "bmc-credentials"
	CheckTerminal ID = "terminal"
	CheckLabVMs   ID = "lab-vms"
)

// Result is what came out of a check.
type Result string

// The results, from the best to the worst.
const (
	OK      Result = "ok"
	Unknown Result = "unknown" // it cannot be told, or was not asked
	Warn    Result = "warn"    // worth a look; a deployment may go well
	Fail    Result = "fail"    // a deployment from here cannot go well
)

// rank orders results.
func (r Result) rank() int {
	switch r {
	case OK:
		return 0
	case Unknown:
		return 1
	case Warn:
		return 2
	case Fail:
		return 3
	}
	return 1
}

// Diagnosis is what one check found. It holds no secrets, and is safe to show.
type Diagnosis struct {
	ID     ID     `json:"id"`
	Result Result `json:"result"`
	// Title is one clause, Hint what can be done, or empty.
	Title    string               `json:"title"`
	Evidence []models.Observation `json:"evidence"`
	Hint     string               `json:"hint"`
	// Group is under which heading it stands.
	Group string `json:"-"`
}

// WorstOf is the worst result of some.
func WorstOf(all []Diagnosis) Result {
	worst := OK
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

// rule is one check: it judges what was gathered, and nothing else.
type rule struct {
	id    ID
	group string
	// after is how much of the way has to be good, or nothing can be told.
	after []ID
	judge func(f *Facts) []Diagnosis
}

// wayTo is the way to Ironic up to before a check.
func wayTo(id ID) []ID {
	way := []ID{CheckConfiguration, CheckName, CheckTCP, CheckTLS, CheckHTTP, CheckKeystone, CheckAuthentication, CheckAPIVersion}
	for i, w := range way {
		if w == id {
			return way[:i]
		}
	}
	return way
}

// rules are all checks in the order in which they are shown.
func rules() []rule {
	all := wayTo("")
	return []rule{
		{CheckConfiguration, doctorHere, nil, single(judgeConfiguration)},
		{CheckConfigDoubts, doctorHere, nil, judgeConfigDoubts},
		{CheckKeystone, doctorWay, wayTo(CheckName), judgeKeystone},
		{CheckName, doctorWay, wayTo(CheckName), single(judgeName)},
		{CheckTCP, doctorWay, wayTo(CheckTCP), single(judgeTCP)},
		{CheckTLS, doctorWay, wayTo(CheckTLS), single(judgeTLS)},
		{CheckHTTP, doctorWay, wayTo(CheckHTTP), single(judgeHTTP)},
		{CheckAuthentication, doctorWay, wayTo(CheckAuthentication), single(judgeAuthentication)},
		{CheckAPIVersion, doctorWay, wayTo(CheckAPIVersion), single(judgeAPIVersion)},
		{CheckLatency, doctorWay, all, single(judgeLatency)},
		{CheckClock, doctorWay, wayTo(CheckHTTP), single(judgeClock)},
		{CheckConductors, doctorIronic, all, single(judgeConductors)},
		{CheckDrivers, doctorIronic, all, single(judgeDrivers)},
		{CheckCustomAgent, doctorIronic, all, single(judgeCustomAgent)},
		{CheckInspection, doctorIronic, all, single(judgeInspection)},
		{CheckBoot, doctorIronic, all, single(judgeBoot)},
		{CheckRAID, doctorIronic, all, single(judgeRAID)},
		{CheckNodes, doctorNodes, all, single(judgeNodes)},
		{CheckNodesDeploy, doctorNodes, all, judgeNodesDeploy},
		{CheckNodesRamdisk, doctorNodes, all, judgeNodesRamdisk},
		{CheckNodesInspection, doctorNodes, all, judgeNodesInspection},
		{CheckDeployISO, doctorNodes, all, judgeFleetISOs},
		{CheckNode, doctorNamed, all, judgeNamed},
		{CheckNodeRamdisk, doctorNamed, all, judgeNamedRamdisks},
		{CheckNodeImage, doctorNamed, all, judgeNamedImages},
		{CheckSSHKeys, doctorMachine, nil, single(judgeSSHKeys)},
		{CheckJournal, doctorMachine, nil, single(judgeJournal)},
		{CheckAudit, doctorMachine, nil, single(judgeAudit)},
		{CheckBMC, doctorMachine, nil, single(judgeBMC)},
		{CheckTerminal, doctorMachine, nil, single(judgeTerminal)},
		{CheckLabVMs, doctorMachine, nil, single(judgeLabVMs)},
	}
}

// single is a check that always finds one thing.
func single(judge func(f *Facts) Diagnosis) func(f *Facts) []Diagnosis {
	return func(f *Facts) []Diagnosis { return []Diagnosis{judge(f)} }
}

// Diagnose judges all that was gathered. What comes after a piece of the way that failed
// was not asked, and says so.
func Diagnose(f *Facts) []Diagnosis {
	failed := map[ID]bool{}
	var all []Diagnosis
	for _, rule := range rules() {
		found := judged(f, rule, failed)
		for _, d := range found {
			d.ID, d.Group = rule.id, rule.group
			if d.Evidence == nil {
				d.Evidence = []models.Observation{}
			}
			d.Title, d.Hint = models.Printable(d.Title), models.Printable(d.Hint)
			failed[d.ID] = failed[d.ID] || d.Result == Fail
			all = append(all, d)
		}
	}
	return all
}

func judged(f *Facts, rule rule, failed map[ID]bool) []Diagnosis {
	for _, before := range rule.after {
		// Keystone comes before Ironic: whether that is there does not matter to it.
		if !failed[before] || rule.id == CheckAuthentication && f.refusedByKeystone() {
			continue
		}
		// What is about nothing, such as nodes that nobody named, is not told of either.
		if rule.group == doctorNamed && len(f.Named) == 0 || rule.id == CheckKeystone && !f.Auth.Keystone() {
			return nil
		}
		return []Diagnosis{notTold("not asked, because " + becauseOf(before))}
	}
	return rule.judge(f)
}

// becauseOf says what the failure of a piece of the way means for what comes after.
func becauseOf(id ID) string {
	switch id {
	case CheckConfiguration:
		return "the configuration cannot be used"
	case CheckName:
		return "the name does not resolve"
	case CheckTCP:
		return "there is no connection"
	case CheckTLS:
		return "there is no TLS with it"
	case CheckHTTP:
		return "no Ironic answers"
	case CheckKeystone:
		return "Keystone does not answer"
	case CheckAuthentication:
		return "Ironic does not let us in"
	case CheckAPIVersion:
		return "no version of the API fits"
	default:
		return string(id) + " failed"
	}
}

func well(title string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: OK, Title: title, Evidence: evidence}
}

func notTold(title string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: Unknown, Title: title, Evidence: evidence}
}

func doubtful(title, hint string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: Warn, Title: title, Hint: hint, Evidence: evidence}
}

func broken(title, hint string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: Fail, Title: title, Hint: hint, Evidence: evidence}
}

// someOf are a few of many, and how many more there are.
func someOf(all []string) string {
	const most = 5
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
