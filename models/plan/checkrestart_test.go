package plan

import "ironworks/models"

// restartCases returns the cases for [CheckRestart]. The tests in test/lab run them with both releases of Ironic.
func restartCases() []checkCase {
	with := func(label, name string, priority int, more ...func(*Facts)) func(*Facts) {
		return func(f *Facts) {
			withSteps(models.Step{Interface: "deploy", Step: "install_coreos"}, models.Step{Interface: label, Step: name, Priority: prio(priority)})(f)
			for _, change := range more {
				change(f)
			}
		}
	}
	old := func(f *Facts) { f.Version = models.APIVersion{Minor: 82} }
	direct := func(f *Facts) {
		f.Plan.Steps = f.Plan.Steps[1:]
		f.Plan.Kind = KindDirect
	}
	const bios, raid, firmware = `"bios_interface": "redfish"`, `"raid_interface": "redfish"`, `"firmware_interface": "redfish"`
	const media = `, "boot_interface": "redfish-virtual-media"`
	const dellBIOS, dellRAID, dellManagement = `"bios_interface": "idrac-redfish"`, `"raid_interface": "idrac-redfish"`, `"management_interface": "idrac-redfish"`
	const dellMedia = `, "boot_interface": "idrac-redfish-virtual-media"`
	const waits, again = "custom-agent in Ironic 39.0.0 does not wait", "SameFileError"
	return []checkCase{
		{bios, same, notDone, ""},
		{bios, with("bios", "apply_configuration", 90), CheckWarn, waits},
		{bios, with("bios", "apply_configuration", 120), CheckWarn, "bios.apply_configuration before deploy.install_coreos: " + waits},
		{bios, with("bios", "apply_configuration", 50), notDone, ""},
		{`"bios_interface": "ilo"`, with("bios", "factory_reset", 90), notDone, ""},
		{bios, with("bios", "factory_reset", 90, direct), CheckOK, "waits for the agent after bios.factory_reset"},
		{bios + media, with("bios", "apply_configuration", 90, old), CheckWarn, again},
		{bios + `, "boot_interface": "ipxe"`, with("bios", "apply_configuration", 90, old), CheckOK, ""},
		{raid, with("raid", "apply_configuration", 90), CheckWarn, "at the next boot, " + waits},
		{raid, with("raid", "apply_configuration", 90, direct), CheckOK, ""},
		{raid, with("raid", "apply_configuration", 90, old), CheckWarn, "ignores the agent"},
		{raid, with("raid", "delete_configuration", 90, direct, old), CheckWarn, "ignores the agent"},
		{`"raid_interface": "agent"`, with("raid", "apply_configuration", 90), notDone, ""},
		{dellBIOS, with("bios", "apply_configuration", 90), CheckWarn, waits},
		{dellBIOS, with("bios", "factory_reset", 90, direct), CheckOK, "waits for the agent after bios.factory_reset"},
		{dellBIOS + dellMedia, with("bios", "apply_configuration", 90, old), CheckWarn, again},
		{dellBIOS + `, "boot_interface": "ipxe"`, with("bios", "apply_configuration", 90, old), CheckOK, ""},
		{dellRAID, with("raid", "delete_configuration", 90), CheckWarn, "at the next boot, " + waits},
		{dellRAID, with("raid", "apply_configuration", 90, direct), CheckOK, ""},
		{dellRAID + dellMedia, with("raid", "apply_configuration", 90, old), CheckWarn, "ignores the agent"},
		{dellManagement + dellMedia, with("management", "import_configuration", 90, old), CheckWarn, again},
		{dellManagement, with("management", "reset_idrac", 90, old), notDone, ""},
		{firmware, with("firmware", "update", 90), CheckWarn, "without booting the ramdisk again"},
		{firmware, with("firmware", "update", 90, direct), CheckWarn, "firmware.update before deploy.write_image"},
	}
}

// installStep is the agent's install_coreos step without an explicit priority.
var installStep = models.Step{Interface: "deploy", Step: "install_coreos"}

func raidAt(priority int) models.Step {
	return models.Step{Interface: "raid", Step: "apply_configuration", Priority: prio(priority)}
}
