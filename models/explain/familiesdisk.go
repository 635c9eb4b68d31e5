package explain

// diskFamilies are about disks, hints, partitions and volumes.
var diskFamilies = []family{
	{
		ID: "root-hints", Words: []string{"root device hint", "root_device", "valid hints are", "hint expression", "root device"},
		Verdict: "The root device hints are wrong, or their disk is not there", Brief: "root device hints are wrong",
		Not:      "the image: nothing was written",
		Next:     Next{Text: "Compare the hints with the machine's disks, and pin the disk to deploy to.", Key: "disks", Command: "ironworks disks {node}"},
		Evidence: []EvidenceField{evHints},
		Source:   "ironic/common/utils.py, ironic_python_agent/device_hints.py",
	},
	{
		ID: "disk-erase", Words: []string{"erase", "erasing", "erase_*", "express erase", "nvme format", "nvme-cli", "shred", "destroying metadata", "security password", "nvme capabilities"},
		Verdict: "A disk could not be erased", Brief: "a disk could not be erased",
		Not:    "the root device hints: cleaning takes every disk",
		Next:   Next{Text: "Find the disk in the ramdisk's log. Replace it when it is broken, or name it in properties.skip_block_devices when it must stay.", Key: "disks", Command: "ironworks disks {node}"},
		Source: "ironic_python_agent/hardware.py, ironic_python_agent/disk_utils.py",
	},
	{
		ID: "remote-volume", Openings: []string{"Failed to connect to block storage service", "Failed to validate cinder storage interface", "Failed to validate external storage interface"}, Words: []string{"cinder", "iscsi", "fibre channel", "volume", "volume target", "volume connector", "block storage"},
		Verdict: "A remote volume (Cinder, iSCSI or Fibre Channel) could not be attached or prepared", Brief: "remote volume could not be attached",
		Not:    "the machine's own disks",
		Next:   Next{Text: "Compare the node's volume targets and connectors with the storage service, then try again.", Retry: true},
		Source: "ironic/common/cinder.py, ironic/drivers/modules/storage",
	},
	{
		ID: "partitioning", Words: []string{"partition*", "gpt", "mbr", "file system", "file systems", "filesystem", "holding device", "checking locks for device", "stat device", "swap or ephemeral", "block device", "lsblk", "device hints", "root device", "device not found", "flushing file system", "partition_label", "mkfs", "the disk", "malformed blkid"},
		Verdict: "A disk could not be partitioned, or a partition or file system on it could not be used", Brief: "disk could not be partitioned",
		Not:      "the image's download",
		Next:     Next{Text: "Find the disk and the command in the ramdisk's log: a busy, too small or broken disk is the usual reason.", Key: "log", Command: "ironworks logs {node}"},
		Evidence: []EvidenceField{evHints},
		Source:   "ironic_python_agent/{disk_utils,partition_utils,utils}.py",
	},
}
