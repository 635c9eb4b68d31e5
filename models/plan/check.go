package plan

import (
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// CheckID names a check for good: plans, flags and the audit have it.
type CheckID string

// The checks; docs/deploy.md says what each is about.
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
	CheckSteps       CheckID = "steps"
	CheckStepOrder   CheckID = "step-order"
	CheckStepOffered CheckID = "step-offered"

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

// CheckSeverity is what came out of a check.
type CheckSeverity string

// The severities.
const (
	CheckOK      CheckSeverity = "ok"
	CheckWarn    CheckSeverity = "warn"
	CheckRefuse  CheckSeverity = "refuse"
	CheckUnknown CheckSeverity = "unknown" // it cannot be told
)

// CheckPolicy is what somebody wants a check to do instead of what it does by itself.
type CheckPolicy string

// The policies. A check that must not be overridden can only be made stricter.
const (
	PolicyRefuse CheckPolicy = "refuse" // what is not ok refuses
	PolicyWarn   CheckPolicy = "warn"   // what would refuse warns
	PolicyOff    CheckPolicy = "off"    // it is not done
)

// checkPolicies lists them.
func checkPolicies() []CheckPolicy { return []CheckPolicy{PolicyRefuse, PolicyWarn, PolicyOff} }

// CheckRule is what is fixed about a check.
type CheckRule struct {
	ID CheckID
	// Worst is what the check says when it finds what it looks for.
	Worst CheckSeverity
	// Override says that somebody who types the node's name may go on all the same.
	Override bool
	// About is one line for the documentation.
	About string
}

// CheckRules lists all checks in the order in which they are shown.
func CheckRules() []CheckRule {
	return []CheckRule{
		{CheckState, CheckRefuse, false, "the node is available or deploy failed; for a rebuild active, error or deploy failed"},
		{CheckMaintenance, CheckRefuse, false, "the node is not in maintenance"},
		{CheckReserved, CheckRefuse, true, "no instance_uuid, or nobody else's; a rebuild keeps it"},
		{CheckAllocation, CheckRefuse, false, "an allocation, where one is asked for, can reserve the node"},
		{CheckProtected, CheckRefuse, true, "the node is not protected"},
		{CheckRetired, CheckRefuse, true, "the node is not retired"},
		{CheckConsoleLock, CheckRefuse, true, "extra.console_lock is not set"},
		{CheckManagedByMetal3, CheckWarn, true, "the name is none that Metal3 gives (namespace~host): it would undo the deployment"},
		{CheckFault, CheckWarn, true, "Ironic has marked no fault, and knows the power state"},
		{CheckAPIVersion, CheckRefuse, false, "this Ironic's API can be sent what the plan has"},
		{CheckDeployInterface, CheckRefuse, false, "the plan's deploy interface is the kind's, and enabled in the node's driver"},
		{CheckConductor, CheckRefuse, true, "a conductor that is alive has the node's driver and group"},
		{CheckRamdisk, CheckRefuse, true, "there is a deploy ISO, or a kernel with its ramdisk"},
		{CheckValidate, CheckRefuse, true, "Ironic's validate is true for power, management, boot, deploy and network"},
		{CheckKernelParams, CheckRefuse, true, "kernel_append_params can be read by the grammar of Ironic 37 and later"},
		{CheckTraits, CheckRefuse, false, "the node has the traits of the instance"},
		{CheckTemplates, CheckRefuse, false, "the deploy templates of the instance's traits have no step twice, and leave deploy.deploy at its place"},
		{CheckInstallStep, CheckRefuse, false, "a custom-agent plan has a step that installs: else the node is active with nothing on its disk"},
		{CheckSteps, CheckRefuse, false, "no step twice, no argument that a step does not take, deploy.deploy left at its place"},
		{CheckStepOrder, CheckRefuse, true, "steps that install run between deploy (100) and tear_down_agent (40)"},
		{CheckStepOffered, CheckRefuse, true, "the node's agent offered the steps the last time that one was seen"},
		{CheckHints, CheckRefuse, false, "Ironic and the agent take the root device hints, and read them alike"},
		{CheckHintsDoubt, CheckWarn, true, "the hints mean what they seem to"},
		{CheckHintsPlaces, CheckWarn, true, "instance_info and properties have the same hints, or only one of them has"},
		{CheckInventory, CheckRefuse, true, "there is an inventory, not older than 30 days nor than the RAID"},
		{CheckInventoryBy, CheckWarn, true, "the inventory is an agent's: a BMC tells names and sizes only"},
		{CheckRootDevice, CheckRefuse, true, "the hints match exactly one disk; without hints there is only one to take"},
		{CheckSingleDisk, CheckWarn, true, "there are hints, even where there is only one disk"},
		{CheckStableHint, CheckWarn, true, "the disk is told by its wwn or serial, which stay"},
		{CheckSharedDisk, CheckRefuse, true, "the disk is neither on a storage network nor in another node's inventory"},
		{CheckDataDisk, CheckRefuse, false, "the disk is not registered in extra.data_disks"},
		{CheckOddDisk, CheckWarn, true, "the disk is none of USB, virtual media or an SD card, and has 16 GiB"},
		{CheckSameDisk, CheckWarn, true, "the disk is the one of the last deployment (extra.console.root_disk)"},
		{CheckRAIDRoot, CheckWarn, true, "no software RAID takes the place of the hints"},
		{CheckAssisted, CheckWarn, true, "root device hints are obeyed: the Assisted Installer's agent picks by itself"},
		{CheckKickstart, CheckRefuse, true, "anaconda: the machine has one disk; the kickstart chooses the disks, and Ironic's erases all of them"},
		{CheckConfigDrive, CheckRefuse, false, "the configdrive is an object where the agent wants one"},
		{CheckUserData, CheckRefuse, false, "the reader of the user data (Ignition or cloud-init) can read it; Butane is translated"},
		{CheckUserDataReader, CheckWarn, true, "it is known who reads the user data, and it reaches the machine"},
		{CheckUserDataOdd, CheckWarn, true, "somebody can log in, and whatever else may be wrong in user data"},
		{CheckMetaData, CheckRefuse, false, "coreos_append_karg and coreos_copy_network are what the agent can use"},
		{CheckImage, CheckRefuse, false, "an interface that writes an image has one; new Ironics want one for every rebuild"},
		{CheckOCI, CheckRefuse, false, "Ironic can read the reference of an oci:// image"},
		{CheckOCITag, CheckWarn, true, "an oci:// image is named by its digest"},
		{CheckOCIKind, CheckRefuse, true, "the registry has the oci:// image, and the deploy interface installs such images"},
		{CheckOCISecret, CheckWarn, true, "a registry that wants credentials has them in image_pull_secret"},
		{CheckImageSum, CheckRefuse, false, "an image from the web has a checksum"},
		{CheckImageThere, CheckRefuse, true, "the image's server answers 200, asked from here"},
		{CheckImageFile, CheckRefuse, true, "the file that the checksum is read from has the image's, of the kind that is asked for"},
		{CheckImageSize, CheckRefuse, true, "the image, unpacked as far as that is told, fits on the disk"},
	}
}

// ruleOf finds a check's rule.
func ruleOf(id CheckID) (CheckRule, bool) {
	rules := CheckRules()
	i := slices.IndexFunc(rules, func(r CheckRule) bool { return r.ID == id })
	if i < 0 {
		return CheckRule{}, false
	}
	return rules[i], true
}

// ParseCheckID reads a check's id.
func ParseCheckID(text string) (CheckID, error) {
	if _, ok := ruleOf(CheckID(text)); ok {
		return CheckID(text), nil
	}
	rules := CheckRules()
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = string(r.ID)
	}
	return "", fmt.Errorf("no check %q; there are %s", models.Printable(text), strings.Join(names, ", "))
}

// ParseCheckPolicy reads a policy for a check. One that would weaken a check that must
// not be overridden is an error.
func ParseCheckPolicy(id CheckID, text string) (CheckPolicy, error) {
	policy := CheckPolicy(text)
	rule, known := ruleOf(id)
	switch {
	case !known:
		_, err := ParseCheckID(string(id))
		return "", err
	case !slices.Contains(checkPolicies(), policy):
		return "", fmt.Errorf("policy %q of check %s: want refuse, warn or off", models.Printable(text), id)
	case policy != PolicyRefuse && !rule.Override:
		return "", fmt.Errorf("check %s always refuses: what it finds cannot end well", id)
	}
	return policy, nil
}

// Check is what one check found on one node.
type Check struct {
	ID       CheckID       `json:"id"`
	Severity CheckSeverity `json:"severity"`
	// Text is one clause, safe to show; WayOut what can be done, or empty.
	Text     string               `json:"text"`
	Evidence []models.Observation `json:"evidence"`
	WayOut   string               `json:"way_out,omitempty"`
	// Override says that the refusal may be overridden; Overridden that it was.
	Override   bool `json:"may_be_overridden"`
	Overridden bool `json:"overridden,omitempty"`
	// Policy is what changed the severity, if something did.
	Policy CheckPolicy `json:"policy,omitempty"`
}

// String is one line without the evidence.
func (c Check) String() string {
	text := string(c.ID) + ": " + c.Text
	if c.WayOut != "" {
		text += "; " + c.WayOut
	}
	return text
}

// CheckChoices are what somebody has decided about checks.
type CheckChoices struct {
	Policy map[CheckID]CheckPolicy
	// Override are the checks that are overridden, for a node whose name was typed.
	Override []CheckID
}

// decided applies the choices to a check; false when it is off.
func (c CheckChoices) decided(check Check) (Check, bool) {
	rule, _ := ruleOf(check.ID)
	check.Override = rule.Override
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
	if check.Severity == CheckRefuse && rule.Override && slices.Contains(c.Override, check.ID) {
		check.Severity, check.Overridden = CheckWarn, true
	}
	return check, true
}

// RefusedChecks are those that refuse.
func RefusedChecks(checks []Check) []Check {
	var refused []Check
	for _, c := range checks {
		if c.Severity == CheckRefuse {
			refused = append(refused, c)
		}
	}
	return refused
}
