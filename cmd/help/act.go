package help

var actHelpTexts = map[string]string{
	"ironworks run": `Run a plugin from the configuration file on nodes
Run a plugin on nodes: a program defined in the configuration file, which gets the fields of each node as
arguments and environment variables. A terminal plugin runs on one node at a time, a background
plugin on up to 4. The exit code is 1 if a program failed.
$ ironworks run ping r7-n01
$ ironworks run ping r7-n01 r7-n02 --yes`,
	"ironworks power": `Change the power state of nodes
Change the power state of nodes through Ironic.
$ ironworks power on r7-n01
$ ironworks power off r7-n01 r7-n02 --yes`,
	"ironworks power on": `Power nodes on
Power nodes on. With --wait, the command exits when Ironic reports the new power state.
$ ironworks power on r7-n01
$ ironworks power on r7-n01 r7-n02 --wait`,
	"ironworks power off": `Power nodes off (hard)
Power nodes off at once, without shutting the operating system down. soft-off shuts it down first.
$ ironworks power off r7-n01
$ ironworks power off r7-n01 --yes --wait`,
	"ironworks power soft-off": `Shut the operating system down and power nodes off
Ask the operating system to shut down, and power nodes off afterwards.
$ ironworks power soft-off r7-n01
$ ironworks power soft-off r7-n01 --wait --timeout 5m`,
	"ironworks power reboot": `Reset nodes (hard)
Reset nodes at once, without shutting the operating system down. soft-reboot shuts it down first.
$ ironworks power reboot r7-n01
$ ironworks power reboot r7-n01 --yes --wait`,
	"ironworks power soft-reboot": `Reboot the operating system of nodes
Ask the operating system of nodes to reboot.
$ ironworks power soft-reboot r7-n01
$ ironworks power soft-reboot r7-n01 --wait --timeout 5m`,
	"ironworks maintenance": `Set or clear maintenance mode
Set or clear maintenance mode. Ironic runs no periodic tasks on nodes in maintenance and does not deploy
or clean them.
$ ironworks maintenance on r7-n01 --reason 'replace DIMM A3'
$ ironworks maintenance off r7-n01`,
	"ironworks maintenance on": `Set maintenance mode
Set maintenance mode, with a reason that is shown with the node.
$ ironworks maintenance on r7-n01 --reason 'replace DIMM A3'
$ ironworks maintenance on r7-n01 r7-n02`,
	"ironworks maintenance off": `Clear maintenance mode
Clear maintenance mode and its reason.
$ ironworks maintenance off r7-n08
$ ironworks maintenance off r7-n01 r7-n02`,
	"ironworks set": `Edit node fields and traits
Edit node fields. Only the named fields are sent, so secrets that Ironic masks stay unchanged.

  KEY=VALUE     set; under properties, driver_info, instance_info and extra, dots separate the keys of
                the path; a VALUE that is JSON is sent as JSON
  KEY-          remove
  traits=A,B    set all traits; traits+=C adds traits, traits-=D removes traits
$ ironworks set r7-n01 r7-n02 resource_class=gp-2x owner=rack7
$ ironworks set r7-n01 deploy_interface=custom-agent properties.root_device.wwn=0x5000c500a1b2c3d4
$ ironworks set r7-n01 traits+=CUSTOM_NVME description-`,
	"ironworks boot-device": `Set the boot device of nodes: pxe, disk, cdrom, bios, …
Set the device that nodes boot from, once or with --persistent for every boot.
$ ironworks boot-device pxe r7-n01
$ ironworks boot-device disk r7-n01 r7-n02 --persistent`,
	"ironworks protect": `Protect active nodes from undeploy and rebuild
Set the protected flag of active nodes: Ironic refuses undeploy and rebuild until the flag is cleared.
$ ironworks protect r7-n01 --reason 'database primary'
$ ironworks protect r7-n01 r7-n07`,
	"ironworks unprotect": `Clear the protected flag
Clear the protected flag of nodes, so that they can be undeployed and rebuilt.
$ ironworks unprotect r7-n01
$ ironworks unprotect r7-n01 r7-n07`,
	"ironworks retire": `Mark nodes as retired
Set the retired flag of nodes: after undeploy and cleaning they become manageable instead of available.
$ ironworks retire r7-n01 --reason 'out of warranty'
$ ironworks retire r7-n01 r7-n07`,
	"ironworks unretire": `Clear the retired flag
Clear the retired flag of nodes, so that they become available again after cleaning.
$ ironworks unretire r7-n01
$ ironworks unretire r7-n01 r7-n07`,
	"ironworks delete": `Delete nodes from Ironic
Delete nodes from Ironic, with their ports, BMC credentials, inventory and history. The machines are left
as they are: nothing is erased or powered off. Ironic deletes nodes in the state enroll, manageable, available
or adopt failed, and every node in maintenance that is not protected.
$ ironworks delete r7-n09
$ ironworks delete r7-n09 r7-n10 --yes`,

	"ironworks manage": `Verify BMC credentials, or move nodes to manageable
Move nodes to manageable. From enroll, Ironic verifies that the BMC accepts the credentials; from available
and after a failed operation the state changes at once.
$ ironworks manage r7-n01 --wait
$ ironworks manage r7-n05 r7-n12`,
	"ironworks provide": `Clean nodes and make them available
Move manageable nodes to available. With automated cleaning Ironic erases the disks first.
$ ironworks provide r7-n05 --yes --wait
$ ironworks provide r7-n05 r7-n12 --stop-on-failure --wait`,
	"ironworks bringup": `Bring nodes to available
Bring nodes to the state given with --to, one verb after another: manage, inspect unless the node was inspected,
then provide, which runs automated cleaning. A node stops at its first failure and shows the reason; the others
continue. Run the same command again to continue a failed run; it also waits for operations that are still running.
Name the nodes, or give a filter that has a term with a colon, such as class:gp-2x.
$ ironworks bringup r7-n05 r7-n12
$ ironworks bringup state:enroll class:gp-2x --to inspected
$ ironworks bringup 'state:enroll | state:clean-failed' --dry-run`,
	"ironworks inspect": `Inspect hardware
Inspect the hardware of manageable nodes: Ironic records the inventory and updates properties and ports.
$ ironworks inspect r7-n05 --wait
$ ironworks inspect r7-n05 r7-n12 --wait --timeout 30m`,
	"ironworks clean": `Run clean steps
Run clean steps on manageable nodes. Give the steps with --step, --steps or --runbook.
$ ironworks clean r7-n05 --step deploy.erase_devices_metadata --wait
$ ironworks clean r7-n05 --steps '[{"interface": "deploy", "step": "erase_devices"}]'`,
	"ironworks adopt": `Adopt machines that already run an instance
Move manageable nodes whose machines already run an instance to active, without a deployment.
$ ironworks adopt r7-n05
$ ironworks adopt r7-n05 r7-n12 --wait`,
	"ironworks deploy": `Deploy nodes (available → active)
Deploy nodes from a plan, from flags, or from both: flags take precedence. Every node is checked before
anything is sent; if a check refuses a node, the command prints all reasons and exits with code 3.

A custom-agent node without a deploy step gets install_coreos at priority 80.
$ ironworks deploy r7-n01 --user-data host.bu --root-device '{"serial": "S3Z8NB0K"}' --dry-run
$ ironworks deploy -f rack7.yaml --yes --wait
$ ironworks deploy r7-n02 --user-data host.bu --override inventory --confirm r7-n02
$ ironworks deploy --resume`,
	"ironworks rebuild": `Redeploy active or failed nodes
Redeploy active nodes, or nodes whose deployment failed. They keep their instance, and their root disk is
overwritten. The plan, flags and checks are the same as for ironworks deploy.
$ ironworks rebuild r7-n01 --user-data host.bu --dry-run
$ ironworks rebuild r7-n01 -f rack7.yaml --yes --wait`,
	"ironworks undeploy": `Undeploy and clean nodes (active → available)
Remove the instances from nodes. With automated cleaning, Ironic erases the disks.
$ ironworks undeploy r7-n01
$ ironworks undeploy r7-n01 r7-n07 --yes --wait`,
	"ironworks rescue": `Boot the rescue ramdisk
Boot active nodes into the rescue ramdisk, where the rescue user logs in with a password. At a terminal the
command prompts for the password; otherwise --password-file is required.
$ ironworks rescue r7-n01 --wait
$ ironworks rescue r7-n01 --password-file password.txt --wait`,
	"ironworks unrescue": `Leave the rescue ramdisk
Boot nodes from the rescue ramdisk back into their instance.
$ ironworks unrescue r7-n01
$ ironworks unrescue r7-n01 --wait --timeout 15m`,
	"ironworks service": `Run service steps on active nodes
Run service steps on active nodes; the instance is kept. Give the steps with --step, --steps or --runbook.
$ ironworks service r7-n01 --step management.update_firmware --wait
$ ironworks service r7-n01 --runbook CUSTOM_FIRMWARE`,
	"ironworks abort": `Abort the current operation
Abort cleaning, inspection or servicing of nodes, or a deployment that is waiting. A step that cannot be aborted
finishes first.
$ ironworks abort r7-n04
$ ironworks abort r7-n04 r7-n11 --wait`,
	"ironworks unhold": `Resume held nodes
Resume nodes that a hold step stopped in deploy hold, clean hold or service hold.
$ ironworks unhold r7-n04
$ ironworks unhold r7-n04 r7-n11 --wait`,

	"ironworks hints": `Test root device hints on disks, or write the hint of a disk
Test which disk root device hints pick, offline, or write the most stable hint of a disk to a node.
$ ironworks hints match --hints '{"size": ">= 400"}' --inventory inventory.json
$ ironworks hints set r7-n04 --disk /dev/nvme0n1`,
	"ironworks hints match": `Show which disk root device hints pick, offline
Show which disk root device hints pick. Ironic's validation and the agent's search are reported separately,
because they disagree about some hints.

--inventory reads the inventory of a node as Ironic returns it, its list of disks, or the output of
ironworks disks -o json. --batch reads one case per line, {"hints": …, "disks": […]}, and answers each with a line
{"valid": bool, "invalid_because": …, "agent": {"picks": NAME or null, "error": …}}. - is standard input.
$ ironworks hints match --hints '{"model": "<in> 980 pro", "size": ">= 400"}' --inventory inventory.json -o json
$ ironworks hints match --batch cases.jsonl > answers.jsonl`,
	"ironworks hints set": `Write the most stable hint of a disk to a node
Write the hint that identifies a disk permanently: its wwn, or else wwn_with_extension, wwn_vendor_extension,
serial, by_path or hctl. The hint replaces the current hints. The exit code is 3 when the disk has no unique value.

Hints in instance_info take precedence over hints in properties, and are removed by an undeploy.
$ ironworks hints set r7-n04 --disk /dev/nvme0n1
$ ironworks hints set r7-n04 --disk /dev/nvme0n1 --to instance_info --yes`,
}
