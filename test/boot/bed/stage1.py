"""The initramfs: busybox, the real Ignition and the programs that it calls."""

import os
import re
import shutil

from . import parts, roots

FOLDER = os.path.join(parts.HERE, "stage1")

# Programs that Ignition and udev call, copied from the root file system.
PROGRAMS = (
    "usr/sbin/useradd usr/sbin/usermod usr/sbin/userdel usr/sbin/groupadd usr/sbin/groupmod usr/sbin/groupdel usr/sbin/mkfs.ext4 "
    "usr/sbin/mkfs.fat usr/sbin/mkfs.xfs usr/sbin/mkswap usr/sbin/wipefs usr/sbin/sgdisk usr/bin/partx usr/bin/udevadm usr/bin/systemctl "
    "usr/bin/mount usr/bin/umount usr/bin/kmod usr/sbin/blkid usr/bin/curl usr/lib/udev/ata_id usr/lib/udev/scsi_id usr/lib/udev/cdrom_id"
).split()
LIBRARIES = ["usr/lib/x86_64-linux-gnu/libnss_files.so.2", "usr/lib/x86_64-linux-gnu/libnss_dns.so.2"]
RULES = (
    "50-udev-default 60-block 60-cdrom_id 60-persistent-storage 64-btrfs 75-net-description 80-drivers 80-net-setup-link"
).split()
FILES = ["etc/mke2fs.conf", "etc/ssl/certs/ca-certificates.crt", "etc/nsswitch.conf", "etc/login.defs", "usr/lib/systemd/network/99-default.link", "etc/ld.so.cache"]

# Drivers for QEMU's devices, and file systems; udev loads the others from the root file
# system.
MODULES = (
    "loop overlay squashfs isofs ext4 vfat xfs nls_cp437 nls_ascii nls_iso8859-1 nls_utf8 sr_mod sd_mod cdrom ahci nvme virtio_pci virtio_scsi "
    "virtio_blk virtio_net e1000 e1000e usb-storage uas xhci-pci ehci-pci uhci-hcd virtio_rng qemu_fw_cfg dm-mod dm-crypt raid1 crc32c_generic crc32c-intel"
).split()
MKINITRD_DIRECTORIES = "busybox dev etc/udev proc root run sys sysroot tmp usr/bin usr/sbin usr/lib/ignition/base.d usr/lib/x86_64-linux-gnu usr/lib64 var".split()


def inputs():
    """Return the files that determine the initramfs, apart from the root file system."""
    return [FOLDER, os.path.abspath(__file__)]


def make(root, ignition, path):
    """Write the initramfs for a root file system."""
    with parts.Scratch("stage1") as scratch:
        tree = os.path.join(scratch, "tree")
        for name in MKINITRD_DIRECTORIES:
            os.makedirs(os.path.join(tree, name))
        for name in ("bin", "sbin", "lib", "lib64"):
            os.symlink("usr/" + name, os.path.join(tree, name))
        copy_programs(root, ignition, tree)
        copy_modules(root, tree)
        copy_busybox(tree)
        for name, mode in (("init", 0o755), ("udhcpc", 0o755)):
            shutil.copy(os.path.join(FOLDER, name), os.path.join(tree, name))
            os.chmod(os.path.join(tree, name), mode)
        shutil.copy(os.path.join(FOLDER, "ignition-kargs-helper"), os.path.join(tree, "usr/bin/ignition-kargs-helper"))
        shutil.copy(os.path.join(FOLDER, "base.ign"), os.path.join(tree, "usr/lib/ignition/base.d/00-core.ign"))
        write(tree, "etc/initrd-release", 'NAME="ironworks boot bed"\n')
        # coreos-installer and ironworks recognize the initramfs of a live CoreOS by these files.
        write(tree, "etc/coreos-live-initramfs", "")
        write(tree, "etc/coreos/features.json", '{"live-initrd-network": true}\n')
        archive = "find . -print0 | sort -z | cpio --null --create --format=newc --quiet --owner=0:0 | zstd -q -15 -T0 > " + path
        parts.run(["sh", "-c", archive], cwd=tree)


def write(tree, name, text):
    path = os.path.join(tree, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def copy(root, tree, name):
    """Copy a file of the root file system under its name, following links."""
    target = os.path.join(tree, name)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    source = os.path.join(root, name)
    while os.path.islink(source):
        link = os.readlink(source)
        source = os.path.join(root, link.lstrip("/")) if link.startswith("/") else os.path.join(os.path.dirname(source), link)
    shutil.copy2(source, target)


def copy_programs(root, ignition, tree):
    shutil.copy2(ignition, os.path.join(tree, "usr/bin/ignition"))
    copy(root, tree, "usr/lib/systemd/systemd-udevd") if not os.path.islink(os.path.join(root, "usr/lib/systemd/systemd-udevd")) else None
    for name in PROGRAMS + FILES:
        copy(root, tree, name)
    for name in RULES:
        copy(root, tree, "usr/lib/udev/rules.d/%s.rules" % name)
    for name in ("etc/passwd", "etc/group"):
        copy(root, tree, name)
    os.makedirs(os.path.join(tree, "usr/lib/systemd"), exist_ok=True)
    if not os.path.exists(os.path.join(tree, "usr/lib/systemd/systemd-udevd")):
        os.symlink("/usr/bin/udevadm", os.path.join(tree, "usr/lib/systemd/systemd-udevd"))
    for name in ("modprobe", "insmod", "rmmod", "depmod"):
        os.symlink("../bin/kmod", os.path.join(tree, "usr/sbin", name))
    libraries = set(LIBRARIES)
    programs = ["/" + n for n in PROGRAMS]
    # The root file system has Ignition at the same path.
    for program in programs + ["/usr/bin/ignition"]:
        found = re.findall(r"(/\S+\.so\S*)", parts.run(["chroot", root, "ldd", program]))
        libraries.update(os.path.realpath(os.path.join(root, f.lstrip("/")))[len(os.path.realpath(root)) + 1:] for f in found)
        libraries.update("usr" + f if not f.startswith("/usr") else f.lstrip("/") for f in found)
    for name in libraries:
        if not os.path.exists(os.path.join(tree, name)):
            copy(root, tree, name)


def copy_modules(root, tree):
    version = roots.kernel_version(root)
    for name in MODULES:
        shown = parts.run(["chroot", root, "modprobe", "--set-version", version, "--show-depends", name])
        for path in re.findall(r"^insmod /(?:usr/)?(\S+)", shown, re.M):
            copy(root, tree, "usr/" + path)
    for name in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
        copy(root, tree, "usr/lib/modules/%s/%s" % (version, name))
    parts.run(["chroot", tree, "/usr/sbin/depmod", version])


def copy_busybox(tree):
    target = os.path.join(tree, "busybox", "busybox")
    shutil.copy2("/bin/busybox", target)
    for applet in parts.run([target, "--list"]).split():
        if applet != "busybox":
            os.symlink("busybox", os.path.join(tree, "busybox", applet))
