package explain

import "testing"

func TestFindRamdiskError(t *testing.T) {
	for text, want := range map[string]RuleID{
		`Deploy step deploy.install_coreos failed on node x. No suitable device was found for deployment using these hints {'wwn': '0xdead'}`: "no-hinted-device",
		`No disks satisfied root device hints for node x`:                                               "no-hinted-device",
		`root device hints were not provided and all found block devices are smaller than 4294967296B.`: "no-disks",
		`No devices could be found using these hints {} because they failed to validate. Error: x`:      "bad-hints",
		`Image failed to verify against checksum. location: /x; image ID: y`:                            "image-checksum",
		`Checksum file does not contain name x`:                                                         "checksum-file",
		`MD5 support is disabled`:                                                                       "md5-disabled",
		`Error downloading image: Download of image x failed: Connect`:                                  "image-download",
		`Timed out reading next chunk`:                                                                  "image-download",
		`Unable to find a valid partition table on the disk after writing the image. Error x`:           "no-partition-table",
		`Security: The requested user image is x`:                                                       "image-refused",
		`Invalid or missing agent token received.`:                                                      "agent-token",
		`TLS is required by configuration`:                                                              "tls-required",
		`Could not look up node info. Check logs for details.`:                                          "lookup",
		`Lookup is not allowed for node x in the provision state active`:                                "lookup-refused",
		`Agent could not find a valid IP address.`:                                                      "no-address",
		`Conflict on inspection lookup: x`:                                                              "inspection-conflict",
		`Deploy step x has not been found. Available out-of-band steps: []. Agent is not running.`:      "step-without-agent",
		`node does not support this deploy step: x`:                                                     "step-unknown",
		`coreos-installer failed with code 1: Error: install failed`:                                    "installer-failed",
		`coreos-install returned error code 1`:                                                          "installer-failed",
		`Cannot run coreos-installer, is it installed in /mnt/coreos?`:                                  "no-installer",
		`Could not configure UEFI boot on device /dev/sda: x`:                                           "uefi-boot",
		`No EFI partition could be detected on device /dev/sda`:                                         "uefi-boot",
		`Error: found busy partitions`:                                                                  "disk-busy",
		`checking for exclusive access to /dev/sda`:                                                     "disk-busy",
		`Cannot use a pre-rendered configdrive, please provide it as JSON data`:                         "configdrive-form",
		`Invalid configdrive format: it is neither a JSON, nor a URL, nor a base64 encoded string`:      "configdrive-form",
		`Config drive size exceeds maximum limit of 64MiB`:                                              "configdrive-size",
		`Assisted Installer Agent has failed with result exit-code`:                                     "assisted-agent",
		`Failed to erase the metadata on the device(s): "/dev/sda": x`:                                  "erase-metadata",
		`Block device /dev/sda is frozen and cannot be erased`:                                          "disk-frozen",
		`Block device /dev/sda already has a security password set`:                                     "disk-password",
		`Protected VMFS filesystem located on device /dev/sda`:                                          "shared-disk",
		`Buffer I/O error on dev sda, logical block 0`:                                                  "disk-io",
		`Out of memory: Killed process 1 (x)`:                                                           "out-of-memory",
		`SSLError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed`:                          "certificate",
		`Failed to install a bootloader when deploying node x: y`:                                       "bootloader",
		`Reached target basic.target - Basic System.`:                                                   "",
		`Download of image x was successful`:                                                            "",
	} {
		if got := FindRamdiskError(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	all := map[RuleID]bool{}
	for _, id := range knownErrors() {
		if all[id] || id == "" {
			t.Errorf("%q is listed twice or empty", id)
		}
		all[id] = true
	}
}

// knownErrors returns the IDs of all known errors.
func knownErrors() []RuleID {
	var ids []RuleID
	for _, e := range allErrors {
		ids = append(ids, e.id)
	}
	return ids
}
