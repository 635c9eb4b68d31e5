package explain

// machineFamilies cover the BMC and the firmware.
var machineFamilies = []Rule{
	newRule("virtual-media", "virtual media failed", "The BMC could not insert, eject or boot virtual media").
		openings("Unable to attach virtual media for node ", "Unable to detach virtual media for node ", "Could not attach device … to node ").
		words("virtual media", "virtual_media", "vmedia", "virtual usb", "transport protocol", "virtual cd", "virtual floppy").
		shows(evISO, evBMCAddress).
		not("the deployed image").
		next(queryBMC("Check the BMC's virtual media: eject the inserted medium, check the license, and check that the BMC can download the ISO.")).
		from("ironic/drivers/modules/redfish/boot.py"),
	newRule("secure-boot", "Secure Boot not changed",
		"The BMC did not change Secure Boot as requested by the node").
		openings("Failed to change secure_boot state to ").
		words("secure boot", "secure_boot", "reset_keys").
		shows(evBootMode).
		not("the image's signature: nothing was booted").
		next(set("properties.capabilities=boot_mode:uefi", "Set UEFI boot mode, change Secure Boot in the BMC, or remove secure_boot from the capabilities. Then try again.")).
		from("ironic/drivers/modules/redfish/management.py, ironic/drivers/modules/boot_mode_utils.py"),
	newRule("boot-mode-setting", "boot mode not set",
		"The node's boot mode is not supported, not allowed, or could not be set").
		openings("Unsupported boot mode … specified for node ").
		words("boot mode", "boot_mode", "requires uefi", "uefihttp").
		shows(evBootMode).
		not("the disk or its data").
		next(set("properties.capabilities=boot_mode:uefi", "Set the boot_mode capability to a mode that the BMC supports.")).
		from("ironic/drivers/modules/boot_mode_utils.py, ironic/conductor/utils.py"),
	newRule("bootloader-install", "bootloader setup failed",
		"The bootloader or the UEFI boot entry could not be set up").
		words("boot loader", "bootloader*", "grub*", "efi partition", "efi system partition", "efibootmgr", "uefi boot", "uefi nvram", "esp image", "esp content", "legacy bios").
		shows(evBootMode).
		not("the download: the image is on the disk").
		next(readLog("Check that the image has an EFI partition and fits the boot mode, and that the firmware accepts boot entries.")).
		from("ironic_python_agent/efi_utils.py, ironic_python_agent/extensions/image.py"),
	newRule("boot-device-setting", "boot device not set", "The BMC did not set the boot device").
		words("boot device", "boot_device", "boot devices", "bootdev", "bootparam", "boot order", "boot source").
		not("the disk: the image is written").
		next(queryBMC("Set the boot device in the BMC or firmware setup. If the BMC keeps refusing, reset the BMC. Then try again.")).
		from("ironic/drivers/modules/redfish/management.py, ironic/drivers/modules/ipmitool.py"),
	newRule("bios-settings", "BIOS settings not applied", "The BIOS settings could not be read or applied").
		openings("Redfish BIOS apply_configuration step failed").
		words("bios setting", "bios attribute", "bios configuration", "bios apply", "bios factory", "bios step", "bios", "apply_configuration step", "factory_reset").
		not("the boot order: the step changes BIOS settings").
		next(queryBMC("Compare names and values with the machine's BIOS settings, wait for the BMC's jobs, then run the step again.")).
		from("ironic/drivers/modules/redfish/bios.py, ironic/drivers/modules/drac/bios.py"),
	newRule("raid-configuration", "RAID configuration failed",
		"The RAID configuration could not be created, read or deleted").
		words("raid", "logical disk", "logical_disk", "physical disk", "physical_disk", "physical drive", "md device", "softraid", "storage controller", "mdadm", "volume name", "spans", "create_configuration", "delete_configuration", "target_raid_config", "root volume", "examine device", "holder disk").
		shows(evHints).
		not("root device hints: the agent reads them after the RAID is created").
		next(compareDisks("Compare target_raid_config with the controller and its disks, then run the step again.")).
		from("ironic/common/raid.py, ironic/drivers/modules/redfish/raid.py, ironic_python_agent/raid_utils.py"),
	newRule("pdu", "no SNMP answer from the PDU",
		"The PDU did not answer over SNMP, or its settings in driver_info are wrong").
		openings("SNMP operation '").
		words("snmp", "snmppowerdriver", "snmpdriverauto", "pdu").
		not("the BMC: a PDU controls this node's power").
		next(validate("Check snmp_address, snmp_outlet and the SNMP credentials in driver_info, then validate.")).
		from("ironic/drivers/modules/snmp.py"),
	newRule("ipmi-call", "IPMI command failed", "An IPMI command failed, or the node's IPMI settings are wrong").
		openings("Failed to parse sensor data for node ", "Failed to get sensor data for node ").
		words("ipmi", "ipmitool", "ipmi_*", "serial over lan", "sensor data", "raw_bytes", "intel sst-pp").
		shows(evBMCAddress).
		not("the ramdisk: the request went to the BMC").
		next(validate("Run ipmitool with the same settings on the conductor. Check address, privilege level and cipher suite in driver_info.")).
		from("ironic/drivers/modules/ipmitool.py, ironic/drivers/modules/intel_ipmi"),
	newRule("vendor-bmc", "vendor BMC interface failed",
		"The vendor's own BMC interface (iDRAC, iLO, iRMC, iBMC, XClarity) refused the operation").
		openings("DRAC operation failed. Reason: ", "IBMC exception occurred on node ", "IBMC connection failed for node ", "Failed config job: … Message: '").
		words("drac", "idrac", "ilo", "irmc", "ibmc", "xclarity", "scci", "vendor driver", "sushy oem", "lifecycle", "proliant*", "hpe", "config job", "unfinished jobs", "ilo_*", "irmc_*").
		shows(evBMCAddress).
		not("the ramdisk: the request went to the BMC").
		next(queryBMC("Read the BMC's job queue and event log. Consider the redfish driver, which replaces vendor drivers in newer releases.")).
		from("ironic/drivers/modules/{drac,ilo,irmc,ibmc,xclarity}"),
	newRule("redfish-call", "Redfish request failed", "A Redfish request failed, or the BMC refused it").
		openings("Redfish exception occurred. Error: ", "Redfish connection failed for node ").
		words("redfish", "sushy", "bmc", "indicator", "inject nmi", "has no managers").
		shows(evBMCAddress).
		not("the ramdisk and the disk: the request went to the BMC").
		next(queryBMC("Check the BMC's state, driver_info and the BMC's firmware version, then try again.")).
		from("ironic/drivers/modules/redfish"),
	newRule("power-control", "power change failed", "The machine's power state could not be changed or read").
		openings("Failed to change power state to '", "Failed to set node power state to ", "Power driver returned ERROR state").
		words("power state", "power off", "power on", "power failure", "reboot script", "rebooting system", "set_power_state", "power_off", "power driver", "poweroff").
		shows(evPower, evBMCAddress).
		not("the disk: power changes write nothing").
		next(queryBMC("Change the power state in the BMC by hand. If the BMC does not react, reset the BMC. Then try again.")).
		from("ironic/conductor/utils.py, ironic/drivers/modules/redfish/power.py"),
}
