package models

import "strings"

// ErrorID names an error that is known by what stands in the line.
type ErrorID string

// The errors that a ramdisk writes, into its log and into the reason of a failure.
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
)

// The errors that only a conductor or the API writes.
const (
	ErrorAgentClock       ErrorID = "agent-clock"
	ErrorAgentCertificate ErrorID = "agent-certificate"
	ErrorAgentUnreachable ErrorID = "agent-unreachable"
	ErrorRamdiskNewer     ErrorID = "ramdisk-newer"
	ErrorLeftOverISO      ErrorID = "left-over-iso"
	ErrorCallbackTimeout  ErrorID = "callback-timeout"
	ErrorCleanNoBoot      ErrorID = "clean-timeout-no-step"
	ErrorCleanTimeout     ErrorID = "clean-timeout"
	ErrorInspectTimeout   ErrorID = "inspect-timeout"
	ErrorServiceTimeout   ErrorID = "service-timeout"
	ErrorRescueTimeout    ErrorID = "rescue-timeout"
	ErrorChecksumMissing  ErrorID = "checksum-missing"
	ErrorImageHTTP        ErrorID = "image-http"
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

// knownError is an error and how its lines read: all literals of one of its ways are in
// them, in their order.
type knownError struct {
	id   ErrorID
	ways [][]string
}

// ramdiskErrors have the most specific first. The literals are those of the agent, of the
// step install_coreos, of coreos-installer and of the kernel.
var ramdiskErrors = []knownError{
	{ErrorNoHintedDevice, [][]string{{"No suitable device was found for deployment using these hints"}, {"No disks satisfied root device hints for node"}}},
	{ErrorNoDisks, [][]string{{"root device hints were not provided and all found block devices are smaller than"}, {"No suitable device was found for deployment - root device hints"}}},
	{ErrorBadHints, [][]string{{"No devices could be found using", "because they failed to validate"}, {"No disks could be found using root device hints", "because they failed to validate"}, {"Failed to validate the root device hints"}}},
	{ErrorChecksum, [][]string{{"Image failed to verify against checksum"}}},
	{ErrorChecksumFile, [][]string{{"Checksum file does not contain name"}}},
	{ErrorMD5, [][]string{{"MD5 support is disabled"}, {"MD5 checksum utilization is disabled"}}},
	{ErrorDownload, [][]string{{"Download of image ", " failed: "}, {"Timed out reading next chunk"}}},
	{ErrorPartitionTable, [][]string{{"Unable to find a valid partition table on the disk after writing the image"}}},
	{ErrorImageRefused, [][]string{{"Security: The requested"}, {"The requested image is not valid for use."}}},
	{ErrorBootloader, [][]string{{"Failed to install a bootloader when deploying node"}}},
	{ErrorAgentToken, [][]string{{"Invalid or missing agent token received"}, {"Agent token is required"}, {`Detected change in ramdisk provided "callback_url"`}}},
	{ErrorTLSRequired, [][]string{{"TLS is required by configuration"}}},
	{ErrorLookupRefused, [][]string{{"Lookup is not allowed for node"}}},
	{ErrorLookup, [][]string{{"Could not look up node info"}}},
	{ErrorNoAddress, [][]string{{"Agent could not find a valid IP address"}}},
	{ErrorInspectConflict, [][]string{{"Conflict on inspection lookup"}, {"No nodes satisfy MAC addresses"}, {"Several nodes ", " satisfy BMC address(s)"}}},
	{ErrorStepUnknown, [][]string{{"node does not support this deploy step"}, {"Deploy step", "has not been found. Available out-of-band steps"}}},
	{ErrorInstallerFailed, [][]string{{"coreos-installer failed with code "}, {"coreos-install returned error code "}, {"Error: install failed"}}},
	{ErrorNoInstaller, [][]string{{"Cannot run coreos-installer, is it installed in"}}},
	{ErrorUEFIBoot, [][]string{{"Could not configure UEFI boot on device"}, {"No EFI partition could be detected on device"}}},
	{ErrorDiskBusy, [][]string{{"found busy partitions"}, {"checking for exclusive access to"}}},
	{ErrorConfigdriveForm, [][]string{{"Cannot use a pre-rendered configdrive"}, {"Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64"}}},
	{ErrorConfigdriveSize, [][]string{{"Config drive size exceeds maximum limit of 64MiB"}}},
	{ErrorAssisted, [][]string{{"Assisted Installer Agent has failed with result"}}},
	{ErrorEraseMetadata, [][]string{{"Failed to erase the metadata on the device(s)"}}},
	{ErrorDiskFrozen, [][]string{{"Block device ", " is frozen"}}},
	{ErrorDiskPassword, [][]string{{"Block device ", "has a security password set"}}},
	{ErrorSharedDisk, [][]string{{"Protected ", " located on device /dev/"}}},
	{ErrorDiskIO, [][]string{{"I/O error, dev "}, {"Buffer I/O error on dev"}}},
	{ErrorMemory, [][]string{{"Out of memory: Killed process"}, {"Memory size is too small for requested image"}}},
	{ErrorCertificate, [][]string{{"CERTIFICATE_VERIFY_FAILED"}}},
}

// conductorErrors have the most specific first: what wraps another comes after it.
var conductorErrors = []knownError{
	{ErrorAgentClock, [][]string{{"Failed to connect to the agent running on node", "certificate is not yet valid"}, {"Failed to connect to the agent running on node", "certificate has expired"}}},
	{ErrorAgentCertificate, [][]string{{"Failed to connect to the agent running on node", "CERTIFICATE_VERIFY_FAILED"}}},
	{ErrorAgentUnreachable, [][]string{{"Failed to connect to the agent running on node"}}},
	{ErrorRamdiskNewer, [][]string{{"Failed to process the next ", " step: 'commands'"}}},
	{ErrorLeftOverISO, [][]string{{"Failed to prepare to deploy", ".iso' are the same file"}}},
	{ErrorCallbackTimeout, [][]string{{"Timeout reached while waiting for callback for node"}}},
	{ErrorCleanNoBoot, [][]string{{"Timeout reached while cleaning the node", "Failed on step {}"}, {"Timeout reached while cleaning the node", "Failed on step None"}}},
	{ErrorCleanTimeout, [][]string{{"Timeout reached while cleaning the node"}}},
	{ErrorInspectTimeout, [][]string{{"Timeout reached while inspecting the node"}, {"timeout reached while inspecting the node"}}},
	{ErrorServiceTimeout, [][]string{{"Timeout reached while servicing the node"}}},
	{ErrorRescueTimeout, [][]string{{"Timeout reached while waiting for rescue ramdisk callback"}}},
	{ErrorChecksumMissing, [][]string{{`image_source's "image_checksum"`, "must be provided in instance_info for node"}}},
	{ErrorImageHTTP, [][]string{{"Got HTTP code ", " instead of 200 in response to HEAD request"}}},
	{ErrorBootDevice, [][]string{{"Failed to change the boot device to"}}},
	{ErrorBootMode, [][]string{{"Setting boot mode to ", " failed for node"}, {"Timeout reached while waiting for boot mode of node"}, {"Failed to change boot mode to '"}}},
	{ErrorBMCJobs, [][]string{{"Pending configuration values are already committed"}, {"there are pending values", "already committed"}}},
	{ErrorMediaFetch, [][]string{
		{"Virtual media mount failed for node", "is not accessible"},
		{"Virtual media mount failed for node", "not be accessed"},
		{"Virtual media mount failed for node", "RAC0904"},
		{"Virtual media mount failed for node", "Unable to locate the ISO"},
	}},
	{ErrorMediaMount, [][]string{{"Virtual media mount failed for node"}, {"Inserting virtual media into ", " failed for node"}}},
	{ErrorMediaDevice, [][]string{{"No suitable virtual media device found"}}},
	{ErrorMediaProtocol, [][]string{{"Node ", " requested transport protocol ", "but BMC only supports"}}},
	{ErrorMediaConfigdrive, [][]string{{"Cannot attach configdrive for node", "no suitable virtual USB slot"}}},
	{ErrorBMCCredentials, [][]string{
		{"HTTP ", "/redfish/", " returned code 401"},
		{"Failed to get power state for node", "Unauthorized"},
		{"Redfish connection failed for node", "Unauthorized"},
		{"IPMI call failed", "RAKP 2 HMAC is invalid"},
		{"IPMI call failed", "Unauthorized name"},
	}},
	{ErrorBMCCertificate, [][]string{
		{"Redfish connection failed for node", "CERTIFICATE_VERIFY_FAILED"},
		{"Failed to get power state for node", "CERTIFICATE_VERIFY_FAILED"},
		{"Unable to connect to ", "/redfish/", "CERTIFICATE_VERIFY_FAILED"},
	}},
	{ErrorBMCUnreachable, [][]string{{"Redfish connection failed for node"}, {"Unable to connect to ", "/redfish/"}}},
	{ErrorPowerUnknown, [][]string{{"Failed to get power state for node"}}},
	{ErrorPowerSync, [][]string{{"During sync_power_state, max retries exceeded for node"}}},
	{ErrorPowerChange, [][]string{{"Failed to change power state to '"}, {"Failed to set node power state to "}}},
	{ErrorIPMISessions, [][]string{{"insufficient resources for session"}}},
	{ErrorIPMI, [][]string{{"IPMI call failed: "}}},
	{ErrorLocked, [][]string{{"Node ", " is locked by host ", "please retry after the current operation is completed"}}},
	{ErrorNoWorkers, [][]string{{"Requested action cannot be performed due to lack of free conductor workers"}, {"No free conductor workers available"}}},
	{ErrorConcurrentLimit, [][]string{{"The concurrent action limit for ", "has been reached"}}},
	{ErrorNoConductor, [][]string{{"No conductor service registered which supports driver"}}},
	{ErrorUnavailable, [][]string{{"Resource temporarily unavailable, please retry."}}},
	{ErrorInterfaceMissing, [][]string{{"Could not find the following interface in the '"}}},
	{ErrorConductorRestart, [][]string{{"The ", " state can't be resumed by conductor "}, {"Operation was aborted due to conductor take over"}}},
	{ErrorNoPort, [][]string{{"Node ", " does not have any port associated with it"}}},
	{ErrorMACConflict, [][]string{{"A port with MAC address ", " already exists"}}},
	{ErrorVIF, [][]string{{"Could not add public network VIF"}, {"Port ", " failed to reach status "}}},
	{ErrorAllocationTaken, [][]string{{"could not reserve any of ", " suitable nodes"}, {"all nodes were filtered out during reservation"}}},
	{ErrorAllocationTraits, [][]string{{"no suitable nodes have the requested traits"}}},
	{ErrorInMaintenance, [][]string{
		{"Cleaning a node in maintenance mode is not allowed"},
		{"Deploy aborted as node is in maintenance mode"},
		{"Cleaning aborted as node is in maintenance mode"},
		{"Rescue aborted as node is in maintenance mode"},
		{"Service aborted as node is in maintenance mode"},
	}},
	{ErrorProtected, [][]string{{"Node ", " is protected and cannot be undeployed, rebuilt or deleted"}}},
	{ErrorWrongState, [][]string{{`The requested action "`, `can not be performed on node "`, `while it is in state "`}}},
	{ErrorRedacted, [][]string{{"** Value Redacted - Requires "}}},
}

// KnownErrors are the ids of all of them.
func KnownErrors() []ErrorID { return append(knownIDs(conductorErrors), knownIDs(ramdiskErrors)...) }

func knownIDs(list []knownError) []ErrorID {
	ids := make([]ErrorID, len(list))
	for i, e := range list {
		ids[i] = e.id
	}
	return ids
}

// FindRamdiskError gives the error that a line of a ramdisk's log tells of, "" for most
// lines.
func FindRamdiskError(text string) ErrorID {
	for _, e := range ramdiskErrors {
		for _, way := range e.ways {
			if inOrder(text, way) {
				return e.id
			}
		}
	}
	return ""
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
