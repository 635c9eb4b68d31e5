"""The programs that the agent finds in PATH on a machine of the lab.

Small scripts in a folder run this file with the name of the program. Programs
that matter call the machine; the others do nothing and exit with code 0. The
machine has no other programs.
"""

import base64
import functools
import json
import os
import shutil
import signal
import sys
import urllib.parse

HARMLESS = ("hwclock", "ip", "journalctl", "modprobe")

# Programs that the simulated machine runs on its disks.
FORWARDED = (
    "blkid", "blockdev", "dd", "efibootmgr", "fuser", "lsblk", "mdadm", "mkfs", "mkswap", "parted", "partprobe", "partx", "sgdisk",
    "udevadm", "wipefs",
)


def survive():
    """Ignore the signal with which the machine stops all processes.

    It reaches this program and the agent at the same time. An agent whose
    poweroff was killed assumes that it failed, and asks the kernel.
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
    """chroot ROOT coreos-installer install …: the only program in ROOT."""
    root, program, argv = args[0], args[1], args[2:]
    if program != "coreos-installer":
        sys.stderr.write("chroot: failed to run command '%s': No such file or directory\n" % program)
        return 127
    call = {"argv": argv}
    if "--ignition-file" in argv:
        path = os.path.join(root, argv[argv.index("--ignition-file") + 1].lstrip("/"))
        with open(path, "rb") as file:
            call["ignition"] = base64.b64encode(file.read()).decode()
    for message in service.lines("install", call):
        if "line" in message:
            print(message["line"], flush=True)
        elif "missing" in message:
            sys.stderr.write("chroot: failed to run command 'coreos-installer': No such file or directory\n")
            return 127
        else:
            return message["exit"]
    sys.stderr.write("coreos-installer: killed\n")
    return 137


def forward(name, args):
    """Run a program on the simulated machine."""
    out = json.loads(service.call("run", {"argv": [name] + args}))
    sys.stdout.write(out["stdout"])
    sys.stderr.write(out["stderr"])
    return out["exit"]


def mount(args):
    """mount DEVICE FOLDER: copy the device's files to the folder until umount."""
    device, folder = args[0], args[1]
    found = service.get("mount?" + urllib.parse.urlencode({"device": device}))
    if found.get("error"):
        sys.stderr.write("mount: %s: %s\n" % (folder, found["error"]))
        return 32
    for entry in sorted(found["files"] or [], key=lambda e: (not e["folder"], e["path"])):
        path = os.path.join(folder, entry["path"])
        if entry["folder"]:
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(base64.b64decode(entry["content"] or ""))
        os.chmod(path, entry["mode"] or 0o755)
    with open(folder + ".mounted", "w", encoding="utf-8") as file:
        file.write(device)
    return 0


def umount(args):
    folder = args[-1]
    try:
        with open(folder + ".mounted", encoding="utf-8") as file:
            device = file.read()
    except FileNotFoundError:
        return 0  # not mounted by this file
    files = []
    for root, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(root, name)
            entry = {"path": os.path.relpath(path, folder), "folder": name in folders, "mode": os.stat(path).st_mode & 0o7777}
            if not entry["folder"]:
                with open(path, "rb") as file:
                    entry["content"] = base64.b64encode(file.read()).decode()
            files.append(entry)
    service.post("unmount", {"device": device, "files": files})
    os.remove(folder + ".mounted")
    shutil.rmtree(folder)
    os.mkdir(folder)
    return 0


PROGRAMS = {f.__name__: f for f in (poweroff, reboot, sync, chroot, mount, umount)}
PROGRAMS.update({name: functools.partial(forward, name) for name in FORWARDED})
PROGRAMS.update({name: lambda _args: 0 for name in HARMLESS})


def install(folder):
    """Create the folder with the scripts."""
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
