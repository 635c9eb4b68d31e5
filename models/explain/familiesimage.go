package explain

// imageFamilies cover images and the servers that provide them.
var imageFamilies = []Rule{
	{
		ID: "kickstart", Words: []string{"kickstart", "ksvalidator", "anaconda", "stage2_id"},
		Verdict: "The kickstart file or template of the anaconda deployment is not usable", Brief: "kickstart not usable",
		Not:    []string{"the machine: the installer had not started"},
		Next:   Next{Text: "Correct the template in instance_info.ks_template or [anaconda]default_ks_template, then deploy again.", Key: "set", Command: "ironworks set {node} instance_info.ks_template=URL"},
		Source: "ironic/common/pxe_utils.py, ironic/common/kickstart_utils.py",
	},
	{
		ID: "configdrive", Openings: []string{"Failed to upload the configdrive to Swift: ", "Failed to store the configdrive in the database", "Failed to prepare the configdrive"}, Words: []string{"configdrive", "config drive", "configuration drive", "config-drive"},
		Verdict: "The configdrive could not be read, built or written", Brief: "configdrive not usable",
		Not:    []string{"the image: only the configdrive failed"},
		Next:   Next{Text: "Check the user data and the configdrive's URL and size, then deploy again.", Key: "deploy-wizard", Command: "ironworks deploy {node} --user-data FILE --dry-run"},
		Source: "ironic/conductor/configdrive_utils.py, ironic_python_agent/partition_utils.py",
	},
	{
		ID: "oci-registry", Words: []string{"oci", "registry", "manifest", "image tag", "does not have any tags", "number of layers", "required digest", "digest value", "auth response", "authentication method", "www-authenticate", "requires authentication", "not specific", "rate limit"},
		Verdict: "The registry refused the image: wrong reference, digest or pull secret", Brief: "registry refused the image",
		Not:    []string{"the disk: nothing was downloaded"},
		Next:   Next{Text: "Check the oci:// reference, use an existing tag or digest, and set image_pull_secret if the registry requires one.", Key: "set", Command: "ironworks set {node} instance_info.image_source=oci://…"},
		Source: "ironic/common/oci_registry.py, ironic/common/image_service.py",
	},
	{
		ID: "image-checksum-setting", Words: []string{"checksum", "hash_algo", "os_hash_value", "os_hash_algo", "hash name", "hash algorithm"},
		Verdict: "The image's checksum is missing, unreadable or does not match", Brief: "checksum missing or wrong",
		Not:    []string{"the disk: Ironic writes only verified images"},
		Next:   Next{Text: "Set the image's checksum or the URL of a checksum file, then deploy again.", Key: "set", Command: "ironworks set {node} instance_info.image_checksum=SHA256"},
		Source: "ironic/common/checksum_utils.py, ironic_python_agent/extensions/standby.py",
	},
	{
		ID: "image-format", Openings: []string{"The requested image is not valid for use", "Creating iso image failed: ", "Creating vfat image failed: "}, Words: []string{"not valid for use", "safety check", "safety check image", "image format", "multiple potential formats", "expected format", "converted to raw", "parsing of the image", "qemu-img", "qemu_img", "image_type", "whole disk image", "disk_format", "uefi bootable", "virtual size", "neither deploy iso", "efiboot.img"},
		Verdict: "The image format was refused, or the image could not be converted or built", Brief: "image format refused",
		Not:    []string{"the image server: the image was read"},
		Next:   Next{Text: "Inspect the image with `qemu-img info`, then set image_disk_format accordingly or convert the image to raw.", Key: "set", Command: "ironworks set {node} instance_info.image_disk_format=FORMAT"},
		Source: "ironic/common/images.py, ironic_python_agent/disk_utils.py",
	},
	{
		ID: "image-write", Words: []string{"writing image to device", "write image to device", "unable to write image", "after writing the image", "write_image"},
		Verdict: "The image could not be written to the disk", Brief: "image not written",
		Not:      []string{"the image format: Ironic accepted it"},
		Next:     Next{Text: "Read the ramdisk's log for disk errors. Usual causes: disk too small, busy or broken.", Key: "log", Command: "ironworks logs {node}"},
		Evidence: []EvidenceField{evHints},
		Source:   "ironic_python_agent/disk_utils.py, ironic_python_agent/extensions/standby.py",
	},
	{
		ID: "image-source", Openings: []string{"Validation of image href ", "Failed to download image …, reason: "}, Words: []string{"image href", "download image", "error downloading image", "download of image", "image download", "image_source", "image_download_source", "image", "boot_iso", "glance", "nfs url", "cifs url", "basic auth config", "nfs protocol", "cifs protocol", "proxy url", "image_no_proxy", "read data from", "url redirect"},
		Verdict: "The image could not be read; usual causes: wrong URL, server down, wrong credentials", Brief: "image not readable",
		Not:    []string{"the root disk: nothing was written"},
		Next:   Next{Text: "Open the image URL from the conductor's and the machine's network, correct image_source, then deploy again.", Key: "set", Command: "ironworks set {node} instance_info.image_source=URL"},
		Source: "ironic/common/image_service.py, ironic/common/glance_service, ironic_python_agent/extensions/standby.py",
	},
	{
		ID: "object-store", Openings: []string{"Swift operation '", "Swift object … from container "}, Words: []string{"swift", "temporary url", "temp url", "swift_temp_url_key"},
		Verdict: "The object store (Swift) refused or lost Ironic's data", Brief: "object store failed",
		Not:    []string{"the machine: not involved"},
		Next:   Next{Text: "Check Swift and the conductor's [swift] and [glance]swift_temp_url_* options, then try again.", Retry: true},
		Source: "ironic/common/swift.py, ironic/common/glance_service/image_service.py",
	},
}

// diskFamilies cover disks, root device hints, partitions and volumes.
var diskFamilies = []Rule{
	{
		ID: "root-hints", Words: []string{"root device hint", "root_device", "valid hints are", "hint expression", "root device"},
		Verdict: "The root device hints are wrong, or the disk that they describe is missing", Brief: "wrong root device hints",
		Not:      []string{"the image: nothing was written"},
		Next:     Next{Text: "Compare the hints with the machine's disks, and pin the right disk.", Key: "disks", Command: "ironworks disks {node}"},
		Evidence: []EvidenceField{evHints},
		Source:   "ironic/common/utils.py, ironic_python_agent/device_hints.py",
	},
	{
		ID: "disk-erase", Words: []string{"erase", "erasing", "erase_*", "express erase", "nvme format", "nvme-cli", "shred", "destroying metadata", "security password", "nvme capabilities"},
		Verdict: "A disk was not erased", Brief: "disk not erased",
		Not:    []string{"root device hints: cleaning erases every disk"},
		Next:   Next{Text: "Find the disk in the ramdisk's log. Replace a broken disk, or list it in properties.skip_block_devices to keep its data.", Key: "disks", Command: "ironworks disks {node}"},
		Source: "ironic_python_agent/hardware.py, ironic_python_agent/disk_utils.py",
	},
	{
		ID: "remote-volume", Openings: []string{"Failed to connect to block storage service", "Failed to validate cinder storage interface", "Failed to validate external storage interface"}, Words: []string{"cinder", "iscsi", "fibre channel", "volume", "volume target", "volume connector", "block storage"},
		Verdict: "A remote volume (Cinder, iSCSI or Fibre Channel) could not be attached or prepared", Brief: "remote volume could not be attached",
		Not:    []string{"the machine's own disks"},
		Next:   Next{Text: "Compare the node's volume targets and connectors with the storage service, then try again.", Retry: true},
		Source: "ironic/common/cinder.py, ironic/drivers/modules/storage",
	},
	{
		ID: "partitioning", Words: []string{"partition*", "gpt", "mbr", "file system", "file systems", "filesystem", "holding device", "checking locks for device", "stat device", "swap or ephemeral", "block device", "lsblk", "device hints", "root device", "device not found", "flushing file system", "partition_label", "mkfs", "the disk", "malformed blkid"},
		Verdict: "A disk could not be partitioned, or a partition or file system on it could not be used", Brief: "disk could not be partitioned",
		Not:      []string{"the image download"},
		Next:     Next{Text: "Find the disk and the command in the ramdisk's log. Usual causes: the disk is busy, too small or broken.", Key: "log", Command: "ironworks logs {node}"},
		Evidence: []EvidenceField{evHints},
		Source:   "ironic_python_agent/{disk_utils,partition_utils,utils}.py",
	},
}
