package help

var ignitionHelpTexts = map[string]string{
	"ironworks ignition": `Make, check and serve the configuration of CoreOS ramdisks
Make the Ignition configuration that boots a CoreOS live image into ironic-python-agent, check the
configuration of installed systems, and deliver a configuration to machines: in an ISO, appended to an
initramfs, or from a server. For any FILE, - means standard input or standard output.
$ ironworks ignition build -o ramdisk.ign
$ ironworks ignition embed fedora-coreos.iso ramdisk.ign --output agent.iso
$ ironworks ignition serve --iso fedora-coreos.iso --per-node r7-n01 r7-n02 --listen auto --apply`,
	"ironworks ignition build": `Make the configuration of a ramdisk
Make the Ignition configuration that boots a CoreOS live image into an Ironic agent.
The URL of Ironic, its CA and the TLS verification come from the context unless --host is given.
--agent builtin starts ironworks-agent, a single program, instead of the container.
The result contains secrets: FILE is readable only by its owner, and is never replaced without --force.
$ ironworks ignition build -o ramdisk.ign
$ ironworks ignition build --host https://10.0.0.5:6385 --ca ironic.pem --ssh-key ~/.ssh/ops.pub --preview
$ ironworks ignition build --agent builtin --agent-url http://10.0.0.2/ironworks-agent --host 10.0.0.5
$ ironworks ignition build --profile classic --host 10.0.0.5 --ssh-key ~/.ssh/ops.pub --registry quay.io/lab`,
	"ironworks ignition check": `Check user data and summarize what it does
Check the user data of an installed system: Ignition, Butane, a MachineConfig, and formats that are often
mistaken for these. Exit codes: 0 valid, possibly with warnings; 3 invalid.
-o json prints {kind, ok, problems, summary}.
$ ironworks ignition check worker.bu --files-dir .
$ ironworks ignition check - -o json < config.ign`,
	"ironworks ignition embed": `Embed a configuration in a CoreOS live ISO
Embed a configuration in a CoreOS live ISO: in place, or in a copy with --output. Butane is translated.
Network keyfiles in the ISO are kept. An ISO that already has a configuration is refused without --force.
An existing OUT is never replaced; a new file is readable only by its owner.
$ ironworks ignition embed live.iso ramdisk.ign --output agent.iso
$ ironworks ignition build | ironworks ignition embed live.iso - --output agent.iso
$ ironworks ignition embed live.iso ramdisk.ign --output - --karg-append console=ttyS0 | ssh web 'cat > agent.iso'`,
	"ironworks ignition show": `Print the configuration in a live ISO or an initrd
Print the configuration in a live ISO or an initrd, byte for byte; - reads an initrd from standard input.
-o json and -o yaml describe the image, too. The exit code is 1 when no configuration is embedded.
$ ironworks ignition show agent.iso
$ ironworks ignition show agent.img -o json`,
	"ironworks ignition remove": `Remove the configuration from a live ISO
Remove the configuration from a live ISO. Network keyfiles are kept; an ISO without keyfiles is then identical
to the ISO before embedding.
$ ironworks ignition remove agent.iso
$ ironworks ignition remove agent.iso --output live.iso`,
	"ironworks ignition kargs": `Show or change the kernel arguments of a live ISO
Show or change the kernel arguments of a live ISO, in place or in a copy with --output.
$ ironworks ignition kargs show live.iso
$ ironworks ignition kargs append live.iso console=ttyS0 --output serial.iso`,
	"ironworks ignition kargs show": `Print the kernel arguments of a live ISO
Print the current kernel arguments of a live ISO, or with --default the original ones.
$ ironworks ignition kargs show live.iso
$ ironworks ignition kargs show live.iso --default`,
	"ironworks ignition kargs append": `Append kernel arguments
Append kernel arguments to the existing ones of a live ISO.
$ ironworks ignition kargs append live.iso console=ttyS0
$ ironworks ignition kargs append live.iso console=ttyS0 ip=dhcp --output serial.iso`,
	"ironworks ignition kargs delete": `Delete kernel arguments
Delete kernel arguments from a live ISO: every argument that is identical to ARG.
$ ironworks ignition kargs delete live.iso quiet
$ ironworks ignition kargs delete live.iso console=ttyS0 --output plain.iso`,
	"ironworks ignition kargs replace": `Replace values of kernel arguments
Replace the value OLD of the kernel argument KEY with NEW.
$ ironworks ignition kargs replace live.iso console=ttyS0=ttyS1
$ ironworks ignition kargs replace live.iso console=ttyS0=ttyS1 --output second.iso`,
	"ironworks ignition kargs reset": `Restore the original kernel arguments
Restore the kernel arguments that the ISO was released with.
$ ironworks ignition kargs reset live.iso
$ ironworks ignition kargs reset live.iso --output original.iso`,
	"ironworks ignition wrap": `Build an initrd from a configuration, for network boot
Build an initrd that contains a configuration. A boot loader loads it in addition to the live initramfs. Ironic
loads only one initrd: --append combines the initramfs and the configuration in one file.
$ ironworks ignition wrap ramdisk.ign --output config.img
$ ironworks ignition wrap ramdisk.ign --append fedora-coreos-live-initramfs.x86_64.img --output agent.img`,
	"ironworks ignition serve": `Serve an ISO, or kernel and initramfs, to BMCs and Ironic
Serve a live ISO, or its kernel, initramfs and root file system, with a configuration, until interrupted.
The configuration is read from --ignition, or else from the ISO, or else built with the flags of ignition build.
--per-node serves each NODE its own stream with its hostname; {node} in --hostname, --keyfile and
--ip-option stands for the name of the node. Nothing is copied: all streams are made from one file.

The files contain secrets and clients do not authenticate, so the URLs cannot be guessed: treat them as secrets.
The default is to listen on 127.0.0.1; --listen auto picks the address at which the BMCs of the nodes
reach this computer. --apply writes the URLs to the nodes.
$ ironworks ignition serve --iso live.iso --per-node r7-n01 r7-n02 --listen auto --apply
$ ironworks ignition serve --iso live.iso --agent builtin --listen auto
$ ironworks ignition serve --iso live.iso --ignition ramdisk.ign --listen 10.0.0.2:8080
$ ironworks ignition serve --kernel vmlinuz --initrd initramfs.img --rootfs rootfs.img --ignition ramdisk.ign`,
	"ironworks ignition apply": `Set the ramdisk that nodes boot
Set deploy_iso, or deploy_kernel and deploy_ramdisk with kernel_append_params, in driver_info of nodes, and
remove conflicting fields. The requests and the equivalent baremetal commands are shown first.
The change takes effect when Ironic next boots the machines.
$ ironworks ignition apply r7-n01 --iso http://10.0.0.2:8080/agent.iso --dry-run
$ ironworks ignition apply r7-n01 --kernel http://10.0.0.2/vmlinuz --initrd http://10.0.0.2/agent.img --no-kernel-params`,
}
