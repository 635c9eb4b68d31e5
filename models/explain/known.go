package explain

import (
	"slices"
	"strings"

	"ironworks/models"
)

// ErrorID names an error that is recognized by its text.
type ErrorID string

// Errors that occur in ramdisk logs or in failure reasons.
const (
	ErrorNoHintedDevice  ErrorID = "no-hinted-device"
	ErrorNoDisks         ErrorID = "no-disks"
	ErrorBadHints        ErrorID = "bad-hints"
	ErrorChecksum        ErrorID = "image-checksum"
	ErrorChecksumFile    ErrorID = "checksum-file"
	ErrorMD5             ErrorID = "md5-disabled"
	ErrorDownload        ErrorID = "image-download"
	ErrorPartitionTable  ErrorID = "no-partition-table"
	ErrorImageRefused    ErrorID = "image-refused"
	ErrorBootloader      ErrorID = "bootloader"
	ErrorAgentToken      ErrorID = "agent-token"
	ErrorTLSRequired     ErrorID = "tls-required"
	ErrorLookup          ErrorID = "lookup"
	ErrorLookupRefused   ErrorID = "lookup-refused"
	ErrorNoAddress       ErrorID = "no-address"
	ErrorInspectConflict ErrorID = "inspection-conflict"
	ErrorStepUnknown     ErrorID = "step-unknown"
	ErrorStepNoAgent     ErrorID = "step-without-agent"
	ErrorInstallerFailed ErrorID = "installer-failed"
	ErrorNoInstaller     ErrorID = "no-installer"
	ErrorUEFIBoot        ErrorID = "uefi-boot"
	ErrorDiskBusy        ErrorID = "disk-busy"
	ErrorConfigdriveForm ErrorID = "configdrive-form"
	ErrorConfigdriveSize ErrorID = "configdrive-size"
	ErrorAssisted        ErrorID = "assisted-agent"
	ErrorEraseMetadata   ErrorID = "erase-metadata"
	ErrorDiskFrozen      ErrorID = "disk-frozen"
	ErrorDiskPassword    ErrorID = "disk-password"
	ErrorSharedDisk      ErrorID = "shared-disk"
	ErrorDiskIO          ErrorID = "disk-io"
	ErrorMemory          ErrorID = "out-of-memory"
	ErrorCertificate     ErrorID = "certificate"
	ErrorImageStatus     ErrorID = "image-status"
	ErrorImageUnreached  ErrorID = "image-unreached"
)

// The errors that prevent a ramdisk from booting or calling back.
const (
	ErrorNoBootMedium  ErrorID = "no-boot-medium"
	ErrorDamagedMedium ErrorID = "boot-medium-damaged"
	ErrorPanic         ErrorID = "kernel-panic"
	ErrorIgnition      ErrorID = "ignition-failed"
	ErrorIgnitionFetch ErrorID = "ignition-fetch"
	ErrorNoDHCP        ErrorID = "no-dhcp"
	ErrorPullTag       ErrorID = "pull-unknown-image"
	ErrorPullDenied    ErrorID = "pull-unauthorized"
	ErrorPullClock     ErrorID = "pull-clock"
	ErrorPullCA        ErrorID = "pull-unknown-ca"
	ErrorPullPlain     ErrorID = "pull-no-tls"
	ErrorPullName      ErrorID = "pull-name"
	ErrorPullRefused   ErrorID = "pull-refused"
	ErrorPullRoute     ErrorID = "pull-unreachable"
	ErrorPullSpace     ErrorID = "pull-no-space"
	ErrorPull          ErrorID = "pull-failed"
	ErrorIronicClock   ErrorID = "ironic-clock"
	ErrorIronicCA      ErrorID = "ironic-unknown-ca"
	ErrorIronicName    ErrorID = "ironic-name"
	ErrorIronicRefused ErrorID = "ironic-refused"
	ErrorIronicRoute   ErrorID = "ironic-unreachable"
	ErrorLookupUnknown ErrorID = "lookup-unknown"
	ErrorTokenTaken    ErrorID = "token-taken"
	ErrorAgentRestarts ErrorID = "agent-restarts"
)

// The errors that only a conductor or the API reports.
const (
	ErrorAgentClock       ErrorID = "agent-clock"
	ErrorAgentCertificate ErrorID = "agent-certificate"
	ErrorAgentUnreachable ErrorID = "agent-unreachable"
	ErrorRamdiskNewer     ErrorID = "ramdisk-newer"
	ErrorLeftOverISO      ErrorID = "left-over-iso"
	ErrorISOTwice         ErrorID = "iso-published-twice"
	ErrorImageCacheRace   ErrorID = "image-cache-race"
	ErrorCallbackTimeout  ErrorID = "callback-timeout"
	ErrorCleanNoBoot      ErrorID = "clean-timeout-no-step"
	ErrorCleanTimeout     ErrorID = "clean-timeout"
	ErrorInspectTimeout   ErrorID = "inspect-timeout"
	ErrorServiceTimeout   ErrorID = "service-timeout"
	ErrorRescueTimeout    ErrorID = "rescue-timeout"
	ErrorChecksumMissing  ErrorID = "checksum-missing"
	ErrorImageHTTP        ErrorID = "image-http"
	ErrorImageUnreachable ErrorID = "image-unreachable"
	ErrorBootDevice       ErrorID = "boot-device"
	ErrorBootMode         ErrorID = "boot-mode"
	ErrorBMCJobs          ErrorID = "bmc-jobs"
	ErrorMediaFetch       ErrorID = "vmedia-fetch"
	ErrorMediaMount       ErrorID = "vmedia-mount"
	ErrorMediaDevice      ErrorID = "vmedia-no-device"
	ErrorMediaProtocol    ErrorID = "vmedia-protocol"
	ErrorMediaConfigdrive ErrorID = "vmedia-configdrive"
	ErrorBMCCredentials   ErrorID = "bmc-credentials"
	ErrorBMCCertificate   ErrorID = "bmc-certificate"
	ErrorBMCUnreachable   ErrorID = "bmc-unreachable"
	ErrorPowerUnknown     ErrorID = "power-unknown"
	ErrorPowerSync        ErrorID = "power-sync"
	ErrorPowerChange      ErrorID = "power-change"
	ErrorIPMISessions     ErrorID = "ipmi-sessions"
	ErrorIPMI             ErrorID = "ipmi"
	ErrorLocked           ErrorID = "locked"
	ErrorNoWorkers        ErrorID = "no-workers"
	ErrorConcurrentLimit  ErrorID = "concurrent-limit"
	ErrorNoConductor      ErrorID = "no-conductor"
	ErrorUnavailable      ErrorID = "unavailable"
	ErrorInterfaceMissing ErrorID = "interface-missing"
	ErrorConductorRestart ErrorID = "conductor-restart"
	ErrorNoPort           ErrorID = "no-port"
	ErrorMACConflict      ErrorID = "mac-conflict"
	ErrorVIF              ErrorID = "vif"
	ErrorAllocationTaken  ErrorID = "allocation-taken"
	ErrorAllocationTraits ErrorID = "allocation-traits"
	ErrorInMaintenance    ErrorID = "in-maintenance"
	ErrorProtected        ErrorID = "protected"
	ErrorWrongState       ErrorID = "wrong-state"
	ErrorRedacted         ErrorID = "redacted"
)

// knownError is an error with the patterns that recognize its text. A pattern is a list of literals, and matches a
// text that contains all of them in order.
type knownError struct {
	id   ErrorID
	ways [][]string
	// stage is the stage of the boot that the error blocks. It is set only for boot errors.
	stage models.RamdiskStage
}

// ramdiskErrors lists errors from the ramdisk, most specific first. The literals are from the agent, the
// install_coreos step, coreos-installer and the kernel.
var ramdiskErrors = []knownError{
	{id: ErrorNoHintedDevice, ways: [][]string{{"No suitable device was found for deployment using these hints"}, {"No disks satisfied root device hints for node"}}},
	{id: ErrorNoDisks, ways: [][]string{{"root device hints were not provided and all found block devices are smaller than"}, {"No suitable device was found for deployment - root device hints"}}},
	{id: ErrorBadHints, ways: [][]string{{"No devices could be found using", "because they failed to validate"}, {"No disks could be found using root device hints", "because they failed to validate"}, {"Failed to validate the root device hints"}}},
	{id: ErrorChecksum, ways: [][]string{{"Image failed to verify against checksum"}}},
	{id: ErrorChecksumFile, ways: [][]string{{"Checksum file does not contain name"}}},
	{id: ErrorMD5, ways: [][]string{{"MD5 support is disabled"}, {"MD5 checksum utilization is disabled"}}},
	{id: ErrorDownload, ways: [][]string{{"Download of image ", " failed: "}, {"Timed out reading next chunk"}}},
	{id: ErrorPartitionTable, ways: [][]string{{"Unable to find a valid partition table on the disk after writing the image"}}},
	{id: ErrorImageRefused, ways: [][]string{{"Security: The requested"}, {"The requested image is not valid for use."}}},
	{id: ErrorBootloader, ways: [][]string{{"Failed to install a bootloader when deploying node"}}},
	{id: ErrorAgentToken, ways: [][]string{{"Invalid or missing agent token received"}, {"Agent token is required"}, {`Detected change in ramdisk provided "callback_url"`}}},
	{id: ErrorTLSRequired, ways: [][]string{{"TLS is required by configuration"}}},
	{id: ErrorLookupRefused, stage: models.RamdiskLookup, ways: [][]string{{"Lookup is not allowed for node"}}},
	{id: ErrorLookup, stage: models.RamdiskLookup, ways: [][]string{{"Could not look up node info"}}},
	{id: ErrorNoAddress, stage: models.RamdiskLookup, ways: [][]string{{"Agent could not find a valid IP address"}}},
	{id: ErrorInspectConflict, ways: [][]string{{"Conflict on inspection lookup"}, {"No nodes satisfy MAC addresses"}, {"Several nodes ", " satisfy BMC address(s)"}}},
	{id: ErrorStepNoAgent, ways: [][]string{{"Deploy step", "has not been found. Available out-of-band steps", "Agent is not running"}}},
	{id: ErrorStepUnknown, ways: [][]string{{"node does not support this deploy step"}}},
	{id: ErrorImageStatus, ways: [][]string{{"HTTP status client error (", " for url ("}, {"HTTP status server error (", " for url ("}}},
	{id: ErrorImageUnreached, ways: [][]string{{"error sending request for url ("}}},
	{id: ErrorInstallerFailed, ways: [][]string{{"coreos-installer failed with code "}, {"coreos-install returned error code "}, {"Error: install failed"}}},
	{id: ErrorNoInstaller, ways: [][]string{{"Cannot run coreos-installer, is it installed in"}}},
	{id: ErrorUEFIBoot, ways: [][]string{{"Could not configure UEFI boot on device"}, {"No EFI partition could be detected on device"}}},
	{id: ErrorDiskBusy, ways: [][]string{{"found busy partitions"}, {"checking for exclusive access to"}}},
	{id: ErrorConfigdriveForm, ways: [][]string{{"Cannot use a pre-rendered configdrive"}, {"Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64"}}},
	{id: ErrorConfigdriveSize, ways: [][]string{{"Config drive size exceeds maximum limit of 64MiB"}}},
	{id: ErrorAssisted, ways: [][]string{{"Assisted Installer Agent has failed with result"}}},
	{id: ErrorEraseMetadata, ways: [][]string{{"Failed to erase the metadata on the device(s)"}}},
	{id: ErrorDiskFrozen, ways: [][]string{{"Block device ", " is frozen"}}},
	{id: ErrorDiskPassword, ways: [][]string{{"Block device ", "has a security password set"}}},
	{id: ErrorSharedDisk, ways: [][]string{{"Protected ", " located on device /dev/"}}},
	{id: ErrorDiskIO, ways: [][]string{{"I/O error, dev "}, {"Buffer I/O error on dev"}}},
	{id: ErrorMemory, ways: [][]string{{"Out of memory: Killed process"}, {"System is deadlocked on memory"}, {"Initramfs unpacking failed: write error"}, {"Memory size is too small for requested image"}}},
}

// toIronic occurs in the URLs of requests to Ironic, as quoted in the errors of the builtin agent. URLs of container
// registries contain /v2/ instead.
const toIronic = "/v1/"

// bootErrors lists errors that prevent a ramdisk from booting or from calling back, most specific first. They are
// recognized only in the ramdisk's log, because other programs use the same words. The literals are from firmware,
// dracut, Ignition, NetworkManager, systemd, podman 4 and 5, and the agent's HTTP client.
var bootErrors = []knownError{
	{id: ErrorNoBootMedium, stage: models.RamdiskMedium, ways: [][]string{{"No bootable option or device was found"}, {"BdsDxe: No bootable"}, {"No bootable device"}, {"dracut-initqueue", "timeout - starting timeout scripts"}, {"Unable to find a medium containing a live file system"}}},
	{id: ErrorDamagedMedium, stage: models.RamdiskMedium, ways: [][]string{{"error: attempt to read or write outside of disk"}, {"error: you need to load the kernel first"}, {"error: failure reading sector"}, {"error: premature end of file"}, {"Failed to boot both default and fallback entries"}}},
	{id: ErrorPanic, stage: models.RamdiskKernel, ways: [][]string{{"Kernel panic - not syncing"}}},
	{id: ErrorIgnition, stage: models.RamdiskIgnition, ways: [][]string{{"Ignition failed: "}, {"Failed to start ignition-"}, {"Failed to start Ignition ("}, {"stage1: ignition: failed"}}},
	{id: ErrorIgnitionFetch, stage: models.RamdiskIgnition, ways: [][]string{{"GET error: Get \""}, {"GET result: Internal Server Error"}, {"GET result: Bad Gateway"}, {"GET result: Service Unavailable"}, {"GET result: Gateway Timeout"}}},
	{id: ErrorNoDHCP, stage: models.RamdiskNetwork, ways: [][]string{{"dhcp4 (", "request timed out"}, {"dhcp6 (", "request timed out"}, {"No valid network interfaces found. Node lookup will probably fail"}, {"ip-config -> failed (reason 'ip-config-unavailable'"}}},
	{id: ErrorPullTag, stage: models.RamdiskImage, ways: [][]string{{"docker://", "manifest unknown"}, {"docker://", "name unknown"}, {"docker://", "NAME_UNKNOWN"}}},
	{id: ErrorPullDenied, stage: models.RamdiskImage, ways: [][]string{{"docker://", "unauthorized"}, {"docker://", "authentication required"}, {"docker://", "denied"}, {"docker://", "invalid status code from registry 40"}}},
	{id: ErrorPullClock, stage: models.RamdiskImage, ways: [][]string{{"docker://", "certificate has expired or is not yet valid"}}},
	{id: ErrorPullCA, stage: models.RamdiskImage, ways: [][]string{{"docker://", "x509: "}}},
	{id: ErrorPullPlain, stage: models.RamdiskImage, ways: [][]string{{"docker://", "server gave HTTP response to HTTPS client"}}},
	{id: ErrorPullName, stage: models.RamdiskImage, ways: [][]string{{"docker://", "dial tcp: lookup "}}},
	{id: ErrorPullRefused, stage: models.RamdiskImage, ways: [][]string{{"docker://", "connection refused"}}},
	{id: ErrorPullRoute, stage: models.RamdiskImage, ways: [][]string{{"docker://", "i/o timeout"}, {"docker://", "no route to host"}, {"docker://", "network is unreachable"}, {"docker://", "context deadline exceeded"}}},
	{id: ErrorPullSpace, stage: models.RamdiskImage, ways: [][]string{{"docker://", "no space left on device"}, {"committing the finished image", "no space left on device"}, {"writing blob", "no space left on device"}}},
	{id: ErrorPull, stage: models.RamdiskImage, ways: [][]string{{"Error: initializing source docker://"}, {"Error: unable to copy from source docker://"}, {"Error: internal error: unable to copy from source docker://"}}},
	{id: ErrorIronicClock, stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "CERTIFICATE_VERIFY_FAILED", "is not yet valid"}, {"Max retries exceeded with url: /", "CERTIFICATE_VERIFY_FAILED", "has expired"}, {toIronic, "x509: certificate has expired or is not yet valid"}}},
	{id: ErrorIronicCA, stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "CERTIFICATE_VERIFY_FAILED"}, {toIronic, "\": tls: failed to verify certificate: "}}},
	{id: ErrorIronicName, stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "Name or service not known"}, {"Max retries exceeded with url: /", "name resolution"}, {"Max retries exceeded with url: /", "No address associated with hostname"}, {toIronic, "\": dial tcp: lookup "}}},
	{id: ErrorIronicRefused, stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "Connection refused"}, {toIronic, "\": dial tcp ", "connect: connection refused"}}},
	{id: ErrorIronicRoute, stage: models.RamdiskLookup, ways: [][]string{{"Max retries exceeded with url: /", "timed out"}, {"Max retries exceeded with url: /", "No route to host"}, {"Max retries exceeded with url: /", "Network is unreachable"}, {toIronic, "\": dial tcp ", "i/o timeout"}, {toIronic, "\": dial tcp ", "no route to host"}, {toIronic, "\": dial tcp ", "network is unreachable"}}},
	{id: ErrorLookupUnknown, stage: models.RamdiskLookup, ways: [][]string{{"Failed looking up node with addresses "}}},
	{id: ErrorTokenTaken, stage: models.RamdiskLookup, ways: [][]string{{"The agent token has already been"}, {"We do not have a token on file"}}},
	{id: ErrorAgentRestarts, stage: models.RamdiskLookup, ways: [][]string{{"ironic-agent.service: Scheduled restart job, restart counter is at "}, {"ironic-python-agent.service: Scheduled restart job, restart counter is at "}}},
}

// generalErrors lists the least specific errors. They occur in reasons and in logs.
var generalErrors = []knownError{
	{id: ErrorCertificate, ways: [][]string{{"CERTIFICATE_VERIFY_FAILED"}}},
}

// conductorErrors lists errors from conductors, most specific first. An error that wraps another one comes after it.
var conductorErrors = []knownError{
	{id: ErrorAgentClock, ways: [][]string{{"Failed to connect to the agent running on node", "certificate is not yet valid"}, {"Failed to connect to the agent running on node", "certificate has expired"}}},
	{id: ErrorAgentCertificate, ways: [][]string{{"Failed to connect to the agent running on node", "CERTIFICATE_VERIFY_FAILED"}}},
	{id: ErrorAgentUnreachable, ways: [][]string{{"Failed to connect to the agent running on node"}}},
	{id: ErrorRamdiskNewer, ways: [][]string{{"Failed to process the next ", " step: 'commands'"}}},
	{id: ErrorLeftOverISO, ways: [][]string{{"Failed to prepare to deploy", ".iso' are the same file"}}},
	{id: ErrorISOTwice, ways: [][]string{{"Deploy step", "SameFileError", ".iso' are the same file"}, {"Node ", " failed step {", ".iso' are the same file"}}},
	{id: ErrorImageCacheRace, ways: [][]string{{"[Errno 2] No such file or directory: '", "/master_", "images/tmp"}}},
	{id: ErrorCallbackTimeout, ways: [][]string{{"Timeout reached while waiting for callback for node"}}},
	{id: ErrorCleanNoBoot, ways: [][]string{{"Timeout reached while cleaning the node", "Failed on step {}"}, {"Timeout reached while cleaning the node", "Failed on step None"}}},
	{id: ErrorCleanTimeout, ways: [][]string{{"Timeout reached while cleaning the node"}}},
	{id: ErrorInspectTimeout, ways: [][]string{{"Timeout reached while inspecting the node"}, {"timeout reached while inspecting the node"}}},
	{id: ErrorServiceTimeout, ways: [][]string{{"Timeout reached while servicing the node"}}},
	{id: ErrorRescueTimeout, ways: [][]string{{"Timeout reached while waiting for rescue ramdisk callback"}}},
	{id: ErrorChecksumMissing, ways: [][]string{{`image_source's "image_checksum"`, "must be provided in instance_info for node"}}},
	{id: ErrorImageHTTP, ways: [][]string{{"Got HTTP code ", " instead of 200 in response to HEAD request"}}},
	{id: ErrorImageUnreachable, ways: [][]string{
		{"Validation of image href ", " failed, reason: ", "Connection refused"},
		{"Validation of image href ", " failed, reason: ", "Max retries exceeded with url"},
		{"Failed to download image ", ", reason: ", "Max retries exceeded with url"},
	}},
	{id: ErrorBootDevice, ways: [][]string{{"Failed to change the boot device to"}}},
	{id: ErrorBootMode, ways: [][]string{{"Setting boot mode to ", " failed for node"}, {"Timeout reached while waiting for boot mode of node"}, {"Failed to change boot mode to '"}}},
	{id: ErrorBMCJobs, ways: [][]string{{"Pending configuration values are already committed"}, {"there are pending values", "already committed"}}},
	{id: ErrorMediaFetch, ways: [][]string{
		{"Virtual media mount failed for node", "is not accessible"},
		{"Virtual media mount failed for node", "not be accessed"},
		{"Virtual media mount failed for node", "RAC0904"},
		{"Virtual media mount failed for node", "Unable to locate the ISO"},
	}},
	{id: ErrorMediaMount, ways: [][]string{{"Virtual media mount failed for node"}, {"Inserting virtual media into ", " failed for node"}}},
	{id: ErrorMediaDevice, ways: [][]string{{"No suitable virtual media device found"}}},
	{id: ErrorMediaProtocol, ways: [][]string{{"Node ", " requested transport protocol ", "but BMC only supports"}}},
	{id: ErrorMediaConfigdrive, ways: [][]string{{"Cannot attach configdrive for node", "no suitable virtual USB slot"}}},
	{id: ErrorBMCCredentials, ways: [][]string{
		{"HTTP ", "/redfish/", " returned code 401"},
		{"Failed to get power state for node", "Unauthorized"},
		{"Redfish connection failed for node", "Unauthorized"},
		{"IPMI call failed", "RAKP 2 HMAC is invalid"},
		{"IPMI call failed", "Unauthorized name"},
	}},
	{id: ErrorBMCCertificate, ways: [][]string{
		{"Redfish connection failed for node", "CERTIFICATE_VERIFY_FAILED"},
		{"Failed to get power state for node", "CERTIFICATE_VERIFY_FAILED"},
		{"Unable to connect to ", "/redfish/", "CERTIFICATE_VERIFY_FAILED"},
	}},
	{id: ErrorBMCUnreachable, ways: [][]string{{"Redfish connection failed for node"}, {"Unable to connect to ", "/redfish/"}}},
	{id: ErrorPowerUnknown, ways: [][]string{{"Failed to get power state for node"}}},
	{id: ErrorPowerSync, ways: [][]string{{"During sync_power_state, max retries exceeded for node"}}},
	{id: ErrorPowerChange, ways: [][]string{{"Failed to change power state to '"}, {"Failed to set node power state to "}}},
	{id: ErrorIPMISessions, ways: [][]string{{"insufficient resources for session"}}},
	{id: ErrorIPMI, ways: [][]string{{"IPMI call failed: "}}},
	{id: ErrorLocked, ways: [][]string{{"Node ", " is locked by host ", "please retry after the current operation is completed"}}},
	{id: ErrorNoWorkers, ways: [][]string{{"Requested action cannot be performed due to lack of free conductor workers"}, {"No free conductor workers available"}}},
	{id: ErrorConcurrentLimit, ways: [][]string{{"The concurrent action limit for ", "has been reached"}}},
	{id: ErrorNoConductor, ways: [][]string{{"No conductor service registered which supports driver"}}},
	{id: ErrorUnavailable, ways: [][]string{{"Resource temporarily unavailable, please retry."}}},
	{id: ErrorInterfaceMissing, ways: [][]string{{"Could not find the following interface in the '"}}},
	{id: ErrorConductorRestart, ways: [][]string{{"The ", " state can't be resumed by conductor "}, {"Operation was aborted due to conductor take over"}}},
	{id: ErrorNoPort, ways: [][]string{{"Node ", " does not have any port associated with it"}}},
	{id: ErrorMACConflict, ways: [][]string{{"A port with MAC address ", " already exists"}}},
	{id: ErrorVIF, ways: [][]string{{"Could not add public network VIF"}, {"Port ", " failed to reach status "}}},
	{id: ErrorAllocationTaken, ways: [][]string{{"could not reserve any of ", " suitable nodes"}, {"all nodes were filtered out during reservation"}}},
	{id: ErrorAllocationTraits, ways: [][]string{{"no suitable nodes have the requested traits"}}},
	{id: ErrorInMaintenance, ways: [][]string{
		{"Cleaning a node in maintenance mode is not allowed"},
		{"Deploy aborted as node is in maintenance mode"},
		{"Cleaning aborted as node is in maintenance mode"},
		{"Rescue aborted as node is in maintenance mode"},
		{"Service aborted as node is in maintenance mode"},
	}},
	{id: ErrorProtected, ways: [][]string{{"Node ", " is protected and cannot be undeployed, rebuilt or deleted"}}},
	{id: ErrorWrongState, ways: [][]string{{`The requested action "`, `can not be performed on node "`, `while it is in state "`}}},
	{id: ErrorRedacted, ways: [][]string{{"** Value Redacted - Requires "}}},
}

// allErrors holds all known errors. lineErrors holds the errors to look for in a line of a ramdisk's log, and
// reasonErrors holds the errors to look for in a reason. The most specific errors come first.
var (
	allErrors    = [][]knownError{conductorErrors, ramdiskErrors, bootErrors, generalErrors}
	lineErrors   = [][]knownError{ramdiskErrors, bootErrors, generalErrors}
	reasonErrors = [][]knownError{conductorErrors, ramdiskErrors, generalErrors}
)

// FindRamdiskError returns the known error that a line of a ramdisk's log contains, or "" if it contains none.
func FindRamdiskError(text string) ErrorID {
	for _, list := range lineErrors {
		for _, e := range list {
			if slices.ContainsFunc(e.ways, func(way []string) bool { return inOrder(text, way) }) {
				return e.id
			}
		}
	}
	return ""
}

// ramdiskStageOf returns the stage of the boot that the error blocks, and the error's rank, which is lower for more
// specific errors. It returns false if id is not a boot error.
func ramdiskStageOf(id ErrorID) (stage models.RamdiskStage, rank int, is bool) {
	for _, list := range lineErrors {
		for _, e := range list {
			if rank++; e.id == id {
				return e.stage, rank, e.stage > models.RamdiskUnknown
			}
		}
	}
	return models.RamdiskUnknown, 0, false
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
