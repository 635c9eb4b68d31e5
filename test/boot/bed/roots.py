"""The root file systems of the ramdisk, the installed system and the agent: Debian's packages."""

import os
import shutil

from . import parts

LIVE = (
    "systemd systemd-sysv udev dbus libpam-systemd linux-image-amd64 podman crun conmon openssh-server network-manager "
    "chrony curl ca-certificates dmidecode efibootmgr gdisk fdisk parted dosfstools e2fsprogs xfsprogs util-linux iproute2 "
    "iputils-ping kmod sudo passwd less procps"
).split()

AGENT = (
    "python3.11 python3-dbus systemd udev dmidecode lshw util-linux mount fdisk gdisk parted e2fsprogs dosfstools xfsprogs "
    "efibootmgr hdparm smartmontools nvme-cli ipmitool pciutils iproute2 ethtool kmod mdadm ca-certificates curl procps psmisc tar gzip"
).split()

# Documentation, and drivers for devices that QEMU does not have.
DRIVERS = (
    "gpu media infiniband isdn staging iio hwmon leds bluetooth comedi target usb/gadget usb/serial net/wireless net/can net/ethernet "
    "net/usb net/wan net/fddi net/arcnet net/hamradio net/ieee802154 mtd input/touchscreen input/joystick input/tablet video edac mfd "
    "scsi/lpfc scsi/qla2xxx scsi/bfa scsi/mpt3sas scsi/mpi3mr scsi/aacraid scsi/aic7xxx scsi/be2iscsi scsi/bnx2fc scsi/bnx2i "
    "scsi/cxgbi scsi/qedf scsi/qedi scsi/elx scsi/pm8001 scsi/smartpqi scsi/megaraid scsi/isci accel crypto firewire misc power w1"
).split()
FILE_SYSTEMS = "ocfs2 ceph cifs nfs nfsd gfs2 jfs reiserfs f2fs ubifs jffs2 afs orangefs ksmbd smb btrfs nilfs2 udf ntfs ntfs3 hfs hfsplus 9p coda".split()
SMALLER = (
    ["/usr/share/%s/*" % d for d in ("man", "doc", "locale", "info", "lintian", "bug", "gtk-doc", "zsh", "bash-completion")]
    + ["/usr/lib/cni/*", "/usr/lib/x86_64-linux-gnu/libicu*"]
    + ["/lib/modules/*/kernel/drivers/%s/*" % d for d in DRIVERS]
    + ["/lib/modules/*/kernel/fs/%s/*" % d for d in FILE_SYSTEMS]
    + ["/lib/modules/*/kernel/sound/*", "/lib/modules/*/kernel/net/wireless/*", "/lib/modules/*/kernel/net/mac80211/*"]
)
# QEMU's network interfaces other than virtio are e1000 and e1000e.
KEPT = ["/lib/modules/*/kernel/drivers/net/ethernet/intel/e1000/*", "/lib/modules/*/kernel/drivers/net/ethernet/intel/e1000e/*"]

# Only the installation of packages needs these; perl-base remains.
LEFT_OUT = ["var/cache/apt", "var/lib/apt/lists", "usr/share/perl", "usr/lib/x86_64-linux-gnu/perl", "usr/lib/x86_64-linux-gnu/libperl.so.5.36.0"]


def bootstrapped(name, packages):
    """Return a tar file with the packages and their dependencies."""
    options = ["--variant=essential", "--mode=root", "--format=tar", "--include=" + ",".join(packages), '--aptopt=APT::Install-Recommends "false"']
    options += ["--dpkgopt=path-exclude=" + p for p in SMALLER]
    options += ["--dpkgopt=path-include=" + p for p in KEPT]

    def make(path):
        env = parts.clean_environment()
        env["INITRD"] = "No"  # stage1.py builds the initramfs
        parts.run(["mmdebstrap", "--quiet"] + options + [parts.SUITE, path] + parts.MIRRORS, env=env)

    return parts.part(name + ".tar", parts.digest(*options, *parts.MIRRORS), make)


def unpack(tar, root):
    """Unpack a tar file with owners and devices."""
    os.makedirs(root)
    parts.run(["tar", "--numeric-owner", "--xattrs", "--xattrs-include=*", "-C", root, "-xf", tar])
    for left in LEFT_OUT:
        shutil.rmtree(os.path.join(root, left), ignore_errors=True)


def kernel_version(root):
    """Return the version of the only kernel in a root file system."""
    (version,) = os.listdir(os.path.join(root, "usr", "lib", "modules"))
    return version
