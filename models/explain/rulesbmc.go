package explain

import "ironworks/models"

var bmcRules = []Rule{
	newRule("bmc-credentials", "BMC rejected credentials", "The BMC rejected Ironic's credentials").
		shows(evBMCAddress, evFault, evState, evSiblings).
		not("an unreachable BMC: the BMC answered").
		next(set("driver_info.redfish_password=PASSWORD", "Correct the user name and password in driver_info, then try again. Other nodes with the same account need the same change.")).
		insteadOf("bmc-unreachable", "power-unknown", "power-sync", "power-change", "ipmi", "vmedia-mount", "power-fault").
		from("sushy (returned code 401), ironic/conductor/verify.py"),
	newRule("bmc-certificate", "BMC's certificate not trusted", "Ironic does not trust the BMC's certificate").
		shows(evBMCAddress, evState, evSiblings).
		not("a wrong password: no password was sent").
		next(set("driver_info.redfish_verify_ca=/path/of/ca.pem", "Give Ironic the CA that signed the certificate. Disable verification only as a last resort.")).
		insteadOf("bmc-unreachable", "power-unknown", "certificate", "power-change", "vmedia-mount").
		from("ironic/common/exception.py: RedfishConnectionError"),
	newRule("bmc-unreachable", "BMC does not answer", "The BMC does not answer the conductor").
		shows(evBMCAddress, evState, evFault, evSiblings).
		not("a wrong password: the BMC would have rejected it").
		next(validate("Check the BMC's address and the network between conductor and BMC. A hanging BMC may need a reset.")).
		insteadOf("power-unknown", "power-change", "vmedia-mount").
		from("ironic/common/exception.py: RedfishConnectionError"),
	newRule("power-sync", "BMC lost; maintenance set by Ironic",
		"Ironic lost the connection to the BMC and set maintenance until the BMC answers").
		shows(evFault, evMaintenance, evPower, evBMCAddress, evSiblings).
		not("maintenance set by an operator: Ironic ends this maintenance once the BMC answers").
		next(validate("Restore access to the BMC: check its address and password, or reset the BMC. Do not change maintenance.")).
		insteadOf("power-fault", "power-unknown").
		from("ironic/conductor/manager.py: handle_sync_power_state_max_retries_exceeded"),
	newRule("power-fault", "power state unknown; maintenance set",
		"Ironic cannot read the machine's power state and set maintenance until the BMC answers").
		when(ifPowerFault).
		shows(evFault, evMaintenance, evPower, evBMCAddress, evSiblings).
		not("maintenance set by an operator: Ironic ends this maintenance once the BMC answers").
		next(validate("Restore access to the BMC: check its address and password, or reset the BMC. Do not change maintenance.")).
		from("ironic/common/faults.py"),
	newRule("ipmi-sessions", "no free IPMI session on the BMC", "The BMC has no free IPMI session").
		shows(evBMCAddress).
		not("a wrong password").
		next(validate("Close other sessions or reset the BMC, then try again.")).
		insteadOf("ipmi", "power-unknown").
		from("ipmitool"),
	newRule("ipmi", "IPMI call failed",
		"An IPMI call failed: wrong cipher suite, IPMI over LAN disabled, missing privilege or too many sessions").
		sure(ConfidenceMedium).
		shows(evBMCAddress, evPower).
		not("a fault in the installed system").
		next(set("driver_info.ipmi_cipher_suite=3", "Enable IPMI over LAN in the BMC, then try cipher suite 3 or 17.")).
		insteadOf("power-unknown", "power-change").
		from("ironic/common/exception.py: IPMIFailure"),
	newRule("power-unknown", "power state unreadable", "Ironic cannot read the machine's power state").
		sure(ConfidenceMedium).
		shows(evBMCAddress, evState).
		not("a fault in the installed system").
		next(run(models.VerbManage, "Check the BMC's address, user name and password, then manage the node again.")).
		from("ironic/conductor/verify.py"),
	newRule("bmc-jobs", "BMC busy with a job",
		"The BMC has a running job or pending settings, and accepts no other changes until they are finished").
		shows(evBMCAddress, evStep).
		not("a wrong setting: the BMC did not check the setting").
		next(act("clean", "ironworks node {node}", "Reboot the machine to finish the job, or clear the BMC's job queue (management.clear_job_queue clean step), then try again.")).
		insteadOf("boot-mode", "boot-device", "power-change").
		from("iDRAC (SYS011); ironic/drivers/modules/drac/management.py"),
	newRule("power-change", "power change timed out",
		"The BMC did not change the machine's power state within the timeout (60 s by default)").
		sure(ConfidenceMedium).
		shows(evPower, evBMCAddress).
		not("a fault in the installed system").
		next(validate("Try again. For a slow BMC, raise [conductor]power_state_change_timeout.")).
		from("ironic/conductor/utils.py: node_power_action"),
	newRule("vmedia-fetch", "BMC cannot download the ISO",
		"The BMC cannot download the ISO: server unreachable, or protocol or certificate not accepted").
		shows(evISO, evBMCAddress, evMedia, evSiblings).
		not("a missing virtual media device").
		next(set("driver_info.deploy_iso=URL", "Open the ISO's URL from the BMC's network. Serve the ISO over plain HTTP if the BMC rejects the certificate.")).
		insteadOf("vmedia-mount").
		from("iDRAC (RAC0904)"),
	newRule("vmedia-mount", "virtual media not inserted",
		"The BMC did not insert the virtual media: ISO unreadable, another medium inserted, or no license").
		sure(ConfidenceMedium).
		shows(evISO, evBMCAddress, evMedia, evSiblings).
		not("a ramdisk fault: the ramdisk did not boot").
		next(again("Eject the inserted medium, check the ISO's URL from the BMC's network and the BMC's license, then try again.")).
		from("ironic/drivers/modules/redfish/boot.py"),
	newRule("vmedia-no-device", "no suitable virtual media device", "The BMC has no suitable virtual media device").
		shows(evBMCAddress, evISO).
		not("the ISO: the BMC did not try to read it").
		next(set("boot_interface=ipxe", "Check the BMC's license and firmware. Without virtual media, use the ipxe boot interface.")).
		from("ironic/drivers/modules/redfish/boot.py"),
	newRule("vmedia-protocol", "virtual media protocol unsupported",
		"The BMC does not support the virtual media protocol set in driver_info").
		shows(evBMCAddress, evISO).
		not("the ISO's server: the BMC did not contact it").
		next(act("set", "ironworks node {node}", "In driver_info, set one of the protocols named in the error.")).
		from("ironic/drivers/modules/redfish/boot.py"),
	newRule("vmedia-configdrive", "no BMC device for the configdrive",
		"The BMC has no second virtual media device for the configdrive of a ramdisk deployment").
		shows(evBMCAddress).
		not("a malformed configdrive").
		next(act("ignition", "ironworks ignition embed ISO FILE", "Embed the configuration in the ISO, and deploy without a configdrive.")).
		from("ironic/drivers/modules/redfish/boot.py"),
	newRule("clean-failed", "cleaning failed; manage the node",
		"Cleaning failed; Ironic keeps the node in maintenance until an operator manages it").
		sure(ConfidenceMedium).
		in(models.StateCleanFailed).
		when(ifCleanFault).
		shows(evFault, evMaintenance, evStep, evPower, evInstance).
		not("a clean disk: the old system is not erased and may boot").
		next(run(models.VerbManage, "Fix the cause, manage the node, turn maintenance off, and provide the node again.")).
		from("ironic/conductor/utils.py: cleaning_error_handler"),
	newRule("machine-unwell", "a component is critical", "The BMC reports a component in a critical state").
		sure(ConfidenceMedium).
		in(atRest...).
		when(ifBMCUnwell).
		shows(evBMCHealth, evState, evPower).
		not("an Ironic error: Ironic reports none").
		next(queryBMC("Check the components and the BMC's event log.")).
		from("Redfish, ComputerSystem.Status.HealthRollup"),
}

var bootRules = []Rule{
	newRule("boot-device", "boot device change rejected", "The BMC rejected the boot device change").
		sure(ConfidenceMedium).
		shows(evBMCAddress, evBootMode, evStep).
		not("the image: the image is already written").
		next(act("boot-device", "ironworks boot-device {node}", "Check the BMC for pending jobs and supported boot devices. Set the boot device in the BMC, then try again.")).
		from("ironic/drivers/modules/agent.py"),
	newRule("boot-mode", "boot mode change rejected", "The BMC rejected the boot mode that the node requires").
		shows(evBootMode, evBMCMode, evBMCAddress).
		not("the image or the disk").
		next(set("properties.capabilities=boot_mode:MODE", "Change the boot mode in the BIOS, or set the node's boot_mode capability to the machine's mode.")).
		from("ironic/drivers/modules/redfish/management.py"),
	newRule("bootloader", "bootloader not installed",
		"The bootloader could not be installed: the image does not fit the machine's boot mode, or has no EFI partition").
		sure(ConfidenceMedium).
		shows(evBootMode, evBMCMode, evStep).
		not("the image download: the image is already written").
		next(openNode("Use a whole-disk image for the machine's boot mode, usually UEFI.")).
		from("ironic/drivers/modules/agent.py"),
	newRule("uefi-boot", "UEFI boot setup failed",
		"The agent could not set up UEFI boot: the disk has no EFI partition, or the firmware rejected the boot entry").
		shows(evBootMode, evStep).
		not("the image download: the image is already written").
		next(openNode("Use an image with an EFI partition, and check that the machine boots in UEFI mode.")).
		insteadOf("bootloader").
		from("the install_coreos step; ironic_python_agent/efi_utils.py"),
	newRule("no-port", "node has no port", "The node has no port, so Ironic knows no MAC address to boot from").
		shows(evState).
		not("DHCP: no request was sent").
		next(act("network", "baremetal port create MAC --node {node}", "Create a port with the MAC address of the boot NIC.")).
		from("ironic/drivers/modules/pxe_base.py"),
	newRule("mac-conflict", "another port has this MAC", "Another port already has this MAC address").
		not("a machine fault, unless other machines have a NIC with the same MAC address").
		next(act("network", "baremetal port list --address MAC", "Find the port's node. USB NICs of BMCs often share one MAC address and need no port.")).
		from("ironic/common/exception.py: MACAlreadyExists"),
	newRule("inspection-conflict", "inspected machine not recognized",
		"Ironic could not match the inspected machine: its MAC or BMC addresses belong to several nodes, or to none").
		shows(evState, evBMCAddress).
		not("a machine that did not boot: the inventory arrived").
		next(act("network", "ironworks node {node}", "Compare the ports with the machine's MAC addresses. Create missing ports and delete wrong ones.")).
		insteadOf("inspect-timeout").
		from("ironic/drivers/modules/inspect_utils.py"),
}
