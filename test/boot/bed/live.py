"""The live ISO, with CoreOS's embed areas for a configuration and kernel arguments."""

import json
import os
import shutil

from . import parts, roots, stage1

LABEL = "ironworks-live"
KARGS = (
    "mitigations=off coreos.liveiso=" + LABEL + " ignition.firstboot ignition.platform.id=metal "
    "console=tty0 console=ttyS0,115200n8 systemd.show_status=true"
)
KARGS_ROOM = 1024
AREA = 256 << 10
OVERLAY = os.path.join(parts.HERE, "root")


def finished_root(tar, root, programs):
    """The root file system: the packages, our files and the programs built from source."""
    roots.unpack(tar, root)
    parts.run(["cp", "-r", OVERLAY + "/.", root])
    for name, path in programs.items():
        shutil.copy2(path, os.path.join(root, "usr/bin", name))
    # Where systemd finds this it applies the presets, and so enables what Ignition enables.
    write(root, "etc/machine-id", "uninitialized\n")
    write(root, "etc/hostname", "localhost\n")
    write(root, "etc/fstab", "LABEL=root / ext4 rw 0 0\nLABEL=boot /boot ext4 rw,nofail 0 0\n")
    os.chmod(os.path.join(root, "etc/sudoers.d/coreos"), 0o440)
    chroot = ["chroot", root]
    parts.run(chroot + ["groupadd", "--system", "wheel"])
    parts.run(chroot + ["passwd", "--lock", "root"])
    # NetworkManager configures the network: networkd beside it would wait two minutes.
    for unit in ("systemd-networkd.service", "systemd-networkd.socket", "systemd-networkd-wait-online.service", "systemd-firstboot.service"):
        os.symlink("/dev/null", os.path.join(root, "etc/systemd/system", unit))
    # CoreOS has the file there, and configurations append to it.
    os.rename(os.path.join(root, "etc/chrony/chrony.conf"), os.path.join(root, "etc/chrony.conf"))
    os.symlink("../chrony.conf", os.path.join(root, "etc/chrony/chrony.conf"))
    for name in os.listdir(os.path.join(root, "etc/ssh")):
        if name.startswith("ssh_host_"):
            os.remove(os.path.join(root, "etc/ssh", name))
    # Packages enable their units; CoreOS does not.
    parts.run(chroot + ["systemctl", "preset-all"])
    for name in ("vmlinuz", "vmlinuz.old", "initrd.img", "initrd.img.old"):
        parts.remove(os.path.join(root, name))
    parts.run(chroot + ["depmod", roots.kernel_version(root)])


def write(root, name, text):
    path = os.path.join(root, name)
    if os.path.islink(path):
        os.remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def kernel(root):
    return os.path.join(root, "boot", "vmlinuz-" + roots.kernel_version(root))


def inputs():
    """Return the files that determine the images, apart from packages and programs."""
    return [OVERLAY, os.path.abspath(__file__), os.path.abspath(roots.__file__)] + stage1.inputs()


def make(root, initrd, path):
    """Write the live ISO of a root file system."""
    with parts.Scratch("live") as scratch:
        squashfs = os.path.join(scratch, "root.squashfs")
        parts.run(["mksquashfs", root, squashfs, "-comp", "zstd", "-Xcompression-level", "12", "-quiet", "-no-progress", "-e", "boot"])
        tree = os.path.join(scratch, "tree")
        for name in ("images/pxeboot", "coreos", "boot/grub"):
            os.makedirs(os.path.join(tree, name))
        parts.run(["sh", "-c", "echo root.squashfs | cpio --create --format=newc --quiet > " + os.path.join(tree, "images/pxeboot/rootfs.img")], cwd=scratch)
        os.remove(squashfs)
        shutil.copy(kernel(root), os.path.join(tree, "images/pxeboot/vmlinuz"))
        shutil.copy(initrd, os.path.join(tree, "images/pxeboot/initrd.img"))
        with open(os.path.join(tree, "images/ignition.img"), "wb") as f:
            f.write(bytes(AREA))
        offset, size = grub_configuration(tree)
        kargs = {"default": KARGS, "size": size, "files": [{"path": "boot/grub/grub.cfg", "offset": offset, "pad": "#", "end": "\n"}]}
        write(tree, "coreos/igninfo.json", json.dumps({"file": "images/ignition.img"}) + "\n")
        write(tree, "coreos/kargs.json", json.dumps(kargs) + "\n")
        write(tree, "coreos/features.json", json.dumps({"live-initrd-network": True}) + "\n")
        # coreos-installer reads names of plain ISO 9660, with 8.3 characters.
        parts.run(["grub-mkrescue", "-o", path, tree, "--", "-volid", LABEL, "-compliance", "iso_9660_level=1"])


def grub_configuration(tree):
    """Write GRUB's configuration; return the offset of its kernel arguments and the size of their area."""
    before = (
        "serial --unit=0 --speed=115200\nterminal_input serial console\nterminal_output serial console\nset timeout=0\n"
        'menuentry "live" {\n  linux /images/pxeboot/vmlinuz '
    )
    size = len(KARGS) + KARGS_ROOM
    room = KARGS + "\n" + "#" * (size - len(KARGS) - 1)
    after = "# COREOS_KARG_EMBED_AREA\n  initrd /images/pxeboot/initrd.img /images/ignition.img\n}\n"
    write(tree, "boot/grub/grub.cfg", before + room + after)
    return len(before), size
