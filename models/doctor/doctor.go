// Package doctor judges whether this machine can deploy nodes. It checks the configuration, the connection to Ironic,
// Ironic's conductors and drivers, the nodes, and the machine itself.
//
// It does no I/O: [Diagnose] is a function of [Facts], which the caller gathers.
package doctor

import (
	"cmp"
	"fmt"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// ID names a check. IDs are stable, because scripts use them.
type ID string

// The IDs of the checks, which are described in docs/reference/doctor.md.
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
	CheckDiscovery   ID = "auto-discovery"

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

// Result is the outcome of a check.
type Result string

// The possible results of a check, from best to worst.
const (
	OK      Result = "ok"
	Unknown Result = "unknown" // the check was skipped, or cannot tell
	Warn    Result = "warn"    // a deployment may still succeed
	Fail    Result = "fail"    // a deployment from this machine must fail
)

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

// Diagnosis is the finding of a check. It contains no secrets and is sanitized.
type Diagnosis struct {
	ID     ID     `json:"id"`
	Result Result `json:"result"`
	// Title states the finding in one clause. Hint suggests a remedy, if there is one.
	Title    string               `json:"title"`
	Evidence []models.Observation `json:"evidence"`
	Hint     string               `json:"hint"`
	// Group is the heading under which the finding is shown.
	Group string `json:"-"`
}

// WorstOf returns the worst result among the diagnoses, or OK if there are none.
func WorstOf(all []Diagnosis) Result {
	worst := OK
	for _, d := range all {
		if d.Result.rank() > worst.rank() {
			worst = d.Result
		}
	}
	return worst
}

const (
	doctorHere    = "configuration"
	doctorWay     = "connection"
	doctorIronic  = "Ironic"
	doctorNodes   = "nodes"
	doctorNamed   = "the named nodes"
	doctorMachine = "this machine"
)

// rule is a check. Its judge function depends only on the facts.
type rule struct {
	id    ID
	group string
	// after lists the checks that must pass for this one to be meaningful.
	after []ID
	judge func(f *Facts) []Diagnosis
}

// wayTo returns the connection checks that precede the check with the given ID. If the ID is not that of a connection
// check, wayTo returns all connection checks.
func wayTo(id ID) []ID {
	way := []ID{CheckConfiguration, CheckName, CheckTCP, CheckTLS, CheckHTTP, CheckKeystone, CheckAuthentication, CheckAPIVersion}
	for i, w := range way {
		if w == id {
			return way[:i]
		}
	}
	return way
}

// rules returns all checks in display order.
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
		{CheckDiscovery, doctorIronic, all, single(judgeDiscovery)},
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

// single turns a function that returns one diagnosis into one that returns a list.
func single(judge func(f *Facts) Diagnosis) func(f *Facts) []Diagnosis {
	return func(f *Facts) []Diagnosis { return []Diagnosis{judge(f)} }
}

// Diagnose runs all checks. If a connection check fails, the checks that need the connection are skipped, and their
// diagnoses say so.
func Diagnose(f *Facts) []Diagnosis {
	failed := map[ID]bool{}
	var all []Diagnosis
	for _, rule := range rules() {
		found := evaluate(f, rule, failed)
		for _, d := range found {
			d.ID, d.Group = rule.id, rule.group
			if d.Evidence == nil {
				d.Evidence = []models.Observation{}
			}
			d.Title, d.Hint = printable.Line(d.Title), printable.Line(d.Hint)
			failed[d.ID] = failed[d.ID] || d.Result == Fail
			all = append(all, d)
		}
	}
	return all
}

func evaluate(f *Facts, rule rule, failed map[ID]bool) []Diagnosis {
	for _, before := range rule.after {
		// If Keystone refused the first request, run the authentication check even though a check of the connection
		// to Ironic failed.
		if !failed[before] || rule.id == CheckAuthentication && f.refusedByKeystone() {
			continue
		}
		// Omit checks that do not apply anyway, such as those on named nodes if no node is named.
		if rule.group == doctorNamed && len(f.Named) == 0 || rule.id == CheckKeystone && !f.Auth.Keystone() {
			return nil
		}
		return []Diagnosis{unknown("skipped: " + cmp.Or(skippedBecause[before], string(before)+" failed"))}
	}
	return rule.judge(f)
}

// skippedBecause maps each connection check to the reason that is shown for the checks skipped when it fails.
var skippedBecause = map[ID]string{
	CheckConfiguration:  "invalid configuration",
	CheckName:           "name not resolved",
	CheckTCP:            "no connection",
	CheckTLS:            "TLS failed",
	CheckHTTP:           "no answer from Ironic",
	CheckKeystone:       "no answer from Keystone",
	CheckAuthentication: "access denied by Ironic",
	CheckAPIVersion:     "no common API version",
}

func ok(title string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: OK, Title: title, Evidence: evidence}
}

func unknown(title string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: Unknown, Title: title, Evidence: evidence}
}

func warning(title, hint string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: Warn, Title: title, Hint: hint, Evidence: evidence}
}

func failure(title, hint string, evidence ...models.Observation) Diagnosis {
	return Diagnosis{Result: Fail, Title: title, Hint: hint, Evidence: evidence}
}

// someOf lists the first five names and says how many more there are.
func someOf(all []string) string {
	const most = 5
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(all[:most], ", "), len(all)-most)
}
