"""The requirements for building the images."""

import os
import shutil
import sys

from . import parts

sys.path.insert(0, os.path.join(parts.PROJECT, "test", "sshd"))

import install as debian  # noqa: E402  test/sshd/install.py

# Debian packages, each with a file that shows that it is installed.
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
    "ipxe-qemu": "/usr/lib/ipxe/qemu/efi-virtio.rom",
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


def impossible():
    """Return why this machine cannot build the images even with all packages, or None."""
    if debian.release() != parts.SUITE or os.uname().machine != "x86_64":
        return "the images need Debian 12 (%s) on x86-64" % parts.SUITE
    if os.getuid() != 0:
        return "root privileges required: mmdebstrap creates file systems with owners and devices"
    return None


def absent():
    """Return the Debian packages that are not installed."""
    return sorted(package for package, path in PACKAGES.items() if not os.path.exists(path))


def install():
    """Install the missing Debian packages if this machine can build the images."""
    packages = absent()
    if not packages or impossible():
        return
    parts.tell("installing %d Debian packages" % len(packages))
    environment = dict(parts.clean_environment(), DEBIAN_FRONTEND="noninteractive")
    parts.run(["apt-get", "update", "-qq"], env=environment)
    parts.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends"] + packages, env=environment)


def missing():
    """Return the missing requirements in one line, or None."""
    if impossible():
        return impossible()
    if absent():
        return "missing Debian packages: apt-get install --no-install-recommends " + " ".join(absent())
    programs = [p for p in ("go", "cargo") if not shutil.which(p)]
    if programs:
        return "not on PATH: " + ", ".join(programs)
    return None
