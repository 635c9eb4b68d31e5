#!/usr/bin/env python3
"""Build Ignition for the tests.

    python3 install.py VERSION [--labels]

Go downloads and builds the module github.com/coreos/ignition/v2. apt-get downloads and
verifies Debian's libblkid-dev, which is unpacked, not installed. With --labels, Ignition
sets SELinux labels as on CoreOS, by Debian's setfiles, which is in the folder tools beside
it. The script prints the path of the program, below

    ${IRONWORKS_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ironworks}/ignition

It needs no root privileges and changes nothing else on the system. An existing program
is reused. Exit codes: 0 success, 1 failure, 3 not Debian.

Only the standard library is used.
"""

import glob
import hashlib
import os
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "..", "lab", "real"), os.path.join(HERE, "..", "sshd")]
sys.dont_write_bytecode = True

import install as debian  # noqa: E402  test/sshd/install.py
import venv as environments  # noqa: E402  lab/real/venv.py

MODULE = "github.com/coreos/ignition/v2/internal"
# As on CoreOS, except for what Debian lacks: SELinux labels and sshd's authorized_keys.d.
# With blackboxTesting, Ignition reads the paths of its folders from the environment.
SETTINGS = {
    "distro.blackboxTesting": "true",
    "distro.selinuxRelabel": "false",
    "distro.writeAuthorizedKeysFragment": "false",
}
# With blackboxTesting, Ignition sets no labels: the folders of oracle.go's script are fixed.
LABELS = {
    "distro.blackboxTesting": "false",
    "distro.selinuxRelabel": "true",
    "distro.systemConfigDir": "/mnt/config",
    "distro.systemLocalConfigDir": "/mnt/none",
    "distro.systemRuntimeConfigDir": "/mnt/none",
}


def flags(version, labels):
    """Return the linker's flags."""
    settings = dict(SETTINGS, **{"version.Raw": version.lstrip("v")})
    if labels:
        settings.update(LABELS)
    return "-s -w " + " ".join("-X %s/%s=%s" % (MODULE, name, value) for name, value in sorted(settings.items()))


def build(version, folder, labels):
    """Build under a temporary name and rename, so that an incomplete folder is never used."""
    making = folder + ".new"
    shutil.rmtree(making, ignore_errors=True)
    os.makedirs(making)
    root = os.path.join(making, "blkid")
    if not debian.unpack(["libblkid-dev", "libblkid1", "uuid-dev"], root):
        return False
    if labels and not debian.unpack(["policycoreutils"], os.path.join(making, "tools")):
        return False
    headers = glob.glob(os.path.join(root, "usr", "include"))
    libraries = [os.path.dirname(p) for p in glob.glob(os.path.join(root, "**", "libblkid.so.1"), recursive=True)]
    static = [os.path.dirname(p) for p in glob.glob(os.path.join(root, "**", "libblkid.so"), recursive=True)]
    environment = dict(os.environ, GOBIN=making, CGO_ENABLED="1", GOFLAGS="", CGO_CFLAGS=" ".join("-I" + d for d in headers),
                       CGO_LDFLAGS=" ".join("-L" + d for d in libraries + static))
    done = subprocess.run(["go", "install", "-trimpath", "-ldflags", flags(version, labels), MODULE + "@" + version],
                          env=environment, cwd=making, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.stderr.write(done.stdout.decode(errors="replace"))
        return False
    os.rename(os.path.join(making, "internal"), os.path.join(making, "ignition"))
    shutil.rmtree(root)
    os.rename(making, folder)
    return True


def main():
    labels = sys.argv[2:] == ["--labels"]
    if len(sys.argv) != 2 + labels:
        sys.stderr.write(__doc__)
        return 2
    if debian.release() is None:
        sys.stderr.write("install.py: not Debian: libblkid-dev comes from Debian's packages\n")
        return 3
    made_as = hashlib.sha256(flags(sys.argv[1], labels).encode()).hexdigest()[:8]
    folder = os.path.join(environments.cache_root(), "ignition", sys.argv[1] + "-" + made_as)
    if not os.path.isdir(folder):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with open(folder + ".lock", "w", encoding="utf-8") as lock:
            while not environments.locked(lock):
                time.sleep(0.2)
            if not os.path.isdir(folder) and not build(sys.argv[1], folder, labels):
                return 1
    print(os.path.join(folder, "ignition"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
