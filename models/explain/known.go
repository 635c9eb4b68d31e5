package explain

import (
	"slices"
	"strings"

	"ironworks/models"
)

// knownError is an error with the patterns that recognize its text. A pattern is a list of literals, and matches a
// text that contains all of them in order.
type knownError struct {
	id   RuleID
	ways [][]string
	// stage is the stage of the boot that the error blocks. It is set only for boot errors.
	stage models.RamdiskStage
}

// ramdiskErrors lists errors from the ramdisk, most specific first. The literals are from the agent, the
// install_coreos step, coreos-installer and the kernel.
var ramdiskErrors = []knownError{
	{id: "no-hinted-device", ways: [][]string{{"No suitable device was found for deployment using these hints"}, {"No disks satisfied root device hints for node"}}},
	{id: "no-disks", ways: [][]string{{"root device hints were not provided and all found block devices are smaller than"}, {"No suitable device was found for deployment - root device hints"}}},
	{id: "bad-hints", ways: [][]string{{"No devices could be found using", "because they failed to validate"}, {"No disks could be found using root device hints", "because they failed to validate"}, {"Failed to validate the root device hints"}}},
	{id: "image-checksum", ways: [][]string{{"Image failed to verify against checksum"}}},
	{id: "checksum-file", ways: [][]string{{"Checksum file does not contain name"}}},
	{id: "md5-disabled", ways: [][]string{{"MD5 support is disabled"}, {"MD5 checksum utilization is disabled"}}},
	{id: "image-download", ways: [][]string{{"Download of image ", " failed: "}, {"Timed out reading next chunk"}}},
	{id: "no-partition-table", ways: [][]string{{"Unable to find a valid partition table on the disk after writing the image"}}},
	{id: "image-refused", ways: [][]string{{"Security: The requested"}, {"The requested image is not valid for use."}}},
	{id: "bootloader", ways: [][]string{{"Failed to install a bootloader when deploying node"}}},
	{id: "agent-token", ways: [][]string{{"Invalid or missing agent token received"}, {"Agent token is required"}, {`Detected change in ramdisk provided "callback_url"`}}},
	{id: "tls-required", ways: [][]string{{"TLS is required by configuration"}}},
	{id: "lookup-refused", stage: models.RamdiskLookup, ways: [][]string{{"Lookup is not allowed for node"}}},
	{id: "lookup", stage: models.RamdiskLookup, ways: [][]string{{"Could not look up node info"}}},
	{id: "no-address", stage: models.RamdiskLookup, ways: [][]string{{"Agent could not find a valid IP address"}}},
	{id: "inspection-conflict", ways: [][]string{{"Conflict on inspection lookup"}, {"No nodes satisfy MAC addresses"}, {"Several nodes ", " satisfy BMC address(s)"}}},
	{id: "step-without-agent", ways: [][]string{{"Deploy step", "has not been found. Available out-of-band steps", "Agent is not running"}}},
	{id: "step-unknown", ways: [][]string{{"node does not support this deploy step"}}},
	{id: "image-status", ways: [][]string{{"HTTP status client error (", " for url ("}, {"HTTP status server error (", " for url ("}}},
	{id: "image-unreached", ways: [][]string{{"error sending request for url ("}}},
	{id: "installer-failed", ways: [][]string{{"coreos-installer failed with code "}, {"coreos-install returned error code "}, {"Error: install failed"}}},
	{id: "no-installer", ways: [][]string{{"Cannot run coreos-installer, is it installed in"}}},
	{id: "uefi-boot", ways: [][]string{{"Could not configure UEFI boot on device"}, {"No EFI partition could be detected on device"}}},
	{id: "disk-busy", ways: [][]string{{"found busy partitions"}, {"checking for exclusive access to"}}},
	{id: "configdrive-form", ways: [][]string{{"Cannot use a pre-rendered configdrive"}, {"Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64"}}},
	{id: "configdrive-size", ways: [][]string{{"Config drive size exceeds maximum limit of 64MiB"}}},
	{id: "assisted-agent", ways: [][]string{{"Assisted Installer Agent has failed with result"}}},
	{id: "erase-metadata", ways: [][]string{{"Failed to erase the metadata on the device(s)"}}},
	{id: "disk-frozen", ways: [][]string{{"Block device ", " is frozen"}}},
	{id: "disk-password", ways: [][]string{{"Block device ", "has a security password set"}}},
	{id: "shared-disk", ways: [][]string{{"Protected ", " located on device /dev/"}}},
	{id: "disk-io", ways: [][]string{{"I/O error, dev "}, {"Buffer I/O error on dev"}}},
	{id: "out-of-memory", ways: [][]string{{"Out of memory: Killed process"}, {"System is deadlocked on memory"}, {"Initramfs unpacking failed: write error"}, {"Memory size is too small for requested image"}}},
}

// toIronic occurs in the URLs of requests to Ironic, as quoted in the errors of the builtin agent. URLs of container
// registries contain /v2/ instead.
const toIronic = "/v1/"

// bootErrors lists errors that prevent a ramdisk from booting or from calling back, most specific first. They are
// recognized only in the ramdisk's log, because other programs use the same words. The literals are from firmware,
// dracut, Ignition, NetworkManager, systemd, podman 4 and 5, and the agent's HTTP client.
var bootErrors = []knownError{
	{id: "no-boot-medium", stage: models.RamdiskMedium, ways: [][]string{{"No bootable option or device was found"}, {"BdsDxe: No bootable"}, {"No bootable device"}, {"dracut-initqueue", "timeout - starting timeout scripts"}, {"Unable to find a medium containing a live file system"}}},
	{id: "boot-medium-damaged", stage: models.RamdiskMedium, ways: [][]string{{"error: attempt to read or write outside of disk"}, {"error: you need to load the kernel first"}, {"error: failure reading sector"}, {"error: premature end of file"}, {"Failed to boot both default and fallback entries"}}},
	{id: "kernel-panic", stage: models.RamdiskKernel, ways: [][]string{{"Kernel panic - not syncing"}}},
	{id: "ignition-failed", stage: models.RamdiskIgnition, ways: [][]string{{"Ignition failed: "}, {"Failed to start ignition-"}, {"Failed to start Ignition ("}, {"stage1: ignition: failed"}}},
	{id: "ignition-fetch", stage: models.RamdiskIgnition, ways: [][]string{{"GET error: Get \""}, {"GET result: Internal Server Error"}, {"GET result: Bad Gateway"}, {"GET result: Service Unavailable"}, {"GET result: Gateway Timeout"}}},
	{id: "no-dhcp", stage: models.RamdiskNetwork, ways: [][]string{{"dhcp4 (", "request timed out"}, {"dhcp6 (", "request timed out"}, {"No valid network interfaces found. Node lookup will probably fail"}, {"ip-config -> failed (reason 'ip-config-unavailable'"}}},
	{id: "pull-unknown-image", stage: models.RamdiskImage, ways: [][]string{{"docker://", "manifest unknown"}, {"docker://", "name unknown"}, {"docker://", "NAME_UNKNOWN"}}},
	{id: "pull-unauthorized", stage: models.RamdiskImage, ways: [][]string{{"docker://", "unauthorized"}, {"docker://", "authentication required"}, {"docker://", "denied"}, {"docker://", "invalid status code from registry 40"}}},
	{id: "pull-clock", stage: models.RamdiskImage, ways: [][]string{{"docker://", "certificate has expired or is not yet valid"}}},
	{id: "pull-unknown-ca", stage: models.RamdiskImage, ways: [][]string{{"docker://", "x509: "}}},
	{id: "pull-no-tls", stage: models.RamdiskImage, ways: [][]string{{"docker://", "server gave HTTP response to HTTPS client"}}},
	{id: "pull-name", stage: models.RamdiskImage, ways: [][]string{{"docker://", "dial tcp: lookup "}}},
	{id: "pull-refused", stage: models.RamdiskImage, ways: [][]string{{"docker://", "connection refused"}}},
	{id: "pull-unreachable", stage: models.RamdiskImage, ways: [][]string{{"docker://", "i/o timeout"}, {"docker://", "no route to host"}, {"docker://", "network is unreachable"}, {"docker://", "context deadline exceeded"}}},
	{id: "pull-no-space", stage: models.RamdiskImage, ways: [][]string{{"docker://", "no space left on device"}, {"committing the finished image", "no space left on device"}, {"writing blob", "no space left on device"}}},
	{id: "pull-failed", stage: models.RamdiskImage, ways: [][]string{{"Error: initializing source docker://"}, {"Error: unable to copy from source docker://"}, {"Error: internal error: unable to copy from source docker://"}}},
	{id: "ironic-clock", stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "CERTIFICATE_VERIFY_FAILED", "is not yet valid"}, {"Max retries exceeded with url: /", "CERTIFICATE_VERIFY_FAILED", "has expired"}, {toIronic, "x509: certificate has expired or is not yet valid"}}},
	{id: "ironic-unknown-ca", stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "CERTIFICATE_VERIFY_FAILED"}, {toIronic, "\": tls: failed to verify certificate: "}}},
	{id: "ironic-name", stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "Name or service not known"}, {"Max retries exceeded with url: /", "name resolution"}, {"Max retries exceeded with url: /", "No address associated with hostname"}, {toIronic, "\": dial tcp: lookup "}}},
	{id: "ironic-refused", stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "Connection refused"}, {toIronic, "\": dial tcp ", "connect: connection refused"}}},
	{id: "ironic-unreachable", stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "timed out"}, {"Max retries exceeded with url: /", "No route to host"}, {"Max retries exceeded with url: /", "Network is unreachable"}, {toIronic, "\": dial tcp ", "i/o timeout"}, {toIronic, "\": dial tcp ", "no route to host"}, {toIronic, "\": dial tcp ", "network is unreachable"}}},
	{id: "lookup-unknown", stage: models.RamdiskLookup, ways: [][]string{{"Failed looking up node with addresses "}}},
	{id: "token-taken", stage: models.RamdiskLookup, ways: [][]string{{"The agent token has already been"}, {"We do not have a token on file"}}},
	{id: "agent-restarts", stage: models.RamdiskLookup, ways: [][]string{{"ironic-agent.service: Scheduled restart job, restart counter is at "}, {"ironic-python-agent.service: Scheduled restart job, restart counter is at "}}},
}

var generalErrors = []knownError{
	{id: "certificate", ways: [][]string{{"CERTIFICATE_VERIFY_FAILED"}}},
}

// conductorErrors lists errors from conductors, most specific first. An error that wraps another one comes after it.
var conductorErrors = []knownError{
	{id: "agent-clock", ways: [][]string{{"Failed to connect to the agent running on node", "certificate is not yet valid"}, {"Failed to connect to the agent running on node", "certificate has expired"}}},
	{id: "agent-certificate", ways: [][]string{{"Failed to connect to the agent running on node", "CERTIFICATE_VERIFY_FAILED"}}},
	{id: "agent-unreachable", ways: [][]string{{"Failed to connect to the agent running on node"}}},
	{id: "ramdisk-newer", ways: [][]string{{"Failed to process the next ", " step: 'commands'"}}},
	{id: "left-over-iso", ways: [][]string{{"Failed to prepare to deploy", ".iso' are the same file"}}},
	{id: "iso-published-twice", ways: [][]string{{"Deploy step", "SameFileError", ".iso' are the same file"}, {"Node ", " failed step {", ".iso' are the same file"}}},
	{id: "image-cache-race", ways: [][]string{{"[Errno 2] No such file or directory: '", "/master_", "images/tmp"}}},
	{id: "callback-timeout", ways: [][]string{{"Timeout reached while waiting for callback for node"}}},
	{id: "clean-timeout-no-step", ways: [][]string{{"Timeout reached while cleaning the node", "Failed on step {}"}, {"Timeout reached while cleaning the node", "Failed on step None"}}},
	{id: "clean-timeout", ways: [][]string{{"Timeout reached while cleaning the node"}}},
	{id: "inspect-timeout", ways: [][]string{{"Timeout reached while inspecting the node"}, {"timeout reached while inspecting the node"}}},
	{id: "service-timeout", ways: [][]string{{"Timeout reached while servicing the node"}}},
	{id: "rescue-timeout", ways: [][]string{{"Timeout reached while waiting for rescue ramdisk callback"}}},
	{id: "checksum-missing", ways: [][]string{{`image_source's "image_checksum"`, "must be provided in instance_info for node"}}},
	{id: "image-http", ways: [][]string{{"Got HTTP code ", " instead of 200 in response to HEAD request"}}},
	{id: "image-unreachable", ways: [][]string{
		{"Validation of image href ", " failed, reason: ", "Connection refused"},
		{"Validation of image href ", " failed, reason: ", "Max retries exceeded with url"},
		{"Failed to download image ", ", reason: ", "Max retries exceeded with url"},
	}},
	{id: "boot-device", ways: [][]string{{"Failed to change the boot device to"}}},
	{id: "boot-mode", ways: [][]string{{"Setting boot mode to ", " failed for node"}, {"Timeout reached while waiting for boot mode of node"}, {"Failed to change boot mode to '"}}},
	{id: "bmc-jobs", ways: [][]string{{"Pending configuration values are already committed"}, {"there are pending values", "already committed"}}},
	{id: "vmedia-fetch", ways: [][]string{
		{"Virtual media mount failed for node", "is not accessible"},
		{"Virtual media mount failed for node", "not be accessed"},
		{"Virtual media mount failed for node", "RAC0904"},
		{"Virtual media mount failed for node", "Unable to locate the ISO"},
	}},
	{id: "vmedia-mount", ways: [][]string{{"Virtual media mount failed for node"}, {"Inserting virtual media into ", " failed for node"}}},
	{id: "vmedia-no-device", ways: [][]string{{"No suitable virtual media device found"}}},
	{id: "vmedia-protocol", ways: [][]string{{"Node ", " requested transport protocol ", "but BMC only supports"}}},
	{id: "vmedia-configdrive", ways: [][]string{{"Cannot attach configdrive for node", "no suitable virtual USB slot"}}},
	{id: "bmc-credentials", ways: [][]string{
		{"HTTP ", "/redfish/", " returned code 401"},
		{"Failed to get power state for node", "Unauthorized"},
		{"Redfish connection failed for node", "Unauthorized"},
		{"IPMI call failed", "RAKP 2 HMAC is invalid"},
		{"IPMI call failed", "Unauthorized name"},
	}},
	{id: "bmc-certificate", ways: [][]string{
		{"Redfish connection failed for node", "CERTIFICATE_VERIFY_FAILED"},
		{"Failed to get power state for node", "CERTIFICATE_VERIFY_FAILED"},
		{"Unable to connect to ", "/redfish/", "CERTIFICATE_VERIFY_FAILED"},
	}},
	{id: "bmc-unreachable", ways: [][]string{{"Redfish connection failed for node"}, {"Unable to connect to ", "/redfish/"}}},
	{id: "power-unknown", ways: [][]string{{"Failed to get power state for node"}}},
	{id: "power-sync", ways: [][]string{{"During sync_power_state, max retries exceeded for node"}}},
	{id: "power-change", ways: [][]string{{"Failed to change power state to '"}, {"Failed to set node power state to "}}},
	{id: "ipmi-sessions", ways: [][]string{{"insufficient resources for session"}}},
	{id: "ipmi", ways: [][]string{{"IPMI call failed: "}}},
	{id: "locked", ways: [][]string{{"Node ", " is locked by host ", "please retry after the current operation is completed"}}},
	{id: "no-workers", ways: [][]string{{"Requested action cannot be performed due to lack of free conductor workers"}, {"No free conductor workers available"}}},
	{id: "concurrent-limit", ways: [][]string{{"The concurrent action limit for ", "has been reached"}}},
	{id: "no-conductor", ways: [][]string{{"No conductor service registered which supports driver"}}},
	{id: "unavailable", ways: [][]string{{"Resource temporarily unavailable, please retry."}}},
	{id: "interface-missing", ways: [][]string{{"Could not find the following interface in the '"}}},
	{id: "conductor-restart", ways: [][]string{{"The ", " state can't be resumed by conductor "}, {"Operation was aborted due to conductor take over"}}},
	{id: "no-port", ways: [][]string{{"Node ", " does not have any port associated with it"}}},
	{id: "mac-conflict", ways: [][]string{{"A port with MAC address ", " already exists"}}},
	{id: "vif", ways: [][]string{{"Could not add public network VIF"}, {"Port ", " failed to reach status "}}},
	{id: "allocation-taken", ways: [][]string{{"could not reserve any of ", " suitable nodes"}, {"all nodes were filtered out during reservation"}}},
	{id: "allocation-traits", ways: [][]string{{"no suitable nodes have the requested traits"}}},
	{id: "in-maintenance", ways: [][]string{
		{"Cleaning a node in maintenance mode is not allowed"},
		{"Deploy aborted as node is in maintenance mode"},
		{"Cleaning aborted as node is in maintenance mode"},
		{"Rescue aborted as node is in maintenance mode"},
		{"Service aborted as node is in maintenance mode"},
	}},
	{id: "protected", ways: [][]string{{"Node ", " is protected and cannot be undeployed, rebuilt or deleted"}}},
	{id: "wrong-state", ways: [][]string{{`The requested action "`, `can not be performed on node "`, `while it is in state "`}}},
	{id: "redacted", ways: [][]string{{"** Value Redacted - Requires "}}},
}

// allErrors holds all known errors. lineErrors holds the errors to look for in a line of a ramdisk's log, and
// reasonErrors holds the errors to look for in a reason. The most specific errors come first.
var (
	allErrors    = slices.Concat(conductorErrors, ramdiskErrors, bootErrors, generalErrors)
	lineErrors   = slices.Concat(ramdiskErrors, bootErrors, generalErrors)
	reasonErrors = slices.Concat(conductorErrors, ramdiskErrors, generalErrors)
)

// messages holds the rules that explain a known error or a family of messages. They match only if a text has one.
var messages = func() map[RuleID]bool {
	ids := map[RuleID]bool{}
	for _, e := range allErrors {
		ids[e.id] = true
	}
	for i := range families {
		ids[families[i].ID] = true
	}
	return ids
}()

// FindRamdiskError returns the known error that a line of a ramdisk's log contains, or "" if it contains none.
func FindRamdiskError(text string) RuleID {
	for _, e := range lineErrors {
		if slices.ContainsFunc(e.ways, func(way []string) bool { return inOrder(text, way) }) {
			return e.id
		}
	}
	return ""
}

// ramdiskStageOf returns the stage of the boot that the error blocks, and the error's rank, which is lower for more
// specific errors. It returns false if id is not a boot error.
func ramdiskStageOf(id RuleID) (stage models.RamdiskStage, rank int, is bool) {
	rank = slices.IndexFunc(lineErrors, func(e knownError) bool { return e.id == id })
	if rank < 0 {
		return models.RamdiskUnknown, rank, false
	}
	stage = lineErrors[rank].stage
	return stage, rank, stage > models.RamdiskUnknown
}

func inOrder(text string, literals []string) bool {
	for _, l := range literals {
		_, rest, found := strings.Cut(text, l)
		if !found {
			return false
		}
		text = rest
	}
	return true
}
