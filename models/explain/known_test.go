package explain

import "testing"

func TestFindRamdiskError(t *testing.T) {
	for text, want := range map[string]ErrorID{
		`Deploy step deploy.install_coreos failed on node x. No suitable device was found for deployment using these hints {'wwn': '0xdead'}`: ErrorNoHintedDevice,
		`No disks satisfied root device hints for node x`:                                               ErrorNoHintedDevice,
		`root device hints were not provided and all found block devices are smaller than 4294967296B.`: ErrorNoDisks,
		`No devices could be found using these hints {} because they failed to validate. Error: x`:      ErrorBadHints,
		`Image failed to verify against checksum. location: /x; image ID: y`:                            ErrorChecksum,
		`Checksum file does not contain name x`:                                                         ErrorChecksumFile,
		`MD5 support is disabled`:                                                                       ErrorMD5,
		`Error downloading image: Download of image x failed: Connect`:                                  ErrorDownload,
		`Timed out reading next chunk`:                                                                  ErrorDownload,
		`Unable to find a valid partition table on the disk after writing the image. Error x`:           ErrorPartitionTable,
		`Security: The requested user image is x`:                                                       ErrorImageRefused,
		`Invalid or missing agent token received.`:                                                      ErrorAgentToken,
		`TLS is required by configuration`:                                                              ErrorTLSRequired,
		`Could not look up node info. Check logs for details.`:                                          ErrorLookup,
		`Lookup is not allowed for node x in the provision state active`:                                ErrorLookupRefused,
		`Agent could not find a valid IP address.`:                                                      ErrorNoAddress,
		`Conflict on inspection lookup: x`:                                                              ErrorInspectConflict,
		`Deploy step x has not been found. Available out-of-band steps: []. Agent is not running.`:      ErrorStepNoAgent,
		`node does not support this deploy step: x`:                                                     ErrorStepUnknown,
		`coreos-installer failed with code 1: Error: install failed`:                                    ErrorInstallerFailed,
		`coreos-install returned error code 1`:                                                          ErrorInstallerFailed,
		`Cannot run coreos-installer, is it installed in /mnt/coreos?`:                                  ErrorNoInstaller,
		`Could not configure UEFI boot on device /dev/sda: x`:                                           ErrorUEFIBoot,
		`No EFI partition could be detected on device /dev/sda`:                                         ErrorUEFIBoot,
		`Error: found busy partitions`:                                                                  ErrorDiskBusy,
		`checking for exclusive access to /dev/sda`:                                                     ErrorDiskBusy,
		`Cannot use a pre-rendered configdrive, please provide it as JSON data`:                         ErrorConfigdriveForm,
		`Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 encoded string`:      ErrorConfigdriveForm,
		`Config drive size exceeds maximum limit of 64MiB`:                                              ErrorConfigdriveSize,
		`Assisted Installer Agent has failed with result exit-code`:                                     ErrorAssisted,
		`Failed to erase the metadata on the device(s): "/dev/sda": x`:                                  ErrorEraseMetadata,
		`Block device /dev/sda is frozen and cannot be erased`:                                          ErrorDiskFrozen,
		`Block device /dev/sda already has a security password set`:                                     ErrorDiskPassword,
		`Protected VMFS filesystem located on device /dev/sda`:                                          ErrorSharedDisk,
		`Buffer I/O error on dev sda, logical block 0`:                                                  ErrorDiskIO,
		`Out of memory: Killed process 1 (x)`:                                                           ErrorMemory,
		`SSLError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed`:                          ErrorCertificate,
		`Failed to install a bootloader when deploying node x: y`:                                       ErrorBootloader,
		`Reached target basic.target - Basic System.`:                                                   "",
		`Download of image x was successful`:                                                            "",
	} {
		if got := FindRamdiskError(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	all := map[ErrorID]bool{}
	for _, id := range knownErrors() {
		if all[id] || id == "" {
			t.Errorf("%q is listed twice or empty", id)
		}
		all[id] = true
	}
}

// knownErrors returns the IDs of all known errors.
func knownErrors() []ErrorID {
	var ids []ErrorID
	for _, list := range allErrors {
		for _, e := range list {
			ids = append(ids, e.id)
		}
	}
	return ids
}
