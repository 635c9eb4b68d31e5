package explain

import (
	"slices"

	"ironworks/models"
)

// allRules are all rules. Of two that are equally sure the first is told first: what
// is found in facts comes before what texts say in general. The list is shared: nobody may
// change it.
var allRules = slices.Concat(
	ramdiskRules, factRules, waitRules, conductorRules, bmcRules, bootRules, imageRules,
	diskRules, stepRules, agentRules, familyRules, fineRules,
)

// Rules lists all rules, those that are made for what no rule knows among them.
func Rules() []Rule {
	return append(slices.Clone(allRules), *unknownRule(""), noReason)
}

// timeouts are the errors of waiting for a ramdisk in vain.
var timeouts = []ErrorID{
	ErrorCallbackTimeout, ErrorCleanNoBoot, ErrorCleanTimeout, ErrorInspectTimeout, ErrorServiceTimeout, ErrorRescueTimeout,
}

// spreading are the errors that are seldom those of one machine alone.
var spreading = append([]ErrorID{
	ErrorAgentUnreachable, ErrorAgentClock, ErrorAgentCertificate, ErrorDownload, ErrorImageHTTP, ErrorChecksum, ErrorChecksumFile,
	ErrorMediaFetch, ErrorMediaMount, ErrorBMCUnreachable, ErrorBMCCertificate, ErrorBMCCredentials, ErrorPowerSync, ErrorLookup, ErrorNoAddress, ErrorRamdiskNewer,
	ErrorTLSRequired, ErrorStepUnknown,
}, timeouts...)

// timeoutRules are the rules that say no more than that it took too long.
var timeoutRules = []RuleID{
	RuleID(ErrorCallbackTimeout), RuleID(ErrorCleanNoBoot), RuleID(ErrorCleanTimeout), RuleID(ErrorInspectTimeout),
	RuleID(ErrorServiceTimeout), RuleID(ErrorRescueTimeout),
}

// unheardRules say no more than that the ramdisk was not heard of, or not in time.
var unheardRules = append([]RuleID{"never-booted", "ramdisk-not-heard"}, timeoutRules...)

// The states of groups of rules.
var (
	waitStates  = []models.ProvisionState{models.StateDeployWait, models.StateCleanWait, models.StateInspectWait, models.StateRescueWait, models.StateServiceWait}
	atWork      = append(slices.Clone(waitStates), models.StateDeploying, models.StateCleaning, models.StateInspecting, models.StateRescuing, models.StateServicing, models.StateVerifying, models.StateDeleting, models.StateAdopting, models.StateUnrescuing)
	waitOrEnded = append(slices.Clone(waitStates), models.StateDeployFailed, models.StateCleanFailed, models.StateInspectFailed, models.StateRescueFailed, models.StateServiceFailed)
	inspecting  = []models.ProvisionState{models.StateInspectWait, models.StateInspectFailed}
	// In inspection an agent is heard of with its inventory, and not before.
	notInspecting = slices.DeleteFunc(slices.Clone(waitOrEnded), func(s models.ProvisionState) bool { return slices.Contains(inspecting, s) })
	atRest        = []models.ProvisionState{models.StateEnroll, models.StateManageable, models.StateAvailable, models.StateActive, models.StateRescue}
	working       = []models.ProvisionState{models.StateDeploying, models.StateCleaning, models.StateInspecting, models.StateRescuing, models.StateServicing, models.StateVerifying, models.StateDeleting, models.StateAdopting, models.StateUnrescuing}
)
