#!/usr/bin/env python3
"""Download OpenSSH's server and client, systemd's journal programs and libnss-wrapper.

    python3 install.py

apt-get downloads and verifies Debian's packages. They are unpacked, not
installed, in

    ${IRONWORKS_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ironworks}/sshd/RELEASE

and the script prints that path. It needs no root privileges and changes nothing
else on the system; apt uses separate lists. The versions are those of this
machine's release of Debian, so that their libraries fit. An existing folder is
reused. Exit codes: 0 success, 1 failure, 3 not Debian.

Only the standard library is used.
"""

import glob
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lab", "real"))
sys.dont_write_bytecode = True

import venv as environments  # noqa: E402  lab/real/venv.py

WANTED = ["openssh-server", "openssh-client", "systemd-journal-remote", "systemd", "libnss-wrapper"]
PROGRAMS = ["usr/sbin/sshd", "usr/bin/ssh", "usr/bin/ssh-keygen", "bin/journalctl", "lib/systemd/systemd-journal-remote", "lib/*/libnss_wrapper.so*"]
# Dependencies whose programs are not run.
NOT_UNPACKED = ("libpam-", "systemd-sysv", "systemd-timesyncd", "runit-helper", "libnss-systemd", "dbus", "libc6", "libc-bin")


def release():
    """Return the release of Debian or of a derived distribution, or None on other systems."""
    try:
        with open("/etc/os-release", encoding="utf-8") as f:
            facts = dict(line.rstrip().split("=", 1) for line in f if "=" in line)
    except OSError:
        return None
    family = [facts.get("ID", "").strip('"')] + facts.get("ID_LIKE", "").strip('"').split()
    if "debian" not in family or not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return None
    return facts.get("VERSION_CODENAME", family[0]).strip('"')


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        sys.stderr.write("install.py: %s failed with exit code %d\n" % (" ".join(command[:1] + command[-3:]), done.returncode))
    return done.returncode == 0


def missing(folder):
    names = [[folder, p] for p in PROGRAMS]
    # Since Debian 13 everything is below /usr.
    return [p for d, p in names if not glob.glob(os.path.join(d, p)) and not glob.glob(os.path.join(d, "usr", p))]


def unpack(packages, root):
    """Download packages and their missing dependencies, and unpack them."""
    apt = root + ".apt"
    shutil.rmtree(apt, ignore_errors=True)
    for name in ("lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, name))
    options = [
        "Dir::State=" + apt, "Dir::State::lists=" + apt + "/lists", "Dir::State::status=/var/lib/dpkg/status",
        "Dir::Cache=" + apt + "/cache", "Debug::NoLocking=1", "APT::Sandbox::User=",
    ]
    apt_get = ["apt-get", "-qq"] + [part for o in options for part in ("-o", o)]
    if not run(apt_get + ["update"]):
        return False
    if not run(apt_get + ["--yes", "--download-only", "--reinstall", "--no-install-recommends", "install"] + packages):
        return False
    os.makedirs(root)
    for package in sorted(glob.glob(apt + "/cache/archives/*.deb")):
        if not os.path.basename(package).startswith(NOT_UNPACKED) and not run(["dpkg-deb", "-x", package, root]):
            return False
    shutil.rmtree(apt)
    return True


def fetch(folder):
    """Unpack under a temporary name and rename, so that an incomplete folder is never used."""
    making = folder + ".new"
    shutil.rmtree(making, ignore_errors=True)
    root = os.path.join(making, "root")
    if not unpack(WANTED, root):
        return False
    lacks = missing(root)
    if lacks:
        sys.stderr.write("install.py: the packages of this release lack %s\n" % ", ".join(lacks))
        return False
    os.rename(root, folder)
    shutil.rmtree(making, ignore_errors=True)
    return True


def main():
    name = release()
    if name is None:
        sys.stderr.write("install.py: sshd and systemd-journal-remote come from Debian's packages, and this is not Debian\n")
        return 3
    folder = os.path.join(environments.cache_root(), "sshd", name)
    if not os.path.isdir(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with open(folder + ".lock", "w", encoding="utf-8") as lock:
            while not environments.locked(lock):
                time.sleep(0.2)
            if not os.path.isdir(folder) and not fetch(folder):
                return 1
    print(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
