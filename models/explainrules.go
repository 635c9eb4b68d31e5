package models

import "slices"

// explainRules are all rules. Of two that are equally sure the first is told first: what
// is found in facts comes before what texts say in general. The list is shared: nobody may
// change it.
var explainRules = slices.Concat(
	explainRamdiskRules, explainFactRules, explainWaitRules, explainConductorRules, explainBMCRules, explainBootRules, explainImageRules,
	explainDiskRules, explainStepRules, explainAgentRules, familyRules, explainFineRules,
)

// ExplainRules lists all rules, those that are made for what no rule knows among them.
func ExplainRules() []ExplainRule {
	return append(slices.Clone(explainRules), *unknownRule(""), noReason)
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
	waitStates  = []ProvisionState{StateDeployWait, StateCleanWait, StateInspectWait, StateRescueWait, StateServiceWait}
	atWork      = append(slices.Clone(waitStates), StateDeploying, StateCleaning, StateInspecting, StateRescuing, StateServicing, StateVerifying, StateDeleting, StateAdopting, StateUnrescuing)
	waitOrEnded = append(slices.Clone(waitStates), StateDeployFailed, StateCleanFailed, StateInspectFailed, StateRescueFailed, StateServiceFailed)
	inspecting  = []ProvisionState{StateInspectWait, StateInspectFailed}
	// In inspection an agent is heard of with its inventory, and not before.
	notInspecting = slices.DeleteFunc(slices.Clone(waitOrEnded), func(s ProvisionState) bool { return slices.Contains(inspecting, s) })
	atRest        = []ProvisionState{StateEnroll, StateManageable, StateAvailable, StateActive, StateRescue}
	working       = []ProvisionState{StateDeploying, StateCleaning, StateInspecting, StateRescuing, StateServicing, StateVerifying, StateDeleting, StateAdopting, StateUnrescuing}
)
