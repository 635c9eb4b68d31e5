package explain

var imageFamilies = []Rule{
	newRule("kickstart", "kickstart not usable",
		"The kickstart file or template of the anaconda deployment is not usable").
		words("kickstart", "ksvalidator", "anaconda", "stage2_id").
		not("the machine: the installer had not started").
		next(set("instance_info.ks_template=URL", "Correct the template in instance_info.ks_template or [anaconda]default_ks_template, then deploy again.")).
		from("ironic/common/pxe_utils.py, ironic/common/kickstart_utils.py"),
	newRule("configdrive", "configdrive not usable", "The configdrive could not be read, built or written").
		openings("Failed to upload the configdrive to Swift: ", "Failed to store the configdrive in the database", "Failed to prepare the configdrive").
		words("configdrive", "config drive", "configuration drive", "config-drive").
		not("the image: only the configdrive failed").
		next(act("deploy-wizard", "ironworks deploy {node} --user-data FILE --dry-run", "Check the user data and the configdrive's URL and size, then deploy again.")).
		from("ironic/conductor/configdrive_utils.py, ironic_python_agent/partition_utils.py"),
	newRule("oci-registry", "registry refused the image",
		"The registry refused the image: wrong reference, digest or pull secret").
		words("oci", "registry", "manifest", "image tag", "does not have any tags", "number of layers", "required digest", "digest value", "auth response", "authentication method", "www-authenticate", "requires authentication", "not specific", "rate limit").
		not("the disk: nothing was downloaded").
		next(set("instance_info.image_source=oci://…", "Check the oci:// reference, use an existing tag or digest, and set image_pull_secret if the registry requires one.")).
		from("ironic/common/oci_registry.py, ironic/common/image_service.py"),
	newRule("image-checksum-setting", "checksum missing or wrong",
		"The image's checksum is missing, unreadable or does not match").
		words("checksum", "hash_algo", "os_hash_value", "os_hash_algo", "hash name", "hash algorithm").
		not("the disk: Ironic writes only verified images").
		next(set("instance_info.image_checksum=SHA256", "Set the image's checksum or the URL of a checksum file, then deploy again.")).
		from("ironic/common/checksum_utils.py, ironic_python_agent/extensions/standby.py"),
	newRule("image-format", "image format refused",
		"The image format was refused, or the image could not be converted or built").
		openings("The requested image is not valid for use", "Creating iso image failed: ", "Creating vfat image failed: ").
		words("not valid for use", "safety check", "safety check image", "image format", "multiple potential formats", "expected format", "converted to raw", "parsing of the image", "qemu-img", "qemu_img", "image_type", "whole disk image", "disk_format", "uefi bootable", "virtual size", "neither deploy iso", "efiboot.img").
		not("the image server: the image was read").
		next(set("instance_info.image_disk_format=FORMAT", "Inspect the image with `qemu-img info`, then set image_disk_format accordingly or convert the image to raw.")).
		from("ironic/common/images.py, ironic_python_agent/disk_utils.py"),
	newRule("image-write", "image not written", "The image could not be written to the disk").
		words("writing image to device", "write image to device", "unable to write image", "after writing the image", "write_image").
		shows(evHints).
		not("the image format: Ironic accepted it").
		next(readLog("Read the ramdisk's log for disk errors. Usual causes: disk too small, busy or broken.")).
		from("ironic_python_agent/disk_utils.py, ironic_python_agent/extensions/standby.py"),
	newRule("image-source", "image not readable",
		"The image could not be read; usual causes: wrong URL, server down, wrong credentials").
		openings("Validation of image href ", "Failed to download image …, reason: ").
		words("image href", "download image", "error downloading image", "download of image", "image download", "image_source", "image_download_source", "image", "boot_iso", "glance", "nfs url", "cifs url", "basic auth config", "nfs protocol", "cifs protocol", "proxy url", "image_no_proxy", "read data from", "url redirect").
		not("the root disk: nothing was written").
		next(set("instance_info.image_source=URL", "Open the image URL from the conductor's and the machine's network, correct image_source, then deploy again.")).
		from("ironic/common/image_service.py, ironic/common/glance_service, ironic_python_agent/extensions/standby.py"),
	newRule("object-store", "object store failed", "The object store (Swift) refused or lost Ironic's data").
		openings("Swift operation '", "Swift object … from container ").
		words("swift", "temporary url", "temp url", "swift_temp_url_key").
		not("the machine: not involved").
		next(again("Check Swift and the conductor's [swift] and [glance]swift_temp_url_* options, then try again.")).
		from("ironic/common/swift.py, ironic/common/glance_service/image_service.py"),
}

var diskFamilies = []Rule{
	newRule("root-hints", "wrong root device hints",
		"The root device hints are wrong, or the disk that they describe is missing").
		words("root device hint", "root_device", "valid hints are", "hint expression", "root device").
		shows(evHints).
		not("the image: nothing was written").
		next(compareDisks("Compare the hints with the machine's disks, and pin the right disk.")).
		from("ironic/common/utils.py, ironic_python_agent/device_hints.py"),
	newRule("disk-erase", "disk not erased", "A disk was not erased").
		words("erase", "erasing", "erase_*", "express erase", "nvme format", "nvme-cli", "shred", "destroying metadata", "security password", "nvme capabilities").
		not("root device hints: cleaning erases every disk").
		next(compareDisks("Find the disk in the ramdisk's log. Replace a broken disk, or list it in properties.skip_block_devices to keep its data.")).
		from("ironic_python_agent/hardware.py, ironic_python_agent/disk_utils.py"),
	newRule("remote-volume", "remote volume could not be attached",
		"A remote volume (Cinder, iSCSI or Fibre Channel) could not be attached or prepared").
		openings("Failed to connect to block storage service", "Failed to validate cinder storage interface", "Failed to validate external storage interface").
		words("cinder", "iscsi", "fibre channel", "volume", "volume target", "volume connector", "block storage").
		not("the machine's own disks").
		next(again("Compare the node's volume targets and connectors with the storage service, then try again.")).
		from("ironic/common/cinder.py, ironic/drivers/modules/storage"),
	newRule("partitioning", "disk could not be partitioned",
		"A disk could not be partitioned, or a partition or file system on it could not be used").
		words("partition*", "gpt", "mbr", "file system", "file systems", "filesystem", "holding device", "checking locks for device", "stat device", "swap or ephemeral", "block device", "lsblk", "device hints", "root device", "device not found", "flushing file system", "partition_label", "mkfs", "the disk", "malformed blkid").
		shows(evHints).
		not("the image download").
		next(readLog("Find the disk and the command in the ramdisk's log. Usual causes: the disk is busy, too small or broken.")).
		from("ironic_python_agent/{disk_utils,partition_utils,utils}.py"),
}
