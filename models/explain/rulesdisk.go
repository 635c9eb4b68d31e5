package explain

import "ironworks/models"

var diskRules = []Rule{
	newRule("no-hinted-device", "no disk matches the hints",
		"No disk in the machine matches the root device hints").
		shows(evHints, evStep).
		not("the image: nothing was written").
		next(compareDisks("Compare the hints with each disk, and pin the right disk.")).
		insteadOf("no-hints").
		from("ironic_python_agent/hardware.py, ironic/drivers/modules/inspector/hooks/root_device.py"),
	newRule("no-disks", "no disk ≥ 4 GiB", "The agent found no disk ≥ 4 GiB").
		shows(evHints, evStep).
		not("root device hints: none are set").
		next(compareDisks("Create the RAID volume, or use a ramdisk with the disk controller's driver.")).
		insteadOf("no-hints").
		from("ironic_python_agent/utils.py"),
	newRule("bad-hints", "malformed root device hints",
		"The root device hints are malformed: unknown key, type or operator").
		shows(evHints).
		not("a missing disk: no disk was compared").
		next(compareDisks("Check the hints and correct them.")).
		insteadOf("no-hinted-device").
		from("ironic/drivers/modules/deploy_utils.py, ironic_python_agent/hardware.py"),
	newRule("shared-disk", "shared disk protected from cleaning",
		"A disk contains a cluster file system and may be shared with other machines; cleaning stopped to protect the data").
		shows(evStep, evState).
		not("a fault: the agent protected the data").
		next(compareDisks("Stop and ask the storage administrator. Detach the volume, or list it in skip_block_devices.")).
		insteadOf("erase-metadata").
		from("ironic_python_agent/errors.py: ProtectedDeviceError"),
	newRule("disk-frozen", "disk frozen by firmware", "The firmware froze a disk, so it cannot be erased").
		shows(evStep).
		not("a broken disk").
		next(compareDisks("Power the machine off and on to unfreeze the disk, or allow another erase method.")).
		insteadOf("erase-metadata").
		from("ironic_python_agent/hardware.py"),
	newRule("disk-password", "disk has a security password", "A disk has a security password and cannot be erased").
		shows(evStep).
		not("a broken disk").
		next(compareDisks("Remove the password with hdparm in the ramdisk, or replace the disk.")).
		from("ironic_python_agent/hardware.py"),
	newRule("disk-io", "disk I/O errors", "A disk reports read or write errors").
		shows(evStep, evHints).
		not("the image").
		next(readLog("Find the disk in the ramdisk's log, check its health, and replace it.")).
		from("the kernel"),
	newRule("erase-metadata", "disk not erased", "Cleaning could not erase a disk: read-only, busy or broken").
		shows(evStep, evFault).
		not("root device hints: cleaning erases every disk").
		next(run(models.VerbManage, "Replace the disk, or list it in properties.skip_block_devices to keep its data. Then manage the node.")).
		insteadOf("clean-failed").
		from("ironic_python_agent/hardware.py"),
	newRule("disk-busy", "disk in use in the ramdisk",
		"The disk is in use in the ramdisk: a file system is mounted, or RAID or LVM is active").
		shows(evHints, evStep, evLastLine).
		not("the image or its URL").
		next(readLog("Clean the disk's metadata first, or unmount the file system or stop the RAID or LVM volume.")).
		insteadOf("installer-failed").
		from("coreos-installer"),
}
