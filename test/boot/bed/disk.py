"""The image that coreos-installer writes: GPT with EFI-SYSTEM, boot and root, built without mounting."""

import os
import re
import shutil

from . import live, parts

KARGS = "ignition.platform.id=metal $ignition_firstboot root=LABEL=root rw mitigations=off console=tty0 console=ttyS0,115200n8 systemd.show_status=true"

MIB = 1 << 20
ESP_SIZE = 16 * MIB
BOOT_SIZE = 96 * MIB
ROOM = 256 * MIB  # for user data
FIRST = MIB

MODULES = "part_gpt ext2 fat search search_label search_fs_uuid configfile normal linux echo test serial terminal regexp all_video gzio reboot halt true".split()

# GRUB searches the boot partition on its own disk first, because another disk may have
# one, too.
EARLY = "search --no-floppy --label boot --hint ${root} --set=root\nset prefix=($root)/grub2\nconfigfile ($root)/grub2/grub.cfg\n"

# coreos-installer edits loader entries, which Debian's GRUB cannot read. This GRUB runs the
# entry as a script, in which options is a function, and title and version do nothing.
GRUB = """serial --unit=0 --speed=115200
terminal_input serial console
terminal_output serial console
# CONSOLE-SETTINGS-START
# CONSOLE-SETTINGS-END
set timeout=0
function title { true; }
function version { true; }
function options { set kargs="$*"; }
set ignition_firstboot=""
set ignition_network_kcmdline=""
if [ -f /ignition.firstboot ]; then
  source /ignition.firstboot
  set ignition_firstboot="ignition.firstboot ${ignition_network_kcmdline}"
fi
menuentry "installed" {
  source /loader/entries/ostree-1.conf
  linux /vmlinuz ${kargs}
  initrd /initrd.img
}
"""
# Without linux and initrd: GRUB would run them, and loading a kernel twice crashes it.
ENTRY = "title Debian installed\nversion 1\noptions %s\n" % KARGS


def inputs():
    """Return the files that determine the image, apart from the root file system."""
    return [os.path.abspath(__file__)]


def make(root, initrd, path):
    """Write the compressed image of a root file system and empty its boot folder."""
    with parts.Scratch("disk") as scratch:
        boot = boot_tree(root, initrd, scratch)
        esp, boot_image, root_image = (os.path.join(scratch, n) for n in ("esp.img", "boot.img", "root.img"))
        file_system(boot_image, "boot", boot, BOOT_SIZE)
        file_system(root_image, "root", root, rounded(tree_size(root)) + ROOM)
        efi_system(esp, scratch)
        disk = os.path.join(scratch, "disk.img")
        join(disk, [(esp, "EFI-SYSTEM", "ef00"), (boot_image, "boot", "8300"), (root_image, "root", "8300")])
        parts.run(["zstd", "-q", "-9", "-T0", disk, "-o", path])


def boot_tree(root, initrd, scratch):
    boot = os.path.join(scratch, "boot")
    os.makedirs(os.path.join(boot, "loader/entries"))
    shutil.copy(live.kernel(root), os.path.join(boot, "vmlinuz"))
    shutil.copy(initrd, os.path.join(boot, "initrd.img"))
    live.write(boot, "grub2/grub.cfg", GRUB)
    live.write(boot, "loader/entries/ostree-1.conf", ENTRY)
    live.write(boot, "ignition.firstboot", "")
    for name in os.listdir(os.path.join(root, "boot")):
        parts.remove(os.path.join(root, "boot", name))
    return boot


def file_system(path, label, tree, size):
    parts.run(["truncate", "--size", str(size), path])
    parts.run(["mkfs.ext4", "-q", "-F", "-L", label, "-m", "0", "-E", "lazy_itable_init=1", "-d", tree, path])


def efi_system(path, scratch):
    early = os.path.join(scratch, "early.cfg")
    live.write(scratch, "early.cfg", EARLY)
    program = os.path.join(scratch, "BOOTX64.EFI")
    parts.run(["grub-mkimage", "-O", "x86_64-efi", "-o", program, "-c", early, "-p", "/grub2"] + MODULES)
    parts.run(["truncate", "--size", str(ESP_SIZE), path])
    parts.run(["mkfs.vfat", "-n", "EFI-SYSTEM", path])
    parts.run(["mmd", "-i", path, "::EFI", "::EFI/BOOT"])
    parts.run(["mcopy", "-i", path, program, "::EFI/BOOT/BOOTX64.EFI"])


def join(disk, partitions):
    """Write the partitions one after the other, and the partition table."""
    at = FIRST
    table = ["sgdisk", "--clear"]
    parts.run(["truncate", "--size", str(FIRST + sum(os.path.getsize(p) for p, _, _ in partitions) + MIB), disk])
    for number, (path, name, kind) in enumerate(partitions, 1):
        size = os.path.getsize(path)
        table += ["--new", "%d:%d:%d" % (number, at // 512, (at + size) // 512 - 1), "--change-name", "%d:%s" % (number, name), "--typecode", "%d:%s" % (number, kind)]
        parts.run(["dd", "if=" + path, "of=" + disk, "bs=1M", "seek=%d" % (at // MIB), "conv=notrunc,sparse", "status=none"])
        at += size
    parts.run(table + [disk])


def tree_size(root):
    """Return the size of the files in whole blocks, in bytes."""
    return int(re.match(r"\d+", parts.run(["du", "-s", "--block-size=1", root])).group())


def rounded(size):
    """Return the size with ext4's overhead, in bytes, rounded up to MiB."""
    return (size * 108 // 100 // MIB + 1) * MIB
