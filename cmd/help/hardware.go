package help

var hardwareHelpTexts = map[string]string{
	"ironworks steps": `List deploy, clean and service steps
List the steps that the interfaces of a node offer, with their arguments, the optional ones in brackets. AUTOMATED is
the priority in automated cleaning, unless options of the conductor change it. Steps that the node's ramdisk reported
during a watched deployment are included. Without NODE, list the steps of Ironic 39.0.0 and 21.4.4 and of their agents,
with the interfaces that offer them. -o json has the type, default and description of each argument.
$ ironworks steps
$ ironworks steps r7-n01 --kind clean
$ ironworks clean r7-n02 --step 'deploy.erase_devices_metadata' --yes`,
	"ironworks inventory": `Show what inspection found in a machine
Show what the last inspection found: system, CPUs, memory, disks, network interfaces with the switch ports that
LLDP announced, and what collectors of the ramdisk added (NUMA, PCI, USB). -o json prints what Ironic has stored.
$ ironworks inventory r7-n01
$ ironworks inventory r7-n01 -o json`,
	"ironworks volumes": `List volume connectors and targets of nodes
List the volume connectors and targets of nodes: the addresses that a machine uses as a storage client, and
the volumes that it uses. Cinder or an operator sets them; ironworks does not change them.
$ ironworks volumes r7-n01
$ ironworks volumes r7-n01 r7-n02 -o json`,
	"ironworks vendor": `List the methods of a node's vendor interface
List the vendor passthru methods of a node. They are called with baremetal node passthru call.
$ ironworks vendor r7-n01
$ ironworks vendor r7-n01 -o json`,
	"ironworks bios": `Show, change and compare BIOS settings
Show the BIOS settings that Ironic has read, change them with a clean or service step, and compare nodes with a
golden node.
$ ironworks bios show r7-n01
$ ironworks bios compare r7-n01 r7-n02`,
	"ironworks bios show": `Show BIOS settings
Show the BIOS settings of a node with the values that each setting accepts. TEXT selects the settings whose name or
value contains it. Ironic reads settings during cleaning and inspection.
$ ironworks bios show r7-n01
$ ironworks bios show r7-n01 virtual -o json`,
	"ironworks bios set": `Change BIOS settings
Change BIOS settings with the bios.apply_configuration step: a manageable node is cleaned, an active node is serviced.
Each machine reboots, and Ironic verifies the settings afterwards. Names and values are checked against what Ironic
has read; settings that are already set are not sent. Nodes with nothing to change are refused (--skip-refused skips
them).
$ ironworks bios set r7-n02 ProcVirtualization=Disabled --wait
$ ironworks bios set r7-n02 r7-n03 ProcTurboMode=Disabled SysProfile=PerfOptimized --yes`,
	"ironworks bios reset": `Reset BIOS settings to their defaults
Reset all BIOS settings to their defaults with the bios.factory_reset step: a manageable node is cleaned, an active
node is serviced. The boot mode may also change.
$ ironworks bios reset r7-n02 --wait
$ ironworks bios reset r7-n02 --yes`,
	"ironworks bios compare": `Compare BIOS settings with a golden node
List the BIOS settings in which nodes differ from the golden node. NOTE says which differences bios copy leaves alone:
read-only settings, settings that are unique to each machine, and settings that one of the machines lacks.
$ ironworks bios compare r7-n01 r7-n02 r7-n03
$ ironworks bios compare r7-n01 r7-n02 -o json`,
	"ironworks bios copy": `Copy BIOS settings from a golden node
Copy the BIOS settings of a golden node to other nodes, where they differ. Each node gets one clean or service
step, as with bios set.
$ ironworks bios copy r7-n01 r7-n02 --wait
$ ironworks bios copy r7-n01 r7-n02 r7-n03 --skip-refused --yes`,
	"ironworks raid": `Show, check and change RAID
Show the RAID configuration of a node, check a target RAID against the drives of a machine, and create or delete
volumes with cleaning. A target RAID has logical_disks in Ironic's format. raid_level and size_gb (a number or MAX)
are required; volume_name, is_root_volume, disk_type, interface_type, number_of_physical_disks, physical_disks and
controller are optional.
$ ironworks raid show r7-n01
$ echo '{logical_disks: [{raid_level: "1", size_gb: 100, is_root_volume: true}]}' | ironworks raid check -f -`,
	"ironworks raid show": `Show the RAID configuration of a node
Show the volumes of a node as of its last RAID cleaning, and its target RAID.
$ ironworks raid show r7-n01
$ ironworks raid show r7-n01 -o yaml`,
	"ironworks raid check": `Check a target RAID, offline or against a machine
Check a target RAID as Ironic's API does. With NODE or --address, ask the BMC for its drives and show which drives
Ironic would give to each volume, or why they do not fit (exit code 3).
$ echo '{logical_disks: [{raid_level: "5", size_gb: MAX, physical_disks: ["1", "2", "3"], controller: "1"}]}' | ironworks raid check -f -
$ echo '{logical_disks: [{raid_level: "1", size_gb: 100}]}' | ironworks raid check r7-n01 -f -`,
	"ironworks raid apply": `Replace the RAID configuration of nodes
Set target_raid_config and clean the nodes: all volumes are deleted, then the new ones are created. Nodes must be
manageable. With raid_interface agent, the agent erases the disks and creates a software RAID.
Root device hints that name a replaced disk are reported.
$ echo '{logical_disks: [{raid_level: "1", size_gb: 100, is_root_volume: true}]}' | ironworks raid apply r7-n02 -f - --yes
$ echo '{logical_disks: [{raid_level: "1", size_gb: 50}]}' | ironworks raid apply r7-n02 r7-n03 -f - --keep --yes`,
	"ironworks raid delete": `Delete the RAID volumes of nodes
Delete all RAID volumes of nodes by cleaning. Nodes must be manageable.
$ ironworks raid delete r7-n02 --wait
$ ironworks raid delete r7-n02 r7-n03 --yes`,
	"ironworks firmware": `Show and update firmware
Show the firmware versions that Ironic has read, per node and by model, and update them from a URL (API 1.86; the nodes
need the redfish firmware interface, which Ironic does not enable by default).
$ ironworks firmware list r7-n01
$ ironworks firmware matrix`,
	"ironworks console": `Show the graphical console of a node
Print the URL of the node's graphical console (console_interface redfish-graphical), which shows the screen of the
machine in a browser. The console is enabled if necessary, and disabled when the command exits (Ctrl-C); --keep
leaves it enabled. The URL contains a token: anyone who has the URL can use the console, by default for 10 minutes.

--open starts $BROWSER, or the default browser. The exit code is 3 when the node has no graphical console.
$ ironworks console r7-n01 --open
$ ironworks console r7-n01 --keep`,
	"ironworks firmware list": `List firmware versions of nodes
List the firmware components of nodes: the version, the version when Ironic first read it, and the last update.
$ ironworks firmware list r7-n01
$ ironworks firmware list r7-n01 r7-n02 -o json`,
	"ironworks firmware matrix": `Count firmware versions by model
Group nodes by model, component and version: ideally, each component has one version per model. The model is
the one that the last inspection found. FILTER selects nodes as in ironworks nodes.
$ ironworks firmware matrix
$ ironworks firmware matrix class:gp-2x -o json`,
	"ironworks firmware update": `Update firmware from a URL
Update firmware components with the firmware.update step: a manageable node is cleaned, an active node is serviced.
COMPONENT is bios, bmc or nic:ID. The BMC fetches the URL, unless [redfish]firmware_source makes Ironic serve the
image.
$ ironworks firmware update r7-n02 bios=http://10.0.0.1/bios-2.1.bin --wait
$ ironworks firmware update r7-n02 bmc=http://10.0.0.1/bmc.bin bios=http://10.0.0.1/bios.bin --yes`,
}

var agentHelpTexts = map[string]string{
	"ironworks agent": `Show what the agent reports about this Linux host
Show what the built-in agent would report about this host, and what it would do there. Use it in the rescue
shell of a machine, or to prepare root device hints. Nothing is changed or sent. Missing programs, such as
lsblk or lscpu, are listed.
$ ironworks agent inventory
$ ironworks agent disks
$ ironworks agent steps`,
	"ironworks agent inventory": `Show the inventory of this Linux host
Show the inventory that the agent would send to Ironic for an inspection. -o json prints it in Ironic's
format, with all fields. Without root, the BMC and the serial numbers of some disks are missing.
$ ironworks agent inventory
$ ironworks agent inventory -o json > inventory.json`,
	"ironworks agent disks": `Show the disks of this host and the one that hints pick
Show the disks of this host and the one that the agent would install to. For each of the other disks, show why
the hints do not match. Without hints, the agent picks the smallest disk of 4 GiB or more. -o name prints the picked
disk. The exit code is 1 when no disk is picked.
$ ironworks agent disks
$ ironworks agent disks --root-device '{"size": ">= 2"}'`,
	"ironworks agent steps": `List the steps that the agent offers
List the deploy, clean and service steps that the agent offers to Ironic. Steps with priority 0 run only on request.
$ ironworks agent steps
$ ironworks agent steps --agent-version 9.4.2 -o json`,
}
