"""What has to be there before anything is made."""

import os
import shutil
import subprocess

from . import parts

# Debian packages, and a file of each that shows that it is installed.
PACKAGES = {
    "busybox-static": "/bin/busybox",
    "cpio": "/bin/cpio",
    "docker-registry": "/usr/bin/docker-registry",
    "dosfstools": "/sbin/mkfs.vfat",
    "e2fsprogs": "/sbin/mkfs.ext4",
    "gcc": "/usr/bin/gcc",
    "gdisk": "/sbin/sgdisk",
    "grub-common": "/usr/bin/grub-mkrescue",
    "grub-efi-amd64-bin": "/usr/lib/grub/x86_64-efi/moddep.lst",
    "grub-pc-bin": "/usr/lib/grub/i386-pc/moddep.lst",
    "libblkid-dev": "/usr/include/blkid/blkid.h",
    "libssl-dev": "/usr/include/openssl/ssl.h",
    "libzstd-dev": "/usr/include/zstd.h",
    "mmdebstrap": "/usr/bin/mmdebstrap",
    "mtools": "/usr/bin/mcopy",
    "ovmf": "/usr/share/OVMF/OVMF_CODE_4M.fd",
    "pkg-config": "/usr/bin/pkg-config",
    "qemu-block-extra": "/usr/lib/x86_64-linux-gnu/qemu/block-curl.so",
    "qemu-system-x86": "/usr/bin/qemu-system-x86_64",
    "qemu-utils": "/usr/bin/qemu-img",
    "skopeo": "/usr/bin/skopeo",
    "squashfs-tools": "/usr/bin/mksquashfs",
    "umoci": "/usr/bin/umoci",
    "xorriso": "/usr/bin/xorriso",
    "zstd": "/usr/bin/zstd",
}


def missing():
    """What is missing, in one line; None if nothing is."""
    release = debian_release()
    if release != parts.SUITE or os.uname().machine != "x86_64":
        return "this is not Debian 12 (%s) on x86-64, whose packages the images are made of" % parts.SUITE
    if os.getuid() != 0:
        return "root is needed: mmdebstrap makes file systems with their owners and devices"
    absent = sorted(package for package, path in PACKAGES.items() if not os.path.exists(path))
    if absent:
        return "Debian packages are missing: apt-get install --no-install-recommends " + " ".join(absent)
    programs = [p for p in ("go", "cargo") if not shutil.which(p)]
    if programs:
        return "not on PATH: " + ", ".join(programs)
    return None


def debian_release():
    """The code name of the Debian release of this machine; None elsewhere."""
    try:
        with open("/etc/os-release", encoding="utf-8") as f:
            facts = dict(line.rstrip().split("=", 1) for line in f if "=" in line)
    except OSError:
        return None
    if facts.get("ID", "").strip('"') != "debian":
        return None
    return facts.get("VERSION_CODENAME", "").strip('"')


def go_version():
    """The version of Go, which is an input of what it builds."""
    return subprocess.run(["go", "env", "GOVERSION"], stdout=subprocess.PIPE, check=True).stdout.decode().strip()
