package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"ironworks/models"
)

// helpText is the help of one command: a summary of at most 60 characters, a paragraph, and
// examples, one per line, that work against ironworks lab up.
type helpText struct{ short, long, example string }

// addHelp sets the help of a command and of the commands below it.
func addHelp(cmd *cobra.Command) {
	text, there := helpTexts[cmd.CommandPath()]
	if !there {
		text = portHelpTexts[cmd.CommandPath()]
	}
	cmd.Short, cmd.Long = text.short, strings.ReplaceAll(text.long, "{filter keys}", wrapped(strings.Join(models.FilterKeys(), ", "), 100, 6))
	if text.example != "" {
		cmd.Example = "  " + strings.ReplaceAll(text.example, "\n", "\n  ")
	}
	for _, sub := range cmd.Commands() {
		addHelp(sub)
	}
}

// helpTexts are the texts of all commands, by their path.
var helpTexts = map[string]helpText{
	"ironworks": {
		"Terminal console for bare metal under OpenStack Ironic",
		`ironworks shows every node of an Ironic live and acts on nodes.
Without a command it opens the full-screen console; with a FILE (Butane or Ignition) the console opens
on the check of that file.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 refused before anything was sent, 4 cannot connect.`,
		`ironworks --lab
ironworks --url http://127.0.0.1:6385 --read-only
ironworks nodes state:failed`,
	},

	"ironworks enroll": {
		"Enroll nodes from a file or from BMC addresses",
		`Compare a file of nodes, or machines found at BMC addresses, with the nodes that Ironic has, and create or
change what differs. The comparison is shown first; nothing is ever deleted. Nodes are matched by UUID, name,
BMC address, MAC address and serial number.

Formats, detected by content: baremetal (baremetal create), bifrost, bifrost-csv, instackenv (TripleO),
csv (spreadsheet with a header), bmh (Metal3 manifests; --plan writes the deployments that they ask for).
--bmc asks only the given addresses over Redfish, at most 256.

--to manageable verifies the BMC credentials; --to inspected also inspects and creates missing ports;
--to available also runs automated cleaning. The same command continues an interrupted run.
Passwords of existing nodes cannot be compared, because Ironic masks them: --update-credentials writes them.

--deploy-iso sets the ramdisk of nodes with virtual media, --deploy-kernel and --deploy-ramdisk that of the others.
A file is served until the command is interrupted.`,
		`ironworks enroll -f nodes.csv --dry-run
ironworks enroll -f nodes.yaml --to manageable --yes
ironworks enroll -f nodes.csv --deploy-iso agent.iso --listen auto:8080 --to available
ironworks enroll --bmc 10.0.0.11-30 --bmc-username admin --names 'r7-n%02d' --dry-run`,
	},

	"ironworks export": {
		"Export nodes to a file that other tools read",
		`Print the nodes that match a filter, with their ports and port groups, as a file for baremetal create,
Bifrost or Metal3, or as a spreadsheet. Ironic masks passwords: they are placeholders, unless --credentials gives a file
with them. Fields that the format cannot carry are listed on stderr.`,
		`ironworks export > nodes.yaml
ironworks export class:gp-2x -o csv`,
	},

	// Reading.
	"ironworks nodes": {
		"List nodes",
		`List the nodes that match every term of the filter:

  text           name, uuid, state, class, driver, instance or owner contains text
  key:value      the field contains value; key:=value is exactly value; key: is empty; key:a,b is a or b
  ~text          the name has these letters in this order
  !term          the term does not match

Keys: {filter keys}.
state: also accepts failed, busy, stable, wait and hold; state:deploy-failed is one state.`,
		`ironworks nodes state:failed class:gp-2x
ironworks nodes '!power:off' --sort state -o json
ironworks nodes --columns name,state,error`,
	},
	"ironworks node": {
		"Show one node",
		`Show a node: state, last error, power, instance, ports and the provision verbs that are legal now.
-o json and -o yaml print all fields as Ironic returns them.`,
		`ironworks node r7-n01
ironworks node r7-n01 -o json`,
	},
	"ironworks watch": {
		"Print events of nodes as they happen",
		`Print events of the named nodes, or of all nodes, until interrupted.
-o json prints one object per line: time, node {uuid, name}, kind, from, to, reason.
A resting state that was passed between two polls is printed with "inferred": true.`,
		`ironworks watch -o json
ironworks watch r7-n01 r7-n02 --until active --timeout 30m`,
	},
	"ironworks logs": {
		"Print the ramdisk logs of nodes",
		`Print the logs of the nodes' ramdisks: the journal over SSH, the journal that the ramdisk pushes, or
the logs that a conductor archived. Secrets are masked. Without -f the command ends at the end of the log.
--source serial reads the serial console through Ironic. It enables the console if necessary, disconnects
other readers, and restores the previous setting afterwards.
Lines of several nodes are printed in the order of arrival, each with the name of its node.
-o json prints one object per line: time, received, node {uuid, name}, source, unit, level (syslog number),
text, boot, cursor, progress, known.
If a source fails, stderr says why and how to fix it. The exit code is 1 if all sources of a node fail.`,
		`ironworks logs r7-n01 -f
ironworks logs r7-n01 r7-n02 --since 10m --level warning
ironworks logs r7-n01 --archive /var/log/ironic/deploy -o json
ironworks logs --listen :6387
ironworks logs r7-n01 --kept --since 12h --level error`,
	},
	"ironworks explain": {
		"Explain why a node failed or is stuck",
		`Explain the state of nodes: the most likely cause and its confidence, the evidence, what was ruled out, and
the next safe step. The sources are the node, its history, the conductors, the other nodes and the journal.
If Ironic waits for a machine, the agent is contacted, and so is the BMC if its credentials are known.
--bmc queries every BMC, also for ISOs served from this console (for the password see ironworks bmc --help).
--error TEXT explains an error message offline; - reads the message from standard input.

The exit code is 0 also when nothing is wrong, and 1 when a node cannot be read.`,
		`ironworks explain r7-n02
ironworks explain r7-n02 -o json
ironworks explain --error 'Timeout reached while waiting for callback for node x' --state 'deploy failed'`,
	},
	"ironworks doctor": {
		"Check the connection to Ironic and the deploy setup",
		`Check the connection to Ironic step by step (configuration, name, TCP, TLS, Ironic, user, version, clock),
what Ironic has for deployments (conductors, custom-agent, inspection, ramdisk URLs), and what this computer
has. With NODEs their ramdisks and images are checked, too. Nothing is changed and no BMC is contacted.
Checks that are not ok show the evidence and a remedy; --verbose shows both for every check.

Exit codes: 0 when no check failed (warnings do not count), 1 when a check failed.`,
		`ironworks doctor
ironworks doctor r7-n01 -v
ironworks doctor --url http://127.0.0.1:6385 -o json`,
	},
	"ironworks drivers": {
		"List enabled hardware types and their interfaces",
		`List the hardware types that the conductors enable, with the default and the enabled implementations of
each interface.`,
		`ironworks drivers
ironworks drivers -o name`,
	},
	"ironworks conductors": {
		"List conductors and whether they are alive",
		`List the conductors with their group, the time of their last heartbeat and their hardware types.`,
		`ironworks conductors
ironworks conductors -o json`,
	},
	"ironworks validate": {
		"Validate the driver interfaces of a node",
		`Ask Ironic to validate every driver interface of a node. The exit code is 1 when an interface that a
deployment needs (boot, deploy, management, network, power) is invalid.`,
		`ironworks validate r7-n01
ironworks validate r7-n01 -o json`,
	},
	"ironworks history": {
		"Show the history of a node",
		`Show what was recorded about a node, oldest first: transitions, operations with their phases, and the
requests sent from this console. The records are in the journal and the audit log, which can be read
while Ironic is down. --ironic shows Ironic's own history of the node instead, newest first.`,
		`ironworks history r7-n01
ironworks history r7-n01 --since 2d -o json
ironworks history r7-n01 --ironic`,
	},
	"ironworks disks": {
		"Show the disks of a node and the disk its hints pick",
		`Show the disks that inspection found, the disk that the agent would install to with the node's root device
hints, and for each other disk why the hints do not match. -o name prints the picked disk.
The exit code is 3 when Ironic has no inventory of the node.`,
		`ironworks disks r7-n01
ironworks disks r7-n01 -o name`,
	},

	// Acting.
	"ironworks power": {
		"Change the power state of nodes",
		`Change the power state of nodes through Ironic.`,
		`ironworks power on r7-n01
ironworks power off r7-n01 r7-n02 --yes`,
	},
	"ironworks power on": {
		"Power nodes on",
		`Power nodes on. With --wait the command ends when Ironic reports the new power state.`,
		`ironworks power on r7-n01
ironworks power on r7-n01 r7-n02 --wait`,
	},
	"ironworks power off": {
		"Power nodes off (hard)",
		`Power nodes off at once, without shutting the operating system down. soft-off shuts it down first.`,
		`ironworks power off r7-n01
ironworks power off r7-n01 --yes --wait`,
	},
	"ironworks power soft-off": {
		"Shut the operating system down and power nodes off",
		`Ask the operating system to shut down, and power nodes off afterwards.`,
		`ironworks power soft-off r7-n01
ironworks power soft-off r7-n01 --wait --timeout 5m`,
	},
	"ironworks power reboot": {
		"Reset nodes (hard)",
		`Reset nodes at once, without shutting the operating system down. soft-reboot shuts it down first.`,
		`ironworks power reboot r7-n01
ironworks power reboot r7-n01 --yes --wait`,
	},
	"ironworks power soft-reboot": {
		"Reboot the operating system of nodes",
		`Ask the operating system of nodes to reboot.`,
		`ironworks power soft-reboot r7-n01
ironworks power soft-reboot r7-n01 --wait --timeout 5m`,
	},
	"ironworks maintenance": {
		"Set or clear maintenance mode",
		`Set or clear maintenance mode. Ironic runs no periodic tasks on nodes in maintenance and does not deploy
or clean them.`,
		`ironworks maintenance on r7-n01 --reason 'replace DIMM A3'
ironworks maintenance off r7-n01`,
	},
	"ironworks maintenance on": {
		"Set maintenance mode",
		`Set maintenance mode, with a reason that everybody who reads the node sees.`,
		`ironworks maintenance on r7-n01 --reason 'replace DIMM A3'
ironworks maintenance on r7-n01 r7-n02`,
	},
	"ironworks maintenance off": {
		"Clear maintenance mode",
		`Clear maintenance mode and its reason.`,
		`ironworks maintenance off r7-n08
ironworks maintenance off r7-n01 r7-n02`,
	},
	"ironworks set": {
		"Edit node fields and traits",
		`Edit node fields. Only the named fields are sent, so secrets that Ironic masks stay unchanged.

  KEY=VALUE     set; below properties, driver_info, instance_info and extra dots separate the keys of the
                path, and a VALUE that is JSON is sent as JSON
  KEY-          remove
  traits=A,B    set all traits; traits+=C adds traits, traits-=D removes traits`,
		`ironworks set r7-n01 r7-n02 resource_class=gp-2x owner=rack7
ironworks set r7-n01 deploy_interface=custom-agent properties.root_device.wwn=0x5000c500a1b2c3d4
ironworks set r7-n01 traits+=CUSTOM_NVME description-`,
	},
	"ironworks boot-device": {
		"Set the boot device of nodes: pxe, disk, cdrom, bios, …",
		`Set the device that nodes boot from, once or with --persistent for every boot.`,
		`ironworks boot-device pxe r7-n01
ironworks boot-device disk r7-n01 r7-n02 --persistent`,
	},
	"ironworks protect": {
		"Protect active nodes from undeploy and rebuild",
		`Set the protected flag of active nodes: Ironic refuses undeploy and rebuild until the flag is cleared.`,
		`ironworks protect r7-n01 --reason 'database primary'
ironworks protect r7-n01 r7-n07`,
	},
	"ironworks unprotect": {
		"Clear the protected flag",
		`Clear the protected flag of nodes, so that they can be undeployed and rebuilt.`,
		`ironworks unprotect r7-n01
ironworks unprotect r7-n01 r7-n07`,
	},
	"ironworks retire": {
		"Mark nodes as retired",
		`Set the retired flag of nodes: after undeploy and cleaning they become manageable instead of available.`,
		`ironworks retire r7-n01 --reason 'out of warranty'
ironworks retire r7-n01 r7-n07`,
	},
	"ironworks unretire": {
		"Clear the retired flag",
		`Clear the retired flag of nodes, so that they become available again after cleaning.`,
		`ironworks unretire r7-n01
ironworks unretire r7-n01 r7-n07`,
	},

	// Provision verbs.
	"ironworks manage": {
		"Verify BMC credentials, or move nodes to manageable",
		`Move nodes to manageable. From enroll, Ironic verifies that the BMC accepts the credentials; from available
and after a failed operation the state changes at once.`,
		`ironworks manage r7-n01 --wait
ironworks manage r7-n05 r7-n12`,
	},
	"ironworks provide": {
		"Clean nodes and make them available",
		`Move manageable nodes to available. With automated cleaning Ironic erases the disks first.`,
		`ironworks provide r7-n05 --yes --wait
ironworks provide r7-n05 r7-n12 --stop-on-failure --wait`,
	},
	"ironworks inspect": {
		"Inspect hardware",
		`Inspect the hardware of manageable nodes: Ironic records the inventory and updates properties and ports.`,
		`ironworks inspect r7-n05 --wait
ironworks inspect r7-n05 r7-n12 --wait --timeout 30m`,
	},
	"ironworks clean": {
		"Run clean steps",
		`Run clean steps on manageable nodes. The steps are those of --step, --steps or --runbook.`,
		`ironworks clean r7-n05 --step deploy.erase_devices_metadata --wait
ironworks clean r7-n05 --steps '[{"interface": "deploy", "step": "erase_devices"}]'`,
	},
	"ironworks adopt": {
		"Adopt machines that already run an instance",
		`Move manageable nodes whose machines already run an instance to active, without a deployment.`,
		`ironworks adopt r7-n05
ironworks adopt r7-n05 r7-n12 --wait`,
	},
	"ironworks deploy": {
		"Deploy nodes (available → active)",
		`Deploy nodes by a plan, by flags, or by both: flags take precedence. Every node is checked before
anything is sent; if a check refuses, the command prints all reasons and ends with exit code 3.

A custom-agent node without a deploy step gets install_coreos at priority 80.`,
		`ironworks deploy r7-n01 --user-data host.bu --root-device '{"serial": "S3Z8NB0K"}' --dry-run
ironworks deploy -f rack7.yaml --yes --wait
ironworks deploy r7-n02 --user-data host.bu --override inventory --confirm r7-n02
ironworks deploy --resume`,
	},
	"ironworks rebuild": {
		"Redeploy active or failed nodes",
		`Deploy active nodes, or nodes whose deployment failed, again: they stay the same instance, and their root
disk is overwritten. Plan, flags and checks are those of ironworks deploy.`,
		`ironworks rebuild r7-n01 --user-data host.bu --dry-run
ironworks rebuild r7-n01 -f rack7.yaml --yes --wait`,
	},
	"ironworks undeploy": {
		"Undeploy and clean nodes (active → available)",
		`Remove the instance of nodes. With automated cleaning Ironic erases the disks.`,
		`ironworks undeploy r7-n01
ironworks undeploy r7-n01 r7-n07 --yes --wait`,
	},
	"ironworks rescue": {
		"Boot the rescue ramdisk",
		`Boot active nodes into the rescue ramdisk, where the user rescue logs in with the password of
--password-file.`,
		`ironworks rescue r7-n01 --password-file password.txt --wait
echo secret | ironworks rescue r7-n01 --password-file -`,
	},
	"ironworks unrescue": {
		"Leave the rescue ramdisk",
		`Boot nodes from the rescue ramdisk back into their instance.`,
		`ironworks unrescue r7-n01
ironworks unrescue r7-n01 --wait --timeout 15m`,
	},
	"ironworks service": {
		"Run service steps on active nodes",
		`Run service steps on active nodes; the instance stays. The steps are those of --step, --steps or --runbook.`,
		`ironworks service r7-n01 --step management.update_firmware --wait
ironworks service r7-n01 --runbook CUSTOM_FIRMWARE`,
	},
	"ironworks abort": {
		"Abort the current operation",
		`Abort cleaning, inspection or service of nodes, or a deployment that waits. A step that cannot be aborted
ends first.`,
		`ironworks abort r7-n04
ironworks abort r7-n04 r7-n11 --wait`,
	},
	"ironworks unhold": {
		"Resume held nodes",
		`Resume nodes that a hold step stopped in deploy hold, clean hold or service hold.`,
		`ironworks unhold r7-n04
ironworks unhold r7-n04 r7-n11 --wait`,
	},

	// Root device hints.
	"ironworks hints": {
		"Test root device hints on disks, or write the hint of a disk",
		`Test which disk root device hints pick, offline, or write the most stable hint of a disk to a node.`,
		`ironworks hints match --hints '{"size": ">= 400"}' --inventory inventory.json
ironworks hints set r7-n04 --disk /dev/nvme0n1`,
	},
	"ironworks hints match": {
		"Show which disk root device hints pick, offline",
		`Show which disk root device hints pick. Ironic's validation and the agent's search are reported separately,
because they disagree about some hints.

--inventory reads the inventory of a node as Ironic returns it, its list of disks, or the output of
ironworks disks -o json. --batch reads one case per line, {"hints": …, "disks": […]}, and answers each with a line
{"valid": bool, "invalid_because": …, "agent": {"picks": NAME or null, "error": …}}. - is standard input.`,
		`ironworks hints match --hints '{"model": "<in> 980 pro", "size": ">= 400"}' --inventory inventory.json -o json
ironworks hints match --batch cases.jsonl > answers.jsonl`,
	},
	"ironworks hints set": {
		"Write the most stable hint of a disk to a node",
		`Write the hint that identifies a disk permanently: its wwn, or else wwn_with_extension, wwn_vendor_extension,
serial, by_path or hctl. The hint replaces the current hints. The exit code is 3 when the disk has no unique value.

Hints in instance_info take precedence over hints in properties, and are removed by an undeploy.`,
		`ironworks hints set r7-n04 --disk /dev/nvme0n1
ironworks hints set r7-n04 --disk /dev/nvme0n1 --to instance_info --yes`,
	},

	// Journal.
	"ironworks journal": {
		"Show, export or prune the journal of a context",
		`The journal is a file on this computer. It has what this console saw of the nodes: transitions, snapshots of
nodes and lines of ramdisk logs. Ironic is not contacted. ironworks history shows the records of a node.`,
		`ironworks journal info
ironworks journal export r7-n01 --since 12h`,
	},
	"ironworks journal info": {
		"Show the contents and limits of the journal",
		`Show the path and size of the journal, the number of records and their age, and the limits.`,
		`ironworks journal info
ironworks journal info --journal journal-lab.db -o json`,
	},
	"ironworks journal export": {
		"Write a recording of nodes for ironworks replay",
		`Write the states, steps, operations and log lines of the nodes from the journal to one compressed file.
Secrets are masked; addresses and names are not. ironworks replay plays the file.`,
		`ironworks journal export r7-n01 --since 12h
ironworks journal export r7-n01 r7-n02 --file last-night.ironworks`,
	},
	"ironworks journal prune": {
		"Delete records from the journal and free disk space",
		`Delete records from the journal of the context and free the disk space.
--size deletes the oldest log lines first, then the oldest snapshots of nodes; transitions stay.
Nothing is sent to Ironic, and other ironworks programs can keep writing.`,
		`ironworks journal prune --older 30d
ironworks journal prune --size 500MiB --yes
ironworks journal prune --node r7-n01`,
	},
	"ironworks replay": {
		"Play a recording in the console",
		`Play a recording of ironworks journal export in the console: states, steps and ramdisk logs. The player can
pause, change the speed and seek; every screen shows REPLAY. Nothing is sent to Ironic or to machines.`,
		`ironworks replay r7-n01.ironworks --speed 8
ironworks replay r7-n01.ironworks --at 10m --paused`,
	},

	// Ignition.
	"ironworks ignition": {
		"Make, check and serve the configuration of CoreOS ramdisks",
		`Make the Ignition configuration that boots a CoreOS live image into ironic-python-agent, check the
configuration of installed systems, and deliver a configuration to machines: in an ISO, appended to an
initramfs, or from a server. For a FILE that is read or written, - is standard input or output.`,
		`ironworks ignition build -o ramdisk.ign
ironworks ignition embed fedora-coreos.iso ramdisk.ign --output agent.iso
ironworks ignition serve --iso fedora-coreos.iso --per-node r7-n01 r7-n02 --listen auto --apply`,
	},
	"ironworks ignition build": {
		"Make the configuration of a ramdisk",
		`Make the Ignition configuration that boots a CoreOS live image into ironic-python-agent.
The URL of Ironic, its CA and the verification come from the context unless --host is given.
The result has secrets: a FILE is readable by its owner only, and is never replaced without --force.`,
		`ironworks ignition build -o ramdisk.ign
ironworks ignition build --host https://10.0.0.5:6385 --ca ironic.pem --ssh-key ~/.ssh/ops.pub --preview
ironworks ignition build --profile classic --host 10.0.0.5 --ssh-key ~/.ssh/ops.pub --registry quay.io/lab`,
	},
	"ironworks ignition check": {
		"Check user data and summarize what it does",
		`Check the user data of an installed system: Ignition, Butane, a MachineConfig, and formats that are often
mistaken for these. Exit codes: 0 valid, possibly with warnings; 3 invalid.
-o json prints {kind, ok, problems, summary}.`,
		`ironworks ignition check worker.bu --files-dir .
ironworks ignition check - -o json < config.ign`,
	},
	"ironworks ignition embed": {
		"Embed a configuration in a CoreOS live ISO",
		`Embed a configuration in a CoreOS live ISO: in place, or in a copy with --output. Butane is translated.
Network keyfiles in the ISO stay. An ISO that has a configuration already is refused without --force.
An existing OUT is never replaced; a new file is readable by its owner only.`,
		`ironworks ignition embed live.iso ramdisk.ign --output agent.iso
ironworks ignition build | ironworks ignition embed live.iso - --output agent.iso
ironworks ignition embed live.iso ramdisk.ign --output - --karg-append console=ttyS0 | ssh web 'cat > agent.iso'`,
	},
	"ironworks ignition show": {
		"Print the configuration in a live ISO or an initrd",
		`Print the configuration in a live ISO or an initrd, byte for byte; - reads an initrd from standard input.
-o json and -o yaml describe the image, too. The exit code is 1 when no configuration is embedded.`,
		`ironworks ignition show agent.iso
ironworks ignition show agent.img -o json`,
	},
	"ironworks ignition remove": {
		"Remove the configuration from a live ISO",
		`Remove the configuration from a live ISO. Network keyfiles stay; an ISO without keyfiles is then identical to
the ISO before embedding.`,
		`ironworks ignition remove agent.iso
ironworks ignition remove agent.iso --output live.iso`,
	},
	"ironworks ignition kargs": {
		"Show or change the kernel arguments of a live ISO",
		`Show or change the kernel arguments of a live ISO, in place or in a copy with --output.`,
		`ironworks ignition kargs show live.iso
ironworks ignition kargs append live.iso console=ttyS0 --output serial.iso`,
	},
	"ironworks ignition kargs show": {
		"Print the kernel arguments of a live ISO",
		`Print the current kernel arguments of a live ISO, or with --default the original ones.`,
		`ironworks ignition kargs show live.iso
ironworks ignition kargs show live.iso --default`,
	},
	"ironworks ignition kargs append": {
		"Append kernel arguments",
		`Append kernel arguments to those of a live ISO.`,
		`ironworks ignition kargs append live.iso console=ttyS0
ironworks ignition kargs append live.iso console=ttyS0 ip=dhcp --output serial.iso`,
	},
	"ironworks ignition kargs delete": {
		"Delete kernel arguments",
		`Delete kernel arguments from a live ISO: every argument that is identical to ARG.`,
		`ironworks ignition kargs delete live.iso quiet
ironworks ignition kargs delete live.iso console=ttyS0 --output plain.iso`,
	},
	"ironworks ignition kargs replace": {
		"Replace values of kernel arguments",
		`Replace the value OLD of the kernel argument KEY with NEW.`,
		`ironworks ignition kargs replace live.iso console=ttyS0=ttyS1
ironworks ignition kargs replace live.iso console=ttyS0=ttyS1 --output second.iso`,
	},
	"ironworks ignition kargs reset": {
		"Restore the original kernel arguments",
		`Restore the kernel arguments that the ISO was released with.`,
		`ironworks ignition kargs reset live.iso
ironworks ignition kargs reset live.iso --output original.iso`,
	},
	"ironworks ignition wrap": {
		"Make an initrd of a configuration, for network boot",
		`Make an initrd of a configuration. A boot loader loads it beside the live initramfs. Ironic loads only one
initrd: --append makes one file of the initramfs and the configuration.`,
		`ironworks ignition wrap ramdisk.ign --output config.img
ironworks ignition wrap ramdisk.ign --append fedora-coreos-live-initramfs.x86_64.img --output agent.img`,
	},
	"ironworks ignition serve": {
		"Serve an ISO, or kernel and initramfs, to BMCs and Ironic",
		`Serve a live ISO, or its kernel, initramfs and root file system, with a configuration, until interrupted.
The configuration is that of --ignition, or else the one in the ISO, or else made with the flags of build.
--per-node serves each NODE its own stream with its hostname; {node} in --hostname, --keyfile and
--ip-option stands for the name of the node. Nothing is copied: all streams are made of the one file.

The files have secrets and clients do not authenticate: URLs cannot be guessed; treat them as secrets.
The default is to listen on 127.0.0.1; --listen auto picks the address at which the BMCs of the nodes
reach this computer. --apply writes the URLs to the nodes.`,
		`ironworks ignition serve --iso live.iso --per-node r7-n01 r7-n02 --listen auto --apply
ironworks ignition serve --iso live.iso --ignition ramdisk.ign --listen 10.0.0.2:8080
ironworks ignition serve --kernel vmlinuz --initrd initramfs.img --rootfs rootfs.img --ignition ramdisk.ign`,
	},
	"ironworks ignition apply": {
		"Set the ramdisk that nodes boot",
		`Set deploy_iso, or deploy_kernel and deploy_ramdisk with kernel_append_params, in driver_info of nodes, and
remove conflicting fields. The requests and the equivalent baremetal commands are shown first.
Machines do not notice until Ironic boots them the next time.`,
		`ironworks ignition apply r7-n01 --iso http://10.0.0.2:8080/agent.iso --dry-run
ironworks ignition apply r7-n01 --kernel http://10.0.0.2/vmlinuz --initrd http://10.0.0.2/agent.img --no-kernel-params`,
	},

	// This computer.
	"ironworks config": {
		"Show the configuration",
		`Show the contexts of the configuration, or the files that are read and written.`,
		`ironworks config show
ironworks config paths`,
	},
	"ironworks config show": {
		"Show all contexts and the selected context",
		`Show all contexts and the selected context, as YAML or JSON, with secrets masked.`,
		`ironworks config show
ironworks config show --url http://127.0.0.1:6385 -o json`,
	},
	"ironworks config paths": {
		"Show the files that are read and written",
		`Show the files that ironworks reads and writes, and the files that were not found.`,
		`ironworks config paths
ironworks config paths -o json`,
	},
	"ironworks version": {
		"Print the version",
		`Print the version of ironworks, the supported versions of the Ironic API, and the version of Go.`,
		`ironworks version
ironworks version -o json`,
	},

	// BMC.
	"ironworks bmc": {
		"Query a BMC over Redfish, or send it a command",
		`Query the BMC of a node over Redfish and compare the answer with what Ironic reports: health, power, boot,
drives, logs and sensors. One session is opened and closed; nothing is changed. The address is that of
driver_info. Ironic masks the password: it comes from the context's bmc section, IRONWORKS_BMC_PASSWORD,
--bmc-password-file, the keyring (ironworks bmc login), or a prompt. --address queries a BMC without Ironic.

The subcommands change the machine without Ironic's knowledge. Use the uuid of a node that has the name of
a subcommand.`,
		`ironworks bmc r7-n01
ironworks bmc r7-n01 -o json
IRONWORKS_BMC_PASSWORD=… ironworks bmc --address https://10.0.7.1 --bmc-username root
ironworks bmc boot-once Cd r7-n01`,
	},
	"ironworks bmc power": {
		"Change the power state through the BMC",
		`Change the power state of machines through their BMCs, without Ironic.`,
		`ironworks bmc power on r7-n01
ironworks bmc power off r7-n01 --yes`,
	},
	"ironworks bmc power on":        {"Power machines on", "Power machines on through their BMCs.", "ironworks bmc power on r7-n01\nironworks bmc power on r7-n01 r7-n02 --yes"},
	"ironworks bmc power off":       {"Power machines off (hard)", "Power machines off at once through their BMCs, without shutting the operating system down.", "ironworks bmc power off r7-n01\nironworks bmc power off r7-n01 r7-n02 --yes"},
	"ironworks bmc power shut-down": {"Shut the operating system down", "Ask the operating system to shut down, through the BMC.", "ironworks bmc power shut-down r7-n01\nironworks bmc power shut-down r7-n01 r7-n02 --yes"},
	"ironworks bmc power reset":     {"Reset machines (hard)", "Reset machines at once through their BMCs, without shutting the operating system down.", "ironworks bmc power reset r7-n01\nironworks bmc power reset r7-n01 r7-n02 --yes"},
	"ironworks bmc power restart":   {"Restart the operating system", "Ask the operating system to restart, through the BMC.", "ironworks bmc power restart r7-n01\nironworks bmc power restart r7-n01 r7-n02 --yes"},
	"ironworks bmc power cycle":     {"Power machines off and on again", "Power machines off at once and on again through their BMCs.", "ironworks bmc power cycle r7-n01\nironworks bmc power cycle r7-n01 r7-n02 --yes"},
	"ironworks bmc insert": {
		"Insert an ISO into virtual media",
		`Insert an ISO into the virtual CD of machines, by its URL as the BMC reaches it.`,
		`ironworks bmc insert http://10.0.0.2:8080/rescue.iso r7-n01
ironworks bmc insert http://10.0.0.2:8080/rescue.iso r7-n01 --slot Cd --yes`,
	},
	"ironworks bmc eject": {
		"Eject virtual media",
		`Eject the image from the virtual CD of machines.`,
		`ironworks bmc eject r7-n01
ironworks bmc eject r7-n01 --slot Cd --yes`,
	},
	"ironworks bmc boot-once": {
		"Set the boot source of the next boot",
		`Set the source of the next boot only: Pxe, Cd, Hdd, Usb, UefiHttp, BiosSetup, …; None clears the setting.`,
		`ironworks bmc boot-once Pxe r7-n01
ironworks bmc boot-once None r7-n01 r7-n02`,
	},
	"ironworks bmc clear-jobs": {
		"Delete pending jobs of BMCs",
		`Delete the pending jobs of BMCs, such as settings that wait for a reboot.`,
		`ironworks bmc clear-jobs r7-n01
ironworks bmc clear-jobs r7-n01 r7-n02 --yes`,
	},
	"ironworks bmc reset-controller": {
		"Restart BMCs; the machines keep running",
		`Restart BMCs. The machines keep running; the BMCs do not answer for some minutes.`,
		`ironworks bmc reset-controller r7-n01
ironworks bmc reset-controller r7-n01 --yes`,
	},
	"ironworks bmc console": {
		"Show the consoles that a BMC reports",
		`Show the graphical and serial consoles that a BMC reports, with their protocols and URLs.`,
		`ironworks bmc console r7-n01
ironworks bmc console r7-n01 -o json`,
	},
	"ironworks bmc login": {
		"Store the password of a BMC in the keyring",
		`Store the password of a BMC in the desktop's keyring (Secret Service, Keychain, Windows credentials), for the
context. The password is that of --bmc-password-file or IRONWORKS_BMC_PASSWORD, or is prompted for. It is
stored only when the BMC accepts it.`,
		`ironworks bmc login r7-n01
ironworks bmc login --address https://10.0.7.1 --bmc-username root --all`,
	},
	"ironworks bmc logout": {
		"Delete the password of a BMC from the keyring",
		`Delete the password of a BMC from the keyring, and the password that was stored for all BMCs of the context.`,
		`ironworks bmc logout r7-n01
ironworks bmc logout --address https://10.0.7.1 --bmc-username root`,
	},

	// Lab.
	"ironworks lab": {
		"Run simulated or virtual machines for demos and tests",
		`Run machines for demos and tests: simulated machines have a Redfish BMC and disks, and follow the protocol of
ironic-python-agent when they boot a deploy ramdisk. Ironic drives them like real machines.`,
		`ironworks lab up --listen 127.0.0.1:6385
ironworks lab scenarios`,
	},
	"ironworks lab up": {
		"Run machines and an Ironic, without the console",
		`Run machines and an embedded Ironic until interrupted, for scripts and other clients. The command prints the
environment variables that clients need.
With --vms the machines are virtual machines that boot a CoreOS live ISO in QEMU, with KVM if available.
With --real a real Ironic runs; its Python environment is made on first use, which needs python3, the
network and about 400 MB.`,
		`ironworks lab up --listen 127.0.0.1:6385
ironworks lab up --real --release 21.4.4
ironworks lab up --vms 3 --iso fedora-coreos-live.iso --disks nvme:20G,ssd:40G --lab-state ~/lab`,
	},
	"ironworks lab machines": {
		"Run machines for your own Ironic",
		`Run machines until interrupted, for your own Ironic: BMCs that speak Redfish, and an agent in each
machine that boots the deploy ISO, which the lab serves, too. --enrol creates the nodes and their ports.
--clean deletes the nodes that labs have enrolled, in any state, and runs no machines.
--agent-command runs your own agent: IRONWORKS_IRONIC_URL has the URL of Ironic, IRONWORKS_HARDWARE_URL that
of the machine's disks and power switch.`,
		`ironworks lab machines --count 3 --ironic-url http://127.0.0.1:6385 --enrol
ironworks lab machines --scenarios machines.yaml --ironic-url http://192.0.2.1:6385 --host 192.0.2.9`,
	},
	"ironworks lab snapshot": {
		"Save the disks and UEFI variables of virtual machines",
		`Save the disks and UEFI variables of virtual machines (all, or the named ones) under a name. The machines
must be off; the lab may run. Ironic's nodes are not saved.`,
		`ironworks lab snapshot --lab-state ~/lab clean
ironworks lab snapshot --lab-state ~/lab --list`,
	},
	"ironworks lab restore": {
		"Restore virtual machines from a snapshot",
		`Restore the disks and UEFI variables of virtual machines (all, or the named ones) from a snapshot, which
stays. The machines must be off; the lab may run. Ironic's nodes are not restored.`,
		`ironworks lab restore --lab-state ~/lab clean
ironworks lab restore --lab-state ~/lab clean vm1`,
	},
	"ironworks lab scenarios": {
		"List the scenarios of simulated machines",
		`List the scenarios of simulated machines, which a file of --scenarios can name.`,
		`ironworks lab scenarios
ironworks lab scenarios -o yaml`,
	},
}
