package steps

import "ironworks/models"

var kindLetters = map[rune]models.StepKind{'d': models.DeploySteps, 'c': models.CleanSteps, 's': models.ServiceSteps}

const (
	onlyNewest = "39.0.0"
	onlyOld    = "21.4.4"
	// coreOS is the value of [Known.Image] for openshift/ironic-agent-image and similar ramdisk images.
	coreOS = "CoreOS"
)

func kinds(letters string) []models.StepKind {
	var list []models.StepKind
	for _, l := range letters {
		list = append(list, kindLetters[l])
	}
	return list
}

func drivers(drivers ...string) []string { return drivers }

func args(list ...Argument) []Argument { return list }

func requiredArgument(name string, t Type, description string) Argument {
	return Argument{Name: name, Type: t, Required: true, Description: description}
}

func optionalArgument(name string, t Type, byDefault, description string) Argument {
	return Argument{Name: name, Type: t, Default: byDefault, Description: description}
}

// Arguments that are used by several steps in the table.
var (
	biosSettings   = requiredArgument("settings", List, "settings to change, each {name, value}")
	raidTarget     = requiredArgument("raid_config", Object, "target RAID: {logical_disks: [{raid_level, size_gb, …}]}")
	makesRoot      = optionalArgument("create_root_volume", Boolean, "true", "create the volume with is_root_volume")
	makesOthers    = optionalArgument("create_nonroot_volumes", Boolean, "true", "create the other volumes")
	deletesFirst   = optionalArgument("delete_existing", Boolean, "true", "delete all volumes first")
	keepsFirst     = optionalArgument("delete_existing", Boolean, "false", "delete all volumes first")
	images         = requiredArgument("firmware_images", List, "images, each {url, checksum, wait}")
	importLocation = requiredArgument("import_configuration_location", Text, "URL of the configuration to import")
	exportLocation = requiredArgument("export_configuration_location", Text, "URL that receives the configuration")
	sppURL         = requiredArgument("url", Text, "URL of the Service Pack for ProLiant")
	sppChecksum    = requiredArgument("checksum", Text, "MD5 checksum of the image")
	sppParts       = optionalArgument("components", List, "", "file names of components to update; default: all")
	ignores        = optionalArgument("ignore", Boolean, "false", "skip the step")
	// These arguments are defined in ironic_python_agent/inject_files.py.
	injectArgs = args(
		optionalArgument("files", List, "", "files, each {path, content (Base64), mode, owner, group, partition}"),
		optionalArgument("verify_ca", Boolean, "true", "verify TLS certificates of URLs"),
	)
)

// table lists the steps of both releases. They were taken from get_clean_steps, get_deploy_steps and
// get_service_steps of the agent's GenericHardwareManager, and from the decorators in ironic/drivers/modules. Service
// steps exist only in 39.0.0.
var table = append([]Known{
	{Interface: "bios", Name: "apply_configuration", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("dcs"), Description: "change BIOS settings, reboot and verify", Args: args(biosSettings)},
	{Interface: "bios", Name: "apply_configuration", Drivers: drivers("fake"), Kinds: kinds("c"), Description: "record BIOS settings", Args: args(biosSettings)},
	{Interface: "bios", Name: "apply_configuration", Drivers: drivers("ilo"), Kinds: kinds("dc"), Description: "change BIOS settings", Args: args(biosSettings), Release: onlyOld},
	{Interface: "bios", Name: "apply_configuration", Drivers: drivers("irmc"), Kinds: kinds("c"), Description: "change BIOS settings", Args: args(biosSettings), Release: onlyOld},
	{Interface: "bios", Name: "cache_bios_settings", Drivers: drivers("fake"), Kinds: kinds("c"), Description: "read BIOS settings"},
	{Interface: "bios", Name: "factory_reset", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("dcs"), Description: "reset BIOS settings to their defaults"},
	{Interface: "bios", Name: "factory_reset", Drivers: drivers("fake"), Kinds: kinds("c"), Description: "forget recorded BIOS settings"},
	{Interface: "bios", Name: "factory_reset", Drivers: drivers("ilo"), Kinds: kinds("dc"), Description: "reset BIOS settings to their defaults", Release: onlyOld},

	{Interface: "deploy", Name: "deploy", Drivers: drivers("custom-agent", "direct", "ansible", "fake", "ramdisk", "anaconda"), Kinds: kinds("d"), Description: "boot the ramdisk (with ramdisk and anaconda: the image)"},
	{Interface: "deploy", Name: "deploy", Drivers: drivers("autodetect", "bootc", "noop"), Kinds: kinds("d"), Description: "boot the ramdisk", Release: onlyNewest},
	{Interface: "deploy", Name: "write_image", Drivers: drivers("direct", "ansible", Agent), Kinds: kinds("d"), Description: "write the image to the root disk"},
	{Interface: "deploy", Name: "write_image", Drivers: drivers(Agent), Kinds: kinds("s"), Description: "write the image to the root disk", Release: onlyNewest},
	{Interface: "deploy", Name: "execute_bootc_install", Drivers: drivers("bootc", Agent), Kinds: kinds("d"), Description: "install a bootable container", Release: onlyNewest},
	{Interface: "deploy", Name: "execute_bootc_install", Drivers: drivers(Agent), Kinds: kinds("s"), Description: "install a bootable container", Release: onlyNewest},
	{Interface: "deploy", Name: "prepare_instance_boot", Drivers: drivers("custom-agent", "direct"), Kinds: kinds("d"), Description: "set the boot device for the instance"},
	{Interface: "deploy", Name: "prepare_instance_boot", Drivers: drivers("bootc"), Kinds: kinds("d"), Description: "set the boot device for the instance", Release: onlyNewest},
	{Interface: "deploy", Name: "set_boot_to_disk", Drivers: drivers("bootc"), Kinds: kinds("d"), Description: "boot from disk", Release: onlyNewest},
	{Interface: "deploy", Name: "tear_down_agent", Drivers: drivers("custom-agent", "direct", "ansible"), Kinds: kinds("d"), Description: "power off the ramdisk"},
	{Interface: "deploy", Name: "tear_down_agent", Drivers: drivers("bootc"), Kinds: kinds("d"), Description: "power off the ramdisk", Release: onlyNewest},
	{Interface: "deploy", Name: "switch_to_tenant_network", Drivers: drivers("custom-agent", "direct", "ansible"), Kinds: kinds("d"), Description: "attach the instance's networks"},
	{Interface: "deploy", Name: "switch_to_tenant_network", Drivers: drivers("bootc"), Kinds: kinds("d"), Description: "attach the instance's networks", Release: onlyNewest},
	{Interface: "deploy", Name: "boot_instance", Drivers: drivers("custom-agent", "direct", "ansible"), Kinds: kinds("d"), Description: "power on the instance"},
	{Interface: "deploy", Name: "boot_instance", Drivers: drivers("bootc"), Kinds: kinds("d"), Description: "power on the instance", Release: onlyNewest},
	{Interface: "deploy", Name: "erase_devices", Drivers: drivers(Agent), Kinds: kinds("c"), Description: "erase all disks with their erase command or by overwriting them", Automated: 10},
	{Interface: "deploy", Name: "erase_devices_metadata", Drivers: drivers(Agent), Kinds: kinds("dc"), Description: "erase partition tables and file system headers on all disks", Automated: 99},
	{Interface: "deploy", Name: "erase_devices_express", Drivers: drivers(Agent), Kinds: kinds("c"), Description: "erase NVMe disks with their erase command, and the metadata of other disks"},
	{Interface: "deploy", Name: "erase_pstore", Drivers: drivers(Agent), Kinds: kinds("c"), Description: "delete kernel crash dumps"},
	{
		Interface: "deploy", Name: "clean_uefi_nvram", Drivers: drivers(Agent), Kinds: kinds("dc"), Description: "delete boot entries", Release: onlyNewest,
		Args: args(optionalArgument("match_patterns", List, "", "regular expressions of entries to delete")),
	},
	{
		Interface: "deploy", Name: "inject_files", Drivers: drivers(Agent), Kinds: kinds("d"), Description: "write files to the root disk",
		Args: injectArgs,
	},
	{Interface: "deploy", Name: "inject_files", Drivers: drivers(Agent), Kinds: kinds("s"), Description: "write files to the root disk", Release: onlyNewest, Args: injectArgs},
	{Interface: "deploy", Name: "install_coreos", Drivers: drivers(Agent), Kinds: kinds("d"), Description: "install CoreOS with coreos-installer", Image: coreOS},
	{Interface: "deploy", Name: "start_assisted_install", Drivers: drivers(Agent), Kinds: kinds("d"), Description: "start the Assisted Installer agent", Image: coreOS},
	{Interface: "deploy", Name: "burnin_cpu", Drivers: drivers(Agent), Kinds: kinds("cs"), Description: "stress the CPUs"},
	{Interface: "deploy", Name: "burnin_disk", Drivers: drivers(Agent), Kinds: kinds("c"), Description: "stress the disks, which erases them"},
	{Interface: "deploy", Name: "burnin_gpu", Drivers: drivers(Agent), Kinds: kinds("cs"), Description: "stress the GPUs", Release: onlyNewest},
	{Interface: "deploy", Name: "burnin_memory", Drivers: drivers(Agent), Kinds: kinds("cs"), Description: "stress the memory"},
	{Interface: "deploy", Name: "burnin_network", Drivers: drivers(Agent), Kinds: kinds("cs"), Description: "stress the network"},

	{Interface: "firmware", Name: "update", Drivers: drivers("redfish"), Kinds: kinds("dcs"), Description: "update component firmware", Args: args(requiredArgument("settings", List, "updates, each {component, url, wait}")), Release: onlyNewest},
	{Interface: "firmware", Name: "update", Drivers: drivers("fake"), Kinds: kinds("c"), Description: "pretend to update firmware", Args: args(requiredArgument("settings", List, "updates, each {component, url}")), Release: onlyNewest},

	{Interface: "management", Name: "clear_job_queue", Drivers: drivers("idrac-redfish"), Kinds: kinds("c"), Description: "delete the iDRAC's jobs"},
	{Interface: "management", Name: "clear_job_queue", Drivers: drivers("idrac", "idrac-wsman"), Kinds: kinds("c"), Description: "delete the iDRAC's jobs", Release: onlyOld},
	{Interface: "management", Name: "known_good_state", Drivers: drivers("idrac-redfish"), Kinds: kinds("c"), Description: "reset the iDRAC and delete its jobs"},
	{Interface: "management", Name: "known_good_state", Drivers: drivers("idrac", "idrac-wsman"), Kinds: kinds("c"), Description: "reset the iDRAC and delete its jobs", Release: onlyOld},
	{Interface: "management", Name: "reset_idrac", Drivers: drivers("idrac-redfish"), Kinds: kinds("c"), Description: "restart the iDRAC"},
	{Interface: "management", Name: "reset_idrac", Drivers: drivers("idrac", "idrac-wsman"), Kinds: kinds("c"), Description: "restart the iDRAC", Release: onlyOld},
	{Interface: "management", Name: "export_configuration", Drivers: drivers("idrac-redfish"), Kinds: kinds("dc"), Description: "save the machine's configuration", Args: args(exportLocation), Release: onlyOld},
	{Interface: "management", Name: "import_configuration", Drivers: drivers("idrac-redfish"), Kinds: kinds("dc"), Description: "apply a saved configuration", Args: args(importLocation), Release: onlyOld},
	{Interface: "management", Name: "import_export_configuration", Drivers: drivers("idrac-redfish"), Kinds: kinds("dc"), Description: "apply a saved configuration, and save the result", Args: args(importLocation, exportLocation), Release: onlyOld},
	{Interface: "management", Name: "clear_secure_boot_keys", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("dc"), Description: "delete the Secure Boot keys"},
	{Interface: "management", Name: "reset_secure_boot_keys_to_default", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("dc"), Description: "restore the default Secure Boot keys"},
	{
		Interface: "management", Name: "set_bmc_clock", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("c"), Description: "set the BMC's clock", Release: onlyNewest,
		Args: args(optionalArgument("target_datetime", Text, "now", "time as in 2026-11-26T12:00:00+00:00"), optionalArgument("datetime_local_offset", Text, "", "local time offset, as in +01:00")),
	},
	{Interface: "management", Name: "update_firmware", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("cs"), Description: "update firmware from images", Args: args(images)},

	{Interface: "network", Name: "reattach_networking", Drivers: drivers("neutron"), Kinds: kinds("s"), Description: "attach the instance's networks again", Release: onlyNewest},

	{Interface: "raid", Name: "create_configuration", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("c"), Description: "create the volumes of the target RAID", Args: args(makesRoot, makesOthers, keepsFirst)},
	{Interface: "raid", Name: "create_configuration", Drivers: drivers(Agent), Kinds: kinds("cs"), Description: "create the target software RAID"},
	{Interface: "raid", Name: "create_configuration", Drivers: drivers("idrac", "idrac-wsman", "ibmc"), Kinds: kinds("c"), Description: "create the volumes of the target RAID", Args: args(makesRoot, makesOthers, keepsFirst), Release: onlyOld},
	{Interface: "raid", Name: "create_configuration", Drivers: drivers("ilo5", "irmc"), Kinds: kinds("c"), Description: "create the volumes of the target RAID", Args: args(makesRoot, makesOthers), Release: onlyOld},
	{Interface: "raid", Name: "delete_configuration", Drivers: drivers("redfish"), Kinds: kinds("dcs"), Description: "delete all volumes"},
	{Interface: "raid", Name: "delete_configuration", Drivers: drivers("idrac-redfish"), Kinds: kinds("dc"), Description: "delete all volumes"},
	{Interface: "raid", Name: "delete_configuration", Drivers: drivers(Agent), Kinds: kinds("cs"), Description: "delete the software RAID"},
	{Interface: "raid", Name: "delete_configuration", Drivers: drivers("idrac", "idrac-wsman", "ibmc", "ilo5"), Kinds: kinds("dc"), Description: "delete all volumes", Release: onlyOld},
	{Interface: "raid", Name: "delete_configuration", Drivers: drivers("irmc"), Kinds: kinds("c"), Description: "delete all volumes", Release: onlyOld},
	{Interface: "raid", Name: "apply_configuration", Drivers: drivers("redfish", "idrac-redfish"), Kinds: kinds("ds"), Description: "set and create a target RAID", Args: args(raidTarget, makesRoot, makesOthers, deletesFirst)},
	{Interface: "raid", Name: "apply_configuration", Drivers: drivers(Agent), Kinds: kinds("ds"), Description: "set and create a target software RAID", Args: args(raidTarget, deletesFirst)},
	{Interface: "raid", Name: "apply_configuration", Drivers: drivers("idrac", "idrac-wsman", "ibmc"), Kinds: kinds("d"), Description: "set and create a target RAID", Args: args(raidTarget, makesRoot, makesOthers, deletesFirst), Release: onlyOld},
	{Interface: "raid", Name: "apply_configuration", Drivers: drivers("ilo5"), Kinds: kinds("d"), Description: "set and create a target RAID", Args: args(raidTarget, makesRoot, makesOthers), Release: onlyOld},

	{Interface: "vendor", Name: "log_passthrough", Drivers: drivers("fake"), Kinds: kinds("cs"), Description: "write to the conductor's log", Release: onlyNewest, Automated: 1},
	{Interface: "vendor", Name: "trigger_servicewait", Drivers: drivers("fake"), Kinds: kinds("s"), Description: "wait for the agent", Release: onlyNewest},
}, ofILO()...)
