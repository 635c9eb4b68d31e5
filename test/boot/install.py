#!/usr/bin/env python3
"""Build the images that machines in the boot tests boot.

    python3 install.py [--packages] [RELEASE…]

Everything is built from packages of Debian, PyPI, crates.io and Go's proxy in

    ${IRONWORKS_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ironworks}/boot

The script prints a JSON object with the paths, and its progress to stderr.
Existing images are reused. RELEASE is an Ironic whose agent is needed: newest
or old; the default is both. The script needs root and Debian packages, which
--packages installs. Exit codes: 0 success, 1 failure, 3 a requirement is
missing, which one line on stderr names.

Only the standard library is used.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

from bed import agent, disk, live, needs, parts, programs, roots, stage1  # noqa: E402

# The releases of Ironic, as lab/real names them.
RELEASES = ["newest", "old"]


def images(ignition, installer):
    """Return the folder with live.iso and with disk.img.zst, the image to install."""
    tar = roots.bootstrapped("live-root", roots.LIVE)
    key = parts.digest(tar, ignition, installer, live.inputs() + disk.inputs())

    def make(path):
        os.makedirs(path)
        with parts.Scratch("root") as scratch:
            root = os.path.join(scratch, "root")
            live.finished_root(tar, root, {"ignition": ignition, "coreos-installer": installer})
            initrd = os.path.join(path, "initrd.img")
            stage1.make(root, ignition, initrd)
            live.make(root, initrd, os.path.join(path, "live.iso"))
            disk.make(root, initrd, os.path.join(path, "disk.img.zst"))
            os.remove(initrd)

    return parts.part("images", key, make)


def main():
    words = sys.argv[1:]
    releases = [word for word in words if word != "--packages"] or RELEASES
    if not set(releases) <= set(RELEASES):
        sys.stderr.write("install.py: releases are %s\n" % " and ".join(RELEASES))
        return 2
    try:
        if "--packages" in words:
            needs.install()
        lacks = needs.missing()
        if lacks:
            sys.stderr.write("install.py: machines cannot boot here: %s\n" % lacks)
            return 3
        made = images(programs.ignition(), programs.coreos_installer())
        registries = {release: agent.registry(release) for release in releases}
    except (OSError, parts.Failed) as err:
        sys.stderr.write("install.py: %s\n" % err)
        return 1
    paths = {
        "iso": os.path.join(made, "live.iso"),
        "disk": os.path.join(made, "disk.img.zst"),
        "registries": registries,
    }
    print(json.dumps(paths, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
