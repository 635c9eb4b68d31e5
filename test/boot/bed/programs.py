"""The programs that are built from source: Ignition and coreos-installer."""

import os
import subprocess
import sys

from . import parts

MODULE = "github.com/coreos/ignition/v2"


def ignition():
    """Return the path of Ignition in the version of go.mod, with which ironworks checks user data."""
    version = parts.run(["go", "list", "-m", "-f", "{{.Version}}", MODULE], cwd=parts.PROJECT).strip()
    return installed("oracle", version)


def coreos_installer():
    """Return the path of coreos-installer as test/coreosinstaller builds it."""
    return installed("coreosinstaller")


def installed(test, *arguments):
    """Return the path that the install.py of a test prints; it builds the program on first use."""
    script = os.path.join(parts.PROJECT, "test", test, "install.py")
    done = subprocess.run([sys.executable, script, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise parts.Failed(done.stderr.decode(errors="replace"))
    return done.stdout.decode().strip()
