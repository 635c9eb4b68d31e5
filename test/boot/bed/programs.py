"""The real programs that are built from source: Ignition and coreos-installer."""

import os
import subprocess
import sys

from . import needs, parts

MODULE = "github.com/coreos/ignition/v2"


def ignition():
    """Ignition, of the version in go.mod: what checks user data here is what runs there."""
    facts = parts.run(["go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", MODULE], cwd=parts.PROJECT).split()
    if len(facts) < 2:
        parts.run(["go", "mod", "download", MODULE], cwd=parts.PROJECT)
        facts = parts.run(["go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", MODULE], cwd=parts.PROJECT).split()
    version, source = facts
    # Debian has no SELinux labels and reads ~/.ssh/authorized_keys alone.
    variables = {
        "distro.selinuxRelabel": "false",
        "distro.writeAuthorizedKeysFragment": "false",
        "version.Raw": version.lstrip("v"),
    }
    flags = "-s -w " + " ".join("-X %s/internal/%s=%s" % (MODULE, k, v) for k, v in sorted(variables.items()))

    def make(path):
        env = parts.clean_environment()
        env["CGO_ENABLED"] = "1"
        parts.run(["go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", flags, "-o", path, "./internal"], cwd=source, env=env)

    return parts.part("ignition", parts.digest(version, flags, needs.go_version()), make)


def coreos_installer():
    """coreos-installer, as test/coreosinstaller builds it."""
    script = os.path.join(parts.PROJECT, "test", "coreosinstaller", "install.py")
    done = subprocess.run([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise parts.Failed(done.stderr.decode(errors="replace"))
    return done.stdout.decode().strip()
