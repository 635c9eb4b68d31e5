package explain

import (
	"fmt"
	"strings"
	"testing"

	"ironworks/models"
)

// familyTexts lists messages from Ironic, its agent and BMCs for which no individual rule exists.
var familyTexts = []struct {
	text  string
	state models.ProvisionState
	rule  RuleID
}{
	// Messages that an earlier release of ironworks could not explain.
	{"failed to run inspection hooks: Failed to inspect hardware. Reason: Unexpected exception InvalidNodeInventory during processing for node: " + aNode + ". Error: Inventory for node " + aNode + " is invalid: no valid network interfaces", models.StateInspectFailed, "inspection-hook"},
	{"failed to run inspection hooks: Failed to inspect hardware. Reason: The following failures happened while running preprocess hooks for node " + aNode + ":\nUnexpected exception RuntimeError during preprocess hook accelerators: Could not find pci_devices in the configuration data.", models.StateInspectFailed, "inspection-hook"},
	{"failed to run inspection hooks: Failed to inspect hardware. Reason: Ramdisk reported error: The following errors were encountered:\n* collector logs failed: [Errno 5] Input/output error", models.StateInspectFailed, "inspection-hook"},
	{"Inspection was aborted by request.", models.StateInspectFailed, "operation-aborted"},
	{"Clean step deploy.erase_devices_metadata failed on node " + aNode + ". Command execution failed: [Errno 2] No such file or directory: 'mdadm'", models.StateCleanFailed, "ramdisk-tool-missing"},
	{"Deploy step deploy.write_image failed on node " + aNode + ". Command execution failed: Unexpected error while running command.\nCommand: efibootmgr -v\nExit code: 127", models.StateDeployFailed, "ramdisk-tool-missing"},

	// Messages from Ironic that unknown_test.go once listed as unknown.
	{"Deploy step deploy.write_image failed: unexpected EOF", models.StateDeployFailed, "image-write"},
	{"Deploy step raid.apply_configuration failed on node x. Error: mdadm: cannot open /dev/sda: No such device", models.StateDeployFailed, "raid-configuration"},
	{"Clean step deploy.burnin_cpu failed on node x. Command execution failed: stress-ng exited with 2", models.StateCleanFailed, "burn-in"},
	{"Clean step raid.create_configuration failed on node x. The RAID level 7 is not supported", models.StateCleanFailed, "raid-configuration"},
	{"Unexpected error when processing next deploy step. AttributeError: 'NoneType' object has no attribute 'get'", models.StateDeployFailed, "python-error"},
	{"Failed to process the next deploy step: 'steps'", models.StateDeployFailed, "step-failed"},
	{"Failed to process the next deploy step: commands", models.StateDeployFailed, "step-failed"},
	{"Failed to prepare to deploy. Exception: [Errno 28] No space left on device", models.StateDeployFailed, "no-space"},
	{"Failed to prepare to deploy. Exception: '/tmp/a' and '/tmp/b' are the same file", models.StateDeployFailed, "prepare-failed"},
	{"Async execution of BaseConductorManager failed with error: (sqlite3.OperationalError) database is locked", "", "internal-error"},

	// One or two messages for each kind of problem.
	{"Failed to validate deploy or power info for node " + aNode + ". Error: Missing the following Redfish properties in node " + aNode + " driver_info: ['redfish_address']", models.StateDeployFailed, "redfish-call"},
	{"Node " + aNode + " failed step {'step': 'apply_configuration', 'interface': 'bios'}: Redfish exception occurred. Error: Redfish BIOS apply configuration failed for node " + aNode + ". Error: x", models.StateCleanFailed, "bios-settings"},
	{"Failed to prepare to deploy: Swift operation 'put object' failed: Service Unavailable", models.StateDeployFailed, "object-store"},
	{"Failed to prepare to deploy: Failed to create neutron ports for node's " + aNode + " ports [].", models.StateDeployFailed, "network-port"},
	{"Failed to prepare node " + aNode + " for cleaning: Could not retrieve network: x", models.StateCleanFailed, "network-port"},
	{"Failed to prepare to deploy: The kickstart file generated does not pass validation. The ksvalidator tool returned the following error: x", models.StateDeployFailed, "kickstart"},
	{"Redfish exception occurred. Error: Failed to set secure boot state on node " + aNode + " to True: x", "", "secure-boot"},
	{"Failed to validate deploy or power info for node " + aNode + ". Error: Image registry did not answer", models.StateDeployFailed, "oci-registry"},
	{"Failed to tear down: x", models.StateError, "tear-down-failed"},
	{"Failed to verify: x", models.StateEnroll, "verification-failed"},
	{"Failed to rescue: x", models.StateRescueFailed, "rescue-failed"},
	{"Deploy step deploy.write_image failed on node " + aNode + ". Error writing image to device: Writing image to device /dev/sda failed with exit code 1.", models.StateDeployFailed, "image-write"},
}

func TestExplainFamilies(t *testing.T) {
	t.Parallel()
	for i, c := range familyTexts {
		t.Run(fmt.Sprintf("%d %s", i, c.rule), func(t *testing.T) {
			t.Parallel()
			for _, f := range []*Facts{{Text: c.text, State: c.state}, failed(c.state, c.text, nil)} {
				all := Explain(f)
				e := all[0]
				if e.Rule != c.rule || e.Confidence != ConfidenceMedium {
					t.Errorf("%s, %s: %s", e.Rule, e.Confidence, c.text)
				}
				if e.Verdict == "" || e.Next.Text == "" || e.Next.Command == "" || strings.ContainsAny(e.Verdict+e.Next.Text, "{}") {
					t.Errorf("%+v", e)
				}
				wantSafe(t, all)
			}
		})
	}
}

// TestExplainFamiliesYield checks that no family explains a message for which an individual rule exists.
func TestExplainFamiliesYield(t *testing.T) {
	t.Parallel()
	for _, c := range realTexts {
		for _, e := range Explain(&Facts{Text: c.text, State: c.state}) {
			for i := range families {
				if families[i].ID == e.Rule {
					t.Errorf("%s beside %s: %s", e.Rule, c.rule, c.text)
				}
			}
		}
	}
}

// TestFamilySigns checks that every family is complete, and that its openings and words are in a form that the search
// can find.
func TestFamilySigns(t *testing.T) {
	t.Parallel()
	seen := map[RuleID]bool{}
	for i := range families {
		f := &families[i]
		if seen[f.ID] || len(f.Openings)+len(f.Words) == 0 || f.Verdict == "" || len(f.Not) == 0 || f.Source == "" || f.Next.Text == "" {
			t.Errorf("%s is listed twice or is not whole", f.ID)
		}
		seen[f.ID] = true
		for _, w := range f.Words {
			if w != strings.ToLower(w) || !inFamilyWord(w[0]) || len(w) < 3 {
				t.Errorf("%s: the word %q cannot be found", f.ID, w)
			}
		}
		for _, o := range f.Openings {
			if first, _, _ := strings.Cut(o, "…"); len(first) < 2 || !inFamilyWord(o[0]) {
				t.Errorf("%s: the opening %q cannot be found", f.ID, o)
			}
		}
	}
}
