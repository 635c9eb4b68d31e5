#!/usr/bin/env python3
"""Install the coreos-installer of the tests.

    python3 install.py

cargo builds the pinned version from crates.io in

    ${IRONWORKS_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ironworks}/coreos-installer/VERSION

and the script prints the path of the program. An existing program is reused.
Building takes five minutes on two processors and needs a C compiler, pkg-config
and the headers of OpenSSL and zstd. Exit codes: 0 success, 1 failure, 3 no
cargo.

Only the standard library is used.
"""

import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lab", "real"))
sys.dont_write_bytecode = True

import venv as environments  # noqa: E402  lab/real/venv.py

VERSION = "0.26.0"


def build(folder):
    """Build under a temporary name and rename, so that an incomplete folder is never used."""
    making = folder + ".new"
    shutil.rmtree(making, ignore_errors=True)
    command = ["cargo", "install", "--locked", "--quiet", "--version", VERSION, "--root", making]
    command += ["--target-dir", making + ".target", "coreos-installer"]
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    shutil.rmtree(making + ".target", ignore_errors=True)
    if made.returncode != 0:
        sys.stderr.write(made.stdout.decode(errors="replace"))
        sys.stderr.write(
            "install.py: building coreos-installer %s failed; on Debian it needs "
            "gcc pkg-config libssl-dev libzstd-dev\n" % VERSION
        )
        return False
    os.rename(making, folder)
    return True


def main():
    folder = os.path.join(environments.cache_root(), "coreos-installer", VERSION)
    program = os.path.join(folder, "bin", "coreos-installer")
    if not os.path.exists(program):
        if not shutil.which("cargo"):
            sys.stderr.write("install.py: cargo, which builds coreos-installer %s, is not on PATH\n" % VERSION)
            return 3
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with open(folder + ".lock", "w", encoding="utf-8") as lock:
            while not environments.locked(lock):
                time.sleep(0.2)
            if not os.path.exists(program) and not build(folder):
                return 1
    print(program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
