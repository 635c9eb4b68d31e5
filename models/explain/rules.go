package explain

import (
	"slices"

	"ironworks/models"
)

// allRules lists all rules. If several matching rules are equally certain, the first one wins, so specific rules
// precede general ones. Callers must not modify the list.
var allRules = slices.Concat(
	ramdiskRules, factRules, waitRules, conductorRules, bmcRules, bootRules, imageRules,
	diskRules, stepRules, agentRules, familyRules(), fineRules,
)

// Rules returns all rules, including those that apply if no other rule matches.
func Rules() []Rule {
	return append(slices.Clone(allRules), *unknownRule(""), noReason)
}

// newRule returns a rule with high confidence that matches in all states. Its methods return the rule with one more
// property, which [Rule] describes.
func newRule(id RuleID, brief, verdict string) Rule {
	return Rule{ID: id, Brief: brief, Verdict: verdict, Confidence: ConfidenceHigh}
}

func (r Rule) sure(c Confidence) Rule {
	r.Confidence = c
	return r
}

func (r Rule) noProblem() Rule {
	r.NoProblem = true
	return r
}

func (r Rule) in(states ...models.ProvisionState) Rule {
	r.In = states
	return r
}

func (r Rule) when(conditions ...Condition) Rule {
	r.If = conditions
	return r
}

func (r Rule) openings(texts ...string) Rule {
	r.Openings = texts
	return r
}

func (r Rule) words(words ...string) Rule {
	r.Words = words
	return r
}

func (r Rule) weak() Rule {
	r.Weak = true
	return r
}

func (r Rule) shows(fields ...EvidenceField) Rule {
	r.Evidence = fields
	return r
}

func (r Rule) not(problems ...string) Rule {
	r.Not = problems
	return r
}

func (r Rule) next(n Next) Rule {
	r.Next = n
	return r
}

func (r Rule) insteadOf(rules ...RuleID) Rule {
	r.Instead = rules
	return r
}

func (r Rule) from(source string) Rule {
	r.Source = source
	return r
}

// act returns a next action with its key in the console and its command. The functions below it return the actions
// that several rules suggest.
func act(key, command, text string) Next { return Next{Text: text, Key: key, Command: command} }

func readLog(text string) Next        { return act("log", "ironworks logs {node}", text) }
func validate(text string) Next       { return act("validate", "ironworks validate {node}", text) }
func queryBMC(text string) Next       { return act("bmc", "ironworks bmc {node}", text) }
func compareDisks(text string) Next   { return act("disks", "ironworks disks {node}", text) }
func listConductors(text string) Next { return act("conductors", "ironworks conductors", text) }
func openNode(text string) Next       { return act("overview", "ironworks node {node}", text) }
func set(setting, text string) Next   { return act("set", "ironworks set {node} "+setting, text) }

// run returns the next action to send a verb, and again the action to retry the operation or to end the wait.
func run(verb models.Verb, text string) Next { return Next{Text: text, Verb: verb} }
func again(text string) Next                 { return Next{Text: text, Retry: true} }

// timeouts lists the errors that Ironic reports when it gives up waiting for a ramdisk. Their rules only say that the
// ramdisk took too long.
var timeouts = []RuleID{
	"callback-timeout", "clean-timeout-no-step", "clean-timeout", "inspect-timeout", "service-timeout", "rescue-timeout",
}

// spreading lists the errors that usually affect several machines at once.
var spreading = append([]RuleID{
	"agent-unreachable", "agent-clock", "agent-certificate", "image-download", "image-http", "image-checksum", "checksum-file",
	"vmedia-fetch", "vmedia-mount", "bmc-unreachable", "bmc-certificate", "bmc-credentials", "power-sync", "lookup", "no-address", "ramdisk-newer",
	"tls-required", "step-unknown",
}, timeouts...)

// unheardRules lists the rules that only say that the ramdisk did not call back, or did not do so in time.
var unheardRules = append([]RuleID{"never-booted", "ramdisk-not-heard"}, timeouts...)

// The states in which groups of rules apply.
var (
	waitStates  = []models.ProvisionState{models.StateDeployWait, models.StateCleanWait, models.StateInspectWait, models.StateRescueWait, models.StateServiceWait}
	atWork      = append(slices.Clone(waitStates), models.StateDeploying, models.StateCleaning, models.StateInspecting, models.StateRescuing, models.StateServicing, models.StateVerifying, models.StateDeleting, models.StateAdopting, models.StateUnrescuing)
	waitOrEnded = append(slices.Clone(waitStates), models.StateDeployFailed, models.StateCleanFailed, models.StateInspectFailed, models.StateRescueFailed, models.StateServiceFailed)
	inspecting  = []models.ProvisionState{models.StateInspectWait, models.StateInspectFailed}
	// During inspection, an agent sends nothing until it sends its inventory.
	notInspecting = slices.DeleteFunc(slices.Clone(waitOrEnded), func(s models.ProvisionState) bool { return slices.Contains(inspecting, s) })
	atRest        = []models.ProvisionState{models.StateEnroll, models.StateManageable, models.StateAvailable, models.StateActive, models.StateRescue}
	working       = []models.ProvisionState{models.StateDeploying, models.StateCleaning, models.StateInspecting, models.StateRescuing, models.StateServicing, models.StateVerifying, models.StateDeleting, models.StateAdopting, models.StateUnrescuing}
)
