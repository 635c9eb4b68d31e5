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
