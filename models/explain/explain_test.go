package explain

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ironworks/models"
)

const aNode = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123"

// realTexts lists real messages from Ironic, its agent, the install_coreos step and coreos-installer. Other tests
// refer to a message by its number.
var realTexts = []struct {
	number int
	text   string
	state  models.ProvisionState
	rule   RuleID
	least  Confidence
}{
	{1, "Timeout reached while waiting for callback for node " + aNode, models.StateDeployFailed, "callback-timeout", ConfidenceMedium},
	{2, "Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step {}.", models.StateCleanFailed, "clean-timeout-no-step", ConfidenceHigh},
	{2, "Timeout reached while cleaning the node. Please check if the ramdisk responsible for the cleaning is running on the node. Failed on step {'step': 'erase_devices', 'priority': 10, 'interface': 'deploy'}.", models.StateCleanFailed, "clean-timeout", ConfidenceMedium},
	{3, "Timeout reached while inspecting the node. Please check if the ramdisk responsible for the inspection is running on the node.", models.StateInspectFailed, "inspect-timeout", ConfidenceMedium},
	{3, "timeout reached while inspecting the node", models.StateInspectFailed, "inspect-timeout", ConfidenceMedium},
	{4, "Timeout reached while servicing the node. Please check if the ramdisk responsible for the servicing is running on the node. Failed on step {}.", models.StateServiceFailed, "service-timeout", ConfidenceMedium},
	{4, "Timeout reached while waiting for rescue ramdisk callback for node", models.StateRescueFailed, "rescue-timeout", ConfidenceMedium},
	{5, "Deploy step deploy.install_coreos failed on node " + aNode + ". Error finding the disk or partition device to deploy the image onto: No suitable device was found for deployment using these hints {'wwn': '0x5000c500deadbeef'}", models.StateDeployFailed, "no-hinted-device", ConfidenceHigh},
	{6, "Deploy step deploy.write_image failed: Agent returned error for deploy step {'step': 'write_image', 'priority': 80, 'argsinfo': None, 'interface': 'deploy'} on node " + aNode + " : {'code': 404, 'type': 'DeviceNotFound', 'message': 'Error finding the disk or partition device to deploy the image onto', 'details': 'No suitable device was found for deployment - root device hints were not provided and all found block devices are smaller than 4294967296B.'}.", models.StateDeployFailed, "no-disks", ConfidenceHigh},
	{7, "Unexpected exception HardwareInspectionFailure during processing: Failed to inspect hardware. Reason: No disks satisfied root device hints for node " + aNode, models.StateInspectFailed, "no-hinted-device", ConfidenceHigh},
	{8, `Failed to prepare to deploy: Failed to validate the root device hints {'size': '<in> banana'} for node ` + aNode + ". Error: Root device hint \"size\" is not an integer value.", models.StateDeployFailed, "bad-hints", ConfidenceHigh},
	{8, "Deploy step deploy.install_coreos failed on node " + aNode + ". Error finding the disk or partition device to deploy the image onto: No devices could be found using the root device hints {'size': '<range-in> ( 10 500 )'} because they failed to validate. Error: Root device hint \"size\" is not an integer value. Hint expression: <range-in> ( 10 500 )", models.StateDeployFailed, "bad-hints", ConfidenceHigh},
	{9, "Deploy step deploy.write_image failed on node " + aNode + ". Error verifying image checksum: Image failed to verify against checksum. location: /tmp/5ba6f7a1; image ID: 5ba6f7a1; image checksum: 0f8a; verification checksum: 77aa", models.StateDeployFailed, "image-checksum", ConfidenceHigh},
	{10, "Failed to prepare to deploy. Exception: Failed to download image http://10.0.0.1/SHA256SUMS, reason: Checksum file does not contain name image.qcow2", models.StateDeployFailed, "checksum-file", ConfidenceHigh},
	{11, `Failed to validate deploy or power info for node ` + aNode + `. Error: image_source's "image_checksum", or "image_os_hash_algo" and "image_os_hash_value" must be provided in instance_info for node ` + aNode, models.StateDeployFailed, "checksum-missing", ConfidenceHigh},
	{12, "Failed to prepare to deploy. Exception: Validation of image href http://127.0.0.1:8080/ramdisk.iso failed, reason: Got HTTP code 404 instead of 200 in response to HEAD request.", models.StateDeployFailed, "image-http", ConfidenceHigh},
	{13, "Deploy step deploy.write_image failed on node " + aNode + ". MD5 support is disabled, and support will be removed in a 2024 version of Ironic.", models.StateDeployFailed, "md5-disabled", ConfidenceHigh},
	{14, "Deploy step deploy.write_image failed on node " + aNode + ". Error downloading image: Download of image 5ba6f7a1 failed: URL: http://10.0.0.1/i; time: 2.1 seconds. Error: Connection refused", models.StateDeployFailed, "image-download", ConfidenceHigh},
	{14, "Error downloading image: Download of image 5ba6f7a1 failed: Timed out reading next chunk from webserver", models.StateDeployFailed, "image-download", ConfidenceHigh},
	{15, "Error performing deploy: Unable to find a valid partition table on the disk after writing the image. The image may be corrupted or it uses a different sector size than the device. Error: x", models.StateDeployFailed, "no-partition-table", ConfidenceHigh},
	{16, "Failed to prepare to deploy. Exception: The requested image is not valid for use.", models.StateDeployFailed, "image-refused", ConfidenceHigh},
	{16, "Security: The requested image http://x/y is of format image vmdk and is not in the [conductor]permitted_image_formats list.", "", "image-refused", ConfidenceHigh},
	{17, "Failed to prepare to deploy. Exception: Memory size is too small for requested image, if it is less than (image size + reserved RAM size), will break the IPA deployments. Image size: 8192 MiB, Memory size: 4096 MiB, Reserved size: 0 MiB.", models.StateDeployFailed, "out-of-memory", ConfidenceHigh},
	{18, "Deploy step deploy.prepare_instance_boot failed: Failed to install a bootloader when deploying node " + aNode + ": no ESP", models.StateDeployFailed, "bootloader", ConfidenceMedium},
	{19, "Deploy step deploy.prepare_instance_boot failed: Failed to change the boot device to disk when deploying node " + aNode + ": Redfish exception occurred.", models.StateDeployFailed, "boot-device", ConfidenceMedium},
	{19, "Failed to prepare to deploy. Exception: Redfish exception occurred. Error: Setting boot mode to uefi failed for node " + aNode + ". Error: HTTP PATCH https://10.1.0.1/redfish/v1/Systems/1 returned code 400. Base.1.8.GeneralError", models.StateDeployFailed, "boot-mode", ConfidenceHigh},
	{20, "Failed to prepare to deploy. Exception: Redfish exception occurred. Error: Virtual media mount failed for node " + aNode + " with image http://10.0.0.1/boot.iso. Error: HTTP POST returned code 500", models.StateDeployFailed, "vmedia-mount", ConfidenceMedium},
	{20, "Failed to prepare to deploy: No suitable virtual media device found", models.StateDeployFailed, "vmedia-no-device", ConfidenceHigh},
	{21, "Node " + aNode + " requested transport protocol NFS via driver_info, but BMC only supports ['HTTPS'].", models.StateDeployFailed, "vmedia-protocol", ConfidenceHigh},
	{22, "Failed to deploy instance: Cannot attach configdrive for node " + aNode + ": no suitable virtual USB slot has been found", models.StateDeployFailed, "vmedia-configdrive", ConfidenceHigh},
	{23, "Failed to get power state for node " + aNode + ". Error: Redfish connection failed for node " + aNode + ": Unable to connect to https://10.1.0.1:443/redfish/v1/. Error: HTTPSConnectionPool(host='10.1.0.1', port=443): Max retries exceeded with url: /redfish/v1/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate (_ssl.c:1016)')))", models.StateEnroll, "bmc-certificate", ConfidenceHigh},
	{24, "Failed to get power state for node " + aNode + ". Error: Redfish exception occurred. Error: HTTP GET http://127.0.0.1:8000/redfish/v1/Systems/1 returned code 401. unknown error Extended information: none", models.StateEnroll, "bmc-credentials", ConfidenceHigh},
	{25, "During sync_power_state, max retries exceeded for node " + aNode + ", node state None does not match expected state 'power on'. Updating DB state to 'None' Switching node to maintenance mode.", models.StateActive, "power-sync", ConfidenceHigh},
	{26, "Failed to change power state to 'power off' by 'power off': Failed to set node power state to power off.", models.StateManageable, "power-change", ConfidenceMedium},
	{26, "Deploy step deploy.deploy failed: Failed to set node power state to power on..", models.StateDeployFailed, "power-change", ConfidenceMedium},
	{27, "Failed to get power state for node " + aNode + ". Error: IPMI call failed: power status.", models.StateEnroll, "ipmi", ConfidenceMedium},
	{28, "Node " + aNode + " is locked by host conductor-1, please retry after the current operation is completed.", "", "locked", ConfidenceHigh},
	{29, "Requested action cannot be performed due to lack of free conductor workers.", "", "no-workers", ConfidenceHigh},
	{29, "No free conductor workers available", models.StateDeployFailed, "no-workers", ConfidenceHigh},
	{30, "Unable to process request at this time. The concurrent action limit for provisioning has been reached. Please contact your administrator and try again later.", "", "concurrent-limit", ConfidenceHigh},
	{31, `No valid host was found. Reason: No conductor service registered which supports driver redfish for conductor group "rack7". Ensure the driver is valid and enabled.`, "", "no-conductor", ConfidenceHigh},
	{31, "Resource temporarily unavailable, please retry.", "", "unavailable", ConfidenceMedium},
	{32, "Failed to validate power driver interface: Could not find the following interface in the 'ironic.hardware.interfaces.bios' entrypoint: idrac-wsman. Valid interfaces are ['no-bios'].", "", "interface-missing", ConfidenceHigh},
	{33, "The deploying state can't be resumed by conductor host-2. Moving to fail state.", models.StateDeployFailed, "conductor-restart", ConfidenceHigh},
	{33, "Operation was aborted due to conductor take over", models.StateDeployFailed, "conductor-restart", ConfidenceHigh},
	{34, "Deploy step deploy.deploy failed: Failed to connect to the agent running on node " + aNode + " to collect commands status. Error: HTTPSConnectionPool(host='10.0.0.9', port=9999): Read timed out. (read timeout=60)", models.StateDeployFailed, "agent-unreachable", ConfidenceMedium},
	{35, "Invalid or missing agent token received.", "", "agent-token", ConfidenceHigh},
	{35, "Agent token is required for heartbeat processing.", "", "agent-token", ConfidenceHigh},
	{35, `Detected change in ramdisk provided "callback_url"`, "", "agent-token", ConfidenceHigh},
	{36, "TLS is required by configuration", "", "tls-required", ConfidenceHigh},
	{37, "Could not look up node info. Check logs for details.", "", "lookup", ConfidenceHigh},
	{37, "Agent could not find a valid IP address.", "", "no-address", ConfidenceHigh},
	{38, "Lookup is not allowed for node " + aNode + " in the provision state available", "", "lookup-refused", ConfidenceHigh},
	{39, "Conflict on inspection lookup: multiple nodes match MAC addresses 52:54:00:00:00:01", "", "inspection-conflict", ConfidenceHigh},
	{39, "No nodes satisfy MAC addresses (52:54:00:00:00:01) and BMC address(s) (10.1.0.1) during inspection lookup", "", "inspection-conflict", ConfidenceHigh},
	{40, "Failed to prepare to deploy. Exception: Node " + aNode + " does not have any port associated with it", models.StateDeployFailed, "no-port", ConfidenceHigh},
	{41, "Failed to deploy instance: Deploy step {'step': 'install_coreos', 'interface': 'deploy', 'priority': 80, 'args': {}} has not been found. Available out-of-band steps: []. Agent is not running.", models.StateDeployFailed, "step-without-agent", ConfidenceHigh},
	{41, "Failed to validate the final deploy steps list for node " + aNode + ": node does not support this deploy step: {'interface': 'deploy', 'step': 'install_coreos', 'args': {}, 'priority': 80}", models.StateDeployFailed, "step-unknown", ConfidenceHigh},
	{42, "Deploy step deploy.install_coreos failed on node " + aNode + ". Error performing deploy: coreos-installer failed with code 1: Error: install failed", models.StateDeployFailed, "installer-failed", ConfidenceHigh},
	{43, "Deploy step deploy.install_coreos failed on node " + aNode + ". Error performing deploy: Cannot use a pre-rendered configdrive, please pass it as JSON data", models.StateDeployFailed, "configdrive-form", ConfidenceHigh},
	{44, "Deploy step deploy.start_assisted_install failed on node " + aNode + `. Error performing deploy: Assisted Installer Agent has failed with result "exit-code". Check the ramdisk logs for more details.`, models.StateDeployFailed, "assisted-agent", ConfidenceHigh},
	{45, "Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 string", "", "configdrive-form", ConfidenceHigh},
	{45, "Error performing deploy: Config drive size exceeds maximum limit of 64MiB. Size of the given config drive is 70 MiB for node " + aNode + ".", models.StateDeployFailed, "configdrive-size", ConfidenceHigh},
	{46, `Clean step deploy.erase_devices_metadata failed on node ` + aNode + `. Error erasing block device: Failed to erase the metadata on the device(s): "/dev/sdb": Unexpected error while running command.`, models.StateCleanFailed, "erase-metadata", ConfidenceHigh},
	{46, "Error erasing block device: Block device /dev/sda is frozen and cannot be erased", models.StateCleanFailed, "disk-frozen", ConfidenceHigh},
	{46, "Error erasing block device: Block device /dev/sda already has a security password set", models.StateCleanFailed, "disk-password", ConfidenceHigh},
	{47, "Clean step deploy.erase_devices_metadata failed on node " + aNode + ". Protected device located, cannot proceed.: Protected VMFS located on device /dev/sdc. This volume or contents may be a shared block device. Please consult your storage administrator.", models.StateCleanFailed, "shared-disk", ConfidenceHigh},
	{48, "Deploy step deploy.switch_to_tenant_network failed: Could not add public network VIF 7d5e to node " + aNode + ", possible network issue. 409: Conflict", models.StateDeployFailed, "vif", ConfidenceMedium},
	{48, "Failed to prepare to deploy: Network error: Port 7d5e failed to reach status ACTIVE", models.StateDeployFailed, "vif", ConfidenceMedium},
	{49, "Failed to process allocation 11: could not reserve any of 3 suitable nodes.", "", "allocation-taken", ConfidenceHigh},
	{49, "Failed to process allocation 11: no suitable nodes have the requested traits CUSTOM_GPU.", "", "allocation-traits", ConfidenceHigh},
	{50, "Cleaning a node in maintenance mode is not allowed", models.StateCleanFailed, "in-maintenance", ConfidenceHigh},
	{50, "Deploy aborted as node is in maintenance mode", models.StateDeployFailed, "in-maintenance", ConfidenceHigh},
	{51, "Node " + aNode + " is protected and cannot be undeployed, rebuilt or deleted", "", "protected", ConfidenceHigh},
	{51, `The requested action "provide" can not be performed on node "` + aNode + `" while it is in state "active".`, "", "wrong-state", ConfidenceHigh},
	{52, "** Value Redacted - Requires baremetal:node:get:last_error permission. **", models.StateDeployFailed, "redacted", ConfidenceHigh},
}

func TestExplainStrings(t *testing.T) {
	t.Parallel()
	numbers := map[int]bool{}
	for _, c := range realTexts {
		numbers[c.number] = true
		t.Run(strconv.Itoa(c.number)+" "+string(c.rule), func(t *testing.T) {
			t.Parallel()
			asText := Explain(&Facts{Text: c.text, State: c.state})[0]
			wantExplained(t, asText, c.rule, c.least)
			if c.state == "" || c.state == models.StateManageable || c.state == models.StateActive {
				return
			}
			n := models.Node{UUID: aNode, Name: "r7-n01", ProvisionState: c.state, LastError: c.text}
			wantExplained(t, Explain(&Facts{Row: &models.Row{Node: n}})[0], c.rule, c.least)
			if n.LastError = ""; c.state == models.StateEnroll {
				return // in this state, an error in the history counts as old, too
			}
			history := []models.HistoryEntry{{Severity: "ERROR", Event: c.text}}
			only := Explain(&Facts{Row: &models.Row{Node: n}, History: history})[0]
			wantExplained(t, only, c.rule, c.least)
			if only.Evidence[0].Field != "history" {
				t.Errorf("the reason is only in the history, and it says %s", only.Evidence[0].Field)
			}
		})
	}
	for i := 1; i <= 52; i++ {
		if !numbers[i] {
			t.Errorf("no message for string %d", i)
		}
	}
}

func wantExplained(t *testing.T, e Explanation, rule RuleID, least Confidence) {
	t.Helper()
	if e.Rule != rule || e.Confidence.rank() > least.rank() {
		t.Errorf("%s, %s (%s); want %s, %s at least", e.Rule, e.Confidence, e.Verdict, rule, least)
	}
	if e.Verdict == "" || e.Next.Text == "" || e.Next.Command == "" || e.Source == "" || len(e.Evidence) == 0 {
		t.Errorf("not a whole explanation: %+v", e)
	}
}

// TestExplainKnownErrors checks that the rules are complete and that each known error has a rule, so that every
// marked log line can be explained.
func TestExplainKnownErrors(t *testing.T) {
	t.Parallel()
	ids := map[RuleID]bool{}
	for _, r := range Rules() {
		if ids[r.ID] {
			t.Errorf("rule %s is listed twice", r.ID)
		}
		ids[r.ID] = true
		if r.Verdict == "" || r.Next.Text == "" || r.Source == "" || r.Confidence.rank() < 0 {
			t.Errorf("rule %s is not whole: %+v", r.ID, r)
		}
		if !messages[r.ID] && len(r.If) == 0 && r.ID != RuleUnknown && r.ID != RuleNoReason {
			t.Errorf("rule %s matches everything", r.ID)
		}
	}
	for _, r := range Rules() {
		for _, id := range r.Instead {
			if !ids[id] {
				t.Errorf("rule %s stands in the place of %s, which is none", r.ID, id)
			}
		}
	}
	for _, id := range knownErrors() {
		if !slices.ContainsFunc(allRules, func(r Rule) bool { return r.ID == id }) {
			t.Errorf("no rule for the error %s", id)
		}
	}
}

// explainNow is the current time for all tests of explanations.
var explainNow = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

func ago(d time.Duration) models.Time { return models.Time{Time: explainNow.Add(-d)} }

// waiting returns the facts about a node that waits for its ramdisk. The began argument is the time from the start of
// the operation to explainNow. The change function can modify the facts.
func waiting(began time.Duration, change func(n *models.Node, f *Facts)) *Facts {
	n := models.Node{UUID: aNode, Name: "r7-n01", ProvisionState: models.StateDeployWait, TargetProvisionState: models.StateActive, PowerState: models.PowerOn, ProvisionUpdatedAt: ago(began), Internal: &models.Internal{}}
	f := &Facts{Now: explainNow, Row: &models.Row{Node: n}, Work: &models.Work{Kind: models.StateDeploying, Begin: explainNow.Add(-began), Whole: true, Outcome: models.OutcomeRunning}}
	change(&f.Row.Node, f)
	return f
}

func failed(state models.ProvisionState, reason string, change func(n *models.Node, f *Facts)) *Facts {
	n := models.Node{UUID: aNode, Name: "r7-n01", ProvisionState: state, LastError: reason, Internal: &models.Internal{}}
	f := &Facts{Now: explainNow, Row: &models.Row{Node: n}}
	if change != nil {
		change(&f.Row.Node, f)
	}
	return f
}

func siblings(same, of int) *Siblings {
	return &Siblings{Affected: same, Total: of, Names: []string{"r7-n02", "r7-n03"}}
}

const timedOut = "Timeout reached while waiting for callback for node " + aNode

// TestExplainPains checks the explanation of each of the 25 numbered problems, and of combinations of facts (number
// 0).
func TestExplainPains(t *testing.T) {
	t.Parallel()
	nothing := func(*models.Node, *Facts) {}
	cases := map[string]struct {
		pain  int
		facts *Facts
		rule  RuleID
		least Confidence
	}{
		"the ramdisk never called back": {1, waiting(12*time.Minute, nothing), "never-booted", ConfidenceHigh},
		"a heartbeat of earlier work only": {1, waiting(12*time.Minute, func(n *models.Node, _ *Facts) {
			n.Internal.LastHeartbeat = ago(time.Hour)
		}), "never-booted", ConfidenceHigh},
		"called back and fell silent": {1, waiting(12*time.Minute, func(n *models.Node, _ *Facts) {
			n.Internal.AgentURL, n.Internal.LastHeartbeat = "https://10.0.0.9:9999", ago(7*time.Minute)
		}), "agent-silent", ConfidenceHigh},
		"timed out and had never called": {1, failed(models.StateDeployFailed, timedOut, func(_ *models.Node, f *Facts) {
			f.Work = &models.Work{Kind: models.StateDeploying, Begin: explainNow.Add(-40 * time.Minute), Whole: true, Outcome: models.OutcomeFailed}
		}), "never-booted", ConfidenceHigh},
		"timed out after it had called": {1, failed(models.StateDeployFailed, timedOut, func(_ *models.Node, f *Facts) {
			f.Work = &models.Work{
				Kind: models.StateDeploying, Begin: explainNow.Add(-40 * time.Minute), Whole: true, Outcome: models.OutcomeFailed,
				Evidence: &models.Kept{AgentURL: "https://10.0.0.9:9999", LastHeartbeat: explainNow.Add(-31 * time.Minute), Step: "deploy.install_coreos"},
			}
		}), "agent-silent", ConfidenceHigh},
		"timed out, the beginning by the history": {1, failed(models.StateDeployFailed, "", func(n *models.Node, f *Facts) {
			n.Internal.LastHeartbeat = ago(5 * time.Hour)
			f.History = []models.HistoryEntry{{Severity: "ERROR", Event: timedOut, CreatedAt: ago(time.Minute)}, {Severity: "INFO", EventType: "deployment_start", CreatedAt: ago(31 * time.Minute)}}
		}), "never-booted", ConfidenceHigh},
		"kept is an earlier attempt": {1, failed(models.StateDeployFailed, "", func(_ *models.Node, f *Facts) {
			f.History = []models.HistoryEntry{{Severity: "ERROR", Event: timedOut, CreatedAt: ago(time.Minute)}}
			f.Work = &models.Work{
				Kind: models.StateDeploying, Begin: explainNow.Add(-3 * time.Hour), End: explainNow.Add(-2 * time.Hour), Whole: true, Outcome: models.OutcomeFailed,
				Evidence: &models.Kept{AgentURL: "https://10.0.0.9:9999", LastHeartbeat: explainNow.Add(-2 * time.Hour)},
			}
		}), "never-booted", ConfidenceHigh},
		"runs, and Ironic does not hear it": {1, waiting(12*time.Minute, func(_ *models.Node, f *Facts) {
			f.Row.Log = bootLogOf(logLine(300, "ironic_python_agent.agent", starting))
		}), "ramdisk-not-heard", ConfidenceHigh},
		"runs, and Ironic does not know it": {1, waiting(12*time.Minute, func(_ *models.Node, f *Facts) {
			f.Lines = []models.LogLine{{Source: models.LogSSH, Unit: "ironic-agent", Text: "Could not look up node info. Check logs for details.", Known: string("lookup"), Received: explainNow}}
		}), "lookup", ConfidenceMedium},
		"off while it is waited for": {2, waiting(5*time.Minute, func(n *models.Node, _ *Facts) { n.PowerState = models.PowerOff }), "machine-off", ConfidenceHigh},
		"the BMC says off":           {2, waiting(5*time.Minute, func(_ *models.Node, f *Facts) { f.BMC = &BMCFacts{Power: models.PowerOff} }), "bmc-says-off", ConfidenceHigh},
		"inspection never ends": {2, waiting(20*time.Minute, func(n *models.Node, f *Facts) {
			n.ProvisionState, f.Work = models.StateInspectWait, nil
			n.Raw = []byte(`{"inspection_started_at":"2026-11-22T13:40:00+00:00"}`)
		}), "no-inventory-yet", ConfidenceMedium},
		"the whole rack waits":              {3, waiting(12*time.Minute, func(_ *models.Node, f *Facts) { f.Siblings = siblings(4, 5) }), "whole-rack", ConfidenceHigh},
		"the whole rack timed out":          {3, failed(models.StateDeployFailed, timedOut, func(_ *models.Node, f *Facts) { f.Siblings = siblings(3, 3) }), "whole-rack", ConfidenceHigh},
		"the whole rack gets no image":      {3, failed(models.StateDeployFailed, "Error downloading image: Download of image i failed: Connection refused", func(_ *models.Node, f *Facts) { f.Siblings = siblings(3, 4) }), "whole-rack", ConfidenceHigh},
		"one of many is no rack":            {3, waiting(12*time.Minute, func(_ *models.Node, f *Facts) { f.Siblings = siblings(1, 9) }), "never-booted", ConfidenceHigh},
		"hints that many share are no rack": {3, failed(models.StateDeployFailed, "Deploy step deploy.install_coreos failed on node x. No suitable device was found for deployment using these hints {'model': 'SAMSUNG'}", func(_ *models.Node, f *Facts) { f.Siblings = siblings(5, 5) }), "no-hinted-device", ConfidenceHigh},
		"no hints": {4, failed(models.StateDeployFailed, "", func(n *models.Node, _ *Facts) {
			n.DeployInterface, n.Properties = "direct", map[string]any{}
		}), "no-hints", ConfidenceLow},
		"hints match nothing": {5, failed(models.StateDeployFailed, "No suitable device was found for deployment using these hints {'size': '447'}", func(n *models.Node, _ *Facts) {
			n.Properties = map[string]any{"root_device": map[string]any{"size": "447"}}
		}), "no-hinted-device", ConfidenceHigh},
		"cleaning meets a read-only disk": {6, failed(models.StateCleanFailed, `Clean step deploy.erase_devices_metadata failed on node x. Error erasing block device: Failed to erase the metadata on the device(s): "/dev/sdb": Read-only file system`, func(n *models.Node, _ *Facts) {
			n.Maintenance, n.Fault, n.MaintenanceReason = true, "clean failure", "Clean step failed"
		}), "erase-metadata", ConfidenceHigh},
		"clean failed, and why is unknown": {7, failed(models.StateCleanFailed, "something that no rule knows", func(n *models.Node, _ *Facts) {
			n.Maintenance, n.Fault = true, "clean failure"
		}), "clean-failed", ConfidenceMedium},
		"locked by a live conductor": {8, failed(models.StateActive, "", func(n *models.Node, f *Facts) {
			n.Reservation, f.Conductors = "c1", []models.Conductor{{Hostname: "c1", Alive: true}}
		}), "lock-held", ConfidenceMedium},
		"locked by a dead conductor": {8, failed(models.StateActive, "", func(n *models.Node, f *Facts) {
			n.Reservation, f.Conductors = "c1", []models.Conductor{{Hostname: "c1"}, {Hostname: "c2", Alive: true}}
		}), "lock-of-dead", ConfidenceHigh},
		"the password changed": {9, failed(models.StateActive, "", func(n *models.Node, _ *Facts) {
			n.Maintenance, n.Fault = true, "power failure"
			n.MaintenanceReason = "Failed to get power state for node x. Error: Redfish exception occurred. Error: HTTP GET https://10.1.0.1/redfish/v1/Systems/1 returned code 401. unauthorized"
		}), "bmc-credentials", ConfidenceHigh},
		"the BMC refuses the password": {9, failed(models.StateEnroll, "", func(_ *models.Node, f *Facts) {
			f.BMC = &BMCFacts{Reachable: AnswerYes, Authenticated: AnswerNo}
		}), "bmc-refuses", ConfidenceMedium},
		"a self-signed BMC":                    {10, failed(models.StateEnroll, realText(23), nil), "bmc-certificate", ConfidenceHigh},
		"a BMC that is gone":                   {11, failed(models.StateEnroll, "Failed to get power state for node x. Error: Redfish connection failed for node x: Unable to connect to http://10.1.0.1:80/redfish/v1/. Error: HTTPConnectionPool(host='10.1.0.1', port=80): Read timed out. (read timeout=60)", nil), "bmc-unreachable", ConfidenceHigh},
		"a power fault":                        {11, failed(models.StateActive, "", func(n *models.Node, _ *Facts) { n.Maintenance, n.Fault = true, "power failure" }), "power-fault", ConfidenceHigh},
		"a BMC that does not answer from here": {11, waiting(3*time.Minute, func(_ *models.Node, f *Facts) { f.BMC = &BMCFacts{Reachable: AnswerNo} }), "bmc-silent", ConfidenceMedium},
		"no IPMI session left":                 {12, failed(models.StateEnroll, "Failed to get power state for node x. Error: IPMI call failed: power status. Get Session Challenge command failed: insufficient resources for session", nil), "ipmi-sessions", ConfidenceLow},
		"IPMI of another cipher":               {12, failed(models.StateEnroll, realText(27), nil), "ipmi", ConfidenceMedium},
		"the left-over ISO":                    {13, failed(models.StateDeployFailed, "Failed to prepare to deploy. Exception: '/tmp/x/boot.iso' and '/srv/redfish/boot-x.iso' are the same file", nil), "left-over-iso", ConfidenceHigh},
		"the ISO of a step":                    {13, failed(models.StateDeployFailed, "Deploy step bios.apply_configuration failed with SameFileError: '/tmp/x/boot.iso' and '/srv/redfish/boot-x.iso' are the same file.", nil), "iso-published-twice", ConfidenceHigh},
		"the ISO of a clean step":              {13, failed(models.StateCleanFailed, "Node "+aNode+" failed step {'interface': 'bios', 'step': 'apply_configuration', 'args': {'settings': [{'name': 'ProcTurboMode', 'value': 'Disabled'}]}, 'abortable': False, 'priority': 0}: '/tmp/x/boot.iso' and '/srv/redfish/boot-"+aNode+".iso' are the same file", nil), "iso-published-twice", ConfidenceHigh},
		"the cache that is cleaned":            {13, failed(models.StateDeployFailed, "Failed to prepare to deploy. Exception: [Errno 2] No such file or directory: '/var/lib/ironic/master_iso_images/tmpjkwlddko'", nil), "image-cache-race", ConfidenceHigh},
		"media that stays in": {13, failed(models.StateActive, "", func(_ *models.Node, f *Facts) {
			f.BMC = &BMCFacts{MediaInserted: AnswerYes, Media: "http://u:secret@x/boot.iso?sig=1"}
		}), "media-left", ConfidenceMedium},
		"media that is not in": {13, waiting(12*time.Minute, func(n *models.Node, f *Facts) {
			n.BootInterface, f.BMC = "redfish-virtual-media", &BMCFacts{MediaInserted: AnswerNo}
		}), "media-missing", ConfidenceHigh},
		"the BMC cannot read the ISO": {14, failed(models.StateDeployFailed, "Failed to prepare to deploy. Exception: Redfish exception occurred. Error: Virtual media mount failed for node x with image https://10.0.0.1/boot.iso. Error: HTTP POST https://10.1.0.1/redfish/v1/Managers/1/VirtualMedia/CD/Actions/VirtualMedia.InsertMedia returned code 500. IDRAC.2.8.RAC0904: The Remote File Share image is not accessible", nil), "vmedia-fetch", ConfidenceHigh},
		"a part is broken": {14, failed(models.StateActive, "", func(_ *models.Node, f *Facts) {
			f.BMC = &BMCFacts{Health: models.BMCHealthCritical, Causes: "drive 1 failure predicted"}
		}), "machine-unwell", ConfidenceMedium},
		// An agent that fails to collect the inventory does not call back either, so the boot may have succeeded.
		"inspection ended without an inventory": {3, failed(models.StateInspectFailed, "Timeout reached while inspecting the node. Please check if the ramdisk responsible for the inspection is running on the node.",
			func(n *models.Node, f *Facts) {
				n.ProvisionUpdatedAt = ago(12 * time.Minute)
				f.Work = &models.Work{Kind: models.StateInspecting, Begin: explainNow.Add(-12 * time.Minute), Whole: true, Outcome: models.OutcomeFailed}
			}), "inspect-timeout", ConfidenceMedium},
		"the ramdisk runs and sends no inventory": {3, waiting(12*time.Minute, func(n *models.Node, f *Facts) {
			n.ProvisionState, f.Work.Kind = models.StateInspectWait, models.StateInspecting
			f.Lines = []models.LogLine{{Source: models.LogSSH, Text: "Failed to collect inventory", Unit: "ironic-agent", Received: explainNow.Add(-time.Minute)}}
		}), "ramdisk-no-inventory", ConfidenceMedium},
		"the ISO unreadable from here": {14, waiting(3*time.Minute, func(_ *models.Node, f *Facts) { f.BMC = &BMCFacts{ISOFetchable: AnswerNo} }), "iso-not-fetchable", ConfidenceMedium},
		"the wrong boot mode": {15, waiting(3*time.Minute, func(n *models.Node, f *Facts) {
			n.Properties, f.BMC = map[string]any{"capabilities": "cpu_vt:true,boot_mode:uefi"}, &BMCFacts{BootMode: "bios"}
		}), "boot-mode-differs", ConfidenceMedium},
		"a pending job":          {16, failed(models.StateDeployFailed, "Failed to prepare to deploy. Exception: Redfish exception occurred. Error: Setting boot mode to uefi failed for node x. Error: HTTP PATCH https://b/redfish/v1/Systems/1 returned code 400. IDRAC.2.8.SYS011: Pending configuration values are already committed, unable to perform another set operation.", nil), "bmc-jobs", ConfidenceHigh},
		"the checksum is wrong":  {17, failed(models.StateDeployFailed, realText(9), nil), "image-checksum", ConfidenceHigh},
		"the ISO is not there":   {17, failed(models.StateDeployFailed, realText(12), nil), "image-http", ConfidenceHigh},
		"a rendered configdrive": {18, failed(models.StateDeployFailed, realText(43), nil), "configdrive-form", ConfidenceHigh},
		"no agent for the step":  {19, failed(models.StateDeployFailed, realText(41), nil), "step-without-agent", ConfidenceHigh},
		"no such step":           {19, failed(models.StateDeployFailed, "Failed to validate the final deploy steps list for node x: node does not support this deploy step: {'step': 'instal_coreos'}", nil), "step-unknown", ConfidenceHigh},
		"the installer fails":    {19, failed(models.StateDeployFailed, realText(42), nil), "installer-failed", ConfidenceHigh},
		"a token that is refused": {20, waiting(3*time.Minute, func(_ *models.Node, f *Facts) {
			f.Lines = []models.LogLine{{Source: models.LogSSH, Text: "Invalid or missing agent token received.", Known: string("agent-token"), Received: explainNow}}
		}), "agent-token", ConfidenceMedium},
		"clocks apart":                {21, failed(models.StateDeployFailed, "Failed to connect to the agent running on node x for invoking command deploy.get_deploy_steps. Error: HTTPSConnectionPool(host='10.0.0.9', port=9999): Max retries exceeded with url: /v1/commands/ (Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate is not yet valid (_ssl.c:1016)')))", nil), "agent-clock", ConfidenceHigh},
		"another agent's certificate": {21, failed(models.StateDeployFailed, "Failed to connect to the agent running on node x for invoking command deploy.get_deploy_steps. Error: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed certificate", nil), "agent-certificate", ConfidenceMedium},
		"failed without a word":       {22, failed(models.StateDeployFailed, "", nil), RuleNoReason, ConfidenceLow},
		"the same MAC twice":          {23, &Facts{Text: "A port with MAC address 52:54:00:00:00:01 already exists."}, "mac-conflict", ConfidenceHigh},
		"a dead conductor": {24, waiting(12*time.Minute, func(n *models.Node, f *Facts) {
			n.Conductor, f.Conductors = "c1", []models.Conductor{{Hostname: "c1"}, {Hostname: "c2", Alive: true}}
		}), "conductor-dead", ConfidenceHigh},
		"no conductor is alive, says SQLite": {24, waiting(12*time.Minute, func(n *models.Node, f *Facts) {
			n.Conductor, f.Conductors = "c1", []models.Conductor{{Hostname: "c1"}}
		}), "never-booted", ConfidenceHigh},
		"longer than others": {25, waiting(20*time.Minute, func(n *models.Node, f *Facts) {
			n.ProvisionState, f.Estimate = models.StateDeploying, &models.Estimate{Late: true, Phase: models.DurationStats{N: 5, Median: time.Minute}}
		}), "late", ConfidenceLow},
		"a ramdisk newer than its Ironic": {0, failed(models.StateDeployFailed, "Failed to process the next deploy step: 'commands'", nil), "ramdisk-newer", ConfidenceHigh},
		"maintenance by hand":             {0, failed(models.StateAvailable, "", func(n *models.Node, _ *Facts) { n.Maintenance, n.MaintenanceReason = true, "DIMM 3, see ticket" }), "maintenance-by-hand", ConfidenceHigh},
		"boots, and it is early":          {0, waiting(2*time.Minute, nothing), "machine-boots", ConfidenceMedium},
		"the ramdisk works": {0, waiting(12*time.Minute, func(n *models.Node, _ *Facts) {
			n.Internal.AgentURL, n.Internal.LastHeartbeat = "https://10.0.0.9:9999", ago(30*time.Second)
		}), "ramdisk-works", ConfidenceHigh},
		"a step that reboots": {0, waiting(12*time.Minute, func(n *models.Node, _ *Facts) {
			n.Internal.DeployReboot = true
			n.Internal.AgentURL, n.Internal.LastHeartbeat = "https://10.0.0.9:9999", ago(9*time.Minute)
		}), "step-reboots", ConfidenceMedium},
		"rescued, and off":    {0, failed(models.StateRescue, "", func(n *models.Node, _ *Facts) { n.PowerState = models.PowerOff }), "rescue-off", ConfidenceHigh},
		"rescued, and on":     {0, failed(models.StateRescue, "", func(n *models.Node, _ *Facts) { n.PowerState = models.PowerOn }), "at-rest", ConfidenceHigh},
		"at rest":             {0, failed(models.StateActive, "", nil), "at-rest", ConfidenceHigh},
		"the conductor works": {0, failed(models.StateDeploying, "", func(n *models.Node, _ *Facts) { n.Reservation = "c1" }), "work-goes-on", ConfidenceHigh},
	}
	pains := map[int]bool{}
	for name, c := range cases {
		pains[c.pain] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantExplained(t, Explain(c.facts)[0], c.rule, c.least)
		})
	}
	for i := 1; i <= 25; i++ {
		if !pains[i] {
			t.Errorf("no case for pain %d", i)
		}
	}
}

// TestDeadConductorsAreNoExplanationOnSQLite checks that dead conductors are not blamed if one still manages the
// node. With SQLite, conductors record no heartbeats and therefore count as dead.
func TestDeadConductorsAreNoExplanationOnSQLite(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		conductor string
		beat      time.Duration // age of the conductor's heartbeat
		want      bool
	}{
		"dead":                         {"", time.Hour, true},
		"Ironic gave it the node":      {"c1", time.Hour, false},
		"dead since the work began":    {"", time.Minute, true},
		"it began the work when dead":  {"", 4 * time.Minute, false},
		"it does not say when it died": {"", 0, true},
	} {
		found := Explain(waiting(2*time.Minute, func(n *models.Node, f *Facts) {
			if n.Conductor = tt.conductor; tt.beat == time.Hour { // Ironic has not changed the node since
				n.ProvisionUpdatedAt = ago(2 * time.Hour)
			}
			f.Conductors = []models.Conductor{{Hostname: "c1"}}
			if tt.beat > 0 {
				f.Conductors[0].UpdatedAt = ago(tt.beat)
			}
		}))
		if got := slices.ContainsFunc(found, func(e Explanation) bool { return e.Rule == "conductors-dead" }); got != tt.want {
			t.Errorf("%s: conductors-dead is offered: %v, want %v", name, got, tt.want)
		}
	}
}

// realText returns the first text in realTexts with the given number.
func realText(number int) string {
	for _, c := range realTexts {
		if c.number == number {
			return c.text
		}
	}
	return ""
}

func TestExplainNext(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		facts         *Facts
		text, command string
	}{
		"try again":                     {failed(models.StateDeployFailed, timedOut, nil), "try again", "ironworks deploy r7-n01"},
		"somebody's deployment":         {failed(models.StateDeployFailed, timedOut, func(n *models.Node, _ *Facts) { n.InstanceUUID = "i" }), "Stop: instance_uuid is set", "ironworks history r7-n01"},
		"maintenance by hand":           {failed(models.StateDeployFailed, timedOut, func(n *models.Node, _ *Facts) { n.Maintenance = true }), "Stop: the node is in maintenance, set by an operator", "ironworks history r7-n01"},
		"give up waiting":               {waiting(12*time.Minute, func(*models.Node, *Facts) {}), "try again", "ironworks abort r7-n01"},
		"off before the ramdisk called": {waiting(5*time.Minute, func(_ *models.Node, f *Facts) { f.BMC = &BMCFacts{Power: models.PowerOff} }), "Power on the machine", "ironworks power on r7-n01"},
		"off in the middle of a step": {waiting(5*time.Minute, func(n *models.Node, f *Facts) {
			n.Internal.LastPowerState, n.Internal.LastHeartbeat, n.Internal.AgentURL = ago(5*time.Minute), ago(time.Minute), "http://10.0.0.9:9999"
			f.BMC = &BMCFacts{Power: models.PowerOff}
			n.DeployStep = &models.Step{Interface: "deploy", Step: "install_coreos"}
		}), "no new agent token", "ironworks undeploy r7-n01"},
		"a step that can be aborted": {waiting(12*time.Minute, func(n *models.Node, _ *Facts) {
			n.DeployStep = &models.Step{Interface: "deploy", Step: "deploy", Abortable: true}
		}), "try again", "ironworks abort r7-n01"},
		"an Ironic that cannot give up": {waiting(12*time.Minute, func(_ *models.Node, f *Facts) { f.Version = models.APIVersion{Minor: 82} }), "Not now (abort)", "ironworks history r7-n01"},
		"take back":                     {failed(models.StateCleanFailed, realText(46), func(n *models.Node, _ *Facts) { n.Maintenance, n.Fault = true, "clean failure" }), "skip_block_devices", "ironworks manage r7-n01"},
		"no node":                       {&Facts{Text: timedOut}, "try again", "ironworks node NODE"},
		"a name for a shell":            {failed(models.StateDeployFailed, timedOut, func(n *models.Node, _ *Facts) { n.Name = "x; reboot" }), "try again", "ironworks deploy " + aNode},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := Explain(c.facts)[0].Next
			if !strings.Contains(next.Text, c.text) || next.Command != c.command {
				t.Errorf("%q, %q; want %q, %q", next.Text, next.Command, c.text, c.command)
			}
		})
	}
}
