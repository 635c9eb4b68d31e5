// Package external runs a separate agent program on a machine of the lab: the real ironic-python-agent, or another one.
//
// The program starts when the ramdisk has booted. When the machine is powered off, its whole process group is killed:
// with SIGTERM, and a second later with SIGKILL. Its stdout and stderr become the machine's journal, line by line. It
// has these environment variables:
//
//	IRONWORKS_MACHINE       the machine's name
//	IRONWORKS_MACS          the MAC addresses of its network interfaces, separated by spaces
//	IRONWORKS_IRONIC_URL    Ironic's URL: http://127.0.0.1:6385
//	IRONWORKS_PLAIN         1 if Ironic expects an agent without TLS; otherwise unset
//	IRONWORKS_NO_INSPECTION 1 if the ramdisk is configured without inspection; otherwise unset
//	IRONWORKS_SPEED         how many times faster than a real machine the machine is
//	IRONWORKS_HARDWARE_URL  the URL of the machine's hardware
//
// The hardware is a small HTTP service on loopback. A random part of its URL, new at each boot, is the only
// authentication. Requests and answers are JSON:
//
//	GET  inventory                        the inventory in ironic-python-agent's format
//	GET  block-devices                    the disks, as in the inventory, with read_only and virtual_media
//	POST install {argv, ignition}         runs coreos-installer; argv begins with "install", ignition is base64
//	POST run {argv}                       runs a program of the ramdisk, such as parted; answers {stdout, stderr, exit}
//	GET  mount?device=                    the files of a partition: {device, files}, with error if mounting fails
//	POST unmount {device, files}          stores all files of a partition
//	POST boot-entry {device}              creates the firmware's boot entry for a disk
//	POST erase {device, depth}            erases a disk; depth is metadata or all
//	POST write-image?device=&id=&format=  writes the image in the body; answers {root_uuid}
//	POST start-unit {unit}                starts a systemd unit
//	GET  unit-state?unit=                 answers {active, result}
//	POST rescue-password {hash}
//	POST network-down
//	POST sync
//	POST power-off, POST reboot           start the action, which kills the program
//
// The status is 204 for an answer without content, and 400 or more for an error, with {error, kind}: kind is
// no-efi-partition, no-partitions, bad-request or failed. An installation answers 200 and one line of JSON,
// {"line": …}, for each line that coreos-installer prints. The last line is {"exit": code}, or {"missing": true} without
// coreos-installer.
//
// The real agent treats the computer that it runs on as the machine: it erases disks, and if its poweroff fails, it
// powers the computer off through the kernel. Run it only under a guard, such as that of test/agent. A program named
// poweroff must survive the SIGTERM that it causes, or the agent considers it failed.
//
// Of the [agent.Faults], only InstallFailures, NoRoute, and DieInStep for install_coreos have an effect; the others need
// the lab's own agent.
package external
