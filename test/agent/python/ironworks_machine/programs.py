"""The programs that the agent finds on PATH on a machine of the lab.

A folder of small scripts runs this file with the name of the program. Those
that matter tell the machine; the others do nothing and say so by exit code 0.
Whatever is not here is not on the machine at all.
"""

import base64
import json
import os
import signal
import sys

HARMLESS = ("dd", "sgdisk", "partprobe", "partx", "udevadm", "hwclock", "ip", "journalctl", "modprobe", "umount")


def survive():
    """Ignore the signal that the machine ends everything with.

    It reaches this program and the agent at the same time. An agent whose
    poweroff was killed takes it for failed, and asks the kernel.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def poweroff(_args):
    survive()
    service.post("power-off")
    return 0


def reboot(_args):
    survive()
    service.post("reboot")
    return 0


def sync(_args):
    service.post("sync")
    return 0


def chroot(args):
    """chroot ROOT coreos-installer install …: the only thing that is in there."""
    root, program, argv = args[0], args[1], args[2:]
    if program != "coreos-installer":
        sys.stderr.write("chroot: failed to run command '%s': No such file or directory\n" % program)
        return 127
    call = {"argv": argv}
    if "--ignition-file" in argv:
        path = os.path.join(root, argv[argv.index("--ignition-file") + 1].lstrip("/"))
        with open(path, "rb") as file:
            call["ignition"] = base64.b64encode(file.read()).decode()
    for said in service.lines("install", call):
        if "line" in said:
            print(said["line"], flush=True)
        elif "missing" in said:
            sys.stderr.write("chroot: failed to run command 'coreos-installer': No such file or directory\n")
            return 127
        else:
            return said["exit"]
    sys.stderr.write("coreos-installer: killed\n")
    return 137


def wipefs(args):
    try:
        service.post("erase", {"device": args[-1], "depth": "metadata"})
    except service.Failure as err:
        sys.stderr.write("wipefs: error: %s: %s\n" % (args[-1], err))
        return 1
    return 0


def blockdev(args):
    found = [d for d in service.get("block-devices") if d["name"] == args[-1]]
    if not found:
        sys.stderr.write("blockdev: cannot open %s: No such file or directory\n" % args[-1])
        return 1
    disk = found[0]
    answers = {
        "--getss": disk["logical_sectors"], "--getpbsz": disk["physical_sectors"], "--getsize64": disk["size"],
        "--getsz": disk["size"] // 512,
    }
    for option in args[:-1]:
        if option in answers:
            print(answers[option])
    return 0


def fuser(_args):
    return 1  # nobody holds the device


def lsblk(args):
    """No partitions, labels or file systems: disks are as new."""
    if "--json" in args:
        print(json.dumps({"blockdevices": [{"uuid": None, "ptuuid": None, "parttype": None, "partuuid": None}]}))
    return 0


PROGRAMS = {f.__name__: f for f in (poweroff, reboot, sync, chroot, wipefs, blockdev, fuser, lsblk)}
PROGRAMS.update({name: lambda _args: 0 for name in HARMLESS})


def install(folder):
    """Make the folder of scripts."""
    os.makedirs(folder)
    for name in PROGRAMS:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as script:
            script.write("#!/bin/sh\nexec '%s' -I -S -B '%s' %s \"$@\"\n" % (sys.executable, os.path.abspath(__file__), name))
        os.chmod(path, 0o700)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from ironworks_machine import service

    sys.exit(PROGRAMS[sys.argv[1]](sys.argv[2:]))
