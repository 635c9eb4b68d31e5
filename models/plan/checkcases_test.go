package plan

import (
	"strings"

	"ironworks/models"
	"ironworks/models/hints"
)

func nodeCases() map[CheckID][]checkCase {
	no := false
	return map[CheckID][]checkCase{
		CheckState: {
			{"", same, CheckOK, "deployable state"},
			{`"provision_state": "deploy failed"`, same, CheckOK, ""},
			{`"provision_state": "active"`, same, CheckRefuse, `not possible in state "active"`},
			{`"provision_state": "enroll", "maintenance": true`, same, CheckRefuse, "possible now: manage"},
			{`"provision_state": "active"`, rebuild, CheckOK, "deployable state"},
			{`"provision_state": "error"`, rebuild, CheckOK, ""},
			{`"provision_state": "deploy failed"`, rebuild, CheckOK, ""},
			{"", rebuild, CheckRefuse, `not possible in state "available"`},
			{`"provision_state": "active", "protected": true`, rebuild, CheckRefuse, "protected"},
		},
		CheckMaintenance: {
			{"", same, CheckOK, ""},
			{`"maintenance": true, "maintenance_reason": "fan"`, same, CheckRefuse, "in maintenance: fan; ironworks maintenance off n1"},
		},
		CheckReserved: {
			{"", same, CheckOK, ""},
			{`"instance_uuid": "i1", "instance_name": "vm7"`, same, CheckRefuse, "in use as vm7"},
			{`"instance_uuid": "i1"`, func(f *Facts) { f.OwnInstanceUUID = "i1" }, CheckOK, "for this deployment"},
			{`"provision_state": "active", "instance_uuid": "i1"`, rebuild, CheckOK, "keeps the instance"},
			{`"provision_state": "active", "instance_uuid": "i1"`, same, CheckRefuse, "reserved or in use"},
		},
		CheckAllocation: {
			{`"resource_class": "gp"`, same, notDone, ""},
			{`"resource_class": "gp", "traits": ["CUSTOM_A"]`, allocate("", "CUSTOM_A"), CheckOK, ""},
			{`"resource_class": "gp"`, allocate("gp"), CheckOK, ""},
			{`"resource_class": "gp"`, allocate("", "CUSTOM_A"), CheckRefuse, "lacks the trait CUSTOM_A"},
			{`"resource_class": "gp"`, allocate("gp-2x"), CheckRefuse, "does not have the resource class gp-2x"},
			{"", allocate(""), CheckRefuse, "no resource class"},
			{`"resource_class": "gp", "instance_uuid": "i1"`, allocate(""), CheckRefuse, "the node is in use"},
			{`"resource_class": "gp", "provision_state": "deploy failed"`, allocate(""), CheckRefuse, "available nodes only"},
			{`"resource_class": "gp", "instance_uuid": "i1"`, func(f *Facts) { allocate("")(f); f.OwnInstanceUUID = "i1" }, notDone, ""},
		},
		CheckProtected: {{"", same, CheckOK, ""}, {`"protected": true, "protected_reason": "prod"`, same, CheckRefuse, "protected: prod"}},
		CheckRetired:   {{"", same, CheckOK, ""}, {`"retired": true`, same, CheckRefuse, "unretire n1"}},
		CheckConsoleLock: {
			{"", same, notDone, ""},
			{`"extra": {"console_lock": false}`, same, notDone, ""},
			{`"extra": {"console_lock": "Ada, until Friday"}`, same, CheckRefuse, "locked"},
		},
		CheckManagedByMetal3: {{"", same, CheckOK, ""}, {`"name": "metal3~worker-1"`, same, CheckWarn, "BareMetalHost"}},
		CheckFault: {
			{"", same, CheckOK, ""},
			{`"fault": "power failure"`, same, CheckWarn, "fault"},
			{`"power_state": null`, same, CheckWarn, "power state"},
		},
		CheckAPIVersion: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) { f.Version = models.APIVersion{Minor: 68} }, CheckRefuse, "1.69"},
			{"", func(f *Facts) { f.Version = models.APIVersion{} }, CheckUnknown, ""},
		},
		CheckDeployInterface: {
			{"", same, CheckOK, ""},
			{`"deploy_interface": "direct"`, kind(KindInstallCoreOS), CheckOK, ""},
			{`"deploy_interface": "direct"`, func(f *Facts) { f.Verb, f.Plan.Kind = models.VerbRebuild, KindInstallCoreOS }, CheckRefuse, "cannot change the deploy interface from direct"},
			{"", func(f *Facts) { f.Drivers[0].Enabled["deploy"] = []string{"direct"} }, CheckRefuse, "enabled_deploy_interfaces"},
			{"", func(f *Facts) { f.Plan.Kind, f.Plan.DeployInterface = KindDirect, "custom-agent" }, CheckRefuse, "needs the direct deploy interface"},
			{"", func(f *Facts) { f.DriversError = "503" }, CheckUnknown, "503"},
			{"", func(f *Facts) { f.Drivers = nil }, CheckUnknown, "no driver redfish"},
			{"", func(f *Facts) { f.Drivers[0].Enabled = nil }, CheckUnknown, "does not report"},
		},
		CheckConductor: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) { f.Conductors[0].Alive = false }, CheckRefuse, "no live conductor"},
			{`"conductor_group": "dc2"`, same, CheckRefuse, "no live conductor"},
			{`"conductor": "c1"`, func(f *Facts) { f.Conductors[0].Alive = false }, CheckOK, "serves the node"},
			{"", func(f *Facts) { f.Conductors[0].Drivers = []string{"ipmi"} }, CheckRefuse, ""},
			{"", func(f *Facts) { f.ConductorsError = "403" }, CheckUnknown, "403"},
		},
		CheckRamdisk: {
			{"", same, CheckOK, "deploy ISO"},
			{`"driver_info": {"deploy_kernel": "http://k", "deploy_ramdisk": "http://r"}`, same, CheckOK, "kernel"},
			{`"driver_info": {"deploy_kernel": "http://k"}`, same, CheckRefuse, "no deploy ISO"},
			{`"driver_info": {}, "boot_interface": "fake"`, same, CheckOK, "fake"},
			{`"driver_info": {}`, func(f *Facts) { f.Plan.Ramdisk.ISO = "http://p" }, CheckOK, "from the plan"},
			{`"driver_info": {}`, func(f *Facts) { f.Plan.Ramdisk = Ramdisk{Kernel: "http://k", Initrd: "http://i"} }, CheckOK, "from the plan"},
			{"", func(f *Facts) { f.Plan.Ramdisk = Ramdisk{Kernel: "http://k"} }, CheckRefuse, "together"},
			{"", func(f *Facts) { f.Plan.Ramdisk = Ramdisk{Kernel: "k", Initrd: "i", ISO: "o"} }, CheckRefuse, "both an ISO and a kernel"},
			{"", func(f *Facts) { f.Plan.Ramdisk = Ramdisk{Params: "a", ISO: "o"} }, CheckRefuse, "ignition kargs"},
			{`"driver_info": {}`, func(f *Facts) {
				yes := true
				f.Validations = append(f.Validations, models.Validation{Interface: "boot", Result: &yes})
			}, CheckOK, "configured"},
			{"", kind(KindConfigured), notDone, ""},
			{"", kind(KindRamdisk), CheckRefuse, "the instance has nothing to boot"},
			{`"instance_info": {"boot_iso": "http://b"}`, kind(KindRamdisk), CheckOK, ""},
			{`"instance_info": {"kernel": "http://k", "ramdisk": "http://r"}`, kind(KindRamdisk), CheckOK, ""},
			{`"instance_info": {"image_source": "http://k"}`, kind(KindRamdisk), CheckOK, ""},
		},
		CheckValidate: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) {
				f.Validations = []models.Validation{{Interface: "power", Result: &no, Reason: "no password"}, {Interface: "bios", Result: &no, Reason: "x"}, {Interface: "boot", Result: nil, Reason: ""}}
			}, CheckRefuse, "finds power invalid"},
			{`"deploy_interface": "direct"`, func(f *Facts) {
				f.Plan.Kind, f.Validations = KindInstallCoreOS, []models.Validation{{Interface: "deploy", Result: &no, Reason: "no image_source"}}
			}, CheckUnknown, "validates again"},
			{"", func(f *Facts) { f.ValidateError = "timed out" }, CheckUnknown, "timed out"},
			{"", func(f *Facts) { f.Validations = nil }, CheckUnknown, ""},
		},
		CheckKernelParams: {
			{"", same, notDone, ""},
			{`"driver_info": {"kernel_append_params": "%default% console=ttyS0"}`, same, CheckOK, ""},
			{`"driver_info": {"kernel_append_params": "a=\"b"}`, same, CheckRefuse, "column"},
			{`"instance_info": {"kernel_append_params": "a;b"}`, same, CheckRefuse, ""},
			{"", func(f *Facts) { f.Plan.Ramdisk.Params = "x==" }, CheckOK, ""},
			{"", func(f *Facts) { f.Plan.Ramdisk.Params, f.Version = "é", models.APIVersion{Minor: 82} }, CheckUnknown, "older"},
		},
	}
}

func stepCases() map[CheckID][]checkCase {
	install := models.Step{Interface: "deploy", Step: "install_coreos"}
	return map[CheckID][]checkCase{
		CheckInstallStep: {
			{"", same, CheckOK, ""},
			{"", withSteps(install), CheckOK, ""},
			{"", withSteps(models.Step{Interface: "deploy", Step: "erase_devices", Priority: prio(90)}), CheckRefuse, "installs nothing"},
			{`"instance_info": {"traits": ["CUSTOM_A"]}`, withSteps(models.Step{Interface: "bios", Step: "factory_reset"}), CheckRefuse, "installs nothing"},
			{`"instance_info": {"traits": ["CUSTOM_A"]}`, func(f *Facts) {
				withSteps(models.Step{Interface: "bios", Step: "factory_reset"})(f)
				f.TemplatesError = "no answer"
			}, CheckUnknown, "templates"},
			{"", kind(KindDirect), notDone, ""},
		},
		CheckInstallOnce: {
			{"", same, CheckOK, "one step"},
			{"", withSteps(install, models.Step{Interface: "deploy", Step: "start_assisted_install", Priority: prio(70)}), CheckWarn, "2 steps install"},
			{"", withSteps(install, models.Step{Interface: "deploy", Step: "start_assisted_install", Priority: prio(0)}), CheckOK, ""},
			{"", func(f *Facts) { kind(KindDirect)(f); withSteps(install)(f) }, CheckWarn, "deploy.write_image"},
			{"", func(f *Facts) {
				kind(KindDirect)(f)
				withSteps(install, models.Step{Interface: "deploy", Step: "write_image", Priority: prio(0)})(f)
			}, CheckOK, ""},
			{"", withSteps(models.Step{Interface: "deploy", Step: "erase_devices", Priority: prio(90)}), notDone, ""},
		},
		CheckSteps: {
			{"", same, CheckOK, ""},
			{"", withSteps(install, install), CheckRefuse, "twice"},
			{"", func(f *Facts) {
				f.Offered = nil
				withSteps(models.Step{Interface: "deploy", Step: "install_coreos", Args: map[string]any{"a": 1}})(f)
			}, CheckRefuse, "takes no arguments"},
			{`"deploy_interface": "custom-agent"`, withSteps(install, models.Step{Interface: "deploy", Step: "erase_devices"}), CheckRefuse, "it is a clean step"},
			{`"bios_interface": "no-bios"`, withSteps(install, models.Step{Interface: "bios", Step: "factory_reset"}), CheckRefuse, "not offered by bios interface no-bios; offered by redfish, idrac-redfish"},
			{"", withSteps(install, models.Step{Interface: "deploy", Step: "deploy", Priority: prio(90)}), CheckRefuse, "not moved"},
			{"", withSteps(models.Step{Interface: "console", Step: "x"}), CheckRefuse, "the console interface has no steps"},
			{"", withSteps(models.Step{Interface: "deploy"}), CheckRefuse, "no name"},
			{"", withSteps(models.Step{Interface: "deploy", Step: "x", Priority: prio(-1)}), CheckRefuse, "negative priority"},
			{"", kind(KindRamdisk), notDone, ""},
		},
		CheckStepOrder: {
			{"", same, CheckOK, ""},
			{"", withSteps(models.Step{Interface: "deploy", Step: "install_coreos", Priority: prio(41)}), CheckOK, ""},
			{"", withSteps(models.Step{Interface: "deploy", Step: "install_coreos", Priority: prio(40)}), CheckRefuse, "after the agent stops"},
			{"", withSteps(models.Step{Interface: "deploy", Step: "install_coreos", Priority: prio(100)}), CheckRefuse, "before the agent"},
			{"", withSteps(install, models.Step{Interface: "deploy", Step: "deploy", Priority: prio(0)}), CheckRefuse, "the agent would not boot"},
			{`"deploy_interface": "fake"`, same, notDone, ""},
		},
		CheckStepOffered: {
			{"", same, CheckOK, ""},
			{"", withSteps(models.Step{Interface: "deploy", Step: "instal_coreos"}), CheckRefuse, "deploy.instal_coreos was not offered"},
			{"", withSteps(models.Step{Interface: "deploy", Step: "install_coreos", Args: map[string]any{"a": 1}}), CheckRefuse, "takes no a argument"},
			{"", withSteps(models.Step{Interface: "deploy", Step: "burn_in", Args: map[string]any{"for": 1}}), CheckOK, ""},
			{"", withSteps(models.Step{Interface: "deploy", Step: "burn_in", Args: map[string]any{"fro": 1}}), CheckRefuse, "needs the for argument"},
			{"", func(f *Facts) { f.Offered = nil }, CheckUnknown, "agent steps unknown"},
			{"", kind(KindDirect), notDone, ""},
		},
		CheckRestart: restartCases(),
	}
}

func diskCases() map[CheckID][]checkCase {
	disk := func(name, fields string) string {
		return `{"name": "` + name + `", "size": 480103981056, "rotational": false, "model": "X", ` + fields + `}`
	}
	return map[CheckID][]checkCase{
		CheckHints: {
			{"", same, CheckOK, ""},
			{"", noHints(same), notDone, ""},
			{"", planHints(`{"colour": "red"}`), CheckRefuse, "colour"},
			{"", planHints(`{"serial": 5}`), CheckRefuse, ""},
			{"", planHints(`{"size": "60.5"}`), CheckRefuse, ""},
			{"", planHints(`{"size": "<range-in> [ 10 20 ]"}`), CheckRefuse, ""},
			{"", planHints(`{"tran": "sata"}`), CheckRefuse, ""},
			{"", func(f *Facts) { f.Plan.Kind = KindAnsible; planHints(`{"size": ">= 400"}`)(f) }, CheckRefuse, "does not support the operator >="},
			{"", func(f *Facts) { f.Plan.Kind = KindAnsible; planHints(`{"serial": "s== S1"}`)(f) }, CheckOK, ""},
			{`"properties": {"root_device": {"serial": 5}}`, noHints(same), CheckRefuse, ""},
		},
		CheckHintsDoubt: {{"", same, notDone, ""}, {"", planHints(`{"name": "/dev/sda"}`), CheckWarn, "next boot"}},
		CheckHintsPlaces: {
			{"", same, notDone, ""},
			{`"properties": {"root_device": {"serial": "S2"}}`, same, CheckWarn, "instance_info takes precedence"},
			{`"instance_info": {"root_device": {"serial": "S2"}}`, func(f *Facts) { f.Plan.RootDevice.To = hints.OfProperties }, notDone, ""},
		},
		CheckInventory: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) { f.Inventory = nil }, CheckRefuse, "no inventory"},
			{"", func(f *Facts) { f.Verb, f.Inventory = models.VerbRebuild, nil }, CheckRefuse, "undeploy the node"},
			{"", func(f *Facts) { f.Inventory, f.InventoryError = nil, "500" }, CheckRefuse, "500"},
			{"", disks(), CheckRefuse, "no disks"},
			{`"inspection_finished_at": "2026-09-01T00:00:00+00:00"`, same, CheckRefuse, "82 days old"},
			{`"inspection_finished_at": null`, same, CheckUnknown, ""},
			{`"raid_config": {"last_updated": "2026-11-21 00:00:00"}`, same, CheckRefuse, "RAID changed after"},
			{`"raid_config": {"last_updated": "2026-11-01 00:00:00"}`, same, CheckOK, ""},
			{"", kind(KindAssisted), notDone, ""},
		},
		CheckInventoryBy: {{"", same, CheckOK, ""}, {"", disks(`{"name": "Disk 0", "size": 480103981056}`), CheckWarn, "in band"}},
		CheckRootDevice: {
			{"", same, CheckOK, "target disk /dev/sda"},
			{"", noHints(same), CheckRefuse, "smallest, /dev/sda"},
			{"", noHints(disks(bigDisk)), CheckOK, ""},
			{`"properties": {"skip_block_devices": [{"serial": "S1"}]}`, noHints(same), CheckOK, "target disk /dev/sdb"},
			{"", noHints(disks(`{"name": "/dev/sda", "size": 1000}`)), CheckRefuse, "no suitable disk"},
			{"", planHints(`{"serial": "S3"}`), CheckRefuse, "may still find the disk"},
			{"", planHints(`{"hctl": "9:0:0:0"}`), CheckRefuse, "host adapter"},
			{"", planHints(`{"rotational": false}`), CheckRefuse, "2 disks match"},
			{"", func(f *Facts) { f.Inventory = inventoryOf(`{"name": "Disk 0", "size": 480103981056}`) }, CheckRefuse, "does not report serial"},
			{"", func(f *Facts) { f.Inventory = inventoryOf(fromBMC) }, CheckOK, "target disk Disk 0"},
			{"", func(f *Facts) { f.Inventory = inventoryOf(fromBMC); planHints(`{"name": "Disk 0"}`)(f) }, CheckRefuse, "does not report name"},
			{"", func(f *Facts) { f.Inventory = inventoryOf(fromBMC); planHints(`{"wwn": "0x5001", "serial": "S1"}`)(f) }, CheckRefuse, "does not report wwn"},
			{"", func(f *Facts) { f.Inventory = nil }, CheckUnknown, ""},
			{"", kind(KindRamdisk), notDone, ""},
		},
		CheckSingleDisk: {{"", same, notDone, ""}, {"", noHints(disks(bigDisk)), CheckWarn, "a single disk"}, {"", noHints(same), notDone, ""}},
		CheckStableHint: {
			{"", same, CheckOK, ""},
			{"", planHints(`{"wwn": "0x5001"}`), CheckOK, ""},
			{"", planHints(`{"name": "/dev/sda"}`), CheckWarn, "by name only"},
			{"", planHints(`{"size": "< 500"}`), CheckWarn, "by size only"},
			{"", func(f *Facts) {
				planHints(`{"name": "/dev/md0"}`)(f)
				disks(disk("/dev/md0", `"tran": null`))(f)
			}, CheckOK, "RAID"},
			{"", noHints(disks(bigDisk)), notDone, ""},
		},
		CheckSharedDisk: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) { f.Others[1].Disks = inventoryOf(bigDisk).Disks }, CheckRefuse, "node n2"},
			{"", func(f *Facts) { f.Others[1].Disks = inventoryOf(dataDisk).Disks }, CheckOK, ""},
			{"", disks(disk("/dev/sda", `"serial": "S1", "tran": "fc"`)), CheckRefuse, "storage network"},
			{"", func(f *Facts) { f.OthersError = "3 of 9" }, CheckUnknown, "3 of 9"},
		},
		CheckDataDisk: {
			{"", same, notDone, ""},
			{`"extra": {"data_disks": ["0x5002"]}`, same, CheckOK, ""},
			{`"extra": {"data_disks": ["0x5001"]}`, same, CheckRefuse, "registered as a data disk"},
			{`"extra": {"data_disks": [{"serial": "s1"}]}`, same, CheckRefuse, "registered as a data disk"},
		},
		CheckOddDisk: {
			{"", same, CheckOK, ""},
			{"", disks(disk("/dev/sda", `"serial": "S1", "tran": "usb"`)), CheckWarn, "USB"},
			{"", disks(`{"name": "/dev/sda", "size": 480103981056, "model": "iDRAC Virtual-Disk", "serial": "S1"}`), CheckWarn, "virtual, model idrac"},
			{"", disks(`{"name": "/dev/sda", "size": 480103981056, "model": "FAST SSD", "serial": "S1"}`), CheckOK, ""},
			{"", disks(`{"name": "/dev/sda", "size": 8000000000, "model": "X", "serial": "S1"}`), CheckWarn, "16 GiB"},
		},
		CheckSameDisk: {
			{"", same, notDone, ""},
			{`"extra": {"console": {"root_disk": "S1"}}`, same, CheckOK, ""},
			{`"extra": {"console": {"root_disk": {"wwn": "0x5009"}}}`, same, CheckWarn, "different disk"},
		},
		CheckRAIDRoot: {
			{"", same, notDone, ""},
			{`"target_raid_config": {"logical_disks": [{"controller": "software", "is_root_volume": true, "volume_name": "root"}]}`, same, CheckWarn, "root"},
			{`"raid_interface": "redfish"`, withSteps(raidAt(90), installStep), CheckWarn, "raid.apply_configuration changes the disks"},
			{`"raid_interface": "agent"`, withSteps(raidAt(90), installStep), CheckWarn, "raid.apply_configuration changes the disks"},
			{`"raid_interface": "redfish"`, withSteps(installStep, raidAt(50)), notDone, ""},
			{`"raid_interface": "redfish"`, withSteps(raidAt(0), installStep), notDone, ""},
		},
		CheckAssisted: {{"", same, notDone, ""}, {"", kind(KindAssisted), CheckWarn, "picks the disk itself"}},
		CheckKickstart: {
			{"", same, notDone, ""},
			{"", kind(KindAnaconda), CheckRefuse, "erases all disks: 2 on this node"},
			{"", func(f *Facts) { f.Plan.Kind, f.Inventory = KindAnaconda, nil }, CheckRefuse, "inspect the node"},
			{"", func(f *Facts) { f.Plan.Kind, f.Inventory = KindAnaconda, inventoryOf(bigDisk) }, CheckOK, ""},
		},
	}
}

func dataCases() map[CheckID][]checkCase {
	meta := func(m map[string]any) func(*Facts) {
		return func(f *Facts) { f.Plan.ConfigDrive.MetaData = m }
	}
	image := func(i Image) func(*Facts) {
		return func(f *Facts) { f.Plan.Kind, f.Plan.Image = KindDirect, i }
	}
	sum := strings.Repeat("a1", 32)
	reads := func(kind Kind, planned UserDataReader, what string, language UserDataReader) func(*Facts) {
		return func(f *Facts) {
			f.Plan.Kind, f.Plan.ConfigDrive.Reader = kind, planned
			f.UserData = &UserDataFacts{Kind: what, Language: language, OK: true}
		}
	}
	asked := func(kind Kind, r RegistryFacts) func(*Facts) {
		return func(f *Facts) {
			f.Plan.Kind, f.Plan.Image, f.Registry = kind, Image{Source: "oci://r/os"}, &r
		}
	}
	return map[CheckID][]checkCase{
		CheckConfigDrive: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) { f.ConfigDriveText = true }, CheckRefuse, "rendered"},
			{"", func(f *Facts) { f.ConfigDriveText, f.Plan.Kind = true, KindDirect }, CheckOK, ""},
			{"", func(f *Facts) { f.UserData = nil }, notDone, ""},
		},
		CheckUserData: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) {
				f.UserData = &UserDataFacts{Kind: "cloud-config", Findings: []UserDataFinding{{true, "cloud-config", "no Ignition"}}}
			}, CheckRefuse, "emergency shell"},
			{"", kind(KindDirect), CheckOK, "ignition can read"},
			{"", reads(KindDirect, "", "cloud-config", ReaderCloudInit), CheckOK, "cloud-init can read"},
			{"", func(f *Facts) {
				f.UserData = &UserDataFacts{Kind: "ignition", Language: ReaderIgnition, Findings: []UserDataFinding{{true, "ssh-key", "1:88: no key"}, {false, "no-login", "none"}}}
			}, CheckRefuse, "logging in to the installed system would fail"},
			{"", func(f *Facts) {
				f.UserData = &UserDataFacts{Kind: "ignition", Language: ReaderIgnition, Findings: []UserDataFinding{{true, "ssh-key", "1:88: no key"}, {true, "bad-mode", "2:1: mode"}}}
			}, CheckRefuse, "emergency shell"},
			{"", reads(KindDirect, ReaderIgnition, "cloud-config", ReaderCloudInit), CheckRefuse, "emergency shell"},
			{"", reads(KindDirect, ReaderCloudInit, "butane", ReaderIgnition), CheckRefuse, "cloud-init ignores user data in butane"},
			{"", reads(KindDirect, ReaderOther, "butane", ReaderIgnition), CheckRefuse, "must be translated first"},
			{"", reads(KindDirect, ReaderOther, "text", ""), CheckUnknown, "sent unchanged"},
			{"", reads(KindDirect, "", "text", ""), CheckRefuse, "for neither Ignition nor cloud-init"},
			{"", reads(KindAnaconda, "", "ignition", ReaderIgnition), CheckRefuse, "cloud-init ignores"},
			{`"instance_info": {"image_source": "http://h/rhcos-9.raw"}`, reads(KindDirect, "", "cloud-config", ReaderCloudInit), CheckRefuse, "emergency shell"},
			{"", func(f *Facts) {
				f.Plan.Kind = KindDirect
				f.UserData = &UserDataFacts{Kind: "cloud-config", Language: ReaderCloudInit, Findings: []UserDataFinding{{true, "cloud-init", "3: not valid YAML"}}}
			}, CheckRefuse, "cloud-init cannot read"},
			{"", kind(KindFake), notDone, ""},
			{"", func(f *Facts) { f.UserData = nil }, notDone, ""},
		},
		CheckUserDataReader: {
			{"", same, notDone, ""},
			{"", reads(KindDirect, ReaderIgnition, "ignition", ReaderIgnition), notDone, ""},
			{"", reads(KindDirect, "", "ignition", ReaderIgnition), CheckWarn, "the user data is assumed to be for ignition"},
			{"", reads(KindAssisted, "", "ignition", ReaderIgnition), CheckWarn, "ignores user data"},
			{"", reads(KindFake, "", "ignition", ReaderIgnition), CheckWarn, "delivers no user data"},
			{`"boot_interface": "ipxe"`, reads(KindRamdisk, ReaderIgnition, "ignition", ReaderIgnition), CheckWarn, "cannot attach one"},
		},
		CheckUserDataOdd: {
			{"", same, CheckOK, ""},
			{"", func(f *Facts) { f.UserData = nil }, CheckWarn, "no way to log in"},
			{"", func(f *Facts) { f.Verb, f.UserData = models.VerbRebuild, nil }, CheckWarn, "no way to log in"},
			{`"instance_info": {"configdrive": "******"}`, func(f *Facts) { f.Verb, f.UserData = models.VerbRebuild, nil }, CheckOK, "is reused"},
			{"", func(f *Facts) { f.UserData.Findings = []UserDataFinding{{false, "no-login", "no login"}} }, CheckWarn, "1 warning about"},
			{"", kind(KindAssisted), notDone, ""},
			{"", func(f *Facts) { f.Plan.Kind, f.UserData = KindDirect, nil }, notDone, ""},
		},
		CheckMetaData: {
			{"", same, notDone, ""},
			{"", meta(map[string]any{"coreos_append_karg": []any{"a=b"}, "coreos_copy_network": true}), CheckOK, ""},
			{"", meta(map[string]any{"coreos_append_karg": []any{"a", "b"}}), CheckRefuse, "more than one"},
			{"", meta(map[string]any{"coreos_append_karg": "a"}), CheckRefuse, "letters"},
			{"", meta(map[string]any{"coreos_append_karg": []any{1}}), CheckRefuse, "not a string"},
			{"", meta(map[string]any{"coreos_copy_network": "yes"}), CheckRefuse, "not true or false"},
		},
		CheckImage: {
			{"", same, notDone, ""},
			{"", image(Image{}), CheckRefuse, "needs an image"},
			{`"provision_state": "active"`, rebuild, CheckRefuse, "500"},
			{"", func(f *Facts) { f.Plan.Kind, f.Plan.Image = KindBootc, Image{Source: "http://h/i"} }, CheckRefuse, "oci:// images only"},
			{"", func(f *Facts) { f.Plan.Kind = KindAnsible }, CheckRefuse, "needs an image"},
			{`"provision_state": "active", "instance_info": {"image_source": "http://h/i"}`, rebuild, CheckOK, ""},
			{`"provision_state": "active"`, func(f *Facts) { f.Verb, f.Version = models.VerbRebuild, models.APIVersion{Minor: 82} }, notDone, ""},
			{`"instance_info": {"image_source": "http://h/i"}`, image(Image{}), CheckOK, ""},
		},
		CheckOCI: {
			{"", same, notDone, ""},
			{"", image(Image{Source: "oci://r.example:5000/os/image@sha256:" + sum}), CheckOK, ""},
			{"", image(Image{Source: "oci://r/os"}), CheckOK, ""},
			{"", image(Image{Source: "oci://r/os:1.2@sha512:" + sum + sum}), CheckOK, ""},
			{"", image(Image{Source: "oci://r/os@sha256:abc"}), CheckRefuse, "64 characters, this one has 3"},
			{"", image(Image{Source: "oci://r/os@" + sum}), CheckRefuse, "no algorithm"},
			{"", image(Image{Source: "oci://r/os@md5:" + sum}), CheckRefuse, `unknown digest algorithm "md5"`},
			{"", image(Image{Source: "oci:///os"}), CheckRefuse, "names no registry"},
			{"", image(Image{Source: "oci://r/"}), CheckRefuse, "invalid repository"},
			{"", image(Image{Source: "oci://r/OS"}), CheckRefuse, "lower-case"},
			{"", image(Image{Source: "oci://r/os:"}), CheckRefuse, "tag is empty"},
			{"", image(Image{Source: "oci://u:p@r/os"}), CheckRefuse, "image_pull_secret"},
			{"", image(Image{Source: "oci://r/os?x=1"}), CheckRefuse, "query"},
		},
		CheckOCITag: {
			{"", same, notDone, ""},
			{"", image(Image{Source: "oci://r/os@sha256:" + sum}), CheckOK, ""},
			{"", image(Image{Source: "oci://r/os"}), CheckWarn, "tag latest"},
			{"", image(Image{Source: "oci://r/os:1"}), CheckWarn, "tag 1"},
		},
		CheckOCIKind: {
			{"", asked(KindDirect, RegistryFacts{Artifact: true}), CheckOK, ""},
			{"", asked(KindBootc, RegistryFacts{}), CheckOK, ""},
			{"", asked(KindDirect, RegistryFacts{}), CheckRefuse, "bootable container"},
			{"", asked(KindBootc, RegistryFacts{Artifact: true}), CheckRefuse, "artifact"},
			{"", asked(KindBootc, RegistryFacts{Missing: true}), CheckRefuse, "image not found"},
			{"", asked(KindBootc, RegistryFacts{Error: "refused"}), CheckUnknown, "refused"},
			{"", asked(KindBootc, RegistryFacts{Closed: true}), notDone, ""},
		},
		CheckOCISecret: {
			{"", asked(KindBootc, RegistryFacts{}), notDone, ""},
			{"", asked(KindBootc, RegistryFacts{Closed: true}), CheckWarn, "no pull secret"},
			{`"instance_info": {"image_pull_secret": "******"}`, asked(KindBootc, RegistryFacts{Closed: true}), CheckOK, ""},
			{`"driver_info": {"image_pull_secret": "******", "deploy_iso": "http://h/x.iso"}`, asked(KindBootc, RegistryFacts{Closed: true}), CheckOK, ""},
		},
		CheckImageSum: {
			{"", same, notDone, ""},
			{"", image(Image{Source: "file:///srv/i"}), notDone, ""},
			{"", image(Image{Source: "oci://r/os"}), notDone, ""},
			{"", image(Image{Source: "http://h/i"}), CheckRefuse, "requires a checksum"},
			{"", image(Image{Source: "http://h/i", Checksum: sum}), CheckOK, ""},
			{"", image(Image{Source: "http://h/i", Checksum: "https://h/sums"}), CheckOK, ""},
			{"", image(Image{Source: "http://h/i", Checksum: "abc"}), CheckRefuse, "not an md5"},
			{"", image(Image{Source: "http://h/i", Checksum: sum, Algorithm: "md5"}), CheckRefuse, "fits sha256"},
			{"", image(Image{Source: "http://h/i", Checksum: sum, Algorithm: "crc"}), CheckRefuse, "unknown checksum algorithm"},
			{"", image(Image{Source: "2b7c4b3c-glance"}), notDone, ""},
		},
	}
}
