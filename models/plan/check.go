package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
	"ironworks/printable"
)

// CheckID names a check. IDs are stable, because plans, flags and the audit file use them.
type CheckID string

// The IDs of the checks, which are described in docs/reference/deploy.md.
const (
	CheckState           CheckID = "state"
	CheckMaintenance     CheckID = "maintenance"
	CheckAllocation      CheckID = "allocation"
	CheckReserved        CheckID = "reserved"
	CheckProtected       CheckID = "protected"
	CheckRetired         CheckID = "retired"
	CheckConsoleLock     CheckID = "console-lock"
	CheckManagedByMetal3 CheckID = "managed-by-metal3"
	CheckFault           CheckID = "fault"
	CheckAPIVersion      CheckID = "api-version"

	CheckDeployInterface CheckID = "deploy-interface"
	CheckConductor       CheckID = "conductor"
	CheckRamdisk         CheckID = "ramdisk"
	CheckValidate        CheckID = "validate"
	CheckKernelParams    CheckID = "kernel-params"

	CheckTraits      CheckID = "traits"
	CheckTemplates   CheckID = "templates"
	CheckInstallStep CheckID = "install-step"
	CheckInstallOnce CheckID = "install-once"
	CheckSteps       CheckID = "steps"
	CheckStepOrder   CheckID = "step-order"
	CheckStepOffered CheckID = "step-offered"
	CheckRestart     CheckID = "restart-step"

	CheckHints       CheckID = "hints"
	CheckHintsDoubt  CheckID = "hints-doubtful"
	CheckHintsPlaces CheckID = "hints-two-places"
	CheckInventory   CheckID = "inventory"
	CheckInventoryBy CheckID = "inventory-source"
	CheckRootDevice  CheckID = "root-device"
	CheckSingleDisk  CheckID = "single-disk"
	CheckStableHint  CheckID = "stable-hint"
	CheckSharedDisk  CheckID = "shared-disk"
	CheckDataDisk    CheckID = "data-disk"
	CheckOddDisk     CheckID = "odd-disk"
	CheckSameDisk    CheckID = "same-disk"
	CheckRAIDRoot    CheckID = "raid-root"
	CheckAssisted    CheckID = "assisted-disk"
	CheckKickstart   CheckID = "kickstart-disk"

	CheckConfigDrive    CheckID = "configdrive"
	CheckUserData       CheckID = "user-data"
	CheckUserDataReader CheckID = "user-data-reader"
	CheckUserDataOdd    CheckID = "user-data-doubtful"
	CheckMetaData       CheckID = "meta-data"
	CheckImage          CheckID = "image"
	CheckOCI            CheckID = "oci-reference"
	CheckOCITag         CheckID = "oci-tag"
	CheckOCIKind        CheckID = "oci-kind"
	CheckOCISecret      CheckID = "oci-pull-secret"
	CheckImageSum       CheckID = "image-checksum"
	CheckImageThere     CheckID = "image-reachable"
	CheckImageFile      CheckID = "image-checksum-file"
	CheckImageSize      CheckID = "image-size"
)

// CheckSeverity says what the result of a check means for the deployment.
type CheckSeverity string

// The possible severities of a result.
const (
	CheckOK      CheckSeverity = "ok"
	CheckWarn    CheckSeverity = "warn"
	CheckRefuse  CheckSeverity = "refuse"
	CheckUnknown CheckSeverity = "unknown" // the check cannot tell
)

// CheckPolicy changes how a check's result is treated.
type CheckPolicy string

// The policies that an operator can set. For a check that cannot be overridden, only PolicyRefuse is allowed.
const (
	PolicyRefuse CheckPolicy = "refuse" // every result other than ok refuses the deployment
	PolicyWarn   CheckPolicy = "warn"   // refusals become warnings
	PolicyOff    CheckPolicy = "off"    // the check is skipped
)

func checkPolicies() []CheckPolicy { return []CheckPolicy{PolicyRefuse, PolicyWarn, PolicyOff} }

// CheckRule defines the properties of a check.
type CheckRule struct {
	ID CheckID
	// Worst is the severity of the result if the check finds its problem.
	Worst CheckSeverity
	// Override reports whether the operator can override the check, by typing the node's name.
	Override bool
	// About is a one-line description of what the check requires. It is used in the documentation.
	About string
	// do performs the check.
	do func(f *Facts) finding
}

// CheckRules returns the rules of all checks in display order.
func CheckRules() []CheckRule {
	return []CheckRule{
		{CheckState, CheckRefuse, false, "the node is available or deploy failed (rebuild: active, error or deploy failed)", checkState},
		{CheckMaintenance, CheckRefuse, false, "the node is not in maintenance", checkMaintenance},
		{CheckReserved, CheckRefuse, true, "instance_uuid is not set for another deployment (rebuild keeps it)", checkReserved},
		{CheckAllocation, CheckRefuse, false, "a requested allocation can reserve the node", checkAllocation},
		{CheckProtected, CheckRefuse, true, "the node is not protected", checkProtected},
		{CheckRetired, CheckRefuse, true, "the node is not retired", checkRetired},
		{CheckConsoleLock, CheckRefuse, true, "extra.console_lock is not set", checkConsoleLock},
		{CheckManagedByMetal3, CheckWarn, true, "the name is not a Metal3 name (namespace~host): Metal3 would undo the deployment", checkMetal3},
		{CheckFault, CheckWarn, true, "no fault is set, and the power state is known", checkFault},
		{CheckAPIVersion, CheckRefuse, false, "Ironic's API supports every field of the plan", checkAPIVersion},
		{CheckDeployInterface, CheckRefuse, false, "the plan's deploy interface matches the deployment kind and is enabled for the node's driver", checkDeployInterface},
		{CheckConductor, CheckRefuse, true, "a live conductor serves the node's driver and conductor group", checkConductor},
		{CheckRamdisk, CheckRefuse, true, "a deploy ISO, or a kernel and ramdisk, is set", checkRamdisk},
		{CheckValidate, CheckRefuse, true, "Ironic's validation passes for power, management, boot, deploy and network", checkValidate},
		{CheckKernelParams, CheckRefuse, true, "kernel_append_params follows the grammar of Ironic 37 and later", checkKernelParams},
		{CheckTraits, CheckRefuse, false, "the node has the instance's traits", checkTraits},
		{CheckTemplates, CheckRefuse, false, "the deploy templates for the instance's traits repeat no step and do not move deploy.deploy", checkTemplates},
		{CheckInstallStep, CheckRefuse, false, "a custom-agent plan has an installing step; otherwise the node becomes active with an empty disk", checkInstallStep},
		{CheckInstallOnce, CheckWarn, true, "only one step installs: a second one overwrites what the first has installed", checkInstallOnce},
		{CheckSteps, CheckRefuse, false, "no repeated step, no unknown argument, deploy.deploy not moved", checkSteps},
		{CheckStepOrder, CheckRefuse, true, "installing steps run between deploy (100) and tear_down_agent (40)", checkStepOrder},
		{CheckStepOffered, CheckRefuse, true, "the node's agent offered the steps when last seen", checkStepOffered},
		{CheckRestart, CheckWarn, true, "no BIOS, RAID or firmware step restarts the machine before an agent step", checkRestart},
		{CheckHints, CheckRefuse, false, "Ironic and the agent accept the root device hints and interpret them alike", checkHints},
		{CheckHintsDoubt, CheckWarn, true, "the hints are not misleading", checkHintsDoubt},
		{CheckHintsPlaces, CheckWarn, true, "instance_info and properties have the same hints, or only one has hints", checkHintsPlaces},
		{CheckInventory, CheckRefuse, true, "the inventory is at most 30 days old and newer than the RAID configuration", checkInventory},
		{CheckInventoryBy, CheckWarn, true, "the inventory comes from the agent: a BMC reports no WWNs or paths", checkInventoryBy},
		{CheckRootDevice, CheckRefuse, true, "the hints match exactly one disk; without hints, the node has one disk", checkRootDevice},
		{CheckSingleDisk, CheckWarn, true, "hints are set, even for a single disk", checkSingleDisk},
		{CheckStableHint, CheckWarn, true, "the hints use wwn or serial, which never change", checkStableHint},
		{CheckSharedDisk, CheckRefuse, true, "the disk is not on a storage network or in another node's inventory", checkSharedDisk},
		{CheckDataDisk, CheckRefuse, false, "the disk is not registered in extra.data_disks", checkDataDisk},
		{CheckOddDisk, CheckWarn, true, "the disk is not USB, virtual media or an SD card, and has at least 16 GiB", checkOddDisk},
		{CheckSameDisk, CheckWarn, true, "the disk is the same as in the last deployment (extra.console.root_disk)", checkSameDisk},
		{CheckRAIDRoot, CheckWarn, true, "no RAID step changes the disks, and no software RAID overrides the hints", checkRAIDRoot},
		{CheckAssisted, CheckWarn, true, "root device hints apply; the Assisted Installer ignores them", checkAssisted},
		{CheckKickstart, CheckRefuse, true, "anaconda: the machine has one disk; the kickstart chooses the disks, and Ironic's default kickstart erases all of them", checkKickstart},
		{CheckConfigDrive, CheckRefuse, false, "the configdrive is an object if the agent requires one", checkConfigDrive},
		{CheckUserData, CheckRefuse, false, "the program that reads the user data (Ignition or cloud-init) can read it; Butane is translated", checkUserData},
		{CheckUserDataReader, CheckWarn, true, "it is known which program reads the user data, and the data reaches the machine", checkUserDataReader},
		{CheckUserDataOdd, CheckWarn, true, "a login is possible, and the user data has no other problem", checkUserDataOdd},
		{CheckMetaData, CheckRefuse, false, "coreos_append_karg and coreos_copy_network are valid for the agent", checkMetaData},
		{CheckImage, CheckRefuse, false, "an image is set if the deploy interface writes one; newer releases require one for every rebuild", checkImage},
		{CheckOCI, CheckRefuse, false, "the oci:// reference is valid for Ironic", checkOCIReference},
		{CheckOCITag, CheckWarn, true, "the oci:// image is pinned by digest", checkOCITag},
		{CheckOCIKind, CheckRefuse, true, "the registry has the oci:// image, and the deploy interface supports it", checkOCIKind},
		{CheckOCISecret, CheckWarn, true, "image_pull_secret is set if the registry requires credentials", checkOCISecret},
		{CheckImageSum, CheckRefuse, false, "an HTTP image has a checksum", checkImageSum},
		{CheckImageThere, CheckRefuse, true, "the image server answers 200 to this console", checkImageReachable},
		{CheckImageFile, CheckRefuse, true, "the checksum file has an entry for the image with the requested algorithm", checkImageChecksumFile},
		{CheckImageSize, CheckRefuse, true, "the image (unpacked, if known) fits on the disk", checkImageSize},
	}
}

type finding struct {
	verdict verdict
	text    string
	// remedy is for the command line, screenRemedy for the console. If the latter is empty, remedy applies to both.
	remedy, screenRemedy string
	evidence             []models.Observation
}

type verdict int

const (
	notAsked verdict = iota // the check does not apply to this deployment
	passed
	failed // the problem exists
	notKnown
)

func pass(text string, evidence ...models.Observation) finding {
	return finding{verdict: passed, text: text, evidence: evidence}
}

func fail(text, remedy string, evidence ...models.Observation) finding {
	return finding{verdict: failed, text: text, remedy: remedy, evidence: evidence}
}

func unknown(text, remedy string, evidence ...models.Observation) finding {
	return finding{verdict: notKnown, text: text, remedy: remedy, evidence: evidence}
}

// onScreen returns the finding with a remedy that the console shows instead of the command-line remedy.
func (r finding) onScreen(remedy string) finding {
	r.screenRemedy = remedy
	return r
}

func ruleOf(id CheckID) (CheckRule, bool) {
	rules := CheckRules()
	i := slices.IndexFunc(rules, func(r CheckRule) bool { return r.ID == id })
	if i < 0 {
		return CheckRule{}, false
	}
	return rules[i], true
}

// ParseCheckID parses the ID of a check. If the ID is unknown, the error lists all IDs.
func ParseCheckID(text string) (CheckID, error) {
	if _, ok := ruleOf(CheckID(text)); ok {
		return CheckID(text), nil
	}
	rules := CheckRules()
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = string(r.ID)
	}
	return "", fmt.Errorf("unknown check %q; available: %s", printable.Line(text), strings.Join(names, ", "))
}

// ParseCheckPolicy parses a policy for a check. Weakening a check that cannot be overridden is an error.
func ParseCheckPolicy(id CheckID, text string) (CheckPolicy, error) {
	policy := CheckPolicy(text)
	rule, known := ruleOf(id)
	switch {
	case !known:
		_, err := ParseCheckID(string(id))
		return "", err
	case !slices.Contains(checkPolicies(), policy):
		return "", fmt.Errorf("check %[2]s: invalid policy %[1]q: must be refuse, warn or off", printable.Line(text), id)
	case policy != PolicyRefuse && !rule.Override:
		return "", fmt.Errorf("check %s cannot be turned off: a deployment that does not pass it always fails", id)
	}
	return policy, nil
}

// Check is the result of running a check on a node.
type Check struct {
	ID       CheckID       `json:"id"`
	Severity CheckSeverity `json:"severity"`
	// Text states the result in one clause, and is sanitized. Remedy suggests what to do, in terms of commands and
	// plan fields; it may be empty.
	Text     string               `json:"text"`
	Evidence []models.Observation `json:"evidence"`
	Remedy   string               `json:"way_out,omitempty"`
	// ScreenRemedy suggests what to do in the console, in terms of keys and wizard pages.
	ScreenRemedy string `json:"-"`
	// Override reports whether the operator can override the check. Overridden reports whether the operator has
	// overridden it.
	Override   bool `json:"may_be_overridden"`
	Overridden bool `json:"overridden,omitempty"`
	// Policy is the policy that changed the severity. It is empty if none did.
	Policy CheckPolicy `json:"policy,omitempty"`
}

// String formats the result on one line, without the evidence.
func (c Check) String() string {
	text := string(c.ID) + ": " + c.Text
	if c.Remedy != "" {
		text += "; " + c.Remedy
	}
	return text
}

// Mark returns the severity, or "overridden" if the check was overridden.
func (c Check) Mark() string {
	if c.Overridden {
		return "overridden"
	}
	return string(c.Severity)
}

// Reported returns the evidence to show. For a check that passed, there is none.
func (c Check) Reported() []models.Observation {
	if c.Severity == CheckOK {
		return nil
	}
	return c.Evidence
}

// CheckChoices holds the operator's choices about the checks of one node's deployment.
type CheckChoices struct {
	Policy map[CheckID]CheckPolicy
	// Override lists the checks that the operator overrides. NoOverride forbids the operator to override any.
	Override   []CheckID
	NoOverride bool
}

// decided applies the operator's choices to the result of a check. It returns false if the check is turned off.
func (c CheckChoices) decided(rule *CheckRule, check Check) (Check, bool) {
	check.Override = rule.Override && !c.NoOverride
	was := check.Severity
	switch policy := c.Policy[check.ID]; {
	case policy == PolicyRefuse && was != CheckOK:
		check.Severity = CheckRefuse
	case policy == PolicyWarn && was == CheckRefuse && rule.Override:
		check.Severity = CheckWarn
	case policy == PolicyOff && rule.Override:
		return check, false
	}
	if check.Severity != was {
		check.Policy = c.Policy[check.ID]
	}
	if check.Severity == CheckRefuse && check.Override && slices.Contains(c.Override, check.ID) {
		check.Severity, check.Overridden = CheckWarn, true
	}
	return check, true
}

// Checks runs all checks and returns their results. It leaves out checks that are turned off or do not apply to the
// deployment. If the deployment can have several outcomes, the worst result of each check counts.
func Checks(f *Facts, choices CheckChoices) []Check {
	var checks []Check
	for _, rule := range CheckRules() {
		if check, asked := choices.check(f, &rule); asked {
			checks = append(checks, check)
		}
	}
	return checks
}

// Check runs one check. It returns false if the check is turned off or does not apply to the deployment.
func (c CheckChoices) Check(f *Facts, id CheckID) (check Check, asked bool) {
	rule, known := ruleOf(id)
	if !known {
		return Check{}, false
	}
	return c.check(f, &rule)
}

func (c CheckChoices) check(f *Facts, rule *CheckRule) (check Check, asked bool) {
	check, asked = f.check(rule)
	if !asked {
		return check, false
	}
	return c.decided(rule, check)
}

// check runs a check for all possible outcomes and returns the worst result, or false if it applies to none.
func (f *Facts) check(rule *CheckRule) (check Check, asked bool) {
	kinds := f.possibleKinds()
	results := make([]Check, len(kinds))
	same := true
	for i, kind := range kinds {
		facts := *f
		facts.Kind = kind
		if result := rule.do(&facts); result.verdict != notAsked {
			results[i] = result.check(rule)
			if !asked || results[i].Severity.worse(check.Severity) {
				check, asked = results[i], true
			}
		}
		same = same && results[i].Text == results[0].Text
	}
	if same || check.Severity == CheckOK {
		return check, asked
	}
	var texts []string
	for i, kind := range kinds {
		if results[i].Severity == check.Severity {
			texts = append(texts, "if "+interfaceAutodetect+" switches to "+models.OrNone(kind.deployInterface())+": "+results[i].Text)
		}
	}
	check.Text = strings.Join(texts, "; ")
	return check, asked
}

func (f *Facts) possibleKinds() []Kind {
	if len(f.Outcomes) == 0 {
		return []Kind{f.Kind}
	}
	return f.Outcomes
}

// worse reports whether s is worse than another severity. Unknown is worse than a warning, because it may hide an
// error.
func (s CheckSeverity) worse(than CheckSeverity) bool {
	order := []CheckSeverity{CheckOK, CheckWarn, CheckUnknown, CheckRefuse}
	return slices.Index(order, s) > slices.Index(order, than)
}

func (r finding) check(rule *CheckRule) Check {
	check := Check{ID: rule.ID, Severity: CheckOK, Text: printable.Line(r.text), Remedy: printable.Line(r.remedy), ScreenRemedy: printable.Line(cmp.Or(r.screenRemedy, r.remedy)), Evidence: r.evidence}
	if check.Evidence == nil {
		check.Evidence = []models.Observation{}
	}
	switch r.verdict {
	case failed:
		check.Severity = rule.Worst
	case notKnown:
		check.Severity = CheckUnknown
	case passed, notAsked:
	}
	return check
}

// RefusedChecks returns the checks that refuse the deployment.
func RefusedChecks(checks []Check) []Check {
	var refused []Check
	for _, c := range checks {
		if c.Severity == CheckRefuse {
			refused = append(refused, c)
		}
	}
	return refused
}
