package help

var machineHelpTexts = map[string]string{
	"ironworks serve": `Serve the console to a team over SSH
Serve the console and commands over SSH, for users who have no connection to Ironic: ssh -t HOST -p 2222
opens the console, ssh HOST -p 2222 nodes -o json runs a command. All sessions share one poller and the running
tasks, which continue when a session ends.

Users log in with public keys (--authorized-keys: TYPE KEY NAME [ROLE] in each line) or certificates (--user-ca;
principals are the name and ironworks-ROLE). A viewer changes nothing, an operator acts on nodes, an admin may also
override checks. The serve section of the configuration file has the same settings, and the roles and node filters
of users. Files are read again when they change; a revoked key ends its sessions. No passwords, forwarding or shell.
$ ironworks serve --authorized-keys /etc/ironworks/authorized_keys
$ ironworks serve --context production --listen :2222 --user-ca /etc/ironworks/user_ca.pub --check`,
	"ironworks bmc": `Query a BMC over Redfish, or send it a command
Query the BMC of a node over Redfish and compare the answer with what Ironic reports: health, power, boot,
drives, logs and sensors. One session is opened and closed; nothing is changed. The address comes
from driver_info. Ironic masks the password, so it comes from the context's bmc section, IRONWORKS_BMC_PASSWORD,
--bmc-password-file, the keyring (ironworks bmc login), or a prompt. --address queries a BMC without Ironic.

The subcommands change the machine without Ironic's knowledge. If a node has the same name as a
subcommand, give its UUID.
$ ironworks bmc r7-n01
$ ironworks bmc r7-n01 -o json
$ IRONWORKS_BMC_PASSWORD=… ironworks bmc --address https://10.0.7.1 --bmc-username root
$ ironworks bmc boot-once Cd r7-n01`,
	"ironworks bmc power": `Change the power state through the BMC
Change the power state of machines through their BMCs, without Ironic.
$ ironworks bmc power on r7-n01
$ ironworks bmc power off r7-n01 --yes`,
	"ironworks bmc power on": `Power machines on
Power machines on through their BMCs.
$ ironworks bmc power on r7-n01
$ ironworks bmc power on r7-n01 r7-n02 --yes`,
	"ironworks bmc power off": `Power machines off (hard)
Power machines off at once through their BMCs, without shutting the operating system down.
$ ironworks bmc power off r7-n01
$ ironworks bmc power off r7-n01 r7-n02 --yes`,
	"ironworks bmc power shut-down": `Shut the operating system down
Ask the operating system to shut down, through the BMC.
$ ironworks bmc power shut-down r7-n01
$ ironworks bmc power shut-down r7-n01 r7-n02 --yes`,
	"ironworks bmc power reset": `Reset machines (hard)
Reset machines at once through their BMCs, without shutting the operating system down.
$ ironworks bmc power reset r7-n01
$ ironworks bmc power reset r7-n01 r7-n02 --yes`,
	"ironworks bmc power restart": `Restart the operating system
Ask the operating system to restart, through the BMC.
$ ironworks bmc power restart r7-n01
$ ironworks bmc power restart r7-n01 r7-n02 --yes`,
	"ironworks bmc power cycle": `Power machines off and on again
Power machines off at once and on again through their BMCs.
$ ironworks bmc power cycle r7-n01
$ ironworks bmc power cycle r7-n01 r7-n02 --yes`,
	"ironworks bmc insert": `Insert an ISO into virtual media
Insert an ISO into the virtual CD of machines. The BMC downloads it from the URL.
$ ironworks bmc insert http://10.0.0.2:8080/rescue.iso r7-n01
$ ironworks bmc insert http://10.0.0.2:8080/rescue.iso r7-n01 --slot Cd --yes`,
	"ironworks bmc eject": `Eject virtual media
Eject the image from the virtual CD of machines.
$ ironworks bmc eject r7-n01
$ ironworks bmc eject r7-n01 --slot Cd --yes`,
	"ironworks bmc boot-once": `Set the boot source of the next boot
Set the source of the next boot only: Pxe, Cd, Hdd, Usb, UefiHttp, BiosSetup, …; None clears the setting.
$ ironworks bmc boot-once Pxe r7-n01
$ ironworks bmc boot-once None r7-n01 r7-n02`,
	"ironworks bmc clear-jobs": `Delete pending jobs of BMCs
Delete the pending jobs of BMCs, such as settings that wait for a reboot.
$ ironworks bmc clear-jobs r7-n01
$ ironworks bmc clear-jobs r7-n01 r7-n02 --yes`,
	"ironworks bmc reset-controller": `Restart BMCs; the machines keep running
Restart BMCs. The machines keep running; the BMCs do not answer for a few minutes.
$ ironworks bmc reset-controller r7-n01
$ ironworks bmc reset-controller r7-n01 --yes`,
	"ironworks bmc console": `Show the consoles that a BMC reports
Show the graphical and serial consoles that a BMC reports, with their protocols and URLs.
$ ironworks bmc console r7-n01
$ ironworks bmc console r7-n01 -o json`,
	"ironworks bmc login": `Store the password of a BMC in the keyring
Store the password of a BMC in the desktop's keyring (Secret Service, Keychain, Windows credentials), for the
context. The password is read from --bmc-password-file, IRONWORKS_BMC_PASSWORD or a prompt. It is stored only
if the BMC accepts it.
$ ironworks bmc login r7-n01
$ ironworks bmc login --address https://10.0.7.1 --bmc-username root --all`,
	"ironworks bmc logout": `Delete the password of a BMC from the keyring
Delete the password of a BMC from the keyring, and the password that was stored for all BMCs of the context.
$ ironworks bmc logout r7-n01
$ ironworks bmc logout --address https://10.0.7.1 --bmc-username root`,

	"ironworks lab": `Run simulated or virtual machines for demos and tests
Run machines for demos and tests: simulated machines have a Redfish BMC and disks, and follow the protocol of
ironic-python-agent when they boot a deploy ramdisk. Ironic drives them like real machines.
$ ironworks lab up --listen 127.0.0.1:6385
$ ironworks lab scenarios`,
	"ironworks lab up": `Run machines and an Ironic, without the console
Run machines and an embedded Ironic until interrupted, for scripts and other clients. The command prints the
environment variables that clients need.
With --vms the machines are virtual machines that boot a CoreOS live ISO in QEMU, with KVM if available.
With --real a real Ironic runs; its Python environment is created on first use, which needs python3,
a network connection and about 400 MB.
$ ironworks lab up --listen 127.0.0.1:6385
$ ironworks lab up --real --release 21.4.4
$ ironworks lab up --vms 3 --iso fedora-coreos-live.iso --disks nvme:20G,ssd:40G --lab-state ~/lab`,
	"ironworks lab machines": `Run simulated machines for your own Ironic
Run simulated machines for your own Ironic, until interrupted: BMCs that speak Redfish, and an agent in each
machine that boots the deploy ISO, which the lab also serves. --enrol creates the nodes and their ports.
--clean deletes the nodes that labs have enrolled, in any state, and runs no machines.
--agent-command runs your own agent: IRONWORKS_IRONIC_URL is the URL of Ironic, IRONWORKS_HARDWARE_URL
the URL of the machine's disks and power switch.
$ ironworks lab machines --count 3 --ironic-url http://127.0.0.1:6385 --enrol
$ ironworks lab machines --scenarios machines.yaml --ironic-url http://192.0.2.1:6385 --host 192.0.2.9`,
	"ironworks lab snapshot": `Save the disks and UEFI variables of virtual machines
Save the disks and UEFI variables of virtual machines (all, or the named ones) under a name. The machines
must be off; the lab may run. Ironic's nodes are not saved.
$ ironworks lab snapshot --lab-state ~/lab clean
$ ironworks lab snapshot --lab-state ~/lab --list`,
	"ironworks lab restore": `Restore virtual machines from a snapshot
Restore the disks and UEFI variables of virtual machines (all, or the named ones) from a snapshot, which
is kept. The machines must be off; the lab may run. Ironic's nodes are not restored.
$ ironworks lab restore --lab-state ~/lab clean
$ ironworks lab restore --lab-state ~/lab clean vm1`,
	"ironworks lab scenarios": `List the scenarios of simulated machines
List the scenarios of simulated machines that a --scenarios file can use.
$ ironworks lab scenarios
$ ironworks lab scenarios -o yaml`,
}
