// Package doctor judges whether this machine can deploy nodes. It checks the configuration, the connection to Ironic,
// Ironic's conductors and drivers, the nodes, and the machine itself.
//
// It does no I/O: [Diagnose] is a function of [Facts], which the caller gathers.
package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// ID names a check. IDs are stable, because scripts use them. docs/reference/doctor.md describes the checks.
type ID string

// Result is the outcome of a check.
type Result string

// The possible results of a check, from best to worst.
const (
	OK      Result = "ok"
	Unknown Result = "unknown" // the check was skipped, or cannot tell
	Warn    Result = "warn"    // a deployment may still succeed
	Fail    Result = "fail"    // a deployment from this machine must fail
)

func (r Result) rank() int { return slices.Index([]Result{OK, Unknown, Warn, Fail}, r) }

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
	way := []ID{"configuration", "name", "tcp", "tls", "http", "keystone", "authentication", "api-version"}
	if i := slices.Index(way, id); i >= 0 {
		return way[:i]
	}
	return way
}

func rules() []rule {
	all := wayTo("")
	return []rule{
		{"configuration", doctorHere, nil, single(judgeConfiguration)},
		{"configuration-doubts", doctorHere, nil, judgeConfigDoubts},
		{"keystone", doctorWay, wayTo("name"), judgeKeystone},
		{"name", doctorWay, wayTo("name"), reached(models.ReachName, judgeName)},
		{"tcp", doctorWay, wayTo("tcp"), reached(models.ReachConnect, judgeTCP)},
		{"tls", doctorWay, wayTo("tls"), reached(models.ReachTLS, judgeTLS)},
		{"http", doctorWay, wayTo("http"), reached(models.ReachHTTP, judgeHTTP)},
		{"authentication", doctorWay, wayTo("authentication"), single(judgeAuthentication)},
		{"api-version", doctorWay, wayTo("api-version"), single(judgeAPIVersion)},
		{"latency", doctorWay, all, single(judgeLatency)},
		{"clock", doctorWay, wayTo("http"), single(judgeClock)},
		{"conductors", doctorIronic, all, single(judgeConductors)},
		{"drivers", doctorIronic, all, single(judgeDrivers)},
		{"custom-agent", doctorIronic, all, single(judgeCustomAgent)},
		{"agent-inspection", doctorIronic, all, single(judgeInspection)},
		{"boot-interface", doctorIronic, all, single(judgeBoot)},
		{"raid-interface", doctorIronic, all, single(judgeRAID)},
		{"auto-discovery", doctorIronic, all, single(judgeDiscovery)},
		{"nodes", doctorNodes, all, single(judgeNodes)},
		{"nodes-deploy-interface", doctorNodes, all, ofNodes(judgeNodesDeploy)},
		{"nodes-ramdisk", doctorNodes, all, ofNodes(judgeNodesRamdisk)},
		{"nodes-inspection", doctorNodes, all, ofNodes(judgeNodesInspection)},
		{"deploy-iso", doctorNodes, all, judgeFleetISOs},
		{"node", doctorNamed, all, judgeNamed},
		{"node-ramdisk", doctorNamed, all, judgeNamedRamdisks},
		{"node-image", doctorNamed, all, judgeNamedImages},
		{"ssh-keys", doctorMachine, nil, single(judgeSSHKeys)},
		{"journal", doctorMachine, nil, single(judgeJournal)},
		{"audit", doctorMachine, nil, single(judgeAudit)},
		{"bmc-credentials", doctorMachine, nil, single(judgeBMC)},
		{"terminal", doctorMachine, nil, single(judgeTerminal)},
		{"lab-vms", doctorMachine, nil, single(judgeLabVMs)},
	}
}

func single(judge func(f *Facts) Diagnosis) func(f *Facts) []Diagnosis {
	return func(f *Facts) []Diagnosis { return []Diagnosis{judge(f)} }
}

// reached returns the judgment of a stage of the request to Ironic. It calls judge unless the request failed there.
func reached(stage models.ReachStage, judge func(f *Facts, r *models.Reach) Diagnosis) func(f *Facts) []Diagnosis {
	return single(func(f *Facts) Diagnosis {
		switch r := f.Ironic; {
		case r == nil:
			return f.unreached()
		case r.Stage == stage:
			return failure(r.Fault.Reason(), r.Fault.Hint, reachEvidence(r)...)
		default:
			return judge(f, r)
		}
	})
}

// ofNodes returns the judgment of the listed nodes. There is none if no nodes were listed.
func ofNodes(judge func(t *NodesTally) Diagnosis) func(f *Facts) []Diagnosis {
	return func(f *Facts) []Diagnosis {
		if f.Nodes == nil || f.Nodes.Count == 0 {
			return nil
		}
		return []Diagnosis{judge(f.Nodes)}
	}
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
		if !failed[before] || rule.id == "authentication" && f.refusedByKeystone() {
			continue
		}
		// Omit checks that do not apply anyway, such as those on named nodes if no node is named.
		if rule.group == doctorNamed && len(f.Named) == 0 || rule.id == "keystone" && !f.Auth.Keystone() {
			return nil
		}
		return []Diagnosis{unknown("skipped: " + cmp.Or(skippedBecause[before], string(before)+" failed"))}
	}
	return rule.judge(f)
}

// skippedBecause maps each connection check to the reason that is shown for the checks skipped when it fails.
var skippedBecause = map[ID]string{
	"configuration":  "invalid configuration",
	"name":           "name not resolved",
	"tcp":            "no connection",
	"tls":            "TLS failed",
	"http":           "no answer from Ironic",
	"keystone":       "no answer from Keystone",
	"authentication": "access denied by Ironic",
	"api-version":    "no common API version",
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
