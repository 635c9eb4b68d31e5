// Package external runs a separate agent program on a machine of
// the lab: the real ironic-python-agent, or another one.
//
// The program is started when the ramdisk has booted, and killed when the machine is
// powered off: SIGTERM, a second later SIGKILL, to its whole process group. Its stdout and
// stderr are the machine's journal, line by line. It gets these variables:
//
//	IRONWORKS_MACHINE       the machine's name
//	IRONWORKS_MACS          the addresses of its network interfaces, with spaces between
//	IRONWORKS_IRONIC_URL    where Ironic is: http://127.0.0.1:6385
//	IRONWORKS_AGENT_TOKEN   the token that came with the boot medium; unset if none did
//	IRONWORKS_PLAIN         1: Ironic does not want TLS; else unset
//	IRONWORKS_NO_INSPECTION 1: the ramdisk is set up without inspection; else unset
//	IRONWORKS_SPEED         how many times faster than real the machine is
//	IRONWORKS_HARDWARE_URL  where the machine itself is
//
// The last is a small HTTP service on loopback. Its URL has a random part, new
// at each boot, which is all the authentication there is. Bodies and answers
// are JSON:
//
//	GET  inventory                        what the machine is: that of ironic-python-agent
//	GET  block-devices                    its disks, as in the inventory, with read_only and virtual_media
//	POST install {argv, ignition}         coreos-installer; argv begins with "install", ignition is base64
//	POST run {argv}                       a program of the ramdisk: parted, mdadm, lsblk, …; answers {stdout, stderr, exit}
//	GET  mount?device=                    the files of a partition: {device, files}, with error where it cannot be mounted
//	POST unmount {device, files}          writes them back, all of them
//	POST boot-entry {device}              the firmware's boot entry of a disk
//	POST erase {device, depth}            depth is metadata or all
//	POST write-image?device=&id=&format=  the body is the image; answers {root_uuid}
//	POST start-unit {unit}                starts a systemd unit
//	GET  unit-state?unit=                 answers {active, result}
//	POST rescue-password {hash}
//	POST network-down
//	POST sync
//	POST power-off, POST reboot           only begin it; the program will be killed
//
// What has nothing to answer answers 204. What fails answers a status of 400 or
// more and {error, kind}, where kind is no-efi-partition, no-partitions,
// bad-request or failed. An installation answers 200 and a line of
// JSON for each line that coreos-installer prints, {"line": …}, as it prints
// it; the last one is {"exit": code}, or {"missing": true} where there is no
// coreos-installer.
//
// The real agent takes the computer that it runs on for the machine: it erases
// disks, and where its poweroff fails it asks the kernel to switch off. Do not
// run it here without something that keeps it from that; test/agent has a guard
// for it. A program named poweroff must survive the SIGTERM that it causes
// itself, or the agent takes it for failed.
//
// Of the [agent.Faults] those happen that are seen from outside:
// InstallFailures, DieInStep for install_coreos and NoRoute. The others are of
// our own agent.
package external
