package agentlog

import "strings"

// ErrorID names an error that is known by what stands in the line.
type ErrorID string

// The errors that a ramdisk's log shows.
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

// knownError is an error and how its lines read: all literals of one of its ways are in
// them, in their order.
type knownError struct {
	id   ErrorID
	ways [][]string
}

// knownErrors have the most specific first. The literals are those of the agent, of the
// step install_coreos, of coreos-installer and of the kernel.
var knownErrors = []knownError{
	{ErrorNoHintedDevice, [][]string{{"No suitable device was found for deployment using these hints"}, {"No disks satisfied root device hints for node"}}},
	{ErrorNoDisks, [][]string{{"root device hints were not provided and all found block devices are smaller than"}, {"No suitable device was found for deployment - root device hints"}}},
	{ErrorBadHints, [][]string{{"because they failed to validate"}, {"Failed to validate the root device hints"}}},
	{ErrorChecksum, [][]string{{"Image failed to verify against checksum"}}},
	{ErrorChecksumFile, [][]string{{"Checksum file does not contain name"}}},
	{ErrorMD5, [][]string{{"MD5 support is disabled"}, {"MD5 checksum utilization is disabled"}}},
	{ErrorDownload, [][]string{{"Download of image", "failed"}, {"Timed out reading next chunk"}}},
	{ErrorPartitionTable, [][]string{{"Unable to find a valid partition table on the disk after writing the image"}}},
	{ErrorImageRefused, [][]string{{"Security: The requested"}, {"The requested image is not valid for use."}}},
	{ErrorBootloader, [][]string{{"Failed to install a bootloader when deploying node"}}},
	{ErrorAgentToken, [][]string{{"Invalid or missing agent token received"}, {"Agent token is required"}}},
	{ErrorTLSRequired, [][]string{{"TLS is required by configuration"}}},
	{ErrorLookupRefused, [][]string{{"Lookup is not allowed for node"}}},
	{ErrorLookup, [][]string{{"Could not look up node info"}}},
	{ErrorNoAddress, [][]string{{"Agent could not find a valid IP address"}}},
	{ErrorInspectConflict, [][]string{{"Conflict on inspection lookup"}, {"No nodes satisfy MAC addresses"}}},
	{ErrorStepUnknown, [][]string{{"node does not support this deploy step"}, {"Deploy step", "has not been found. Available out-of-band steps"}}},
	{ErrorInstallerFailed, [][]string{{"coreos-installer failed with code "}, {"coreos-install returned error code "}, {"Error: install failed"}}},
	{ErrorNoInstaller, [][]string{{"Cannot run coreos-installer, is it installed in"}}},
	{ErrorUEFIBoot, [][]string{{"Could not configure UEFI boot on device"}, {"No EFI partition could be detected on device"}}},
	{ErrorDiskBusy, [][]string{{"found busy partitions"}, {"checking for exclusive access to"}}},
	{ErrorConfigdriveForm, [][]string{{"Cannot use a pre-rendered configdrive"}, {"Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64"}}},
	{ErrorConfigdriveSize, [][]string{{"Config drive size exceeds maximum limit of 64MiB"}}},
	{ErrorAssisted, [][]string{{"Assisted Installer Agent has failed with result"}}},
	{ErrorEraseMetadata, [][]string{{"Failed to erase the metadata on the device(s)"}}},
	{ErrorDiskFrozen, [][]string{{"Block device", "is frozen"}}},
	{ErrorDiskPassword, [][]string{{"has a security password set"}}},
	{ErrorSharedDisk, [][]string{{"Protected", "located on device"}}},
	{ErrorDiskIO, [][]string{{"I/O error, dev "}, {"Buffer I/O error on dev"}}},
	{ErrorMemory, [][]string{{"Out of memory: Killed process"}, {"Memory size is too small for requested image"}}},
	{ErrorCertificate, [][]string{{"CERTIFICATE_VERIFY_FAILED"}}},
}

// KnownErrors are the ids of all of them, the most specific first.
func KnownErrors() []ErrorID {
	ids := make([]ErrorID, len(knownErrors))
	for i, e := range knownErrors {
		ids[i] = e.id
	}
	return ids
}

// findKnown gives the error that a text tells of, "" for most texts.
func findKnown(text string) ErrorID {
	for _, e := range knownErrors {
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
